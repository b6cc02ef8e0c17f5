/* stored.c: opens the store and finds the campaign in it. */
#include "cmd/stored.h"

#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/shell.h"
#include "build/home.h"
#include "report/checks.h"

#include <stdlib.h>
#include <string.h>

char *stored_output(const struct stored *s, uint64_t campaign)
{
	struct buf b = {0};

	if (store_value_get(s->store, campaign, "output", &b) > 0 && b.size)
		return buf_take(&b);
	buf_release(&b);
	return NULL;
}

static int choose(void *ctx, uint64_t id, struct hash128 key, const char *program, const char *command)
{
	struct stored *s = ctx;
	char hex[HASH_HEX_SIZE];

	if (s->key && strcmp(hash_hex(key, hex), s->key))
		return 0;
	free(s->program);
	free(s->command);
	s->id = id;
	s->program = mem_strdup(program);
	s->command = mem_strdup(command);
	return s->key != NULL;
}

static void read_key(struct stored *s)
{
	char *path = file_join(s->dir, "campaign");
	struct buf b = {0};

	if (!file_is_regular(path) || file_read_limited(path, 4096, &b))
		die(EXIT_USAGE, "'%s' is no output directory of a search: it has no file 'campaign' (with -S NAME it is DIR/NAME)", s->dir);
	buf_str(&b)[strcspn(buf_str(&b), "\n")] = 0;
	s->key = buf_take(&b);
	free(path);
}

void stored_open(struct stored *s)
{
	s->path = s->store_file ? mem_strdup(s->store_file) : file_join(home_project(), "store.db");
	if (store_open(&s->store, s->path, STORE_READ_ONLY))
		die(EXIT_USAGE, "%s", error_text());
}

void stored_choose(struct stored *s)
{
	if (s->dir)
		read_key(s);
	if (store_campaign_each(s->store, choose, s))
		die(EXIT_USAGE, "%s", error_text());
	if (!s->id && s->dir)
		die(EXIT_USAGE, "the store '%s' knows no search with the output directory '%s': name its store with --store", s->path, s->dir);
	if (!s->id)
		die(EXIT_USAGE, "the store '%s' has no search yet: 'muster fuzz' begins one", s->path);
	s->output = s->dir ? mem_strdup(s->dir) : stored_output(s, s->id);
}

/* What the search looked for; one that an older muster made has no such value. */
static checker_set checks_of(const struct stored *s)
{
	struct buf b = {0};
	checker_set set = checker_default();

	if (store_value_get(s->store, s->id, "checks", &b) > 0 && checker_parse(buf_str(&b), &set))
		set = checker_default();
	buf_release(&b);
	return set;
}

void stored_replay(const struct stored *s, const struct result_bug *b, struct buf *out)
{
	char *file;

	if (!s->output || !*b->input_file)
		return;
	buf_adds(out, "muster replay ");
	check_option_word(out, checks_of(s), b->kind);
	if (s->store_file) {
		buf_adds(out, "--store ");
		shell_paste_path(out, s->store_file);
		buf_addc(out, ' ');
	}
	file = file_join(s->output, b->input_file);
	shell_paste_path(out, file);
	free(file);
}

void stored_release(struct stored *s)
{
	store_close(s->store);
	free(s->path);
	free(s->key);
	free(s->program);
	free(s->command);
	free(s->output);
}
