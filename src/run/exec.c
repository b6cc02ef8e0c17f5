/* exec.c: many runs of the cov variant.
 *
 * The counters of a run stand in blocks of the shared mapping, one for each unit that
 * registered, in the order of registration. Callers want one array in which an outcome has the
 * same index for ever: a unit gets its place there when it is first seen. Since
 * units nearly always register in the same order, the place of block k is
 * remembered and checked against the block's unit; a map is asked only where it differs.
 *
 * A harness runs in a loop inside one process (runtime/loop.c), which is an ordinary run of the
 * launcher that does not end: begun here, stopped here, watched by the keeper for memory and
 * processes all the while. Time is this side's business: the wait for an answer has limits, of
 * processor time (a hang) and of time without any (waiting), which the keeper counts. The
 * process is replaced when it ends, after some thousands of inputs, and when it grows. Whether a
 * program has a loop is found out by asking for one: a program without simply runs and ends.
 *
 * Which processor: waking a process on another processor takes longer than a short run, at least in
 * virtual machines, so the calling thread, the keeper and the target share one while a run lasts.
 *
 * Batches: the runtime runs many inputs without asking, and compares their counters with what the caller has seen. These classes stand in the
 * mapping beside the counters, and are written there again when the caller's are others.
 *
 * Invariant: dense[0 .. count) has a place for each unit seen, and nothing else; what the
 * target may have written over a block's head is never believed beyond the mapping.
 */
#include "run/exec.h"

#include "base/deadline.h"
#include "base/error.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "muster/cov.h"
#include "run/cov.h"
#include "run/cpu.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define COUNTER_GRAINS (1u << 21) /* room for 64 MiB of counters, sparse */
#define PADDING 64		  /* after dense, for readers that take whole vectors */
#define TRIES 3			  /* to start what has run before */
#define FAILURES 20		  /* runs that fail in a row: it cannot be run any more */
#define LOOP_RUNS 20000		  /* inputs of one process */
#define LOOP_GROWTH_KIB (128u << 10) /* or a quarter of the memory limit */
#define LOOP_MISHAPS 6	/* ends for what earlier inputs left behind, after which there is no loop any more */
#define MISHAP_RUNS 1000 /* after that many inputs, the ones before are forgotten */
#define WAITING 16	/* times its processor time that a run may last: one that takes longer waits for something but the processor */
#define CPU_RUNS 256	/* between two looks at where they take place */
#define SLICE_NS 100000000ll /* of waiting, between two looks at the limits */
#define SLICES 4	     /* or so many looks within the limit */

struct exec {
	struct shm shm;
	double spent; /* seconds of all runs */
	int scribbled; /* the counters of the last run were written over */
	struct launch_options options;
	struct launcher *launcher;
	VEC(struct exec_unit) units;
	struct map by_unit;  /* id to index in units */
	VEC(uint32_t) order; /* index in units of the block registered k-th in the last run */
	uint8_t *dense;
	uint32_t count, cap;
	unsigned failures;
	int ran; /* at least one run was a run */

	enum { LOOP_NONE, LOOP_WANTED, LOOP_OFF, LOOP_ON } loop; /* wanted: not known yet; off: to be started */
	struct muster_loop *words;
	uint32_t ask;
	uint64_t seen_version; /* of the classes in the mapping; 0: none */
	uint32_t seen_count;   /* counters, when they were put there */
	uint64_t seen_end;     /* grains that were ever written */
	VEC(uint8_t) copies;   /* blocks of each unit, when they were */
	unsigned mishaps, loop_runs;
	uint64_t used_ns; /* by the process in the loop, when it was last heard of */
	uint64_t most_kib;

	int to_objects; /* no argument names a file: objects that the program marks take the input as well */
	struct cpu cpu;
	unsigned cpu_runs;
	int burst, patient;
};

/* What a run cost that lasted so long and used so much of the processor. */
static double cost(double wall, double used)
{
	return used > 0 && used < wall && wall < WAITING * used ? used : wall;
}

double exec_cost(const struct run_result *r)
{
	return cost(r->wall_seconds, r->user_seconds + r->system_seconds);
}

/* ----------------------------------------------------------- counters */

static uint32_t add_unit(struct exec *e, uint32_t unit, uint32_t count)
{
	struct exec_unit u = {unit, e->count, count};
	uint32_t index = (uint32_t)e->units.size;

	if (count > UINT32_MAX - PADDING - e->count)
		return UINT32_MAX;
	if (e->count + count > e->cap) {
		uint32_t cap = e->count + count + e->cap / 2;

		e->dense = mem_realloc(e->dense, (size_t)cap + PADDING, 1);
		memset(e->dense + e->count, 0, (size_t)cap + PADDING - e->count);
		e->cap = cap;
	}
	e->count += count;
	vec_push(&e->units, u);
	map_set(&e->by_unit, unit, index);
	return index;
}

static uint32_t find_unit(struct exec *e, size_t block, uint32_t unit, uint32_t count)
{
	uint64_t index;

	if (block < e->order.size && e->units.data[e->order.data[block]].unit == unit)
		return e->order.data[block];
	if (!map_get(&e->by_unit, unit, &index)) {
		index = add_unit(e, unit, count);
		if (index == UINT32_MAX)
			return UINT32_MAX;
	}
	if (block < e->order.size)
		e->order.data[block] = (uint32_t)index;
	else
		vec_push(&e->order, (uint32_t)index);
	return (uint32_t)index;
}

static void add_saturating(uint8_t *to, const uint8_t *from, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		unsigned sum = to[i] + from[i];

		to[i] = sum > 255 ? 255 : (uint8_t)sum;
	}
}

struct gather {
	struct exec *e;
	size_t block;
	const struct exec_seen *seen;
};

static int gather_block(void *ctx, uint32_t unit, const uint8_t *counters, uint32_t count)
{
	struct gather *g = ctx;
	struct exec *e = g->e;
	uint32_t index = find_unit(e, g->block, unit, count);
	const struct exec_unit *u;

	if (index == UINT32_MAX)
		return 1;
	g->block++;
	u = &e->units.data[index];
	add_saturating(e->dense + u->first, counters, count < u->count ? count : u->count);
	return 0;
}

/* A target that wrote over its counters loses those after that place. */
static void gather(struct exec *e)
{
	struct gather g = {.e = e};

	if (e->count)
		memset(e->dense, 0, e->count);
	e->scribbled |= cov_each(&e->shm, gather_block, &g) < 0;
}

static int count_copy(void *ctx, uint32_t unit, const uint8_t *counters, uint32_t count)
{
	struct gather *g = ctx;
	uint32_t index = find_unit(g->e, g->block++, unit, count);

	(void)counters;
	if (index == UINT32_MAX)
		return 1;
	while (g->e->copies.size <= index)
		vec_push(&g->e->copies, 0);
	g->e->copies.data[index] += g->e->copies.data[index] < 2;
	return 0;
}

/* Of a unit with several blocks the sums count, which the runtime does not know: nothing of it was seen, and we are asked. */
static int put_block(void *ctx, uint32_t unit, const uint8_t *counters, uint32_t count)
{
	struct gather *g = ctx;
	struct exec *e = g->e;
	uint32_t index = find_unit(e, g->block++, unit, count);
	uint8_t *to = e->shm.base + e->shm.seen_offset + (counters - (e->shm.base + e->shm.node_offset));
	const struct exec_unit *u;
	uint32_t known;

	if (index == UINT32_MAX)
		return 1;
	u = &e->units.data[index];
	known = u->first < g->seen->count ? g->seen->count - u->first : 0;
	known = known > u->count ? u->count : known;
	known = known > count ? count : known;
	if (e->copies.data[index] > 1)
		known = 0;
	if (known)
		memcpy(to, g->seen->classes + u->first, known);
	memset(to + known, 0, count - known);
	return 0;
}

/* Of counters that come later nothing is seen: the mapping is zero there. */
static void put_seen(struct exec *e, const struct exec_seen *seen)
{
	struct gather count = {.e = e}, put = {.e = e, .seen = seen};
	uint64_t end = e->shm.header->node_count;

	if (e->seen_version == seen->version + 1 && e->seen_count == e->count)
		return;
	if (!e->seen_version && e->seen_end) /* what stands there is of another process */
		memset(e->shm.base + e->shm.seen_offset, 0, e->seen_end * MUSTER_COV_GRAIN);
	end = end < e->shm.node_capacity ? end : e->shm.node_capacity;
	e->seen_end = end > e->seen_end ? end : e->seen_end;
	if (e->copies.size)
		memset(e->copies.data, 0, e->copies.size);
	if (!cov_each(&e->shm, count_copy, &count))
		cov_each(&e->shm, put_block, &put);
	e->seen_version = seen->version + 1;
	e->seen_count = e->count;
}

/* ---------------------------------------------------------- processor */

static void bind(struct exec *e)
{
	if (cpu_bind(&e->cpu))
		launcher_set_cpu(e->launcher, e->cpu.chosen);
}

/* 1: the next process is to be on another processor. */
static int look_at_cpu(struct exec *e)
{
	if (++e->cpu_runs % CPU_RUNS || !cpu_look(&e->cpu))
		return 0;
	launcher_set_cpu(e->launcher, e->cpu.chosen);
	return 1;
}

void exec_burst(struct exec *e, int on)
{
	e->burst = on;
	if (on)
		bind(e);
	else
		cpu_unbind(&e->cpu);
}

/* --------------------------------------------------------------- loop */

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* What the process had used when an input began, and when that was. */
struct begun {
	int64_t from;
	uint64_t cpu, idle;
};

static struct begun begin(const struct exec *e)
{
	struct begun b = {.from = now()};

	launcher_usage(e->launcher, &b.cpu, &b.idle);
	return b;
}

/* Why the run is to end now, or RUN_EXIT. */
static enum run_end over_limit(const struct exec *e, const struct begun *b)
{
	int64_t busy = (int64_t)(e->options.cpu_seconds * 1e9), idle = (int64_t)(e->options.idle_seconds * 1e9),
		wall = (int64_t)(e->options.wall_seconds * 1e9);
	struct begun t = begin(e);

	if (deadline_cut())
		return RUN_CUT;
	if (busy && (int64_t)(t.cpu - b->cpu) >= busy)
		return RUN_TIME;
	if (idle && (int64_t)(t.idle - b->idle) >= idle)
		return RUN_WAITING;
	if (wall && t.from - b->from >= wall)
		return busy || (int64_t)(t.idle - b->idle) > wall / 2 ? RUN_WAITING : RUN_TIME;
	return RUN_EXIT;
}

/* Until done is no longer `last`: its value. The run is stopped when its time is over; a batch that lasts ends with the input that it is at, whose
 * time counts from the look that first saw it. */
static uint32_t loop_wait(struct exec *e, uint32_t last, struct begun *b)
{
	uint32_t at = 0;
	int64_t limit = (int64_t)(e->options.cpu_seconds * 1e9), wait = limit / SLICES;
	enum run_end why = RUN_EXIT;
	uint32_t done;

	wait = !wait || wait > SLICE_NS ? SLICE_NS : wait;
	while ((done = __atomic_load_n(&e->words->done, __ATOMIC_ACQUIRE)) == last) {
		struct timespec t = {wait / 1000000000, wait % 1000000000};

		if (!syscall(SYS_futex, &e->words->done, FUTEX_WAIT, last, &t, NULL, 0) ||
		    (errno != ETIMEDOUT && errno != EINTR))
			continue;
		if (launcher_over(e->launcher) || (why && deadline_cut()))
			return MUSTER_LOOP_ENDED;
		if (!e->patient)
			__atomic_store_n(&e->words->stop, 1, __ATOMIC_RELAXED);
		if (e->words->at != at) {
			at = e->words->at;
			*b = begin(e);
		}
		if (!why && (why = over_limit(e, b)))
			launcher_stop(e->launcher, why);
	}
	return done;
}

static void take(struct exec *e, const struct run_result *from, struct exec_result *r)
{
	(void)e;
	r->end = from->end;
	r->signal = from->signal;
	r->code = from->code;
}

static void loop_stop(struct exec *e)
{
	struct run_result result;

	if (e->loop != LOOP_ON)
		return;
	launcher_stop(e->launcher, RUN_CUT);
	launcher_end(e->launcher, &result);
	e->loop = LOOP_OFF;
}

/* Another start may succeed, unless too many did not. */
static void count_mishap(struct exec *e)
{
	e->loop = ++e->mishaps >= LOOP_MISHAPS ? LOOP_NONE : LOOP_OFF;
}

enum loop_start {
	LOOP_STARTED,	   /* it waits for inputs */
	LOOP_START_RAN,	   /* it has no loop: it ran the input as any other */
	LOOP_START_FAILED, /* not started, or ended before it took an input: that says nothing about the input */
	LOOP_START_ERROR,  /* with words */
};

/* The process is not in the loop. One that had been in it before, or that could not be started, is a mishap: the machine is busy, or what an earlier
 * input left behind killed it. */
static enum loop_start not_looping(struct exec *e, struct exec_result *r)
{
	struct run_result result;

	launcher_stop(e->launcher, RUN_CUT); /* if the word lied: nothing else would end it */
	launcher_end(e->launcher, &result);
	take(e, &result, r);
	gather(e);
	if (result.end == RUN_FAILED && !e->ran) {
		error_set("%s", result.message);
		return LOOP_START_ERROR;
	}
	if (result.end == RUN_FAILED || (e->loop == LOOP_OFF && result.end != RUN_CUT)) {
		count_mishap(e);
		return LOOP_START_FAILED;
	}
	e->loop = LOOP_NONE;
	e->ran = 1;
	return LOOP_START_RAN;
}

static enum loop_start loop_start(struct exec *e, const struct launch_input *input, struct begun *from, struct exec_result *r)
{
	struct launch_input in = *input;
	uint32_t done;
	int begun;

	in.untimed = 1;
	in.end_offset = e->shm.event_offset + offsetof(struct muster_loop, done);
	memset(e->words, 0, sizeof *e->words);
	e->words->capacity = e->shm.data_capacity;
	e->words->seen_offset = e->shm.seen_offset;
	e->shm.options.flags |= MUSTER_FLAG_LOOP;
	begun = launcher_begin(e->launcher, &in);
	e->shm.options.flags &= ~(uint32_t)MUSTER_FLAG_LOOP;
	if (begun)
		return LOOP_START_ERROR;
	done = loop_wait(e, 0, from);
	if (done != MUSTER_LOOP_READY)
		return not_looping(e, r);
	e->loop = LOOP_ON;
	e->ran = 1;
	e->ask = MUSTER_LOOP_FIRST;
	e->loop_runs = 0;
	e->used_ns = e->words->used_ns;
	e->most_kib = e->options.memory_limit >> 12;
	if (!e->most_kib || e->most_kib > LOOP_GROWTH_KIB)
		e->most_kib = LOOP_GROWTH_KIB;
	e->most_kib += e->words->resident_kib;
	e->seen_version = 0; /* its units may stand elsewhere */
	return LOOP_STARTED;
}

/* What only a loop can make happen: memory and processes that earlier inputs left, an end that an earlier
 * input prepared. */
static int is_mishap(const struct exec *e, const struct exec_result *r)
{
	if (!e->loop_runs)
		return 0;
	return e->words->taken != e->ask || r->end == RUN_MEMORY || r->end == RUN_PROCESSES ||
	       r->end == RUN_FAILED || (r->end == RUN_SIGNAL && r->signal == SIGKILL);
}

/* The process ended in the midst of a run. 1: r is the result; 0: that must be found out in a run of its own. */
static int loop_ended(struct exec *e, struct exec_result *r)
{
	struct run_result result;

	launcher_stop(e->launcher, RUN_CUT); /* if the word lied */
	launcher_end(e->launcher, &result);
	e->loop = LOOP_OFF;
	take(e, &result, r);
	gather(e);
	if (!is_mishap(e, r))
		return 1;
	if (e->loop_runs >= MISHAP_RUNS)
		e->mishaps = 0;
	count_mishap(e);
	return 0;
}

/* The inputs in the mapping, as many as there is room for. */
static uint32_t put_inputs(struct exec *e, const struct exec_input *inputs, uint32_t count)
{
	uint8_t *data = e->shm.base + e->shm.data_offset;
	struct muster_loop_input *list = (struct muster_loop_input *)data;
	uint64_t at = count * sizeof *list;

	for (uint32_t i = 0; i < count; i++) {
		if (at > e->shm.data_capacity || inputs[i].size > e->shm.data_capacity - at)
			return i;
		list[i] = (struct muster_loop_input){.at = at, .size = inputs[i].size};
		if (inputs[i].size)
			memcpy(data + at, inputs[i].data, inputs[i].size);
		at += (inputs[i].size + 15) & ~(uint64_t)15;
	}
	return count;
}

/* What the runtime says of the first inputs, which the target may have written over: the signatures are hints. */
static void take_signatures(const struct exec *e, struct exec_input *inputs, uint32_t count)
{
	const struct muster_loop_input *list = (const struct muster_loop_input *)(e->shm.base + e->shm.data_offset);

	for (uint32_t i = 0; i < count; i++)
		inputs[i].signature = list[i].signature;
}

struct batch {
	struct exec_input *inputs;
	uint32_t count;
	const struct exec_seen *seen; /* neither this nor `want`: one input, whose counters are wanted */
	uint64_t want;
	uint32_t done;
};

static uint32_t ask(struct exec *e, const struct batch *b, struct begun *from)
{
	e->words->count = b->count;
	e->words->every = !b->seen && !b->want;
	e->words->want = b->want;
	e->words->stop = 0;
	e->words->at = 0;
	__atomic_store_n(&e->words->ask, e->ask, __ATOMIC_RELEASE);
	syscall(SYS_futex, &e->words->ask, FUTEX_WAKE, 1, NULL, NULL, 0);
	return loop_wait(e, e->ask - 1, from);
}

/* Of the batch that is over. The target can write over what the runtime says: it cannot make it more than the clock does. */
static double batch_cost(struct exec *e, int64_t start)
{
	uint64_t before = e->used_ns;

	e->used_ns = e->words->used_ns;
	return cost((double)(now() - start) * 1e-9, e->used_ns > before ? (double)(e->used_ns - before) * 1e-9 : 0);
}

/* 1 with a result; 0: the input after the first b->done needs a process of its own; -1 with words. */
static int run_looped(struct exec *e, const struct launch_input *in, struct batch *b, struct exec_result *r)
{
	struct begun from = {.from = now()}; /* a process that starts has used nothing */
	enum loop_start started = LOOP_STARTED;
	int64_t start = from.from;
	uint32_t at, done;

	if (e->loop == LOOP_ON && (e->loop_runs >= LOOP_RUNS || e->words->resident_kib > e->most_kib || look_at_cpu(e)))
		loop_stop(e);
	if (e->loop != LOOP_ON)
		started = in->size <= e->shm.data_capacity ? loop_start(e, in, &from, r) : LOOP_START_FAILED;
	b->count = started == LOOP_STARTED ? put_inputs(e, b->inputs, b->count) : 0;
	if (started != LOOP_STARTED || !b->count) {
		r->seconds = (double)(now() - start) * 1e-9;
		b->done = started == LOOP_START_RAN;
		return started == LOOP_START_ERROR ? -1 : started == LOOP_START_RAN;
	}
	if (b->seen)
		put_seen(e, b->seen);
	from = begin(e);
	start = from.from;
	done = ask(e, b, &from);
	at = e->words->taken == e->ask && e->words->at < b->count ? e->words->at : 0;
	r->looped = 1;
	r->seconds = batch_cost(e, start) / (at + 1);
	e->spent += r->seconds * at;
	e->loop_runs += at;
	if (done != e->ask) {
		r->seconds = (double)(now() - from.from) * 1e-9; /* since the look that first saw it */
		int known = loop_ended(e, r);

		take_signatures(e, b->inputs, at);
		b->done = at + (uint32_t)known;
		return known;
	}
	take_signatures(e, b->inputs, at + 1);
	b->done = at + 1;
	r->end = RUN_EXIT;
	r->quiet = (b->seen || b->want) && !e->words->news;
	r->signature = b->inputs[at].signature;
	e->ask++;
	e->loop_runs++;
	if (!r->quiet)
		gather(e);
	return 1;
}

/* --------------------------------------------------------------- runs */

/* What ran before and cannot be started now is tried again: a machine that is busy or out of processes recovers. */
static int run_process(struct exec *e, const struct launch_input *in, struct exec_result *r)
{
	struct run_result result;
	int tries = 0;

	look_at_cpu(e);
	do {
		if (launcher_run(e->launcher, in, &result))
			return -1;
	} while (result.end == RUN_FAILED && e->ran && ++tries < TRIES);
	take(e, &result, r);
	r->seconds = exec_cost(&result);
	gather(e);
	if (result.end != RUN_FAILED) {
		e->failures = 0;
		e->ran = 1;
		return 0;
	}
	if (!e->ran || ++e->failures >= FAILURES)
		return error_set("%s", result.message);
	return 0;
}

static struct launch_input launch_input(const struct exec *e, const struct exec_input *input)
{
	struct launch_input in = {.data = input->data, .size = input->size, .present = 1};

	if (e->to_objects && input->size <= e->shm.data_capacity) {
		in.memory = input->data;
		in.memory_size = input->size;
	}
	return in;
}

static int run(struct exec *e, struct batch *b, struct exec_result *r)
{
	struct launch_input in = launch_input(e, &b->inputs[0]);

	if (e->loop != LOOP_NONE) {
		int looped = run_looped(e, &in, b, r);

		if (looped)
			return looped < 0 ? -1 : 0;
		loop_stop(e);
		memset(r, 0, sizeof *r);
	}
	in = launch_input(e, &b->inputs[b->done]);
	b->inputs[b->done++].signature = 0;
	return run_process(e, &in, r);
}

static int run_batch(struct exec *e, struct batch *b, int alone, struct exec_result *r)
{
	int result;

	if (alone)
		loop_stop(e);
	memset(r, 0, sizeof *r);
	if (deadline_cut()) {
		r->end = RUN_CUT;
		r->counters = e->dense;
		b->done = 1;
		return 0;
	}
	e->scribbled = 0;
	bind(e);
	if (alone) {
		struct launch_input in = launch_input(e, b->inputs);

		result = run_process(e, &in, r);
	} else {
		result = run(e, b, r);
	}
	if (!e->burst)
		cpu_unbind(&e->cpu);
	r->counters = e->dense;
	r->count = r->end == RUN_CUT || r->quiet ? 0 : e->count; /* what a part of it did says nothing */
	r->scribbled = e->scribbled && r->end != RUN_CUT;
	e->spent += r->seconds;
	return result;
}

static int run_one(struct exec *e, const void *data, size_t size, int alone, struct exec_result *r)
{
	struct exec_input input = {.data = data, .size = size};
	struct batch b = {.inputs = &input, .count = 1};

	return run_batch(e, &b, alone, r);
}

static int run_inputs(struct exec *e, struct batch *b, uint32_t *done, struct exec_result *r)
{
	int result;

	for (uint32_t i = 0; i < b->count; i++)
		b->inputs[i].signature = 0;
	result = run_batch(e, b, 0, r);
	*done = b->done;
	return result;
}

int exec_batch(struct exec *e, struct exec_input *inputs, uint32_t count, const struct exec_seen *seen, uint32_t *done, struct exec_result *r)
{
	struct batch b = {.inputs = inputs, .count = count, .seen = seen};

	return run_inputs(e, &b, done, r);
}

void exec_set_patient(struct exec *e, int on)
{
	e->patient = on;
}

int exec_until(struct exec *e, struct exec_input *inputs, uint32_t count, uint64_t signature, uint32_t *done, struct exec_result *r)
{
	struct batch b = {.inputs = inputs, .count = count, .want = signature};

	return run_inputs(e, &b, done, r);
}

double exec_spent(const struct exec *e)
{
	return e ? e->spent : 0;
}

int exec_run(struct exec *e, const void *data, size_t size, struct exec_result *r)
{
	return run_one(e, data, size, 0, r);
}

int exec_fresh(struct exec *e, const void *data, size_t size, struct exec_result *r)
{
	return run_one(e, data, size, 1, r);
}

int exec_open(struct exec **out, const struct launch_options *options, int no_loop)
{
	struct shm_options tables = {.nodes = COUNTER_GRAINS, .events = 256, .bare = 1};
	struct exec *e = mem_zalloc(sizeof *e);

	e->options = *options;
	e->options.server = 1;
	e->options.bind_now = 1;
	e->options.shm = &e->shm;
	/* The pipe is not read while a harness loops. */
	if (e->options.out == LAUNCH_CAPTURE)
		e->options.out = LAUNCH_NULL;
	if (e->options.err == LAUNCH_CAPTURE)
		e->options.err = LAUNCH_NULL;
	e->to_objects = 1;
	for (char *const *a = options->argv; *a; a++)
		e->to_objects &= !strstr(*a, "@@");
	cpu_init(&e->cpu, options->cpu);
	e->loop = no_loop ? LOOP_NONE : LOOP_WANTED;
	e->shm.fd = -1;
	if (!shm_init(&e->shm, &tables) && (e->launcher = launcher_new(&e->options))) {
		e->words = (struct muster_loop *)(e->shm.base + e->shm.event_offset);
		*out = e;
		return 0;
	}
	exec_close(e);
	return -1;
}

void exec_set_time(struct exec *e, double seconds)
{
	launch_limit(&e->options, seconds);
	launcher_set_time(e->launcher, seconds);
}

void exec_close(struct exec *e)
{
	if (!e)
		return;
	loop_stop(e);
	cpu_unbind(&e->cpu);
	launcher_free(e->launcher);
	shm_release(&e->shm);
	vec_release(&e->units);
	vec_release(&e->order);
	map_release(&e->by_unit);
	vec_release(&e->copies);
	free(e->dense);
	free(e);
}

const struct exec_unit *exec_units(const struct exec *e, uint32_t *count)
{
	*count = (uint32_t)e->units.size;
	return e->units.data;
}
