/* cpu.c: choosing a processor.
 *
 * At first it is the one that the thread happens to be on. The kernel cannot move threads that are
 * bound, and a thread that is let go for a moment is not moved either, since only waiting ones are. So
 * this is done here: if the thread had to wait for a good part of the time, and another processor was
 * idle for half of it, that one is taken. Two threads in the same place must not both leave it, and
 * meet again elsewhere: each leaves with a chance of one half, so that they soon part.
 */
#include "run/cpu.h"

#include "base/hash.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 500000000ll
#define WAITED 0.25 /* share of the time that is too much */
#define IDLE 0.5    /* and the share that another processor must have been idle */

void cpu_init(struct cpu *c, int wanted)
{
	memset(c, 0, sizeof *c);
	c->chosen = c->fixed = wanted > 0 && wanted <= CPU_SETSIZE ? wanted : 0;
}

static void go(struct cpu *c)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(c->chosen - 1, &one);
	c->bound = !sched_setaffinity(0, sizeof one, &one);
}

int cpu_bind(struct cpu *c)
{
	int old = c->chosen;

	if (c->bound || sched_getaffinity(0, sizeof c->mask, &c->mask) || CPU_COUNT(&c->mask) < 2)
		return 0;
	if (!c->chosen || !CPU_ISSET(c->chosen - 1, &c->mask))
		c->chosen = sched_getcpu() + 1;
	if (c->chosen)
		go(c);
	return c->chosen != old;
}

void cpu_unbind(struct cpu *c)
{
	if (c->bound)
		sched_setaffinity(0, sizeof c->mask, &c->mask);
	c->bound = 0;
}

/* The file's text, as much as fits. */
static int slurp(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, out, size - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return -1;
	out[n] = 0;
	return 0;
}

/* Nanoseconds that this thread could have run and did not. */
static uint64_t read_delay(void)
{
	unsigned long long on, waited = 0;
	char text[128];

	if (slurp("/proc/thread-self/schedstat", text, sizeof text) || sscanf(text, "%llu %llu", &on, &waited) != 2)
		return 0;
	return waited;
}

static void read_idle(uint64_t idle[CPU_SETSIZE])
{
	static char text[1 << 16];
	char *save = NULL;

	memset(idle, 0, CPU_SETSIZE * sizeof *idle);
	if (slurp("/proc/stat", text, sizeof text))
		return;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		unsigned long long ticks;
		unsigned n;

		if (sscanf(line, "cpu%u %*u %*u %*u %llu", &n, &ticks) == 2 && n < CPU_SETSIZE)
			idle[n] = ticks;
	}
}

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int cpu_look(struct cpu *c)
{
	int64_t t = now(), past = t - c->looked;
	uint64_t idle[CPU_SETSIZE], delay, most = 0;
	int best = -1, first = !c->looked;
	double tick = 1e9 / (double)sysconf(_SC_CLK_TCK);

	if (c->fixed || !c->chosen || past < LOOK_NS)
		return 0;
	delay = read_delay();
	read_idle(idle);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &c->mask) && i != c->chosen - 1 && idle[i] > c->idle[i] && idle[i] - c->idle[i] > most) {
			most = idle[i] - c->idle[i];
			best = i;
		}
	first |= (double)(delay - c->delay) < WAITED * (double)past || (double)most * tick < IDLE * (double)past;
	c->looked = t;
	c->delay = delay;
	memcpy(c->idle, idle, sizeof idle);
	if (first || best < 0 || hash_mix((uint64_t)t ^ (uint64_t)getpid()) & 1)
		return 0;
	c->chosen = best + 1;
	if (c->bound)
		go(c);
	return 1;
}
