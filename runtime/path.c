/* path.c: the runtime of the path variant: every decision becomes an event.
 *
 * A BRANCH event has the outcome in arg; a SWITCH event has it in label (0: the
 * default, i: case i), and in arg as far as that goes. Only the first thread of
 * the process that the engine started writes: other threads have a zero in their
 * thread-local flag, and in a forked child the page with the state reads as zero.
 * The count is raised before the event is written, so that a signal handler that
 * comes in between writes to the next place. A full table ends the recording, with
 * a FULL event in the room that the engine leaves for it.
 */
#include "light.h"
#include "node.h"

#include <sys/mman.h>

static __thread uint32_t recording __attribute__((tls_model("initial-exec")));

static struct {
	struct muster_event *events;
	uint64_t *count;
	uint64_t capacity;
	char rest[4096 - 24];
} state __attribute__((aligned(4096)));

void light_begin(struct muster_header *h)
{
	state.events = (struct muster_event *)((char *)h + h->event_offset);
	state.count = &h->event_count;
	state.capacity = h->event_capacity;
	/* Without it (before Linux 4.14) a forked child must not record either. */
	if (madvise(&state, sizeof state, MADV_WIPEONFORK) != 0) {
		state.events = 0;
		rt_message("this kernel has no MADV_WIPEONFORK: no path is recorded");
		return;
	}
	recording = 1;
}

RT_EXPORT void __muster_path(uint64_t site, uint32_t outcome, uint32_t kind)
{
	struct muster_event *e;
	uint64_t n;

	if (!recording || !state.events)
		return;
	n = *state.count;
	e = &state.events[n];
	*state.count = n + 1;
	__asm__ volatile("" ::: "memory");
	if (n >= state.capacity) {
		*e = (struct muster_event){.kind = MUSTER_EV_FULL, .arg = 1};
		state.events = 0;
		return;
	}
	*e = (struct muster_event){.label = kind == MUSTER_EV_SWITCH ? outcome : 0, .kind = kind, .unit = (uint32_t)(site >> 32),
				   .index = (uint32_t)site, .arg = outcome < 0xff ? outcome : 0xff};
}
