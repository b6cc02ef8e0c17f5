/* parts.c: each part in a process of its own, and one object out of all.
 *
 * A process is forked after the instrumentation, so the module is loaded and edited once and the parts share its memory; each deletes what is
 * not its own (split.c). The objects are joined by the linker (ld -r), and symbols that are between parts only are made local:
 * whoever takes the object does not see that there were parts.
 */
#include "instrument/parts.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/proc.h"
#include "base/vec.h"
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

	own.part = p->split->count > (p->split->fast ? 2u : 1u); /* a unit may be split for its hot functions alone */
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

/* From the parts' objects to one, read back. */
static int join(const struct part *parts, unsigned count, const struct split *s, const char *dir, struct buf *object)
{
	char *whole = file_join(dir, "joined.o"), *names = file_join(dir, "locals"), *option = mem_printf("--localize-symbols=%s", names);
	struct command link = {0}, localize = {0};
	int e = file_write_atomic(names, s->locals.data, s->locals.size);

	vec_push(&link.words, "ld");
	vec_push(&link.words, "-r");
	vec_push(&link.words, "-o");
	vec_push(&link.words, whole);
	for (unsigned i = 0; i < count; i++)
		vec_push(&link.words, parts[i].path);
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
	const char *dir = file_temp_dir();
	int e = dir ? 0 : -1;

	for (unsigned i = 0; i < count; i++) {
		parts[i] = *whole;
		parts[i].number = i;
		parts[i].path = dir ? mem_printf("%s/part-%u.o", dir, i + 1) : NULL;
	}
	if (!e)
		e = make_all(parts, count, whole->options->pool);
	if (!e)
		e = join(parts, count, whole->split, dir, object);
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

	split_plan(&s, u, options->pool ? options->part_size : 0, options->fast);
	if (options->fast && !s.fast) /* it cannot be split: all of it gets better code */
		own.fast_compile = 0;
	e = s.count == 1 ? finish(u, kind, &own, object) : emit_parts(&whole, s.count, object);
	split_release(&s);
	return e;
}
