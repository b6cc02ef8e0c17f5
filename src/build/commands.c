/* commands.c: compile_commands.json, read.
 *
 * An array of objects with strings, "arguments" an array of them: no more of JSON is needed, and what else an object has is passed over. A file that is compiled twice counts once, as it is compiled first. Of a
 * command's arguments those are kept that shape the unit; optimisation, debug information, warnings and outputs are muster's business.
 */
#include "build/commands.h"

#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/shell.h"
#include "build/args.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	const char *path, *text, *at;
	struct arena *arena;
};

struct entry {
	char *directory, *file, *command;
	VEC(char *) arguments;
};

static int bad(const struct reader *r)
{
	unsigned line = 1;
	for (const char *s = r->text; s < r->at && *s; s++)
		line += *s == '\n';
	return error_set("%s:%u: this is no compile_commands.json (an array of objects with directory, file, and command or arguments)", r->path, line);
}

static void skip_blanks(struct reader *r)
{
	r->at += strspn(r->at, " \t\r\n");
}

static int take(struct reader *r, char c)
{
	skip_blanks(r);
	if (*r->at != c)
		return 0;
	r->at++;
	return 1;
}

static void add_code(struct buf *b, unsigned code)
{
	if (code < 0x80) {
		buf_addc(b, (char)code);
	} else if (code < 0x800) {
		buf_addc(b, (char)(0xc0 | code >> 6));
		buf_addc(b, (char)(0x80 | (code & 63)));
	} else {
		buf_addc(b, (char)(0xe0 | code >> 12));
		buf_addc(b, (char)(0x80 | (code >> 6 & 63)));
		buf_addc(b, (char)(0x80 | (code & 63)));
	}
}

/* A string, in the arena; NULL: none begins there. */
static char *take_string(struct reader *r)
{
	static const char escapes[] = "n\nt\tr\rb\bf\f";
	struct buf b = BUF_EMPTY;
	if (!take(r, '"'))
		return NULL;
	for (; *r->at && *r->at != '"'; r->at++) {
		if (*r->at != '\\') {
			buf_addc(&b, *r->at);
			continue;
		}
		if (!*++r->at)
			break;
		const char *e = strchr("ntrbf", *r->at) ? strchr(escapes, *r->at) : NULL;
		if (*r->at == 'u' && isxdigit((unsigned char)r->at[1]) && isxdigit((unsigned char)r->at[2]) && isxdigit((unsigned char)r->at[3]) && isxdigit((unsigned char)r->at[4])) {
			char hex[5] = {r->at[1], r->at[2], r->at[3], r->at[4], 0};
			add_code(&b, (unsigned)strtoul(hex, NULL, 16));
			r->at += 4;
		} else {
			buf_addc(&b, e ? e[1] : *r->at);
		}
	}
	char *text = *r->at == '"' ? arena_strdup(r->arena, buf_str(&b)) : NULL;
	r->at += *r->at == '"';
	buf_release(&b);
	return text;
}

/* Any value, without a use: 0, -1. */
static int skip_value(struct reader *r)
{
	int depth = 0;
	do {
		skip_blanks(r);
		if (*r->at == '"') {
			if (!take_string(r))
				return -1;
			continue;
		}
		depth += (*r->at == '{' || *r->at == '[') - (*r->at == '}' || *r->at == ']');
		if (depth < 0 || !*r->at)
			return -1;
		if (depth || *r->at == '}' || *r->at == ']')
			r->at++;
		else
			r->at += strcspn(r->at, ",}] \t\r\n");
	} while (depth);
	return 0;
}

static int take_list(struct reader *r, struct entry *e)
{
	if (!take(r, '['))
		return -1;
	while (!take(r, ']')) {
		char *word = take_string(r);
		if (!word)
			return -1;
		vec_push(&e->arguments, word);
		if (!take(r, ',') && (skip_blanks(r), *r->at != ']'))
			return -1;
	}
	return 0;
}

static int take_entry(struct reader *r, struct entry *e)
{
	if (!take(r, '{'))
		return -1;
	while (!take(r, '}')) {
		char *key = take_string(r);
		if (!key || !take(r, ':'))
			return -1;
		char **to = !strcmp(key, "directory") ? &e->directory : !strcmp(key, "file") ? &e->file : !strcmp(key, "command") ? &e->command : NULL;
		if (to ? !(*to = take_string(r)) : !strcmp(key, "arguments") ? take_list(r, e) : skip_value(r))
			return -1;
		if (!take(r, ',') && (skip_blanks(r), *r->at != '}'))
			return -1;
	}
	return e->directory && e->file && (e->command || e->arguments.size) ? 0 : -1;
}

/* ------------------------------------------------------------------- flags */

static int names_path(const char *option)
{
	static const char *const options[] = {"-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "--sysroot", "-isysroot"};
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (!strcmp(option, options[i]))
			return 1;
	return 0;
}

static void add_flags(struct commands *c, struct commands_unit *u, const struct entry *e, int argc, char **argv)
{
	struct args a = {0};
	struct words w = {0};
	if (!args_parse(&a, argc, argv))
		for (size_t i = 0; i < a.list.size; i++) {
			struct arg g = a.list.data[i];
			if (g.class != ARG_OTHER)
				continue;
			if (g.value && names_path(g.text) && *g.value != '/') {
				char *whole = file_join(e->directory, g.value);
				g.value = arena_strdup(&c->arena, whole);
				free(whole);
			}
			args_words(&g, &w, &c->arena);
		}
	for (size_t i = 0; i < w.size; i++)
		w.data[i] = arena_strdup(&c->arena, w.data[i]);
	vec_push(&w, NULL);
	u->flags = arena_copy(&c->arena, w.data, w.size * sizeof *w.data);
	vec_release(&w);
	args_release(&a);
}

static void add_unit(struct commands *c, struct entry *e)
{
	char *joined = file_join(e->directory, e->file), *file = file_absolute(joined);
	struct commands_unit u = {.file = arena_strdup(&c->arena, file)};
	struct shell_line line = {0};
	free(joined), free(file);
	if (!file_is_c(u.file))
		return;
	for (size_t i = 0; i < c->units.size; i++)
		if (!strcmp(c->units.data[i].file, u.file))
			return;
	if (!e->arguments.size)
		shell_split(&line, e->command);
	if (line.argv.size && !vec_last(&line.argv))
		line.argv.size--;
	if (e->arguments.size)
		add_flags(c, &u, e, (int)e->arguments.size, e->arguments.data);
	else
		add_flags(c, &u, e, (int)line.argv.size, line.argv.data);
	shell_line_release(&line);
	vec_push(&c->units, u);
}

int commands_read(struct commands *c, const char *path)
{
	struct buf text = BUF_EMPTY;
	if (file_read(path, &text))
		return -1;
	struct reader r = {path, buf_str(&text), buf_str(&text), &c->arena};
	int e = take(&r, '[') ? 0 : bad(&r);
	while (!e && !take(&r, ']')) {
		struct entry x = {0};
		e = take_entry(&r, &x) ? bad(&r) : 0;
		if (!e)
			add_unit(c, &x);
		vec_release(&x.arguments);
		if (!e && !take(&r, ',') && (skip_blanks(&r), *r.at != ']'))
			e = bad(&r);
	}
	buf_release(&text);
	return e;
}

void commands_release(struct commands *c)
{
	vec_release(&c->units);
	arena_release(&c->arena);
}
