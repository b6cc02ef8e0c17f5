/* variant.c: collects the units, makes their objects, links, and puts the result
 * into the cache.
 *
 * The variant's entry in the cache (cache.h) is named by a hash of all records it is
 * made from, of muster itself and of the runtime. Of two processes that make the same one,
 * the second finds the name taken and drops its own.
 */
#include "build/variant.h"

#include "base/error.h"
#include "base/file.h"
#include "base/interface.h"
#include "base/log.h"
#include "base/mem.h"
#include "build/cache.h"
#include "build/copies.h"
#include "build/home.h"
#include "build/relink.h"
#include "build/symbols.h"
#include "build/units.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *archive, *wraps;
} kinds[] = {
#define X(id, name, archive, wraps) {name, archive, wraps},
    VARIANTS(X)
#undef X
};

const char *variant_name(enum variant_kind kind)
{
	return kinds[kind].name;
}

int variant_kind(const char *name)
{
	for (int i = 0; i < VARIANT_COUNT; i++)
		if (!strcmp(kinds[i].name, name))
			return i;
	return -1;
}

/* Not known yet: no set has this bit. */
static checker_set checks = CHECKER_BIT(MUSTER_CHECK_NONE);

void variant_checks(checker_set set)
{
	checks = set & ~CHECKER_BIT(MUSTER_CHECK_NONE);
}

int variant_checks_list(const char *list)
{
	checker_set set;

	if (checker_parse(list, &set))
		return -1;
	variant_checks(set);
	return 0;
}

checker_set variant_checks_now(void)
{
	if (checks & CHECKER_BIT(MUSTER_CHECK_NONE))
		checks = checker_default();
	return checks;
}

/* Of the runtime, once: names of several states are looked for. */
static int hash_archive(enum variant_kind kind, struct hash128 *h)
{
	static struct {
		struct hash128 hash;
		int known;
	} archives[VARIANT_COUNT];
	char *path = archives[kind].known ? NULL : home_file(kinds[kind].archive);
	struct buf b = BUF_EMPTY;

	if (path && !file_read(path, &b)) {
		archives[kind].hash = hash128(b.data, b.size);
		archives[kind].known = 1;
	}
	*h = hash128_join(*h, archives[kind].hash);
	buf_release(&b);
	free(path);
	return archives[kind].known ? 0 : -1;
}

/* The runtime beside muster is that of the same build. */
static int check_runtime(enum variant_kind kind)
{
	char *path;
	struct buf b = BUF_EMPTY;
	int e = 0;

	if (!kinds[kind].archive)
		return 0;
	path = file_join(home_dir() ? home_dir() : "", "interface");
	if (!home_dir())
		e = -1;
	else if (!file_exists(path) || file_read_limited(path, 4096, &b) || strncmp(buf_str(&b), interface_id, INTERFACE_ID_SIZE))
		e = error_set("muster and its runtime in '%s' are of different builds: run 'make', or 'make install', again", home_dir());
	buf_release(&b);
	free(path);
	return e;
}

/* Everything the variant depends on. Which functions have fast copies, or are made, changes nothing of what a variant does: the names of variants with some
 * of them are numbered, so that the last one is found by who does not know which. */
static int key_of(const struct program *p, enum variant_kind kind, const struct copies_choice *c, struct hash128 *key)
{
	struct hash128 h = hash128_join(units_base(kind, units_checks(p, kind)), hash128_str(variant_name(kind)));

	h = hash128_join(h, (struct hash128){c->state, c->generation});
	if (c->forced && c->state == COPIES_SOME)
		h = hash128_join(h, copies_list_hash(&c->list, 0));
	int e = hash_archive(kind, &h);

	for (size_t i = 0; i < p->images.size; i++) {
		const struct image *im = &p->images.data[i];

		h = hash128_join(h, hash128_str(relink_name(p, i)));
		for (size_t k = 0; k < im->records.frames.size; k++)
			h = hash128_join(h, im->records.frames.data[k].id);
	}
	*key = h;
	return e;
}

static int read_wraps(enum variant_kind kind, struct relink *r, struct buf *text)
{
	char *path;

	if (!kinds[kind].wraps)
		return 0;
	path = home_file(kinds[kind].wraps);
	if (!path || file_read(path, text)) {
		free(path);
		return -1;
	}
	for (char *s = strtok(buf_str(text), "\n"); s; s = strtok(NULL, "\n"))
		vec_push(&r->wraps, s);
	free(path);
	return 0;
}

/* A driven program (muster/drive.h) may free what the driver made. The traced variants wrap the allocator anyway; where a
 * sanitizer has it, objects come from there. */
static void wrap_driven(struct relink *r)
{
	if (r->units->kind != VARIANT_COV || !strmap_get(&r->defined, "muster_drive_result", NULL))
		return;
	vec_push(&r->wraps, "free");
	vec_push(&r->wraps, "realloc");
	vec_push(&r->wraps, "reallocarray");
}

struct order {
	struct relink *r;
	char *done;
	int e;
};

static void link_one(struct order *o, size_t index);

static void link_needed(void *ctx, long tag, const char *name)
{
	struct order *o = ctx;

	for (size_t i = 1; tag == DT_NEEDED && i < o->r->program->images.size; i++)
		if (!strcmp(relink_name(o->r->program, i), file_base(name)))
			link_one(o, i);
}

/* Libraries before what needs them; marked first, for those that need each other. */
static void link_one(struct order *o, size_t index)
{
	const struct image *im = &o->r->program->images.data[index];

	if (o->done[index])
		return;
	o->done[index] = 1;
	symbols_dynamic(im->file.data, im->file.size, link_needed, o);
	if (!o->e)
		o->e = relink_image(o->r, index);
}

static int link_all(struct relink *r)
{
	struct order o = {.r = r, .done = mem_zalloc(r->program->images.size)};

	for (size_t i = 0; i < r->program->images.size; i++)
		link_one(&o, i);
	free(o.done);
	return o.e;
}

static int build(const struct program *p, struct units *u, const char *dir)
{
	struct relink r = {.program = p, .units = u, .out_dir = dir};
	char *lib = file_join(dir, "lib"), *work = file_join(dir, "work");
	struct buf text = BUF_EMPTY;
	int e = file_mkdirs(work);

	r.work_dir = work;
	if (!e && p->images.size > 1) {
		r.lib_dir = lib;
		e = file_mkdirs(lib);
	}
	if (!e)
		e = units_make(u);
	if (!e)
		e = relink_names(&r);
	if (!e)
		e = read_wraps(u->kind, &r, &text);
	if (!e)
		wrap_driven(&r);
	if (!e) {
		log_progress("linking the %s variant of %s", variant_name(u->kind), file_base(p->images.data[0].path));
		e = link_all(&r);
		log_progress(NULL);
	}
	if (!e)
		e = file_remove_tree(work);
	strmap_release(&r.defined);
	vec_release(&r.wraps);
	buf_release(&text);
	free(lib);
	free(work);
	return e;
}

#define LIST "copies" /* file of an entry: which functions have fast copies, or are made */

static int write_list(const struct copies_choice *c, const char *dir)
{
	char *path;
	int e;

	if (c->state != COPIES_SOME && c->state != COPIES_PART)
		return 0;
	path = file_join(dir, LIST);
	e = copies_list_write(&c->list, path);
	free(path);
	return e;
}

static int build_in_cache(const struct program *p, enum variant_kind kind, const struct copies_choice *c, const char *entry)
{
	struct units u;
	int lock = cache_lock(), e;
	char *temp = cache_begin(entry), *full;

	if (!temp) {
		cache_unlock(lock);
		return -1;
	}
	e = units_collect(&u, p, kind);
	u.copies = c->state;
	u.fast = &c->list;
	u.before = &c->before;
	if (!e)
		e = build(p, &u, temp);
	if (!e)
		e = write_list(c, temp);
	if (e)
		cache_abandon(temp);
	else
		e = cache_commit(temp, entry);
	if (e) {
		full = cache_full_words();
		error_set("%s%s", error_text(), full);
		free(full);
	}
	units_release(&u);
	cache_unlock(lock);
	return e;
}

/* The entry, held for this process: as it was found, or made. What is damaged or removed between the making and the
 * holding is made once more. */
static int make_entry(const struct program *p, enum variant_kind kind, const struct copies_choice *c, const char *entry)
{
	for (int i = 0; i < 3; i++) {
		if (cache_use(entry, 1)) {
			if (i)
				cache_trim();
			return 0;
		}
		if (build_in_cache(p, kind, c, entry))
			return -1;
	}
	return error_set("the cache '%s' loses what is put into it", cache_dir());
}

static char *entry_name(const struct program *p, enum variant_kind kind, const struct copies_choice *c)
{
	struct hash128 key;
	char hex[HASH_HEX_SIZE];

	return key_of(p, kind, c, &key) ? NULL : cache_entry(variant_name(kind), hash_hex(key, hex));
}

#define GENERATIONS 4 /* times that functions get fast copies; each makes their units anew */

/* Is there one in this state? Its entry, held; NULL. */
static char *find_state(const struct program *p, enum variant_kind kind, enum copies state, unsigned generation)
{
	struct copies_choice c = {.state = state, .generation = generation};
	char *entry = entry_name(p, kind, &c);

	if (entry && cache_use(entry, 1))
		return entry;
	free(entry);
	return NULL;
}

/* The newest in a state whose functions are in a list: its entry, held, and generation and list; NULL. */
static char *find_newest(const struct program *p, enum variant_kind kind, enum copies state, unsigned most, struct copies_choice *c)
{
	for (unsigned i = most; i; i--) {
		char *entry = find_state(p, kind, state, i), *path = entry ? file_join(entry, LIST) : NULL;
		int e = entry ? copies_list_read(&c->list, path) : -1;

		free(path);
		if (!e) {
			c->state = state;
			c->generation = i;
			return entry;
		}
		free(entry);
		copies_list_release(&c->list);
	}
	return NULL;
}

/* A variant with fast copies that was made before is there at no cost. */
static char *find_entry(const struct program *p, enum variant_kind kind, struct copies_choice *c)
{
	char *entry;

	if (c->state != COPIES_SLOW || c->forced)
		return entry_name(p, kind, c);
	if ((entry = find_state(p, kind, COPIES_BOTH, 0))) {
		c->state = COPIES_BOTH;
		return entry;
	}
	entry = find_newest(p, kind, COPIES_SOME, GENERATIONS, c);
	return entry ? entry : entry_name(p, kind, c);
}

/* From what is there to what is wanted: the next generation, if a function in it is new. */
static char *add_functions(const struct program *p, struct copies_choice *c, const struct copies_list *functions, char *entry)
{
	if (!entry || c->forced || c->state == COPIES_BOTH || c->generation == GENERATIONS || !copies_list_join(&c->list, functions))
		return entry;
	c->state = COPIES_SOME;
	c->generation++;
	free(entry);
	return entry_name(p, VARIANT_TRACE, c);
}

/* ------------------------------------------------- some of the functions */

#define PART_GENERATIONS 16 /* each has a quarter more code than the one before (copies_grow.c): 35 times as much as the first; then all is made */

/* With at least these functions; NULL: what is there, if anything is. An entry, held; NULL: a whole one is to be made; *e: or it failed. */
static char *make_part(const struct program *p, const struct copies_list *functions, struct copies_choice *c, int *e)
{
	char *entry = find_newest(p, VARIANT_TRACE, COPIES_PART, PART_GENERATIONS, c);

	for (int tries = 0; tries < 2 * PART_GENERATIONS; tries++) {
		struct copies_choice next = {.state = COPIES_PART, .generation = c->generation + 1};

		if (!functions || (entry && copies_list_has(&c->list, functions)))
			return entry;
		free(entry);
		entry = NULL;
		if (next.generation > PART_GENERATIONS)
			return NULL;
		copies_list_join(&next.list, &c->list);
		copies_list_join(&next.list, functions);
		copies_list_join(&next.before, &c->list);
		entry = entry_name(p, VARIANT_TRACE, &next);
		*e = entry ? make_entry(p, VARIANT_TRACE, &next, entry) : -1;
		free(entry);
		copies_choice_release(&next);
		copies_choice_release(c);
		*c = (struct copies_choice){0};
		if (*e)
			return NULL;
		entry = find_newest(p, VARIANT_TRACE, COPIES_PART, PART_GENERATIONS, c); /* another process may have been faster, with other functions */
	}
	return entry;
}

/* Is there one with all functions? */
static char *find_whole(const struct program *p, struct copies_choice *c)
{
	char *entry;

	if (!c->forced && copies_part_tested()) /* for tests every program is large */
		c->state = COPIES_SLOW;
	entry = find_entry(p, VARIANT_TRACE, c);

	if (c->state != COPIES_SLOW || c->forced || !entry || cache_use(entry, 1))
		return entry;
	free(entry);
	return NULL;
}

/* Whose state it is, with *part set where some functions are enough. */
static char *choose_entry(const struct program *p, enum variant_kind kind, const struct copies_list *functions, int part, struct copies_choice *c)
{
	struct copies_choice some = {0};
	char *dir = part ? find_whole(p, c) : find_entry(p, kind, c);
	int e = 0;

	if (functions && !part)
		return add_functions(p, c, functions, dir);
	if (dir || !part)
		return dir;
	dir = make_part(p, functions, &some, &e);
	if (!dir) {
		copies_choice_release(&some);
		return e ? NULL : entry_name(p, kind, c);
	}
	*c = some;
	return dir;
}

static void describe(const struct program *p, const char *dir, struct copies_choice *c, struct variant *out)
{
	out->copies = c->state;
	out->path = file_join(dir, relink_name(p, 0));
	if (p->images.size > 1)
		out->lib_dir = file_join(dir, "lib");
	if (c->state != COPIES_PART)
		return;
	out->made = mem_zalloc(sizeof *out->made);
	*out->made = c->list;
	c->list = (struct copies_list){0};
}

static int make(const char *program, enum variant_kind kind, const struct copies_list *functions, int part, struct variant *out)
{
	struct copies_choice c = {0};
	struct program p;
	char *dir = NULL;
	int e;

	*out = (struct variant){0};
	if (program_load(&p, program))
		return -1;
	e = check_runtime(kind) || copies_choose(&p, kind, &c) ? -1 : 0;
	if (!e) {
		dir = choose_entry(&p, kind, functions, part, &c);
		e = dir ? make_entry(&p, kind, &c, dir) : -1;
	}
	if (!e)
		describe(&p, dir, &c, out);
	free(dir);
	copies_choice_release(&c);
	program_release(&p);
	return e;
}

int variant_make(const char *program, enum variant_kind kind, struct variant *out)
{
	return make(program, kind, NULL, 0, out);
}

int variant_make_fast(const char *program, const struct copies_list *functions, struct variant *out)
{
	return make(program, VARIANT_TRACE, functions, 0, out);
}

int variant_make_part(const char *program, const struct copies_list *functions, struct variant *out)
{
	return make(program, VARIANT_TRACE, functions, 1, out);
}

void variant_release(struct variant *v)
{
	free(v->path);
	free(v->lib_dir);
	if (v->made)
		copies_list_release(v->made);
	free(v->made);
	*v = (struct variant){0};
}
