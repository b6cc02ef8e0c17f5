/* drive_build.c: from the bytes of an input to parameters, globals and objects, and the call.
 *
 * Where each object of the function's pools lies is settled first, for all of them; then roots are
 * written, and every object that a choice names goes on a worklist, once. The layout is static, so
 * nothing is parsed: an object's bytes are where the table says.
 *
 * Objects have their place in a region at a fixed address, each in a room of its own that ends at a
 * page without access, so that an address depends on the object's number and size and on nothing
 * else. Only rooms of objects that exist are accessible. Where nothing hands frees of such an object
 * over to us (the san variant), each comes from malloc, with exactly its size: a sanitizer sees
 * both ends.
 */
#include "drive_inside.h"
#include "muster/abi.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel.h" /* after unistd.h */

#define PAGE 4096ull
#define REGION 0x6000000000ull /* in the part of the address space that has labels */
#define REGION_SIZE (1ull << 30)

/* There if the linker wraps free: then __muster_drive_free is asked before libc. */
void __real_free(void *p) __attribute__((weak));

static struct drive_run *const run = &__muster_drive_run;
static uint32_t *work; /* objects that are to be filled */
static uint32_t work_count, work_done;
static uint32_t *pool_first; /* number of each pool's first object; one more at the end */

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) & ~(to - 1);
}

static void make_accessible(char *from, char *to)
{
	from = (char *)((uint64_t)from & ~(PAGE - 1));
	if (from < to && syscall(SYS_mprotect, from, to - from, PROT_READ | PROT_WRITE))
		__muster_drive_die("cannot map memory for an object", "");
}

void __muster_drive_reserve(void)
{
	long p;

	if (!__real_free)
		return;
	p = syscall(SYS_mmap, REGION, REGION_SIZE, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0L);
	if ((uint64_t)p != REGION)
		__muster_drive_die(
		    "the address space for objects is taken; try: setarch -R PROGRAM", "");
	run->objects.low = REGION;
	run->objects.high = REGION + REGION_SIZE;
}

/* ------------------------------------------------------------------- objects */

static uint8_t byte_at(uint64_t at)
{
	return at < run->size ? run->input[at] : 0;
}

static void measure(struct drive_object *o, const struct drive_pool *p, uint32_t pool,
		    uint32_t number)
{
	const struct drive_type *t = &run->table->types[p->pointer];

	o->pool = pool;
	o->number = number;
	o->type = t->a;
	o->element = run->table->types[t->a].size;
	o->at = drive_block(run->function, run->table->types, run->table->pools + run->function->first_pool, pool, number, run->growth);
	o->string = (t->flags & DRIVE_STRING) != 0;
	o->limit = t->fixed || t->limit < 2 ? 1 : drive_limit(run->table->types, p->pointer, run->growth);
	o->elements = t->fixed ? t->fixed : (byte_at(o->at) & (o->limit - 1)) + 1;
	o->size = (uint64_t)o->elements * o->element;
}

/* What the type may need: the largest power of two that divides its size, and no less than
 * malloc's. */
static uint64_t alignment(const struct drive_object *o)
{
	uint64_t a = o->element & -(uint64_t)o->element;

	return a < DRIVE_ALIGN ? DRIVE_ALIGN : a > PAGE ? PAGE : a;
}

static void place(struct drive_object *o, uint64_t *next)
{
	uint64_t most = (uint64_t)(o->limit > o->elements ? o->limit : o->elements) * o->element;

	*next += round_up(most ? most : 1, PAGE);
	if (*next + PAGE > run->objects.high)
		__muster_drive_die("the objects of this function are too large", "");
	o->end = (char *)*next;
	o->base = o->end - round_up(o->size ? o->size : 1, alignment(o));
	*next += PAGE;
}

static void lay_out(void)
{
	const struct drive_function *f = run->function;
	const struct drive_pool *pools = run->table->pools + f->first_pool;
	uint64_t next = run->objects.low;
	uint32_t n = 0;

	pool_first = __muster_drive_memory((f->pools + 1) * sizeof *pool_first);
	for (uint32_t i = 0; i < f->pools; i++) {
		pool_first[i] = n;
		n += pools[i].objects;
	}
	pool_first[f->pools] = run->objects.count = n;
	run->objects.all = __muster_drive_memory(n * sizeof *run->objects.all);
	work = __muster_drive_memory(n * sizeof *work);
	work_count = work_done = 0;
	for (uint32_t i = 0, k = 0; i < f->pools; i++)
		for (uint32_t j = 1; j <= pools[i].objects; j++, k++) {
			measure(&run->objects.all[k], &pools[i], i, j);
			if (run->objects.low)
				place(&run->objects.all[k], &next);
		}
}

struct drive_object *__muster_drive_pool(uint32_t type, uint32_t *count)
{
	const struct drive_table *t = run->table;
	const struct drive_function *f = run->function;

	for (uint32_t i = 0; i < f->pools; i++)
		if (t->type_pool_keys[t->pools[f->first_pool + i].pointer] ==
		    t->type_pool_keys[type]) {
			*count = pool_first[i + 1] - pool_first[i];
			return *count ? &run->objects.all[pool_first[i]] : NULL;
		}
	*count = 0;
	return NULL;
}

static void need(struct drive_object *o)
{
	if (o->made)
		return;
	o->made = 1;
	work[work_count++] = (uint32_t)(o - run->objects.all);
	if (run->objects.low) {
		make_accessible(o->base, o->end);
		return;
	}
	if (alignment(o) > DRIVE_ALIGN ? posix_memalign((void **)&o->base, alignment(o), o->size)
				 : !(o->base = malloc(o->size)))
		__muster_drive_die("out of memory", "");
}

int __muster_drive_free(void *p)
{
	if ((uint64_t)p - run->objects.low >= run->objects.high - run->objects.low)
		return 0;
	for (uint32_t i = 0; i < run->objects.count; i++) {
		struct drive_object *o = &run->objects.all[i];
		char *from = (char *)((uint64_t)o->base & ~(PAGE - 1));

		if (o->base != p || !o->made || o->freed)
			continue;
		o->freed = 1;
		syscall(SYS_mprotect, from, o->end - from, PROT_NONE);
		return 1;
	}
	abort(); /* twice, or not the beginning of an object: libc would do the same */
}

uint64_t __muster_drive_size(const void *p)
{
	for (uint32_t i = 0; i < run->objects.count && run->objects.low; i++)
		if (run->objects.all[i].base == p && run->objects.all[i].made &&
		    !run->objects.all[i].freed)
			return run->objects.all[i].size;
	return 0;
}

/* -------------------------------------------------------------------- images */

/* first: what a global was before, NULL elsewhere. */
static void image(uint32_t type, uint64_t at, uint8_t *p, const uint8_t *first);

static void bytes(uint64_t at, uint8_t *p, const uint8_t *first, uint64_t n, unsigned mask)
{
	for (uint64_t i = 0; i < n; i++)
		p[i] = (byte_at(at + i) & mask) ^ (first ? first[i] : 0);
	if (run->traced && n)
		__muster_drive_bytes(p, at, n, first, mask);
}

static void structure(const struct drive_type *t, uint64_t at, uint8_t *p, const uint8_t *first)
{
	uint64_t done = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		const struct drive_member *m = &run->table->members[t->a + i];

		if (m->offset > done)
			bytes(at + done, p + done, first ? first + done : NULL, m->offset - done,
			      0xff);
		image(m->type, at + m->offset, p + m->offset, first ? first + m->offset : NULL);
		if (m->offset + run->table->types[m->type].size > done)
			done = m->offset + run->table->types[m->type].size;
	}
	if (t->size > done)
		bytes(at + done, p + done, first ? first + done : NULL, t->size - done, 0xff);
}

static void pointer(uint32_t type, uint64_t at, uint8_t *p, const uint8_t *first)
{
	const struct drive_type *t = &run->table->types[type];
	struct drive_choice c = {.at = at, .type = t, .global = first != NULL};
	uint64_t choice = byte_at(at), value = 0;

	if (first)
		drive_copy(&c.first, first, sizeof c.first);
	if (t->kind == DRIVE_FUNCTION) {
		c.targets = run->table->targets + t->a;
		c.count = t->count;
	} else {
		c.objects = __muster_drive_pool(type, &c.count);
	}
	if (first && !choice) {
		value = c.first;
	} else if (choice >= 1u + c.global && choice <= c.count + c.global) {
		uint64_t k = choice - 1 - c.global, skip = byte_at(at + 1);

		if (c.objects) {
			need(&c.objects[k]);
			if (!(t->flags & DRIVE_INTERIOR) || skip > c.objects[k].elements)
				skip = 0;
			value = (uint64_t)c.objects[k].base + skip * c.objects[k].element;
		} else {
			value = (uint64_t)c.targets[k];
		}
	}
	drive_copy(p, &value, sizeof value);
	if (run->traced)
		__muster_drive_pointer(p, &c);
}

static void image(uint32_t type, uint64_t at, uint8_t *p, const uint8_t *first)
{
	const struct drive_type *t = &run->table->types[type];
	uint64_t null = 0;

	switch (t->kind) {
	case DRIVE_BYTES:
		bytes(at, p, first, t->size, 0xff);
		break;
	case DRIVE_BOOL:
		bytes(at, p, first, 1, 1);
		break;
	case DRIVE_POINTER:
	case DRIVE_FUNCTION:
		pointer(type, at, p, first);
		break;
	case DRIVE_STRUCT:
		structure(t, at, p, first);
		break;
	case DRIVE_ARRAY: {
		uint64_t n = run->table->types[t->a].size;

		if (run->table->types[t->a].kind == DRIVE_BYTES && !first) {
			bytes(at, p, first, n * t->count, 0xff);
			break;
		}
		for (uint32_t i = 0; i < t->count; i++)
			image(t->a, at + i * n, p + i * n, first ? first + i * n : NULL);
		break;
	}
	default: /* what it points to cannot be made */
		if (!first)
			drive_copy(p, &null, t->size < sizeof null ? t->size : sizeof null);
		break;
	}
}

static void fill(struct drive_object *o)
{
	uint64_t at = o->at + DRIVE_HEADER;
	uint32_t n = o->elements - o->string;

	if (o->string) {
		for (uint64_t i = 0; i < o->size; i++)
			o->base[i] = i < (uint64_t)n * o->element ? (char)byte_at(at + i) : 0;
		if (run->traced)
			__muster_drive_string(o);
		return;
	}
	if (run->table->types[o->type].kind == DRIVE_BYTES) {
		bytes(at, (uint8_t *)o->base, NULL, o->size, 0xff);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		image(o->type, at + (uint64_t)i * o->element,
		      (uint8_t *)o->base + (uint64_t)i * o->element, NULL);
}

static void fill_all(void)
{
	while (work_done < work_count)
		fill(&run->objects.all[work[work_done++]]);
}

/* ---------------------------------------------------------------- the call */

static void globals(void)
{
	const struct drive_root *r =
	    run->table->roots + run->function->first_root + run->function->parameters;

	for (uint32_t i = 0; i < run->function->globals; i++, r++) {
		uint32_t size = run->table->types[r->type].size;
		uint8_t *first = __muster_drive_memory(size);

		drive_copy(first, r->address, size);
		image(r->type, r->at, r->address, first);
	}
}

/* To the trace: arguments, result, globals and objects as they are before or after the call. */
static void tell(unsigned after, void **arguments)
{
	const struct drive_function *f = run->function;
	const struct drive_root *r = run->table->roots + f->first_root;
	uint64_t *bases;

	if (!run->traced || !__muster_drive_memory_at)
		return;
	for (uint32_t i = 0; i < f->parameters && !after; i++)
		__muster_drive_memory_at(after, MUSTER_MEMORY_PARAMETER, i, arguments[i], run->table->types[r[i].type].size);
	if (after)
		__muster_drive_memory_at(after, MUSTER_MEMORY_RESULT, 0, run->returned, f->result_size);
	r += f->parameters;
	for (uint32_t i = 0; i < f->globals; i++)
		__muster_drive_memory_at(after, MUSTER_MEMORY_GLOBAL, i, r[i].address, run->table->types[r[i].type].size);
	bases = __muster_drive_memory((run->objects.count + 1) * sizeof *bases); /* one more, so that it is never empty */
	for (uint32_t i = 0; i < run->objects.count; i++) {
		const struct drive_object *o = &run->objects.all[i];

		bases[i] = (uint64_t)o->base;
		if (o->made && !o->freed)
			__muster_drive_memory_at(after, MUSTER_MEMORY_OBJECT, i, o->base, o->size);
	}
	__muster_drive_memory_at(after, MUSTER_MEMORY_ADDRESS, 0, bases, (run->objects.count + 1) * sizeof *bases);
}

void __muster_drive_call(void)
{
	const struct drive_function *f = run->function;
	const struct drive_root *r = run->table->roots + f->first_root;
	void **arguments = __muster_drive_memory((f->parameters + 1) * sizeof *arguments);

	lay_out();
	if (run->traced)
		__muster_drive_begin(&run->objects,
				     drive_block(f, run->table->types, run->table->pools + f->first_pool, f->pools, 0, run->growth));
	for (uint32_t i = 0; i < f->parameters; i++) {
		arguments[i] = __muster_drive_memory(run->table->types[r[i].type].size);
		image(r[i].type, r[i].at, arguments[i], NULL);
	}
	run->returned = __muster_drive_memory(f->result_size);
	run->results = 0;
	globals();
	fill_all();
	tell(0, arguments);
	errno = 0;
	f->call(arguments, run->returned);
	tell(1, arguments);
}

/* -------------------------------------------------- what the unit's text calls */

/* To the instrumentation these have bodies that take labels. */
char __muster_def_result __asm__("__muster_def.muster_drive_result");
char __muster_def_length __asm__("__muster_def.muster_drive_length");
char __muster_def_length_at __asm__("__muster_def.muster_drive_length_at");

void muster_drive_result(void *value, const struct drive_table *table, uint32_t type)
{
	uint64_t size = table->types[type].size, n = size < DRIVE_RESULT ? size : DRIVE_RESULT;
	uint8_t *p = value;

	for (uint64_t i = 0; i < size; i++)
		p[i] = 0;
	if (run->traced)
		__muster_drive_bytes(p, 0, size, NULL, 0); /* no label from before */
	if (table == run->table && run->results >= DRIVE_RESULTS && run->traced && __muster_drive_starved)
		__muster_drive_starved();
	if (table != run->table || run->results >= DRIVE_RESULTS)
		return;
	if (n == size)
		image(type, run->function->results + run->results * DRIVE_RESULT, p, NULL);
	else if (table->types[type].kind == DRIVE_BYTES)
		bytes(run->function->results + run->results * DRIVE_RESULT, p, NULL, n, 0xff);
	run->results++;
	fill_all();
}

unsigned long muster_drive_length(const void *p, unsigned long element)
{
	if (run->traced)
		return __muster_drive_length(muster_drive_length, p, element);
	for (uint32_t i = 0; i < run->objects.count; i++) {
		const struct drive_object *o = &run->objects.all[i];

		if (o->made && element && (uint64_t)p - (uint64_t)o->base < o->size)
			return (o->size - ((uint64_t)p - (uint64_t)o->base)) / element;
	}
	return 0;
}

/* The same where a caller of the unit's own passes the pointer: what is no object of the driver's has a length that is not known. */
unsigned long muster_drive_length_at(const void *p, unsigned long element, int *unknown)
{
	*unknown |= p && !muster_drive_made(p);
	if (run->traced)
		return __muster_drive_length(muster_drive_length_at, p, element);
	return muster_drive_length(p, element);
}

int muster_drive_made(const void *p)
{
	for (uint32_t i = 0; i < run->objects.count; i++) {
		const struct drive_object *o = &run->objects.all[i];

		if (o->made && (uint64_t)p - (uint64_t)o->base <= o->size)
			return 1;
	}
	return 0;
}

/* Where the cov variant's linker sends frees; the traced runtime has its own, which ask as well. */
void *__real_realloc(void *p, size_t n) __attribute__((weak));
void *__real_malloc(size_t n) __attribute__((weak));

__attribute__((weak)) void __wrap_free(void *p);
__attribute__((weak)) void __wrap_free(void *p)
{
	if (!p || !__muster_drive_free(p))
		__real_free(p);
}

__attribute__((weak)) void *__wrap_realloc(void *p, size_t n);
__attribute__((weak)) void *__wrap_realloc(void *p, size_t n)
{
	uint64_t old = p ? __muster_drive_size(p) : 0;
	void *to;

	if (!old)
		return __real_realloc(p, n);
	to = n ? malloc(n) : NULL;
	if (to)
		drive_copy(to, p, old < n ? old : n);
	if (to || !n)
		__muster_drive_free(p);
	return to;
}

__attribute__((weak)) void *__wrap_reallocarray(void *p, size_t n, size_t m);
__attribute__((weak)) void *__wrap_reallocarray(void *p, size_t n, size_t m)
{
	size_t bytes;

	return __builtin_mul_overflow(n, m, &bytes) ? NULL : __wrap_realloc(p, bytes);
}
