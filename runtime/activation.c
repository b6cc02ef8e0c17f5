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

#define PARAMETER_NODES 64 /* after the beginning among which parameters are */
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

/* Calls of a function in this run. An activation whose path was seen before (is_new_path) says what is known: with each in a row the next calls that are
 * left out double, until one is new. What hashes to one place is forgotten for what comes: it has more activations, which is no harm. */
struct often {
	uint64_t site;
	int named; /* by the engine */
	uint32_t activations, repeated; /* that it had; those in a row that were not new */
	uint32_t left_out;		/* calls since the last one */
};

#define REPEATED 2	/* activations in a row with known paths before calls are left out */
#define MOST_LEFT_OUT 6 /* doublings */

static struct often often[256];

static struct often *often_of(uint64_t site)
{
	struct often *o = &often[site * 0x9e3779b97f4a7c15ull >> 56];

	if (o->site != site)
		*o = (struct often){.site = site, .named = is_named(site)};
	return o;
}

/* Has the function had its share of activations, or is it likely to say what it said? */
static int is_often(struct often *o)
{
	if (o->activations >= MUSTER_FEW)
		return 1;
	if (o->repeated >= REPEATED) {
		uint32_t doublings = o->repeated - REPEATED < MOST_LEFT_OUT ? o->repeated - REPEATED : MOST_LEFT_OUT;
		if (o->left_out++ < 1u << doublings)
			return 1;
	}
	o->left_out = 0;
	o->activations++;
	return 0;
}

/* Of the decisions of the innermost, where each was made and how, and of how its parameters point: two paths that agree in this say the same, or nearly. */
#define MOST_DECISIONS 512 /* that are looked at */

static uint64_t path_of(const struct activation *a, uint64_t site)
{
	const struct muster_header *h = RT_STATE->header;
	const struct muster_event *e = (const struct muster_event *)((const char *)h + h->event_offset);
	uint64_t hash = site ^ a->shape, looked = 0;

	for (uint64_t i = a->events; i < h->event_count && looked < MOST_DECISIONS; i++) {
		uint64_t value = e[i].arg;
		if (e[i].kind == MUSTER_EV_SWITCH || e[i].kind == MUSTER_EV_CONCRETE)
			value += e[i].kind == MUSTER_EV_SWITCH ? rt_value(e[i].label) << 8 : 0; /* what is fixed to one value more often is no other path */
		else if (e[i].kind != MUSTER_EV_BRANCH && e[i].kind != MUSTER_EV_BOUND)
			continue;
		hash = ((hash << 9 | hash >> 55) ^ e[i].index ^ (uint64_t)e[i].unit << 32 ^ value << 17) * 0x9e3779b97f4a7c15ull;
		looked++;
	}
	return hash | 1;
}

static int is_new_path(const struct activation *a, uint64_t site)
{
	static uint64_t seen[1024];
	uint64_t path = path_of(a, site);
	uint64_t *at = &seen[path >> 54];
	int is_new = *at != path;

	*at = path;
	return is_new;
}

/* Which parameters are null, and which are equal. */
static uint64_t shape_of(const struct rt_function *f, const uint64_t *values)
{
	uint64_t shape = 0;

	for (uint32_t i = 0; i < f->arguments; i++) {
		uint32_t same = i;
		for (uint32_t k = i; k-- > 0 && f->leaves[2 * i] == 64 && i < 16;)
			same = values[k] == values[i] ? k : same;
		shape = shape * 31 + (f->leaves[2 * i] == 64 ? 2 * same + !values[i] : 0);
	}
	return shape;
}

uint32_t activation_next(void)
{
	return numbers + 1;
}

uint32_t activation_push(uint64_t frame)
{
	activation_settle();
	if (rt_now == ACTIVATION_OPEN) {
		activation_mark(MUSTER_MARK_ROOM);
		return 0;
	}
	activation_open[++rt_now] = (struct activation){
	    .number = ++numbers, .frame = frame, .born = activation_born_count, .first = (label)RT_STATE->header->node_count, .events = RT_STATE->header->event_count};
	rt_event_whole(MUSTER_EV_ACTIVATION, 0, 0, numbers, 0);
	return numbers;
}

int activation_is_wanted(const struct rt_function *f)
{
	if (!RT_ON())
		return 0;
	struct often *o = often_of(f->site);
	return o->named && !(activation_few() && is_often(o));
}

uint32_t activation_begin(const struct rt_function *f, uint64_t frame, const uint64_t *values, label *labels)
{
	unsigned part = 0;
	int missing = (f->flags & RT_FUNCTION_MORE) != 0;

	if (!RT_ON() || !activation_push(frame))
		return 0;
	activation_open[rt_now].site = f->site;
	activation_open[rt_now].shape = activation_few() ? shape_of(f, values) : 0;
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
	return activation_open[rt_now].number;
}

void activation_end(void)
{
	const struct activation *a = &activation_open[rt_now];

	if (a->site && activation_few()) {
		struct often *o = often_of(a->site);
		o->repeated = is_new_path(a, a->site) ? 0 : o->repeated + 1;
	}
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

/* Parameters stay in registers, and everything that is computed from them would have a label for nothing. */
static void forget_parameters(const struct activation *a)
{
	for (label l = a->first; l < a->first + PARAMETER_NODES && l < RT_STATE->header->node_count; l++) {
		struct muster_node *n = rt_node(l);
		if (n->op == MUSTER_OP_LEAF && n->c == a->number && !n->aux && (!n->a || rt_node(n->a)->flags & MUSTER_NODE_GONE))
			n->flags |= MUSTER_NODE_GONE;
	}
}

void activation_settle(void)
{
	while (rt_now && activation_is_large(&activation_open[rt_now]) && activation_few()) {
		forget_parameters(&activation_open[rt_now]);
		activation_mark_some(MUSTER_MARK_LARGE, 1);
		activation_end();
		rt_closed++;
	}
}

int activation_is_open(uint32_t number)
{
	return number && rt_now && activation_open[rt_now].number == number;
}

void activation_gone(void)
{
	rt_closed--;
}

#endif
