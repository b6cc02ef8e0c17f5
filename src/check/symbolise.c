/* symbolise.c: runs llvm-symbolizer over the places that are new and reads its answers.
 *
 * The answers come in the order of the questions, each a block of lines that an empty
 * line ends: the name of a function, then indented "Key: value" lines, then the next
 * function for inlined code. A block that is missing (the tool died) leaves its place
 * unknown, never wrong: blocks are matched by number and reading stops at the first that does not
 * end.
 */
#include "check/symbolise.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/proc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void symboliser_release(struct symboliser *s)
{
	strmap_release(&s->index);
	strmap_release(&s->links);
	vec_release(&s->link_names);
	vec_release(&s->places);
	arena_release(&s->arena);
	memset(s, 0, sizeof *s);
}

/* The tool takes a name in quotes of either kind and a line for each question. A module with another name gets a second one: a link in
 * the temporary directory, whose own name has quotes of one kind at most. NULL: there is none (yet). */
static const char *tool_name(const struct symboliser *s, const char *module)
{
	uint64_t at;

	if (!strpbrk(module, "\"\n\r"))
		return module;
	return strmap_get(&s->links, module, &at) ? s->link_names.data[at] : NULL;
}

static void make_link(struct symboliser *s, const char *module)
{
	char *link = file_temp("module");
	const char *kept = link && !symlink(module, link) ? arena_strdup(&s->arena, link) : NULL;

	strmap_set(&s->links, module, s->link_names.size);
	vec_push(&s->link_names, kept);
	free(link);
}

static void key_of(struct buf *b, const char *module, uint64_t offset)
{
	char quote = strchr(module, '"') ? '\'' : '"';

	char hex[] = "0x0000000000000000"; /* by hand: a report asks for each of its frames several times */
	char *at = hex + sizeof hex - 1;

	do
		*--at = "0123456789abcdef"[offset & 15];
	while (offset >>= 4);
	*--at = 'x';
	*--at = '0';
	buf_adds(b, "CODE ");
	buf_addc(b, quote);
	buf_adds(b, module);
	buf_addc(b, quote);
	buf_addc(b, ' ');
	buf_adds(b, at);
}

void symboliser_want(struct symboliser *s, const char *module, uint64_t offset)
{
	struct buf key = BUF_EMPTY;

	if (!tool_name(s, module) && !strmap_get(&s->links, module, NULL))
		make_link(s, module);
	module = tool_name(s, module);
	if (!module)
		return;
	key_of(&key, module, offset);
	if (!strmap_get(&s->index, buf_str(&key), NULL)) {
		strmap_set(&s->index, buf_str(&key), s->places.size);
		vec_push(&s->places,
			 (struct symbol_place){.key = strmap_key(&s->index, buf_str(&key))});
	}
	buf_release(&key);
}

const struct symbol_place *symboliser_get(const struct symboliser *s, const char *module, uint64_t offset)
{
	struct buf key = BUF_EMPTY;
	uint64_t at;
	int known;

	module = tool_name(s, module);
	if (!module)
		return NULL;
	key_of(&key, module, offset);
	known = strmap_get(&s->index, buf_str(&key), &at);
	buf_release(&key);
	return known ? &s->places.data[at] : NULL;
}

static const char *known(struct symboliser *s, const char *text)
{
	return strcmp(text, "??") ? arena_strdup(&s->arena, text) : NULL;
}

static void read_value(struct symboliser *s, struct symbol *y, char *line)
{
	static const char file[] = "  Filename: ", start[] = "  Function start line: ",
			  number[] = "  Line: ", column[] = "  Column: ";

	if (!strncmp(line, file, sizeof file - 1))
		y->file = known(s, line + sizeof file - 1);
	else if (!strncmp(line, start, sizeof start - 1))
		y->start_line = (uint32_t)strtoul(line + sizeof start - 1, NULL, 10);
	else if (!strncmp(line, number, sizeof number - 1))
		y->line = (uint32_t)strtoul(line + sizeof number - 1, NULL, 10);
	else if (!strncmp(line, column, sizeof column - 1))
		y->column = (uint32_t)strtoul(line + sizeof column - 1, NULL, 10);
}

/* A file's name may have line feeds. What follows it is indented. */
static char *line_end(char *line)
{
	char *end = strchr(line, '\n');

	if (!strncmp(line, "  Filename: ", 12) || !strncmp(line, "  Function start filename: ", 27))
		while (end && end[1] && strncmp(end + 1, "  ", 2))
			end = strchr(end + 1, '\n');
	return end;
}

static void read_answers(struct symboliser *s, char *text)
{
	VEC(struct symbol) symbols = {0};
	size_t at = s->resolved;

	for (char *line = text, *end; at < s->places.size && (end = line_end(line)); line = end + 1) {
		*end = 0;
		if (*line && *line != ' ')
			vec_push(&symbols, (struct symbol){.function = known(s, line)});
		else if (*line && symbols.size)
			read_value(s, &vec_last(&symbols), line);
		if (*line)
			continue;
		struct symbol_place *p = &s->places.data[at++];

		p->count = (uint32_t)symbols.size;
		p->symbols =
		    arena_copy(&s->arena, symbols.data, symbols.size * sizeof *symbols.data);
		vec_clear(&symbols);
	}
	vec_release(&symbols);
}

static char *find_tool(void)
{
	static const char *const names[] = {
	    "llvm-symbolizer-19", "/usr/lib/llvm-19/bin/llvm-symbolizer", "llvm-symbolizer"};
	char *found = NULL;

	for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
		found = names[i][0] != '/'	      ? proc_which(names[i])
			: access(names[i], X_OK) == 0 ? mem_strdup(names[i])
						      : NULL;
	if (!found)
		error_set("there is no llvm-symbolizer-19: install the package llvm-19");
	return found;
}

int symboliser_resolve(struct symboliser *s)
{
	static const char *const env[] = {"DEBUGINFOD_URLS=", NULL}; /* nothing from the network */
	struct buf questions = BUF_EMPTY;
	struct proc_result r = {0};
	int e = 0;

	if (s->resolved == s->places.size)
		return 0;
	for (size_t i = s->resolved; i < s->places.size; i++)
		buf_addf(&questions, "%s\n", s->places.data[i].key);
	char *tool = find_tool();
	char *argv[] = {tool, "--verbose", "--inlines", "--no-demangle", NULL};
	struct proc_opts o = {.env = env,
			      .input = questions.data,
			      .input_size = questions.size,
			      .capture_out = 1,
			      .capture_err = 1};

	if (!tool || proc_run(argv, &o, &r))
		e = -1;
	else
		read_answers(s, buf_str(&r.out));
	proc_release(&r);
	s->resolved = s->places.size;
	buf_release(&questions);
	free(tool);
	return e;
}
