/* operands.c: tests and a program from a command line, or a program from the store. */
#include "cmd/operands.h"

#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "build/home.h"
#include "build/variant.h"
#include "cmd/check_options.h"
#include "cmd/targets.h"
#include "store/store.h"

#include <string.h>

#define TEST_LIMIT (256u << 20)

/* ---------------------------------------------------------------- campaigns */

struct wanted {
	const char *key; /* in hex */
	struct operands *o;
	int found;
};

static int look(void *ctx, uint64_t id, struct hash128 key, const char *program,
		const char *command)
{
	struct wanted *w = ctx;
	char hex[HASH_HEX_SIZE];

	(void)id;
	if (strcmp(hash_hex(key, hex), w->key))
		return 0;
	w->found = 1;
	w->o->program = mem_strdup(program);
	shell_split(&w->o->command, command);
	return 1;
}

/* The first line of DIR/campaign, or 0. */
static int read_key(const char *dir, struct buf *key)
{
	char *path = file_join(dir, "campaign");
	int known = file_is_regular(path) && !file_read_limited(path, 4096, key);

	free(path);
	if (known) {
		key->size = strcspn(buf_str(key), "\n");
		buf_str(key);
	}
	return known;
}

static void program_of(struct operands *o, const char *dir, const char *store_file)
{
	char *path = store_file ? mem_strdup(store_file) : file_join(home_project(), "store.db");
	struct buf key = {0};
	struct store *s;

	if (!read_key(dir, &key))
		die(EXIT_USAGE,
		    "'%s' is no output directory of a search: it has no file 'campaign'. Name the "
		    "program "
		    "after --",
		    dir);
	if (store_open(&s, path, STORE_READ_ONLY))
		die(EXIT_USAGE, "%s. Name the store with --store, or the program after --",
		    error_text());
	struct wanted w = {.key = buf_str(&key), .o = o};

	if (store_campaign_each(s, look, &w))
		die(EXIT_USAGE, "%s", error_text());
	if (!w.found || !o->command.argv.size)
		die(EXIT_USAGE,
		    "the store '%s' knows no search with the output directory '%s': name another "
		    "with "
		    "--store, or the program after --",
		    path, dir);
	store_close(s);
	buf_release(&key);
	free(path);
}

/* The output directory that a test lies in, or NULL. */
static char *dir_of(const char *test)
{
	char *folder = file_dir(test), *dir = mem_printf("%s/..", folder);
	char *mark = file_join(dir, "campaign");
	int known = file_is_regular(mark);

	free(folder);
	free(mark);
	if (known)
		return dir;
	free(dir);
	return NULL;
}

/* ------------------------------------------------------------------ parsing */

static void take_program(struct operands *o, const struct option_spec *spec,
			 const struct operands_options *from)
{
	char *dir = from->dir ? mem_strdup(from->dir) : dir_of(o->tests.data[0]);

	if (!dir && !file_exists(o->tests.data[0]))
		die(EXIT_USAGE, "there is no file '%s'", o->tests.data[0]);
	if (!dir)
		option_usage(spec, "which program? Name it after --, as in: muster %s %s -- ./prog @@", spec->command, o->tests.data[0]);
	program_of(o, dir, from->store);
	free(dir);
}

void operands_parse(struct operands *o, const struct option_spec *spec, int argc, char **argv,
		    struct operands_options *from)
{
	int at = 0;

	memset(o, 0, sizeof *o);
	for (;;) {
		at += option_parse(spec, argc - at, argv + at);
		if (at >= argc || !strcmp(argv[at - 1], "--"))
			break;
		vec_push(&o->tests, argv[at]);
	}
	for (; at < argc; at++)
		vec_push(&o->command.argv, argv[at]);
	from->set = checker_default();
	if (from->check && checker_parse(from->check, &from->set))
		option_usage(spec, "--check: %s", error_text());
	variant_checks(from->set);
	check_suppress(spec, from->check, from->suppressions);
	if (!o->tests.size)
		option_usage(spec, "which test? Name a file before --");
	if (!o->command.argv.size)
		take_program(o, spec, from);
	else
		o->program = targets_program(o->command.argv.data[0]);
	vec_push(&o->command.argv, NULL);
}

void operands_release(struct operands *o)
{
	vec_release(&o->tests);
	free(o->program);
	shell_line_release(&o->command);
}

void operands_read(const char *test, struct buf *out)
{
	if (file_is_dir(test))
		die(EXIT_USAGE, "'%s' is a directory: name a file in it", test);
	if (file_read_limited(test, TEST_LIMIT, out))
		die(EXIT_USAGE, "%s", error_text());
}
