/* units.c: makes the variant's object of each unit.
 *
 * Each object is made in a forked process of its own (pool.h): as many at once as there are
 * processors, and a unit on which LLVM gives up takes no other with it. Large units are made in parts, which are processes, too
 * (instrument/parts.h): a program of one unit uses all processors. The
 * object is an entry of the cache (cache.h), under a name made of everything that
 * went into it: variant, unit, id and this build of muster.
 */
#include "build/units.h"

#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/proc.h"
#include "build/cache.h"
#include "build/home.h"
#include "build/offsets.h"
#include "instrument/instrument.h"
#include "instrument/locals.h"
#include "instrument/missing.h"
#include "instrument/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct hash128 units_tool(void)
{
	static struct hash128 tool;
	struct buf b = BUF_EMPTY;
	char *self;

	if (tool.a || tool.b)
		return tool;
	self = file_self();
	if (self && !file_read(self, &b))
		tool = hash128(b.data, b.size);
	buf_release(&b);
	free(self);
	return tool;
}

uint32_t units_id(struct map *taken, struct hash128 h)
{
	uint32_t id = (uint32_t)h.a;

	for (uint64_t salt = 1; !id || map_get(taken, id, NULL); salt++)
		id = (uint32_t)hash64(&h, sizeof h, salt);
	map_set(taken, id, 1);
	return id;
}

static int collect_image(struct units *u, const struct image *im, struct map *taken)
{
	struct record_value hash, name;

	if (im->records.damaged)
		return error_set("'%s': %s", im->path, im->records.words);
	for (size_t i = 0; i < im->records.frames.size; i++) {
		const struct record *r = &im->records.frames.data[i];
		struct unit_object o = {.record = r};

		if (r->kind != RECORD_UNIT)
			continue;
		if (!record_find(r->payload, r->size, TAG_HASH, &hash) ||
		    !record_find(r->payload, r->size, TAG_NAME, &name))
			return error_set("'%s': a record is damaged (it has no name)", im->path);
		o.hash = record_id(&hash);
		if (units_find(u, o.hash))
			continue;
		o.name = record_text(&name);
		o.id = units_id(taken, o.hash);
		vec_push(&u->list, o);
	}
	return 0;
}

/* Was it linked by the harness (src/harness)? The driver's objects are in its closure, each by itself. */
static int is_driven(const struct program *p)
{
	for (size_t i = 0; p->images.size && i < p->images.data[0].closure.items.size; i++) {
		const struct closure_item *item = &p->images.data[0].closure.items.data[i];

		if (item->kind == ITEM_OBJECT && !strcmp(file_base(item->text), "drive_batch.o"))
			return 1;
	}
	return 0;
}

checker_set units_checks(const struct program *p, enum variant_kind kind)
{
	return (kind == VARIANT_COV || kind == VARIANT_FILL) && !is_driven(p) ? 0 : variant_checks_now();
}

int units_collect(struct units *u, const struct program *p, enum variant_kind kind)
{
	struct map taken = {0};
	int e = 0;

	*u = (struct units){.kind = kind, .checks = units_checks(p, kind)};
	for (size_t i = 0; i < p->images.size && !e; i++)
		e = collect_image(u, &p->images.data[i], &taken);
	map_release(&taken);
	return e;
}

const struct unit_object *units_find(const struct units *u, struct hash128 hash)
{
	for (size_t i = 0; i < u->list.size; i++)
		if (hash_equal(u->list.data[i].hash, hash))
			return &u->list.data[i];
	return NULL;
}

void units_release(struct units *u)
{
	for (size_t i = 0; i < u->list.size; i++) {
		free(u->list.data[i].name);
		free(u->list.data[i].object);
	}
	vec_release(&u->list);
}

/* Bytes of packed bitcode: a unit with less is made whole. Nothing is known of what runs enter in the driver of a harness, which the cov variant does without. By hand. */
#define PART_PACKED (32u << 10)

static int is_small(const struct unit_object *o)
{
	struct record_value v;

	return record_find(o->record->payload, o->record->size, TAG_BITCODE, &v) && v.size < PART_PACKED && !copies_part_tested();
}

/* Of this unit: one without a function that gets a fast copy is the one with slow copies, and so is a small one of which some functions would do. */
static enum copies state_of(const struct units *u, const struct unit_object *o)
{
	static const struct hash128 none;

	if (u->copies == COPIES_SOME && hash_equal(copies_list_hash(u->fast, o->id), none))
		return COPIES_SLOW;
	if (u->copies == COPIES_PART && is_small(o))
		return COPIES_SLOW;
	return u->copies;
}

static char *entry_with(const struct units *u, const struct unit_object *o, const struct copies_list *functions)
{
	enum copies state = state_of(u, o);
	struct hash128 h = hash128_join(hash128_join(u->base, o->hash), (struct hash128){o->id, (uint64_t)state << 32 | u->kind});
	char hex[HASH_HEX_SIZE], name[HASH_HEX_SIZE + 32];

	if (state == COPIES_SOME || state == COPIES_PART)
		h = hash128_join(h, copies_list_hash(functions, o->id));
	snprintf(name, sizeof name, "%s-%s", variant_name(u->kind), hash_hex(h, hex));
	return cache_entry("unit", name);
}

static char *entry_of(const struct units *u, const struct unit_object *o)
{
	return entry_with(u, o, u->fast);
}

static int field(const struct unit_object *o, enum record_tag tag, struct buf *out)
{
	struct record_value v;

	if (!record_find(o->record->payload, o->record->size, tag, &v))
		return error_set("its record is incomplete");
	return record_unpack(&v, out);
}

/* The sanitizers exist for source code only, so here the compiler starts again.
 * Not optimised: that would delete the very accesses that are to be checked. */
static const char *const san_flags[] = {
    "-w",
    "-Qunused-arguments",
    "-g",
    "-fno-omit-frame-pointer",
    "-fno-optimize-sibling-calls",
    "-fsanitize-address-use-after-scope",
    "-fsanitize-address-use-after-return=always",
    "-c",
};

/* The sanitizers themselves: what the checkers at hand ask for beside the usual two. Before -fno-sanitize-recover, which is about them. */
static void add_sanitizers(struct words *w, int function)
{
	checker_set set = variant_checks_now();

	/* Not function: clang compares the types of callee and pointer as they are spelt. A unit with probes gets tests of our own instead (probe_type.c). */
	vec_push(w, "-fsanitize=address,undefined");
	if (!function)
		vec_push(w, "-fno-sanitize=function");
	for (unsigned i = 1; i < MUSTER_CHECK_COUNT; i++)
		if (set & CHECKER_BIT(i) && checker_get(i)->san)
			vec_push(w, mem_printf("-fsanitize=%s", checker_get(i)->san));
	/* What the machine goes on after must not stand before another defect. Nothing sensible comes after the rest: a trap, code
	 * that does not exist, and memory that is not the program's. */
	vec_push(w, "-fno-sanitize-recover=all");
	vec_push(w, "-fsanitize-recover=undefined,unsigned-integer-overflow,implicit-conversion");
	vec_push(w, "-fno-sanitize-recover=address,integer-divide-by-zero,unreachable,return");
}

/* Where the front end stops, for probes: names say what the code was, and nothing but a return statement writes to where a result
 * stands (probe_return.c). */
static const char *const front_flags[] = {
    "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-fno-discard-value-names", "-Xclang", "-fno-elide-constructors",
};

/* What clang is given and how far it goes. */
struct san_step {
	const char *language;
	const struct buf *input;
	const char *const *more; /* flags, up to count */
	size_t count;
	const char *output; /* "-": standard output */
	int function;	    /* calls by pointers are marked */
	struct buf *errors; /* NULL: a failure is the command's; else it fails as it likes, and says what it says there */
};

/* One try at a level of optimisation. */
static int compile_san(const struct unit_object *o, const struct san_step *step, const char *level, struct buf *out)
{
	struct proc_opts opts = {
	    .capture_out = out != NULL, .capture_err = 1, .input = step->input->data, .input_size = step->input->size};
	struct proc_result r;
	struct words w = {0};
	struct record_value v;
	size_t at = 0;
	int e;

	vec_push(&w, home_clang());
	while (record_next(o->record->payload, o->record->size, &at, &v) > 0) {
		if (v.tag == TAG_ARG) {
			vec_push(&w, record_text(&v));
		} else if (v.tag == TAG_DIR && !opts.dir) {
			char *dir = record_text(&v);

			opts.dir = file_is_dir(dir) ? dir : NULL;
		}
	}
	for (size_t i = 0; i < sizeof san_flags / sizeof san_flags[0]; i++)
		vec_push(&w, san_flags[i]);
	for (size_t i = 0; i < step->count; i++)
		vec_push(&w, step->more[i]);
	add_sanitizers(&w, step->function);
	vec_push(&w, "-x");
	vec_push(&w, step->language);
	vec_push(&w, "-");
	vec_push(&w, level);
	vec_push(&w, "-o");
	vec_push(&w, step->output);
	vec_push(&w, NULL);
	e = proc_run((char *const *)w.data, &opts, &r);
	if (!e && step->errors)
		*step->errors = r.err;
	else if (!e && r.status)
		e = error_set("clang-19 failed:\n%s", buf_str(&r.err));
	if (!e && out)
		*out = r.out;
	return e; /* the process ends soon: nothing is freed */
}

/* What a unit's san variant is made from. */
struct san_unit {
	const struct unit_object *unit;
	struct buf source;
	int probes; /* probe_wanted */
	struct strmap constants;
};

/* Only errors count, and that a type is not visible where the question stands is one. */
static const char *const question_flags[] = {"-fsyntax-only", "-ferror-limit=0", "-fno-caret-diagnostics", "-fno-diagnostics-show-note-include-stack", "-fno-color-diagnostics", "-Wno-everything", "-Werror=visibility"};

/* Which functions may be called by which pointers: by the numbers of the questions. NULL: nothing is known, or asked. */
static unsigned char *compatible_types(const struct san_unit *s, const struct buf *bitcode, const char *level)
{
	struct buf text = BUF_EMPTY, errors = BUF_EMPTY;
	struct san_step ask = {"cpp-output", &text, question_flags, sizeof question_flags / sizeof *question_flags, "/dev/null", 0, &errors};
	unsigned char *compatible;
	size_t count;

	buf_add(&text, s->source.data, s->source.size);
	count = probe_questions(bitcode->data, bitcode->size, &text);
	if (!count || compile_san(s->unit, &ask, level, NULL))
		return NULL;
	compatible = mem_zalloc(count);
	for (const char *line = buf_str(&errors); line && *line; line = strchr(line, '\n'), line += line != NULL) {
		const char *end = strchr(line, '\n'), *error = strstr(line, ": error:");
		size_t name = sizeof PROBE_QUESTIONS - 1, k;

		if (!error || (end && error > end))
			continue;
		k = !strncmp(line, PROBE_QUESTIONS ":", name + 1) ? strtoul(line + name + 1, NULL, 10) : 0;
		if (!k || k >= count)
			return NULL; /* the source itself is not taken as it stands */
		compatible[k] = 1;
	}
	return compatible;
}

/* From source to object, with the unit's probes in between. */
static int compile_unit(struct san_unit *s, const char *level, const char *path)
{
	struct buf bitcode = BUF_EMPTY, probed = BUF_EMPTY;
	struct san_step whole = {"cpp-output", &s->source, NULL, 0, path, 0, NULL},
			front = {"cpp-output", &s->source, front_flags, sizeof front_flags / sizeof *front_flags, "-", 1, NULL},
			back = {"ir", &probed, NULL, 0, path, 0, NULL};

	if (!s->probes)
		return compile_san(s->unit, &whole, level, NULL);
	if (compile_san(s->unit, &front, level, &bitcode) ||
	    probe_unit(bitcode.data, bitcode.size, variant_checks_now(), &s->constants, compatible_types(s, &bitcode, level), &probed))
		return -1;
	return compile_san(s->unit, &back, level, NULL);
}

static int load_san(struct san_unit *s)
{
	struct buf bitcode = BUF_EMPTY;

	if (field(s->unit, TAG_SOURCE, &s->source) || field(s->unit, TAG_BITCODE, &bitcode))
		return -1;
	s->probes = probe_wanted(bitcode.data, bitcode.size, variant_checks_now(), &s->constants);
	return s->probes < 0 ? -1 : 0;
}

static int make_san(const struct unit_object *o, const char *path)
{
	struct san_unit s = {.unit = o};
	struct buf text = BUF_EMPTY;
	int e;

	if (load_san(&s))
		return -1;
	if (offsets_rewrite(&s.source, &text)) {
		struct san_unit own = s;

		own.source = text;
		if (!compile_unit(&own, "-O0", path))
			return 0;
	}
	e = compile_unit(&s, "-O0", path);
	/* Some inline assembly wants constants that only an optimiser finds. */
	if (e)
		e = compile_unit(&s, "-O1", path);
	return e;
}

/* Instructions of a unit that are compiled in one piece: fewer would be compiled anew too often for what the parts share (a third of a second each).
 * Tests set another number. */
#define PART_SIZE 120000
#define PART_VARIABLE "MUSTER_PART_SIZE"

static uint32_t part_size(void)
{
	const char *s = getenv(PART_VARIABLE);
	long n = s ? strtol(s, NULL, 10) : 0;

	return n > 0 && n <= INT32_MAX ? (uint32_t)n : PART_SIZE;
}

/* The names that the variant's runtime stands in for; NULL-terminated. */
static int wrapped_names(enum variant_kind kind, const char *const **names)
{
#define X(id, name, archive, wraps) wraps,
	static const char *const lists[] = {VARIANTS(X)};
#undef X
	struct buf text = BUF_EMPTY;
	struct words w = {0};
	char *path;

	*names = NULL;
	if (!lists[kind])
		return 0;
	path = home_file(lists[kind]);
	if (!path || file_read(path, &text))
		return -1;
	for (char *s = strtok(buf_str(&text), "\n"); s; s = strtok(NULL, "\n"))
		vec_push(&w, s);
	vec_push(&w, NULL);
	*names = w.data;
	return 0;
}

/* What is made of a unit in the state COPIES_PART. */
struct unit_part {
	struct missing missing;
	struct strmap now, before;
	char *from;
};

#define WHOLE "whole" /* file of an entry: the unit cannot be in parts */

/* What the last generation has of it need not be compiled again. 1: all of the unit is there, and was copied; 0; -1 with words. */
static int begin_part(struct unit_part *p, const struct units *u, const struct unit_object *o, const char *path)
{
	static const struct hash128 none;
	struct strmap all = {0};
	const char *name;
	uint64_t one;

	copies_list_of(u->fast, o->id, &all);
	if (!hash_equal(copies_list_hash(u->before, o->id), none))
		p->from = entry_with(u, o, u->before);
	if (p->from && cache_use(p->from, 0))
		copies_list_of(u->before, o->id, &p->before);
	else
		p->from = NULL;
	for (size_t at = 0; strmap_next(&all, &at, &name, &one);)
		if (!strmap_get(&p->before, name, NULL))
			strmap_set(&p->now, name, 1);
	p->missing = (struct missing){.now = &p->now, .before = &p->before, .from = p->from, .keep = file_dir(path)};
	if (!p->from || !file_exists(file_join(p->from, WHOLE)))
		return 0;
	p->missing.whole = 1;
	return file_copy(file_join(p->from, file_base(path)), path) ? -1 : 1;
}

static int end_part(const struct unit_part *p)
{
	return p->missing.whole ? file_write_atomic(file_join(p->missing.keep, WHOLE), "", 0) : 0;
}

static int make_instrumented(const struct unit_object *o, const struct units *u, const struct pool *pool, const char *path)
{
	enum variant_kind kind = u->kind;
	static const enum instrument_kind kinds[] = {[VARIANT_TRACE] = INSTRUMENT_TRACE,
						     [VARIANT_COV] = INSTRUMENT_COV,
						     [VARIANT_PATH] = INSTRUMENT_PATH,
						     [VARIANT_FILL] = INSTRUMENT_COV,
						     [VARIANT_TRACE_ALL] = INSTRUMENT_TRACE,
						     [VARIANT_CALLS] = INSTRUMENT_TRACE,
						     [VARIANT_SEGMENTS] = INSTRUMENT_TRACE};
	struct instrument_options options = {.reloc = INSTRUMENT_RELOC_AUTO, .checks = u->checks, .pool = pool, .part_size = part_size()};
	struct buf bitcode = BUF_EMPTY, object = BUF_EMPTY;
	struct strmap fast = {0};
	struct unit_part part = {0};

	if (state_of(u, o) == COPIES_PART) {
		int there = begin_part(&part, u, o, path);

		if (there)
			return there < 0 ? -1 : end_part(&part);
		options.missing = &part.missing;
	}
	if (field(o, TAG_BITCODE, &bitcode) || wrapped_names(kind, &options.wrapped))
		return -1;
	if (!hash_equal(hash128(bitcode.data, bitcode.size), o->hash))
		return error_set("its record is damaged (the bitcode is not what it was)");
	if (kind == VARIANT_FILL) {
		struct buf filled = BUF_EMPTY;

		if (locals_fill(bitcode.data, bitcode.size, &filled))
			return -1;
		bitcode = filled; /* the process ends soon: nothing is freed */
	}
	options.all_decisions = kind == VARIANT_TRACE_ALL;
	options.calls = kind == VARIANT_CALLS || kind == VARIANT_SEGMENTS;
	options.segments = kind == VARIANT_SEGMENTS;
	options.slow_only = u->copies != COPIES_BOTH;
	if (state_of(u, o) == COPIES_SOME) {
		copies_list_of(u->fast, o->id, &fast);
		options.fast = &fast;
	}
	/* A driven unit (muster/drive.h) is run some hundred times for microseconds: compiling it is what takes long. Slow copies call a hook for
	 * each operation, and registers make no difference. */
	int driven = bitcode.data && memmem(bitcode.data, bitcode.size, "muster_drive_", 13) != NULL;
	options.fast_compile = options.slow_only || driven;
	options.small = options.slow_only && !options.calls && !driven;
	if (instrument_unit(bitcode.data, bitcode.size, o->id, kinds[kind], &options, &object))
		return -1;
	return end_part(&part) || file_write_atomic(path, object.data, object.size) ? -1 : 0;
}

/* The object of a unit, as an entry of the cache. */
static int make_entry(const struct unit_object *o, const struct units *u, const struct pool *pool)
{
	char *entry = file_dir(o->object), *temp = cache_begin(entry), *path;
	int e;

	if (!temp)
		return -1;
	path = file_join(temp, file_base(o->object));
	e = u->kind == VARIANT_SAN ? make_san(o, path) : make_instrumented(o, u, pool, path);
	if (e)
		cache_abandon(temp);
	else
		e = cache_commit(temp, entry);
	return e; /* the process ends: nothing is freed */
}

/* One unit that is made in a process of its own. */
struct job {
	const struct units *units;
	struct unit_object *unit;
	const struct pool *pool;
};

struct hash128 units_base(enum variant_kind kind, checker_set checks)
{
	struct hash128 h = units_tool();
	const char *const *names;

	if (!wrapped_names(kind, &names))
		for (; names && *names; names++)
			h = hash128_join(h, hash128_str(*names));
	h = hash128_join(h, (struct hash128){checks, part_size()});
	return h;
}

static int make_job(void *work)
{
	const struct job *j = work;

	return make_entry(j->unit, j->units, j->pool);
}

static const char *job_name(void *work)
{
	static char *text;

	free(text);
	return text = mem_printf("unit '%s'", ((struct job *)work)->unit->name);
}

static void tell(void *ctx, void *work)
{
	const struct units *u = ctx;
	const struct unit_object *o = ((struct job *)work)->unit;

	log_progress("making the %s variant: %s (%td of %zu), %.0f s", variant_name(u->kind), o->name, o - u->list.data + 1, u->list.size,
		     deadline_clock() - u->began);
}

int units_make(struct units *u)
{
	struct job *jobs = mem_alloc((u->list.size + 1) * sizeof *jobs);
	struct pool pool;
	int e = pool_open(&pool);

	if (e) {
		free(jobs);
		return e;
	}
	pool.tick = tell;
	pool.ctx = u;
	pool.name = job_name;
	u->began = deadline_clock();
	u->base = units_base(u->kind, u->checks);
	e = cache_dir() ? 0 : -1;
	for (size_t i = 0; i < u->list.size && !e; i++) {
		struct unit_object *o = &u->list.data[i];
		char *entry = entry_of(u, o);
		int there = cache_use(entry, 0);

		o->object = file_join(entry, "unit.o");
		free(entry);
		if (there)
			continue;
		log_progress("making the %s variant: %s (%zu of %zu)", variant_name(u->kind), o->name, i + 1, u->list.size);
		jobs[i] = (struct job){u, o, &pool};
		e = pool_start(&pool, make_job, &jobs[i]);
	}
	if (pool_finish(&pool))
		e = -1;
	log_progress(NULL);
	pool_close(&pool);
	free(jobs);
	return e;
}
