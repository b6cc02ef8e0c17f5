/* shm.c: the shared mapping of a traced run.
 *
 * Layout: header, block table, memory sources, events, nodes, slots, functions, classes seen (bare), each from a
 * page of its own; events and nodes have huge pages once they are large (runtime/core.c). Everything is sparse; a run touches a prefix of each table,
 * and these pages are kept for the next run, since faulting them in again costs
 * more than the run. Two things must be clean before a run: the header and the
 * block table (a stale entry there would be believed). Nodes and events are
 * bounded by counts in the header, and a stale slot is recognised by the runtime.
 *
 * Invariant: nothing that a target can write decides which memory the engine
 * touches. The engine's copies of offsets, capacities and sources are the truth;
 * counts from the header are clamped before anybody sees them.
 */
#include "run/shm.h"
#include "base/error.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096ull
/* Blocks for marked objects, which may take more bytes than their source has. */
#define OBJECT_BLOCKS (1u << 14)
/* Tables larger than this (in nodes or events) are given back before a later run. */
#define KEEP (1ull << 22)

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static uint64_t page_up(uint64_t n)
{
	return (n + PAGE - 1) & ~(PAGE - 1);
}

static uint64_t huge_up(uint64_t n)
{
	return (n + MUSTER_HUGE - 1) & ~(MUSTER_HUGE - 1);
}

static uint64_t power_up(uint64_t n)
{
	uint64_t p = 1;

	while (p < n)
		p <<= 1;
	return p;
}

static void layout(struct shm *s)
{
	const struct shm_options *o = &s->options;
	uint64_t at = page_up(sizeof(struct muster_header));

	s->node_capacity = o->nodes;
	s->event_capacity = o->events;
	s->slot_count = o->bare ? 0 : power_up(o->nodes * MUSTER_SLOTS);
	s->block_count =
	    page_up(o->input_limit) / MUSTER_BLOCK + 2 * MUSTER_MAX_SOURCES + 2 * OBJECT_BLOCKS;
	s->data_capacity = page_up(o->input_limit);

	s->block_offset = at;
	at = page_up(at + s->block_count * sizeof(uint32_t));
	s->data_offset = at;
	at = huge_up(at + s->data_capacity);
	s->event_offset = at; /* the runtime puts a FULL event after the last */
	at = huge_up(at + (s->event_capacity + 1) * sizeof(struct muster_event));
	s->node_offset = at;
	at = huge_up(at + s->node_capacity * sizeof(struct muster_node));
	s->list_offset = at;
	at = huge_up(at + s->node_capacity * sizeof(uint32_t));
	s->slot_offset = at;
	at = page_up(at + s->slot_count * sizeof(uint32_t));
	s->function_offset = at;
	at = page_up(at + SHM_FUNCTIONS * sizeof(struct muster_function));
	s->set_offset = at;
	at = page_up(at + MUSTER_SETS * sizeof(struct muster_set));
	s->seen_offset = at;
	s->map_size = page_up(at + (o->bare ? s->node_capacity * sizeof(struct muster_node) : 0));
}

/* The target needs some 21 TiB of address space, reserved and not used. */
static int check_limits(uint64_t map_size)
{
	struct rlimit r;

	if (!getrlimit(RLIMIT_AS, &r) && r.rlim_cur != RLIM_INFINITY &&
	    r.rlim_cur < (24ull << 40)) {
		struct rlimit raised = {r.rlim_max, r.rlim_max};

		if (r.rlim_max != RLIM_INFINITY || setrlimit(RLIMIT_AS, &raised))
			return error_set("the address space is limited to %llu KiB, and a traced "
					 "program needs 21 TiB of it "
					 "(reserved, not used); run: ulimit -v unlimited",
					 (unsigned long long)r.rlim_cur / 1024);
	}
	/* Growing the file past RLIMIT_FSIZE would end muster with SIGXFSZ. */
	if (!getrlimit(RLIMIT_FSIZE, &r) && r.rlim_cur < map_size) {
		struct rlimit raised = {r.rlim_max, r.rlim_max};

		if (r.rlim_max < map_size || setrlimit(RLIMIT_FSIZE, &raised))
			return error_set("the size of files is limited to %llu KiB, and the trace "
					 "tables are a sparse file of "
					 "%llu KiB; run: ulimit -f unlimited",
					 (unsigned long long)r.rlim_cur / 1024,
					 (unsigned long long)map_size / 1024);
	}
	return 0;
}

/* At an address where huge pages of the file are huge pages of the process. NULL with errno. */
static unsigned char *map_aligned(int fd, uint64_t size)
{
	unsigned char *room = mmap(NULL, size + MUSTER_HUGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room == MAP_FAILED)
		return NULL;
	unsigned char *at = (unsigned char *)huge_up((uint64_t)room);
	void *p = mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd, 0);
	int kept = errno;
	if (at > room)
		munmap(room, (size_t)(at - room));
	munmap(at + size, MUSTER_HUGE - (size_t)(at - room));
	if (p != MAP_FAILED)
		return at;
	munmap(at, size);
	errno = kept;
	return NULL;
}

static int map(struct shm *s)
{
	s->fd = memfd_create("muster", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (s->fd < 0)
		return error_errno("cannot make the trace tables (memfd)");
	if (ftruncate(s->fd, (off_t)s->map_size))
		return error_errno("cannot make trace tables of %llu KiB",
				   (unsigned long long)s->map_size / 1024);
	/* A target that shrank the file would make the engine's reads fault. */
	if (fcntl(s->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return error_errno("cannot seal the trace tables");
	s->base = map_aligned(s->fd, s->map_size);
	if (!s->base) {
		return error_errno(
		    "cannot map trace tables of %llu KiB; fewer nodes, or: ulimit -v unlimited",
		    (unsigned long long)s->map_size / 1024);
	}
	madvise(s->base, s->map_size, MADV_DONTDUMP);
	s->header = (struct muster_header *)s->base;
	return 0;
}

int shm_init(struct shm *s, const struct shm_options *options)
{
	memset(s, 0, sizeof *s);
	s->fd = -1;
	if (options)
		s->options = *options;
	if (!s->options.nodes)
		s->options.nodes = SHM_DEFAULT_NODES;
	if (!s->options.events)
		s->options.events = SHM_DEFAULT_EVENTS;
	if (!s->options.input_limit)
		s->options.input_limit = SHM_DEFAULT_INPUT;
	if (!s->options.table_limit)
		s->options.table_limit = SHM_DEFAULT_TABLE_LIMIT;
	if (s->options.nodes > 1ull << MUSTER_LABEL_BITS)
		return error_set("at most %llu nodes are possible", 1ull << MUSTER_LABEL_BITS);
	if (s->options.events > 1ull << 32 || s->options.input_limit > 1ull << MUSTER_LABEL_BITS)
		return error_set(
		    "at most %llu events and %llu bytes of symbolic input are possible", 1ull << 32,
		    1ull << MUSTER_LABEL_BITS);
	layout(s);
	if (check_limits(s->map_size) || map(s)) {
		shm_release(s);
		return -1;
	}
	shm_reset(s, 0);
	return 0;
}

void shm_release(struct shm *s)
{
	if (s->base)
		munmap(s->base, s->map_size);
	if (s->fd >= 0)
		close(s->fd);
	free(s->functions);
	s->functions = NULL;
	s->function_count = 0;
	s->base = NULL;
	s->header = NULL;
	s->fd = -1;
}

static int by_number(const void *x, const void *y)
{
	uint64_t a = ((const struct muster_function *)x)->first, b = ((const struct muster_function *)y)->first;
	return a < b ? -1 : a > b;
}

int shm_set_functions(struct shm *s, const struct muster_function *list, size_t count)
{
	if (count > SHM_FUNCTIONS)
		return error_set("%zu functions are to have summaries, and %u can: name fewer", count, SHM_FUNCTIONS);
	free(s->functions);
	s->functions = count ? mem_alloc(count * sizeof *list) : NULL;
	s->function_count = count;
	if (count)
		memcpy(s->functions, list, count * sizeof *list);
	if (count)
		qsort(s->functions, count, sizeof *list, by_number);
	return 0;
}

int shm_set_state(struct shm *s, uint32_t activation, const struct muster_set *list, size_t count)
{
	if (count > MUSTER_SETS)
		return error_set("%zu values are to be set, and %u can", count, MUSTER_SETS);
	s->set_activation = activation;
	s->set_count = (uint32_t)count;
	if (count)
		memcpy(s->base + s->set_offset, list, count * sizeof *list);
	return 0;
}

static void punch(struct shm *s, uint64_t from, uint64_t to)
{
	from = page_up(from);
	if (from < to)
		fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
			  (off_t)(to - from));
}

/* A run that was far larger than the others would keep gigabytes. */
static void give_back(struct shm *s)
{
	if (s->node_mark > KEEP) {
		punch(s, s->node_offset + KEEP * sizeof(struct muster_node),
		      s->node_offset + s->node_capacity * sizeof(struct muster_node));
		punch(s, s->list_offset + KEEP * sizeof(uint32_t), s->slot_offset);
		punch(s, s->slot_offset + KEEP * MUSTER_SLOTS * sizeof(uint32_t), s->function_offset);
		s->node_mark = KEEP;
	}
	if (s->event_mark > KEEP) {
		punch(s, s->event_offset + KEEP * sizeof(struct muster_event), s->node_offset);
		s->event_mark = KEEP;
	}
}

void shm_reset(struct shm *s, uint32_t extra_flags)
{
	struct muster_header *h = s->header;
	uint64_t blocks = s->block_offset + s->blocks_used * sizeof(uint32_t);
	uint32_t sources = s->options.bare ? s->source_count : MUSTER_MAX_SOURCES;

	give_back(s);
	/* Entries that were given out are cleared; objects may have used some after them. */
	if (!s->options.bare) {
		memset(s->base + s->block_offset, 0, page_up(blocks) - s->block_offset);
		punch(s, blocks, s->data_offset);
	}
	s->source_count = 0;
	s->data_used = 0;
	s->blocks_used = 0;

	h->magic = MUSTER_ABI_MAGIC;
	h->version = MUSTER_ABI_VERSION;
	h->flags = s->options.flags | extra_flags;
	h->map_size = s->map_size;
	h->node_offset = s->node_offset;
	h->node_capacity = s->node_capacity;
	h->event_offset = s->event_offset;
	h->event_capacity = s->event_capacity;
	h->list_offset = s->list_offset;
	h->slot_offset = s->slot_offset;
	h->slot_count = s->slot_count;
	h->block_offset = s->block_offset;
	h->block_count = s->block_count;
	h->data_offset = s->data_offset;
	h->data_size = 0;
	h->function_offset = s->function_offset;
	h->function_count = s->function_count;
	h->set_offset = s->set_offset;
	h->set_count = s->set_count;
	h->set_activation = s->set_activation;
	if (s->function_count)
		memcpy(s->base + s->function_offset, s->functions, s->function_count * sizeof *s->functions);
	h->table_limit = s->options.table_limit;
	h->site_cap = s->options.site_cap;
	h->source_count = 0;
	h->object_source = MUSTER_MAX_SOURCES; /* none */
	h->populate_nodes = s->node_mark;
	h->populate_events = s->event_mark;
	memset(h->sources, 0, sources * sizeof h->sources[0]);
	memset(&h->state, 0,
	       offsetof(struct muster_header, objects) - offsetof(struct muster_header, state));
	h->node_count = 1; /* label 0 is no node */
}

static int add(struct shm *s, const char *name, const struct muster_source *proto)
{
	uint64_t blocks = (proto->size + MUSTER_BLOCK - 1) / MUSTER_BLOCK + 1 +
			  (proto->kind == MUSTER_SOURCE_MEMORY ? OBJECT_BLOCKS : 0);
	struct muster_source *src = &s->sources[s->source_count];

	if (s->source_count >= MUSTER_MAX_SOURCES)
		return error_set("more than %d inputs", MUSTER_MAX_SOURCES);
	if (proto->size > s->options.input_limit || s->blocks_used + blocks > s->block_count)
		return error_set("'%s' has %llu bytes, and symbolic input is limited to %llu in "
				 "all; use a smaller input or raise "
				 "the limit",
				 name, (unsigned long long)proto->size,
				 (unsigned long long)s->options.input_limit);
	*src = *proto;
	snprintf(src->name, sizeof src->name, "%s", name);
	src->blocks = s->blocks_used;
	s->blocks_used += (uint32_t)blocks;
	s->header->sources[s->source_count] = *src;
	s->header->source_count = s->source_count + 1;
	return (int)s->source_count++;
}

static int add_stat(struct shm *s, const char *name, const struct stat *st)
{
	struct muster_source src = {
	    .kind = MUSTER_SOURCE_FILE, .dev = st->st_dev, .ino = st->st_ino};

	if (!S_ISREG(st->st_mode))
		return error_set("'%s' is not a regular file, so it cannot be symbolic input",
				 name);
	src.size = (uint64_t)st->st_size;
	return add(s, name, &src);
}

int shm_add_file(struct shm *s, const char *name, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return error_errno("cannot use '%s' as input", path);
	return add_stat(s, name, &st);
}

int shm_add_fd(struct shm *s, const char *name, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return error_errno("cannot use '%s' as input", name);
	return add_stat(s, name, &st);
}

int shm_add_memory(struct shm *s, const char *name, const void *data, size_t size)
{
	struct muster_source src = {
	    .kind = MUSTER_SOURCE_MEMORY, .dev = s->data_used, .size = size};
	int index;

	if (size > s->data_capacity - s->data_used)
		return error_set("'%s' has %zu bytes, and symbolic input is limited to %llu in all",
				 name, size, (unsigned long long)s->options.input_limit);
	index = add(s, name, &src);
	if (index < 0)
		return -1;
	if (size)
		memcpy(s->base + s->data_offset + s->data_used, data, size);
	s->data_used += size;
	s->header->data_size = s->data_used;
	return index;
}

int shm_add_arg(struct shm *s, unsigned index, const char *value)
{
	struct muster_source src = {.kind = MUSTER_SOURCE_ARG, .dev = index, .size = strlen(value)};
	char name[32];

	snprintf(name, sizeof name, "argv[%u]", index);
	return add(s, name, &src);
}

int shm_add_env(struct shm *s, const char *variable, const char *value)
{
	struct muster_source src = {.kind = MUSTER_SOURCE_ENV, .size = strlen(value)};
	char name[sizeof src.name];

	if ((size_t)snprintf(name, sizeof name, "env.%s", variable) >= sizeof name)
		return error_set("the name of variable '%s' is too long to be input", variable);
	return add(s, name, &src);
}

void shm_set_object_source(struct shm *s, int source)
{
	s->header->object_source = (uint32_t)source;
}

static uint64_t clamp(uint64_t v, uint64_t limit, int *scribbled)
{
	if (v <= limit)
		return v;
	*scribbled = 1;
	return limit;
}

void shm_counts(struct shm *s, struct shm_counts *out)
{
	const struct muster_header *h = s->header;
	int bad = 0;

	memset(out, 0, sizeof *out);
	out->state = h->state;
	if (out->state > MUSTER_STATE_FAILED)
		bad = 1;
	out->nodes = clamp(h->node_count, s->node_capacity, &bad);
	if (!out->nodes) {
		out->nodes = 1;
		bad = 1;
	}
	out->events = clamp(h->event_count, s->event_capacity + 1, &bad);
	out->stale = h->stale_count;
	out->dropped = h->dropped;
	out->threads = h->threads;
	out->forks = h->forks;
	out->objects = (uint32_t)clamp(h->object_count, MUSTER_MAX_OBJECTS, &bad);
	out->caps = (uint32_t)clamp(h->cap_count, MUSTER_MAX_CAPS, &bad);
	out->object_used = h->object_used;
	out->missing = h->missing;
	if ((h->missing || h->not_missing) && h->not_missing != ~h->missing) {
		out->missing = 0;
		bad = 1;
	}
	memcpy(out->message, h->message, sizeof out->message);
	out->message[sizeof out->message - 1] = 0;
	if (h->magic != MUSTER_ABI_MAGIC || h->version != MUSTER_ABI_VERSION ||
	    h->map_size != s->map_size || h->node_offset != s->node_offset ||
	    h->event_offset != s->event_offset || h->slot_offset != s->slot_offset ||
	    h->source_count != s->source_count)
		bad = 1;
	out->scribbled = bad;
	/* A scribbled count says nothing about which pages exist. */
	s->node_mark = bad ? 0 : out->nodes;
	s->event_mark = bad ? 0 : out->events;
}

void shm_source(const struct shm *s, unsigned index, struct muster_source *out)
{
	const struct muster_source *seen = &s->header->sources[index];

	*out = s->sources[index];
	out->used = seen->used;
	out->length_label = seen->length_label;
}
