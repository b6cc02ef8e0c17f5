/* build_from.c: the harness for one unit of a program that was built with muster cc.
 *
 * The records of the program have all that is needed. The unit that defines the function is read
 * from its preprocessed source and gets the plan's text after it; the unit with main, if that is
 * another, has its main made static; both are compiled for the record only. All other units stay as
 * they were, and so does the link, with the driver before everything else (a main in an archive
 * then stays there).
 *
 * The file is a copy of the program with these records in place of its own: variants are made of
 * records alone, and libraries are found through the file.
 */
#include "harness/build.h"

#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/proc.h"
#include "build/archive.h"
#include "build/capture.h"
#include "build/home.h"
#include "build/image.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNITS_MAX 2 /* that are compiled again: the function's, and main's */

struct unit {
	const struct record *record;
	struct hash128 old, new;
	char *name, *dir;
	struct words words; /* its arguments */
	struct buf source;  /* as it is compiled now */
	const char *const *checks;
};

struct from {
	struct harness_job *j;
	struct program program;
	struct unit units[UNITS_MAX];
	int count;
};

static int is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Is the name there as a word with a parenthesis after it? Parsing every unit of a large program
 * would take too long. */
static int mentions(const struct buf *text, const char *name)
{
	size_t n = strlen(name);
	const char *p = text->data, *end = text->data + text->size;

	while (p < end && (p = memmem(p, (size_t)(end - p), name, n))) {
		const char *after = p + n;

		while (after < end && isspace((unsigned char)*after))
			after++;
		if (after < end && *after == '(' && (p == text->data || !is_word(p[-1])))
			return 1;
		p += n;
	}
	return 0;
}

static void read_unit(struct unit *u, const struct record *r, struct arena *arena)
{
	struct record_value v;
	size_t at = 0;

	*u = (struct unit){.record = r};
	while (record_next(r->payload, r->size, &at, &v) > 0) {
		const char *data = v.size ? v.data : "";

		if (v.tag == TAG_ARG)
			vec_push(&u->words, arena_strndup(arena, data, v.size));
		else if (v.tag == TAG_NAME && !u->name)
			u->name = arena_strndup(arena, data, v.size);
		else if (v.tag == TAG_DIR && !u->dir)
			u->dir = arena_strndup(arena, data, v.size);
		else if (v.tag == TAG_HASH)
			u->old = record_id(&v);
	}
}

static void release_unit(struct unit *u)
{
	vec_release(&u->words);
	buf_release(&u->source);
}

/* Reads the unit's front into the job. 1 if it defines the function, 0, or -1 with words. */
static int defines(struct harness_job *j, const struct record *r, const char *function,
		   struct unit *u)
{
	struct record_value v;
	int number, e;

	buf_clear(&j->text);
	if (!record_find(r->payload, r->size, TAG_SOURCE, &v) || record_unpack(&v, &j->text))
		return error_set("a record of the program is damaged");
	if (!mentions(&j->text, function))
		return 0;
	read_unit(u, r, &j->args.arena);
	vec_clear(&j->shape);
	for (size_t i = 0; i < u->words.size; i++)
		vec_push(&j->shape, u->words.data[i]);
	front_close(j->front);
	j->front = NULL;
	e = harness_read(j);
	number = e ? -1 : front_function(j->front, function);
	if (!e && number >= 0 && j->front->functions.data[number].defined)
		return 1;
	release_unit(u);
	return e;
}

/* The unit of images[index] that defines the function; 1, 0: none. */
static int find_unit(struct from *f, struct harness_job *j, size_t index, const char *function,
		     struct unit *u)
{
	const struct record_list *l = &f->program.images.data[index].records;

	for (size_t i = 0; i < l->frames.size; i++) {
		int found;

		if (l->frames.data[i].kind != RECORD_UNIT)
			continue;
		found = defines(j, &l->frames.data[i], function, u);
		if (found)
			return found;
	}
	return 0;
}

/* The function's unit, whose front stays in the job. */
static int find_function(struct from *f, const char *program, const char *function)
{
	int found = find_unit(f, f->j, 0, function, &f->units[0]);

	if (found > 0) {
		f->count = 1;
		f->units[0].checks = capture_ends;
		f->j->name = f->units[0].name;
		return 0;
	}
	for (size_t i = 1; i < f->program.images.size && !found; i++) {
		found = find_unit(f, f->j, i, function, &f->units[0]);
		if (found > 0) {
			release_unit(&f->units[0]);
			return error_set("'%s' is in the shared library '%s' of '%s': name its "
					 "source file instead",
					 function, f->program.images.data[i].path, program);
		}
	}
	return found ? -1 : error_set("no unit of '%s' defines a function '%s'", program, function);
}

/* The unit with main, unless it is the function's. */
static int find_main(struct from *f)
{
	struct harness_job other = {.options = f->j->options};
	struct unit *u = &f->units[1];
	int found = find_unit(f, &other, 0, "main", u);

	if (found > 0 && u->record == f->units[0].record) {
		release_unit(u);
	} else if (found > 0) {
		f->count = 2;
		harness_hide_main(other.front, &u->source);
		buf_add(&u->source, other.text.data, other.text.size);
		/* The strings of the unit live with the job. */
		for (size_t i = 0; i < u->words.size; i++)
			u->words.data[i] = arena_strdup(&f->j->args.arena, u->words.data[i]);
		u->name = arena_strdup(&f->j->args.arena, u->name);
		u->dir = u->dir ? arena_strdup(&f->j->args.arena, u->dir) : NULL;
	}
	front_close(other.front);
	harness_job_release(&other);
	return found < 0 ? -1 : 0;
}

/* ----------------------------------------------------------------- records */

/* Compiles a unit and adds its frame. */
static int recompile(struct from *f, struct unit *u, struct buf *frames)
{
	struct proc_job jobs[CAPTURE_JOBS];
	struct words w = {0};
	struct buf none = BUF_EMPTY;
	struct capture c;
	struct args a;
	char *path = mem_printf("%s/unit-%d.i", f->j->dir, (int)(u - f->units));
	int e = file_write_atomic(path, u->source.data, u->source.size);

	vec_push(&w, "cc");
	for (size_t i = 0; i < u->words.size; i++)
		vec_push(&w, u->words.data[i]);
	vec_push(&w, "-c");
	vec_push(&w, path);
	if (!e)
		e = args_parse(&a, (int)w.size, (char **)w.data);
	if (!e) {
		capture_plan(&c, &a.arena, &a, &vec_last(&a.list), &none, u->checks, jobs);
		c.name = u->name;
		c.dir = u->dir;
		jobs[0].opts.dir = u->dir && file_is_dir(u->dir) ? u->dir : NULL;
		e = proc_run(jobs[0].argv, &jobs[0].opts, &jobs[0].result);
		if (!e && jobs[0].result.status)
			e = harness_complain(u->name, &jobs[0].result.err);
		if (!e) {
			jobs[1].result = (struct proc_result){.out = u->source};
			capture_record(&c, jobs, frames);
			u->new = c.unit;
		}
		proc_release(&jobs[0].result);
		capture_release(&c);
		args_release(&a);
	}
	vec_release(&w);
	free(path);
	return e;
}

static void exchange(const struct from *f, struct hash_vec *units)
{
	for (size_t i = 0; i < units->size; i++)
		for (int n = 0; n < f->count; n++)
			if (hash_equal(units->data[i], f->units[n].old))
				units->data[i] = f->units[n].new;
}

static int add_object(void *ctx, const char *name, const void *data, size_t size)
{
	struct closure *c = ctx;
	struct closure_item item = {.kind = ITEM_OBJECT,
				    .text = arena_strdup(&c->arena, name),
				    .blob = hash128(data, size)};

	vec_push(&c->blobs,
		 (struct closure_blob){item.blob, arena_copy(&c->arena, data, size), size});
	vec_push(&c->items, item);
	return 0;
}

/* The driver's objects, before all archives can be asked for a main. Blobs are not packed in this
 * closure. */
static int add_driver(struct closure *c)
{
	char *path = home_file(HARNESS_DRIVER);
	size_t old = c->items.size, count;
	struct buf b = BUF_EMPTY;
	int e = path ? file_read(path, &b) : -1;

	if (!e)
		e = archive_members(path, b.data, b.size, add_object, c);
	count = c->items.size - old;
	if (!e) {
		struct closure_item *items = mem_alloc(c->items.size * sizeof *items);

		memcpy(items, c->items.data + old, count * sizeof *items);
		memcpy(items + count, c->items.data, old * sizeof *items);
		memcpy(c->items.data, items, c->items.size * sizeof *items);
		free(items);
	}
	buf_release(&b);
	free(path);
	return e;
}

/* The closure's frame with other units in it. */
static int write_closure(const struct from *f, const struct record *r, int is_last,
			 struct buf *frames)
{
	struct closure c;
	int e = closure_read(&c, r);

	if (e)
		return e;
	for (size_t i = 0; i < c.blobs.size && !e; i++) { /* written as they are: unpacked */
		struct buf b = BUF_EMPTY;

		e = closure_blob(&c, c.blobs.data[i].id, &b);
		c.blobs.data[i].data = arena_copy(&c.arena, b.data ? b.data : "", b.size);
		c.blobs.data[i].size = b.size;
		buf_release(&b);
	}
	for (size_t i = 0; i < c.items.size; i++) {
		exchange(f, &c.items.data[i].units);
		for (size_t k = 0; k < c.items.data[i].members.size; k++)
			exchange(f, &c.items.data[i].members.data[k].units);
	}
	if (!e && is_last)
		e = add_driver(&c);
	if (!e)
		closure_write(&c, frames);
	closure_release(&c);
	return e;
}

static int write_frames(struct from *f, struct buf *frames)
{
	const struct record_list *l = &f->program.images.data[0].records;
	size_t last = 0;
	int e = 0;

	for (int n = 0; n < f->count && !e; n++)
		e = recompile(f, &f->units[n], frames);
	for (size_t i = 0; i < l->frames.size; i++)
		if (l->frames.data[i].kind == RECORD_LINK)
			last = i;
	for (size_t i = 0; i < l->frames.size && !e; i++) {
		const struct record *r = &l->frames.data[i];
		struct buf payload = {.data = (char *)r->payload, .size = r->size};
		struct record_value v;
		int again = 0;

		if (r->kind == RECORD_UNIT && record_find(r->payload, r->size, TAG_HASH, &v))
			for (int n = 0; n < f->count; n++)
				again |= hash_equal(record_id(&v), f->units[n].old);
		if (r->kind == RECORD_LINK)
			e = write_closure(f, r, i == last, frames);
		else if (!again)
			record_frame(frames, r->kind, &payload);
	}
	return e;
}

/* A copy of the program with these frames. */
static int write_program(const struct from *f, const struct buf *frames)
{
	const char *out = f->j->program;
	char *temp = mem_printf("%s.%ld.tmp", out, (long)getpid());
	char *argv[] = {"objcopy", "--remove-section=" RECORD_SECTION,
			f->program.images.data[0].path, temp, NULL};
	struct proc_opts opts = {.capture_err = 1, .null_input = 1};
	struct proc_result r = {0};
	int e;

	file_temp_add(temp);
	e = proc_run(argv, &opts, &r);
	if (!e && r.status)
		e = error_set("objcopy failed on '%s': %s", f->program.images.data[0].path,
			      buf_str(&r.err));
	if (!e)
		e = record_append(temp, frames);
	if (!e && rename(temp, out))
		e = error_errno("cannot write '%s'", out);
	unlink(temp);
	file_temp_done(temp);
	proc_release(&r);
	free(temp);
	return e;
}

/* ------------------------------------------------------------------- whole */

static int make(struct from *f)
{
	struct buf frames = BUF_EMPTY;
	struct unit *u = &f->units[0];
	int e;

	harness_hide_main(f->j->front, &u->source);
	harness_unit_text(f->j->h, &f->j->text, &u->source);
	harness_source(f->j->h, &u->source);
	e = find_main(f);
	if (!e)
		e = write_frames(f, &frames);
	if (!e)
		e = write_program(f, &frames);
	if (!e)
		e = harness_save_stubs(f->j);
	buf_release(&frames);
	return e;
}

static int open_program(struct from *f, const char *program)
{
	if (program_load(&f->program, program))
		return -1;
	if (f->program.images.data[0].by_itself)
		return error_set("'%s' is not a linked program", program);
	return 0;
}

int harness_build_from(const char *program, const char *function, const struct harness_options *o,
		       struct front **front, struct harness **h, char **out)
{
	struct harness_options none = {0};
	struct harness_job j = {.file = program, .name = program, .options = o ? o : &none};
	struct from f = {.j = &j};
	struct hash128 key;
	int e = open_program(&f, program);

	*out = NULL;
	if (!e)
		e = find_function(&f, program, function);
	if (!e)
		e = harness_plan_again(&j);
	if (!e)
		e = harness_key(&j, &key);
	if (!e)
		e = harness_hash_file(&key, f.program.images.data[0].path);
	if (!e)
		e = harness_place(&j, key, program);
	if (!e && !harness_cached(&j))
		e = make(&f);
	for (int i = 0; i < f.count; i++)
		release_unit(&f.units[i]);
	if (f.program.images.size)
		program_release(&f.program);
	return harness_job_done(&j, e, front, h, out);
}
