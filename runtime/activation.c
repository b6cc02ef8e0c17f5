/* activation.c: activations begin and end (summary mode).
 *
 * While an activation of a function that the engine named is open, cells of memory hold the labels that *it* sees. What it reads first and has not written
 * itself becomes a LEAF, bound to the label that its caller sees there (activation_read.c); the caller's cell is kept in a log (activation_log.c) and comes back when the activation ends.
 * What it wrote is reported when it ends, and its label, put together from the caller's (rebind.c), stays (activation_write.c). So the caller goes on with the cells
 * that it would have had.
 *
 * Invariant: a cell that an open activation has neither read first nor written holds what its caller sees.
 */
#include "activation_inside.h"

#ifdef RT_ACTIVATIONS

#define LOOK_AHEAD 64 /* bytes after a pointer parameter that are bound at the beginning */

static uint32_t numbers; /* that were given */

static int is_named(uint64_t site)
{
	const struct muster_header *h = RT_STATE->header;
	const struct muster_function *list = (const struct muster_function *)((const char *)h + h->function_offset);
	uint64_t low = 0, high = h->function_count;

	if (!(h->flags & MUSTER_FLAG_SUMMARIES))
		return 0;
	while (low < high) {
		uint64_t mid = low + (high - low) / 2;
		if (site < list[mid].first)
			high = mid;
		else if (site >= list[mid].end)
			low = mid + 1;
		else
			return 1;
	}
	return 0;
}

/* What a parameter points to is bound though this activation may not read it: on another path it would. */
static void look_ahead(uint64_t value, label leaf, uint64_t site)
{
	struct rt_object o;

	if (value <= 4095 || !covered(value, 1) || !rt_object_find((const void *)value, &o) || o.constant)
		return;
	uint64_t n = o.base + o.size - value;
	n = n < LOOK_AHEAD ? n : LOOK_AHEAD;
	activation_read((const void *)value, n, leaf, site);
	for (uint64_t at = value; at < value + n; at++) {
		struct grain *g = find(at & ~7ull, rt_now);
		if (g && g->read >> (at & 7) & 1)
			g->ahead |= (uint8_t)(1u << (at & 7));
	}
}

/* Has the function had its share of activations? What hashes to one place is forgotten for what comes: it has more, which is no harm. */
static int is_often(uint64_t site)
{
	static struct {
		uint64_t site;
		uint32_t calls;
	} counts[1024];
	unsigned at = (unsigned)(site * 0x9e3779b97f4a7c15ull >> 54);

	if (!(RT_STATE->header->flags & MUSTER_FLAG_FEW))
		return 0;
	if (counts[at].site != site)
		counts[at].site = site, counts[at].calls = 0;
	return ++counts[at].calls > MUSTER_FEW;
}

uint32_t activation_push(uint64_t frame)
{
	if (rt_now == ACTIVATION_OPEN) {
		activation_mark(MUSTER_MARK_ROOM);
		return 0;
	}
	activation_open[++rt_now] = (struct activation){
	    .number = ++numbers, .frame = frame, .born = activation_born_count, .first = (label)RT_STATE->header->node_count};
	rt_event_whole(MUSTER_EV_ACTIVATION, 0, 0, numbers, 0);
	return rt_now;
}

uint32_t activation_begin(const struct rt_function *f, uint64_t frame, const uint64_t *values, label *labels)
{
	unsigned part = 0;
	int missing = (f->flags & RT_FUNCTION_MORE) != 0;

	if (!RT_ON() || !is_named(f->site) || is_often(f->site) || !activation_push(frame))
		return 0;
	for (uint32_t i = 0; i < f->arguments && RT_ON(); i++) {
		unsigned width = f->leaves[2 * i], parameter = f->leaves[2 * i + 1];
		part = i && f->leaves[2 * i - 1] == parameter ? part + 1 : 0;
		if (!width || width > 64) {
			missing = 1;
			continue;
		}
		labels[i] = activation_leaf(rt_now, width, labels[i], 0, 0, values[i], parameter | (uint64_t)part << 32, f->site);
	}
	if (missing)
		activation_mark_some(MUSTER_MARK_PARAMETER, 1);
	for (uint32_t i = 0; i < f->arguments && activation_composes(); i++)
		if (f->leaves[2 * i] == 64)
			look_ahead(values[i], labels[i], f->site);
	return rt_now;
}

void activation_end(void)
{
	activation_busy = 1;
	for (uint32_t i = activation_open[rt_now].grains, next; i; i = next) {
		next = activation_grains[i].next;
		activation_hand_over(&activation_grains[i]);
		activation_grain_free(i);
	}
	activation_born_end();
	if (--rt_now == 0) {
		activation_read_end();
		activation_forget();
	}
	activation_busy = 0;
}

#endif
