/* light.c: start-up of variants that carry no labels.
 *
 * From .preinit_array, before any constructor: maps the tables named by MUSTER_FD,
 * serves forks if asked to, and hands over to the variant's own runtime. Nothing
 * happens without MUSTER_FD. The page of struct rt_state is mapped as well, so that
 * wrappers find a run that is watched; rt_null.c sees to it that it has no labels.
 */
#include "drive_inside.h"
#include "light.h"
#include "node.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct muster_header *light_header;

void rt_message(const char *text)
{
	static const char prefix[] = "muster runtime: ";

	if (write(2, prefix, sizeof prefix - 1) < 0 || write(2, text, strlen(text)) < 0 ||
	    write(2, "\n", 1) < 0)
		return;
}

static int map_state(void)
{
	void *p = mmap(RT_STATE, 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (p == (void *)RT_STATE) {
		madvise(p, 4096, MADV_WIPEONFORK);
		return 0;
	}
	if (p != MAP_FAILED)
		munmap(p, 4096);
	return -1;
}

static struct muster_header *map_tables(int fd)
{
	/* The header's first fields: the whole of it would take the stack, and with it each fork, to other pages. */
	struct {
		uint64_t magic;
		uint32_t version, flags;
		uint64_t map_size;
	} head;
	void *p;

	_Static_assert(offsetof(struct muster_header, map_size) == 16, "as in the header");
	if (pread(fd, &head, sizeof head, 0) != (ssize_t)sizeof head ||
	    head.magic != MUSTER_ABI_MAGIC || head.version != MUSTER_ABI_VERSION) {
		rt_message(
		    "the tables have another format than this variant: make the variant again with this muster");
		return NULL;
	}
	p = mmap((void *)MUSTER_TABLE_BASE, head.map_size, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0);
	if (p != (void *)MUSTER_TABLE_BASE) {
		rt_message("cannot map the tables");
		return NULL;
	}
	madvise(p, head.map_size, MADV_DONTDUMP);
	return p;
}

static void start(int argc, char **argv, char **envp)
{
	int fd = rt_table_descriptor(envp);
	struct muster_header *h;

	(void)argc, (void)argv;
	if (map_state() != 0) {
		/* Wrappers read the page: without it they cannot run. */
		rt_message("the address of the runtime's state is taken; try: setarch -R PROGRAM");
		_exit(127);
	}
	if (fd < 0)
		return;
	h = map_tables(fd);
	close(fd);
	if (!h)
		return;
	if (__muster_drive_prepare)
		__muster_drive_prepare();
	if (h->flags & MUSTER_FLAG_FORKSERVER)
		rt_forkserver(h);
	else
		rt_populate(h);
	h->pid = (uint32_t)getpid();
	h->state = MUSTER_STATE_RUNNING;
	RT_STATE->header = h; /* wiped by the fork: set here, in the target itself */
	RT_STATE->tracing = 1;
	RT_STATE->active = 1;
	rt_first_thread = 1;
	light_header = h;
	light_begin(h);
}

__attribute__((section(".preinit_array"), used)) static void (*const start_first)(int, char **,
										  char **) = start;
