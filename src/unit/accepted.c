/* accepted.c: the contracts that a person accepted (contract/accepted.h), for a session.
 *
 * They are read once, before the harness is built, which assumes them and states them (harness/statement.c). A function that has one owes nothing more: whatever fails for calls that keep it is a bug (contracts.c), and
 * `verified` becomes `verified given` it.
 */
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "contract/accepted.h"
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

static char *path_of(const struct test_session *s)
{
	if (s->o->contracts)
		return strcmp(s->o->contracts, "none") ? mem_strdup(s->o->contracts) : NULL;
	return file_is_c(s->file) ? accepted_path(s->file) : NULL;
}

int test_accepted_open(struct test_session *s)
{
	struct accepted a = {0};
	char *path = s->o->report_all ? NULL : path_of(s);
	int e = path ? accepted_read(&a, path) : 0;
	if (!e && s->o->contracts && path && !file_exists(path))
		e = error_set("there is no file '%s'", path);
	for (size_t i = 0; i < a.lines.size && !e; i++) {
		const struct accepted_line *l = accepted_find(&a, s->file, a.lines.data[i].function);
		if (l != &a.lines.data[i]) /* of a static function of another file, or another line says it */
			continue;
		char *text = mem_printf("%s: %s", l->function, l->text);
		vec_push(&s->accepted, arena_strdup(&s->arena, text));
		free(text);
	}
	if (s->accepted.size)
		vec_push(&s->accepted, NULL);
	accepted_release(&a);
	free(path);
	return e;
}

const char *test_accepted_text(const struct test_session *s, const char *function)
{
	size_t n = strlen(function);
	for (size_t i = 0; i < s->accepted.size && s->accepted.data[i]; i++)
		if (!strncmp(s->accepted.data[i], function, n) && s->accepted.data[i][n] == ':')
			return s->accepted.data[i] + n + 2;
	return NULL;
}

int test_is_given(const struct test_function *f)
{
	return f->accepted && strcmp(f->accepted, ACCEPTED_NOTHING);
}
