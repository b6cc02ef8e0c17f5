/* core.c: the runtime's state: start-up, tables, events, input labels.
 *
 * Start-up runs from .preinit_array, before any constructor of the program: it
 * reserves the shadow (address space only), maps the tables that the engine
 * made, serves forks if asked to, and turns tracing on. Without MUSTER_FD the
 * shadow is still there, since instrumented code reads it, and nothing is traced.
 *
 * The tables live in a shared mapping, and counts are stored as they grow, so
 * however the target dies, everything up to that moment can be read.
 */
#include "activation.h"
#include "drive_inside.h"
#include "hooks.h"
#include "node.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__thread struct rt_tls __muster_tls __attribute__((tls_model("initial-exec"))) RT_EXPORT;
__thread uint32_t rt_first_thread __attribute__((tls_model("initial-exec")));

int rt_active(void)
{
	return RT_ON();
}

/* ---------------------------------------------------------------- events */

void rt_full(unsigned table)
{
	struct rt_state *s = RT_STATE;
	struct muster_header *h = s->header;
	if (!s->active)
		return;
	s->active = 0; /* the target goes on, untraced */
	/* The engine leaves one event of room past the capacity it gives. */
	s->events[h->event_count++] = (struct muster_event){.kind = MUSTER_EV_FULL, .arg = table};
	/* A function that was called for its path alone has shown it, and most of those that fill a table never end. */
	if (s->driven)
		syscall(SYS_exit_group, 0);
}

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif
#define STEP_MIN (16u << 10) /* bytes */
#define STEP_MAX (256u << 10)
#define HUGE_FROM (512u << 10) /* of a table; below it a huge page costs more than what it saves: about 130 small ones cost the same */
#define HUGE_STEP_MAX (4 * MUSTER_HUGE)
#define HUGE_SLOW 1000000l /* nanoseconds that a huge page may cost; as much as 512 small ones, when the kernel moves memory about for it */

static uint64_t huge_up(uint64_t n)
{
	return (n + MUSTER_HUGE - 1) & ~(MUSTER_HUGE - 1);
}

static uint64_t huge_down(uint64_t n)
{
	return n & ~(MUSTER_HUGE - 1);
}

static int64_t nanoseconds(void)
{
	struct timespec t = {0};
	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t); /* programs may have a clock of their own */
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* A huge page costs a tenth of the small ones it stands for. For a shared file the kernel makes them whatever
 * it is set to, but only of ranges that have a page. 0: it does not (before 6.1, or no memory), or too slowly. */
static int populate_huge(struct rt_state *s, uint64_t low, uint64_t high)
{
	int64_t began = nanoseconds();
	if (s->small_pages || high <= low)
		return 0;
	for (uint64_t at = low; at < high; at += MUSTER_HUGE)
		(void)*(volatile char *)at;
	int made = madvise((void *)low, high - low, MADV_COLLAPSE) == 0;
	s->small_pages = !made || nanoseconds() - began > HUGE_SLOW * (int64_t)((high - low) / MUSTER_HUGE);
	return made;
}

/* Pages come a step at a time: one call instead of a fault for each. Where the kernel cannot (before
 * 5.14), each is faulted in when it is first written. */
static void populate(struct rt_state *s, void *table, uint64_t from, uint64_t to)
{
	uint64_t low = (uint64_t)table + from, high = (uint64_t)table + to;
	int kept = errno;
	if (to <= HUGE_FROM || !populate_huge(s, huge_down(low), huge_up(high)))
		madvise((void *)(low & ~4095ull), (high & ~4095ull) - (low & ~4095ull), MADV_POPULATE_WRITE);
	errno = kept;
}

/* How far beyond `count` entries a table is to be there. */
static uint64_t step(const struct rt_state *s, uint64_t ready, uint64_t count, uint64_t capacity, uint64_t size)
{
	uint64_t from = count > ready ? count : ready, bytes = from * size / 16;
	bytes = bytes < STEP_MIN ? STEP_MIN : bytes > STEP_MAX && (s->small_pages || bytes < MUSTER_HUGE) ? STEP_MAX : bytes > HUGE_STEP_MAX ? HUGE_STEP_MAX : bytes;
	uint64_t end = from * size + bytes, to = (end > HUGE_FROM && !s->small_pages ? huge_up(end) : end) / size;
	return to < capacity ? to : capacity;
}

int rt_more_nodes(uint64_t count)
{
	struct rt_state *s = RT_STATE;
	if (count >= s->node_capacity) {
		rt_full(0);
		return 0;
	}
	uint64_t from = s->node_ready, to = step(s, from, count, s->node_capacity, sizeof *s->nodes);
	populate(s, s->nodes, from * sizeof *s->nodes, to * sizeof *s->nodes);
#ifdef RT_ACTIVATIONS
	if (to * sizeof *s->lists <= HUGE_FROM && s->header->flags & MUSTER_FLAG_SUMMARIES) /* every other node is an address */
		populate(s, s->lists, from * sizeof *s->lists, to * sizeof *s->lists);
#endif
	if (to * sizeof *s->lists > HUGE_FROM) /* small pages of it come as they are written: wide nodes alone have one */
		populate_huge(s, (uint64_t)s->lists + huge_down(from * sizeof *s->lists), (uint64_t)s->lists + huge_up(to * sizeof *s->lists));
	s->node_ready = to;
	return 1;
}

int rt_more_events(uint64_t count)
{
	struct rt_state *s = RT_STATE;
	if (count >= s->event_capacity) {
		rt_full(1);
		return 0;
	}
	if (s->header->site_cap) /* no event takes the short path */
		return 1;
	uint64_t from = s->event_ready, to = step(s, from, count, s->event_capacity, sizeof *s->events);
	populate(s, s->events, from * sizeof *s->events, to * sizeof *s->events);
	s->event_ready = to;
	return 1;
}

/* How often each site has had an event, by a hash of the site: used only when
 * there is a cap. Two sites that share a counter are both thinned early, which
 * is recorded like any other thinning. */
#define COUNTERS (1u << 16)
static uint32_t site_counts[COUNTERS];

static int capped(struct muster_header *h, uint64_t site, uint32_t *arg_full)
{
	uint32_t *n = &site_counts[(site * 0x9e3779b97f4a7c15ull) >> 48];
	*arg_full = 0;
	if (*n < h->site_cap) {
		(*n)++;
		return 0;
	}
	h->dropped++;
	for (uint32_t i = 0; i < h->cap_count && i < MUSTER_MAX_CAPS; i++)
		if (h->caps[i].unit == (uint32_t)(site >> 32) && h->caps[i].index == (uint32_t)site) {
			h->caps[i].dropped++;
			return 1;
		}
	if (h->cap_count < MUSTER_MAX_CAPS) {
		struct muster_cap *c = &h->caps[h->cap_count++];
		c->unit = (uint32_t)(site >> 32);
		c->index = (uint32_t)site;
		c->dropped = 1;
		*arg_full = 1;
	}
	return 1;
}

static void append(struct muster_event e)
{
	struct rt_state *s = RT_STATE;
	uint64_t n = s->header->event_count;
	if (RT_UNLIKELY(n >= s->event_ready) && !rt_more_events(n))
		return;
	s->header->event_count = n + 1;
	__asm__ volatile("" ::: "memory");
	s->events[n] = e;
}

void rt_event_at(unsigned kind, unsigned arg, uint64_t site, label a)
{
	if (RT_UNLIKELY(!RT_ON()))
		return;
	if (RT_UNLIKELY(RT_STATE->header->site_cap != 0)) {
		uint32_t first;
		if (capped(RT_STATE->header, site, &first)) {
			if (first)
				append(rt_event_of(MUSTER_EV_CAP, 0, site, 0));
			return;
		}
	}
	append(rt_event_of(kind, arg, site, a));
}

void rt_event_whole(unsigned kind, unsigned arg, unsigned more, uint64_t site, label a)
{
	struct muster_event e = rt_event_of(kind, arg, site, a);
	e.more = (uint16_t)more;
	if (RT_ON())
		append(e);
}

void rt_event(enum muster_event_kind kind, unsigned arg, label a)
{
	if (RT_ON())
		rt_event_at(kind, arg, __muster_tls.site, a);
}

void rt_concrete_at(label a, enum muster_reason why, uint64_t site)
{
	if (!a || !RT_ON())
		return;
	struct muster_node *n = rt_node(a);
	if (n->flags & MUSTER_NODE_CONCRETISED || n->op == MUSTER_OP_CONST)
		return;
	if (RT_UNLIKELY(RT_STATE->driven)) {
		struct rt_object o;
		label offset;
		enum rt_place place = rt_pin(a, muster_value(n), 0, site, &o, &offset);
		if (place == RT_FIXED)
			return;
		if (place == RT_MOVING && offset != a) { /* only that is left to fix */
			a = offset;
			n = rt_node(a);
			if (n->flags & MUSTER_NODE_CONCRETISED)
				return;
		}
	}
	uint64_t before = RT_STATE->header->dropped;
	rt_event_at(MUSTER_EV_CONCRETE, why, site, a);
	if (RT_STATE->header->dropped == before)
		n->flags |= MUSTER_NODE_CONCRETISED;
}

void rt_concrete(label a, enum muster_reason why)
{
	rt_concrete_at(a, why, __muster_tls.site);
}

void rt_check_at(enum muster_checker checker, label condition, uint64_t site)
{
	if (condition && RT_ON())
		rt_event_at(MUSTER_EV_BOUND, MUSTER_BOUND_ARG(rt_node(condition)->low, checker), site, condition);
}

void rt_check(enum muster_checker checker, label condition)
{
	rt_check_at(checker, condition, __muster_tls.site);
}

void rt_bound_at(label condition, uint64_t site)
{
	rt_check_at(MUSTER_CHECK_NONE, condition, site);
}

void rt_bound(label condition)
{
	rt_bound_at(condition, __muster_tls.site);
}

void rt_given_at(label condition, uint64_t site)
{
	static label known[64]; /* an assumption in a loop is the same each time */
	label *slot = &known[condition % 64];
	if (!condition || !RT_ON() || *slot == condition)
		return;
	*slot = condition;
	rt_event_at(MUSTER_EV_GIVEN, rt_node(condition)->low, site, condition);
}

void rt_given(label condition)
{
	rt_given_at(condition, __muster_tls.site);
}

/* Whoever uses a pointer says that the bytes are there and, of one that the driver made, where it points. */
static void access_at(label a, const void *p, size_t n, enum muster_reason why, enum rt_use use, uint64_t site)
{
	struct rt_object o;
	label offset;
	a = ACTIVATION_ADDRESS(a, p);
	if (!a || !RT_ON())
		return;
	if (RT_UNLIKELY(RT_STATE->driven)) {
		if (muster_value(rt_node(a)) != (uint64_t)p) {
			rt_stale(a, site, 1);
			return;
		}
		rt_pin_use = use;
		enum rt_place place = rt_pin(a, (uint64_t)p, n, site, &o, &offset);
		rt_pin_use = RT_READS;
		if (place == RT_FIXED)
			return;
		if (place == RT_MOVING)
			a = offset;
	} else if (n && !(rt_node(a)->flags & MUSTER_NODE_CONCRETISED) && muster_value(rt_node(a)) == (uint64_t)p && !rt_was_spanned(a)) {
		rt_judge(a, (uint64_t)p, n, use, site, &o, 0, NULL);
	}
	rt_concrete_at(a, why, site);
}

void rt_access_at(label a, const void *p, size_t n, enum muster_reason why, uint64_t site)
{
	access_at(a, p, n, why, why == MUSTER_REASON_STORE ? RT_WRITES : RT_READS, site);
}

void rt_access(label a, const void *p, size_t n, enum muster_reason why)
{
	if (why == MUSTER_REASON_ADDRESS)
		ACTIVATION_READ(p, n, a, __muster_tls.site);
	access_at(a, p, n, why, RT_MOVES, __muster_tls.site);
}

label rt_stale(label a, uint64_t site, int in_register)
{
	ACTIVATION_DO(activation_mark(MUSTER_MARK_UNRECORDED));
	if (RT_ON()) {
		RT_STATE->header->stale_count++;
		rt_event_at(MUSTER_EV_STALE, (unsigned)in_register, site, a);
	}
	return 0;
}

/* ----------------------------------------------------------------- input */

label rt_input(unsigned source, uint64_t offset)
{
	if (!RT_ON() || source >= RT_STATE->header->source_count)
		return 0;
	struct rt_state *s = RT_STATE;
	struct muster_header *h = s->header;
	uint64_t block = h->sources[source].blocks + offset / MUSTER_BLOCK;
	uint64_t end = source + 1 < h->source_count ? h->sources[source + 1].blocks : h->block_count;
	if (block >= end)
		return 0;
	label first = s->blocks[block];
	if (RT_UNLIKELY(!first)) {
		uint64_t start = offset / MUSTER_BLOCK * MUSTER_BLOCK, n = MUSTER_BLOCK, size = h->sources[source].size;
		int ends = source != h->object_source; /* objects may ask for more than there is */
		if (s->driven && source == s->driven_source) {
			ends = 1;
			size = s->driven_size;
		}
		if (start < size && size - start < n && ends)
			n = size - start;
		if (offset - start >= n)
			n = offset - start + 1;
		if (h->node_count + n > s->node_capacity) {
			rt_full(0);
			return 0;
		}
		first = (label)h->node_count;
		h->node_count += n;
		for (uint64_t i = 0; i < n; i++)
			s->nodes[first + i] = (struct muster_node){.op = MUSTER_OP_INPUT, .width = 8,
			                                           .flags = MUSTER_NODE_UNREAD, .a = source, .k = start + i};
		s->blocks[block] = first;
	}
	return first + (label)(offset % MUSTER_BLOCK);
}

/* They are made together, the first time that one is asked for, apart from the blocks of what is there. */
label rt_input_past(unsigned source, uint64_t beyond)
{
	static label first[MUSTER_MAX_SOURCES];
	if (!RT_ON() || source >= RT_STATE->header->source_count || beyond >= RT_PAST)
		return 0;
	struct rt_state *s = RT_STATE;
	struct muster_header *h = s->header;
	if (!first[source]) {
		if (h->node_count + RT_PAST > s->node_capacity) {
			rt_full(0);
			return 0;
		}
		first[source] = (label)h->node_count;
		h->node_count += RT_PAST;
		for (unsigned i = 0; i < RT_PAST; i++)
			s->nodes[first[source] + i] = (struct muster_node){
			    .op = MUSTER_OP_INPUT, .width = 8, .flags = MUSTER_NODE_UNREAD,
			    .a = source, .k = h->sources[source].size + i};
	}
	return first[source] + (label)beyond;
}

static int follows(label a, label b)
{
	const struct muster_node *x = rt_node(a), *y = rt_node(b);
	return x->op == MUSTER_OP_INPUT && y->op == MUSTER_OP_INPUT && x->a == y->a && y->k == x->k + 1 && y->k % MUSTER_BLOCK != 0;
}

label rt_widen_input(label a)
{
	struct rt_state *s = RT_STATE;
	struct muster_header *h = s->header;
	label first = a, end = a + 1;
	while (first > 1 && follows(first - 1, first))
		first--;
	while (end < h->node_count && follows(end - 1, end))
		end++;
	uint64_t at = h->node_count;
	if (at + (end - first) > s->node_capacity)
		return 0;
	h->node_count = at + (end - first);
	for (label l = first; l < end; l++, at++) {
		const struct muster_node *n = rt_node(l);
		s->nodes[at] = (struct muster_node){.op = MUSTER_OP_ZEXT, .width = 32, .flags = n->flags & MUSTER_NODE_UNREAD,
		                                    .a = l, .value64 = n->low};
		s->nodes[l].c = (label)at;
	}
	return rt_node(a)->c;
}

label rt_length(unsigned source)
{
	if (!RT_ON() || source >= RT_STATE->header->source_count)
		return 0;
	struct muster_source *src = &RT_STATE->header->sources[source];
	if (!src->length_label)
		src->length_label = rt_make_under(0, MUSTER_OP_LENGTH, 64, source, 0, src->size, 0);
	return src->length_label;
}

uint64_t rt_source_size(unsigned source)
{
	return RT_STATE->tracing && source < RT_STATE->header->source_count ? RT_STATE->header->sources[source].size : 0;
}

int rt_source_of_inode(uint64_t dev, uint64_t ino)
{
	if (!RT_ON())
		return -1;
	struct muster_header *h = RT_STATE->header;
	for (uint32_t i = 0; i < h->source_count && i < MUSTER_MAX_SOURCES; i++)
		if (h->sources[i].kind == MUSTER_SOURCE_FILE && h->sources[i].dev == dev && h->sources[i].ino == ino)
			return (int)i;
	return -1;
}

int rt_source_of_fd(int fd)
{
	struct stat st;
	int kept = errno;
	if (!RT_ON())
		return -1;
	int found = fstat(fd, &st) == 0 ? rt_source_of_inode(st.st_dev, st.st_ino) : -1;
	errno = kept;
	return found;
}

/* ------------------------------------------------------- calls, for wrappers */

void rt_enter(const void *fn, label *args, int n)
{
	ACTIVATION_DO(activation_entered(fn));
	struct rt_tls *t = &__muster_tls;
	int mine = t->owner == (uint64_t)fn && RT_ON();
	t->owner = 0;
	for (int i = 0; i < n; i++)
		args[i] = 0;
	for (int i = 0; i < n && mine; i++)
		args[i] = t->args[i];
}

void rt_return(const void *fn, label result)
{
	ACTIVATION_DO(activation_entered(fn)); /* some take no arguments */
	struct rt_tls *t = &__muster_tls;
	t->ret[0] = result;
	t->ret_owner = (uint64_t)fn;
}

/* -------------------------------------------------------------- start-up */

void rt_message(const char *text)
{
	static const char prefix[] = "muster runtime: ";
	if (write(2, prefix, sizeof prefix - 1) < 0 || write(2, text, strlen(text)) < 0 || write(2, "\n", 1) < 0)
		return;
}

static int reserve(uint64_t at, uint64_t size)
{
	void *p = mmap((void *)at, size, PROT_READ | PROT_WRITE,
	               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (p != (void *)at) {
		if (p != MAP_FAILED)
			munmap(p, size);
		return -1;
	}
	madvise(p, size, MADV_NOHUGEPAGE);
	madvise(p, size, MADV_DONTDUMP);
	return 0;
}

#define TIB (1ull << 40)

/* The three parts of the address space that programs use on x86-64 Linux, each
 * with its shadow, object and dirty-page tables: see docs/trace-format.md. */
static const struct range {
	uint64_t at, size;
} ranges[] = {
    {0x200000000000ull, 4 * TIB},  /* shadow of [0, 1 TiB) */
    {0x580000000000ull, 8 * TIB},  /* of [0x7e0000000000, 0x800000000000) */
    {0x740000000000ull, 8 * TIB},  /* of [0x550000000000, 0x570000000000) */
    {0x300000000000ull, TIB / 4},  /* objects of the same three */
    {0x4f8000000000ull, TIB / 2},
    {0x454000000000ull, TIB / 2},
    {0x080000000000ull, TIB / 32}, /* dirty pages of everything */
};

static int map_shadow(const char **why)
{
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (reserve(ranges[i].at, ranges[i].size) != 0) {
			*why = errno == ENOMEM
			           ? "cannot reserve address space for labels; is `ulimit -v` set? Try: ulimit -v unlimited"
			           : "the address space for labels is taken; try again, or: setarch -R PROGRAM";
			return -1;
		}
	void *p = mmap(RT_STATE, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (p != (void *)RT_STATE) {
		*why = "the address of the runtime's state is taken; try: setarch -R PROGRAM";
		return -1;
	}
	madvise(p, 4096, MADV_WIPEONFORK);
	return 0;
}

static struct muster_header *map_tables(int fd)
{
	struct muster_header head;
	if (pread(fd, &head, sizeof head.magic + 24, 0) < 0 || head.magic != MUSTER_ABI_MAGIC ||
	    head.version != MUSTER_ABI_VERSION) {
		rt_message("the trace tables have another format than this variant: make the variant again with this muster");
		return NULL;
	}
	void *p = mmap((void *)MUSTER_TABLE_BASE, head.map_size, PROT_READ | PROT_WRITE,
	               MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0);
	if (p != (void *)MUSTER_TABLE_BASE) {
		rt_message("cannot map the trace tables");
		return NULL;
	}
	madvise(p, head.map_size, MADV_DONTDUMP);
	return p;
}

static void begin(struct muster_header *h)
{
	struct rt_state *s = RT_STATE;
	char *base = (char *)h;
	s->header = h;
	s->nodes = (struct muster_node *)(base + h->node_offset);
	s->events = (struct muster_event *)(base + h->event_offset);
	s->lists = (uint32_t *)(base + h->list_offset);
	s->nodes[0] = (struct muster_node){0}; /* what has no operands hangs on it */
	s->slots = (uint32_t *)(base + h->slot_offset);
	s->blocks = (uint32_t *)(base + h->block_offset);
	s->slot_mask = h->slot_count - 1;
	s->node_capacity = h->node_capacity;
	s->event_capacity = h->event_capacity;
	s->node_ready = h->populate_nodes < h->node_capacity ? h->populate_nodes : h->node_capacity;
	s->event_ready = h->site_cap ? 0 : h->populate_events < h->event_capacity ? h->populate_events : h->event_capacity;
	h->pid = (uint32_t)getpid();
	h->state = MUSTER_STATE_RUNNING;
	rt_first_thread = 1;
	s->tracing = 1;
	s->active = 1;
}

/* The mapping; children have it, too, while the state is wiped for them. NULL: nobody traces. */
static struct muster_header *tables;

RT_EXPORT void __muster_missing(uint64_t site)
{
	if (tables) {
		tables->not_missing = ~site;
		tables->missing = site;
	} else {
		rt_message("this trace variant lacks the function that is called now: muster makes it when it runs the variant; `muster variant` makes a whole one");
	}
	syscall(SYS_exit_group, 127);
	__builtin_unreachable();
}

/* There if the linker was asked for it: a library of this program calls its own functions by addresses that its callers do not know. */
extern const char __muster_symbolic_library __attribute__((weak, visibility("hidden")));

static void start(int argc, char **argv, char **envp)
{
	const char *why = NULL;
	int fd = rt_table_descriptor(envp), failed = map_shadow(&why);
	struct muster_header *h = fd >= 0 ? map_tables(fd) : NULL;
	tables = h;
	if (fd >= 0)
		close(fd);
	if (failed) {
		if (h) {
			h->state = MUSTER_STATE_FAILED;
			strncpy(h->message, why, sizeof h->message - 1);
		}
		rt_message(why);
		_exit(127); /* instrumented code cannot run without its shadow */
	}
	if (!h)
		return;
	if (__muster_drive_prepare)
		__muster_drive_prepare();
	if (h->flags & MUSTER_FLAG_FORKSERVER)
		rt_forkserver(h);
	else
		rt_populate(h);
	begin(h);
	if (&__muster_symbolic_library)
		rt_lost(MUSTER_LOST_SYMBOLIC);
	rt_label_args(argc, argv, envp);
}

__attribute__((section(".preinit_array"), used)) static void (*const start_first)(int, char **, char **) = start;
