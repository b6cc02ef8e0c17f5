/* parts.c: each part in a process of its own, and one object out of all.
 *
 * A process is forked after the instrumentation, so the module is loaded and edited once and the parts share its memory; each deletes what is
 * not its own (split.c). The objects are joined by the linker (ld -r), and symbols that are between parts only are made local:
 * whoever takes the object does not see that there were parts.
 *
 * Of a unit of which some functions are made (missing.c) the objects of parts with code are kept: a later making has more functions, and compiles only these.
 */
#include "instrument/parts.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/proc.h"
#include "base/vec.h"
#include "instrument/missing.h"
#include "instrument/split.h"

#include <stdio.h>
#include <stdlib.h>

struct part {
	unsigned number;
	const struct split *split;
	struct unit *u;
	enum instrument_kind kind;
	const struct instrument_options *options;
	parts_finish *finish;
	char *path; /* of its object */
};

static int make_part(void *work)
{
	struct part *p = work;
	struct buf object = BUF_EMPTY;
	struct instrument_options own = *p->options;

	/* A unit may be split for its hot functions alone, or for those that are not made. */
	own.part = p->split->missing ? p->u->count / 2 >= p->options->part_size : p->split->count > (p->split->fast ? 2u : 1u);
	if (p->split->fast && p->number == p->split->fast)
		own.fast_compile = 0;
	if (split_take(p->split, p->u, p->number) || p->finish(p->u, p->kind, &own, &object))
		return -1;
	return file_write_atomic(p->path, object.data, object.size);
}

static const char *part_name(void *work)
{
	static char text[32];

	snprintf(text, sizeof text, "part %u", ((struct part *)work)->number + 1);
	return text;
}

static int make_all(struct part *parts, unsigned count, const struct pool *above)
{
	struct pool pool;
	int e = 0;

	pool_nested(&pool, above);
	pool.name = part_name;
	for (unsigned i = 0; i < count && !e; i++)
		e = pool_start(&pool, make_part, &parts[i]);
	e = pool_finish(&pool);
	pool_close(&pool);
	return e;
}

struct command {
	VEC(const char *) words;
};

static int run(struct command *c)
{
	struct proc_opts opts = {.capture_err = 1, .null_input = 1};
	struct proc_result r = {0};
	int e;

	vec_push(&c->words, NULL);
	e = proc_run((char *const *)c->words.data, &opts, &r);
	if (!e && r.status)
		e = error_set("%s failed on the parts of a unit: %s", c->words.data[0], buf_str(&r.err));
	proc_release(&r);
	vec_release(&c->words);
	return e;
}

/* Of objects; allocated. */
struct paths {
	VEC(char *) list;
};

static void paths_release(struct paths *p)
{
	for (size_t i = 0; i < p->list.size; i++)
		free(p->list.data[i]);
	vec_release(&p->list);
}

static char *kept_path(const char *dir, size_t number)
{
	return mem_printf("%s/code-%zu.o", dir, number);
}

/* Objects of earlier makings, of which none is there twice, and those of the parts; all but the first part's are kept. */
static int keep(const struct missing *m, const struct part *parts, unsigned count, struct paths *out)
{
	size_t kept = 0;
	int e = 0;

	vec_push(&out->list, mem_strdup(parts[0].path));
	for (char *from; m->from && !e; kept++, free(from)) {
		from = kept_path(m->from, kept);
		if (!file_exists(from)) {
			free(from);
			break;
		}
		vec_push(&out->list, kept_path(m->keep, kept));
		e = file_copy(from, vec_last(&out->list));
	}
	for (unsigned i = 1; i < count && !e; i++) {
		vec_push(&out->list, kept_path(m->keep, kept++));
		e = file_copy(parts[i].path, vec_last(&out->list));
	}
	return e;
}

/* From the parts' objects to one, read back. */
static int join(const struct paths *parts, const struct split *s, const char *dir, struct buf *object)
{
	char *whole = file_join(dir, "joined.o"), *names = file_join(dir, "locals"), *option = mem_printf("--localize-symbols=%s", names);
	struct command link = {0}, localize = {0};
	int e = file_write_atomic(names, s->locals.data, s->locals.size);

	vec_push(&link.words, "ld");
	vec_push(&link.words, "-r");
	vec_push(&link.words, "-o");
	vec_push(&link.words, whole);
	for (size_t i = 0; i < parts->list.size; i++)
		vec_push(&link.words, parts->list.data[i]);
	vec_push(&localize.words, "objcopy");
	vec_push(&localize.words, option);
	vec_push(&localize.words, whole);
	if (!e)
		e = run(&link);
	if (!e && s->locals.size) /* objcopy fails on an empty list, without words */
		e = run(&localize);
	if (!e)
		e = file_read(whole, object);
	vec_release(&link.words);
	vec_release(&localize.words);
	free(whole);
	free(names);
	free(option);
	return e;
}

static int emit_parts(struct part *whole, unsigned count, struct buf *object)
{
	struct part *parts = mem_alloc(count * sizeof *parts);
	const struct missing *m = whole->split->missing ? whole->options->missing : NULL;
	const char *dir = file_temp_dir();
	struct paths all = {0};
	int e = dir ? 0 : -1;

	for (unsigned i = 0; i < count; i++) {
		parts[i] = *whole;
		parts[i].number = i;
		parts[i].path = dir ? mem_printf("%s/part-%u.o", dir, i + 1) : NULL;
	}
	if (!e)
		e = make_all(parts, count, whole->options->pool);
	for (unsigned i = 0; i < count && !e && !m; i++)
		vec_push(&all.list, mem_strdup(parts[i].path));
	if (!e && m)
		e = keep(m, parts, count, &all);
	if (!e)
		e = join(&all, whole->split, dir, object);
	paths_release(&all);
	for (unsigned i = 0; i < count; i++)
		free(parts[i].path);
	free(parts);
	return e;
}

int parts_emit(struct unit *u, enum instrument_kind kind, const struct instrument_options *options, parts_finish *finish, struct buf *object)
{
	struct split s;
	struct instrument_options own = *options;
	struct part whole = {.split = &s, .u = u, .kind = kind, .options = &own, .finish = finish};
	int e;

	if (options->missing) {
		e = !options->pool || split_plan_missing(&s, u, options->part_size, options->missing) ? PARTS_NONE : emit_parts(&whole, s.count, object);
		if (options->pool)
			split_release(&s);
		return e;
	}
	split_plan(&s, u, options->pool ? options->part_size : 0, options->fast);
	if (options->fast && !s.fast) /* it cannot be split: all of it gets better code */
		own.fast_compile = 0;
	e = s.count == 1 ? finish(u, kind, &own, object) : emit_parts(&whole, s.count, object);
	split_release(&s);
	return e;
}
