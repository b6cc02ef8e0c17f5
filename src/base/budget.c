/* budget.c: the memory budget of this process: its default, its shares, and what is used.
 *
 * The budget is a ceiling for what we decide to keep, not a limit that the system enforces: a process that the system ends
 * for its size would lose what it is doing. Each holder of memory asks for its share once and forgets in time.
 */
#include "base/budget.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MIB (1ull << 20)

static const struct {
	const char *key;
	unsigned share;
	uint64_t most;
} parts[] = {
#define X(name, key, share, most, words) {key, share, most},
    BUDGET_PARTS(X)
#undef X
};

static uint64_t total; /* 0: it was not set */

/* A number in a file of the control group; UINT64_MAX: there is none, or "max". */
static uint64_t read_limit(const char *path)
{
	FILE *f = fopen(path, "r");
	uint64_t v = UINT64_MAX;

	if (f && fscanf(f, "%" SCNu64, &v) != 1)
		v = UINT64_MAX;
	if (f)
		fclose(f);
	return v;
}

uint64_t budget_default(void)
{
	static const char *const groups[] = {"/sys/fs/cgroup/memory.max",
					     "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t machine = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 4096 * MIB;

	for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
		uint64_t limit = read_limit(groups[i]);

		if (limit && limit < machine)
			machine = limit;
	}
	return machine / 4;
}

int budget_set(uint64_t bytes, unsigned processes)
{
	uint64_t all = bytes ? bytes : budget_default(), each = all / (processes ? processes : 1);

	if (bytes && each < BUDGET_LEAST)
		return error_set("%" PRIu64 " MB of memory for %u process%s is too little: each needs %" PRIu64 " MB (give --memory more%s)",
				 (uint64_t)(bytes / MIB), processes, processes == 1 ? "" : "es", (uint64_t)(BUDGET_LEAST / MIB),
				 processes == 1 ? "" : ", or -j less");
	total = each > BUDGET_LEAST ? each : BUDGET_LEAST;
	return 0;
}

uint64_t budget_total(void)
{
	if (!total)
		budget_set(0, 1);
	return total;
}

uint64_t budget_share(enum budget_part part)
{
	uint64_t share = budget_total() / 1000 * parts[part].share, most = parts[part].most * MIB;

	return share < most ? share : most;
}

const char *budget_key(enum budget_part part)
{
	return parts[part].key;
}

uint64_t budget_resident(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	uint64_t pages = 0;

	if (f && fscanf(f, "%*u %" SCNu64, &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t budget_peak(void)
{
	struct rusage u;

	return getrusage(RUSAGE_SELF, &u) ? 0 : (uint64_t)u.ru_maxrss * 1024;
}
