/* table.c: loads through a symbolic address.
 *
 * If the address lies in a known object that is small enough, the load becomes a
 * READ of that object's bytes as they are now, at the symbolic offset, under
 * bounds that the offset stays inside where another input may leave it (check.c).
 * Otherwise the address is concretised. The bytes are copied into the node
 * table once and shared by later reads for as long as memory does not change.
 */
#include "activation.h"
#include "node.h"

#include <string.h>

#define CONSTANT_FACTOR 16 /* tables that never change may be this much larger */
#define RECENT 64

static struct {
	uint64_t base;
	label data;
} recent[RECENT];

static inline const uint32_t *cells(uint64_t addr)
{
	return (const uint32_t *)MUSTER_SHADOW(addr);
}

static uint64_t data_nodes(uint64_t size, int labelled)
{
	uint64_t bytes = (size + 31) / 32, extra = labelled ? (size * 4 + 31) / 32 : 0;
	return 1 + bytes + extra;
}

static int same(label data, const struct rt_object *o, int labelled)
{
	const struct muster_node *n = rt_node(data);
	if (data >= RT_STATE->header->node_count || n->op != MUSTER_OP_DATA || n->k != o->size || n->aux != labelled)
		return 0;
	const char *bytes = (const char *)(n + 1);
	if (memcmp(bytes, (const void *)o->base, o->size) != 0)
		return 0;
	return !labelled || memcmp(bytes + (o->size + 31) / 32 * 32, cells(o->base), o->size * 4) == 0;
}

/* Cells whose memory was written behind our back are not copied as labels. */
static void copy_cells(uint32_t *to, const struct rt_object *o)
{
	for (uint64_t i = 0; i < o->size; i++) {
		uint32_t cell = cells(o->base)[i];
		uint8_t byte = ((const uint8_t *)o->base)[i];
		if (cell && (uint8_t)(rt_wide_value(MUSTER_CELL_LABEL(cell)) >> (8 * MUSTER_CELL_BYTE(cell))) != byte)
			cell = 0;
		to[i] = cell;
	}
}

label rt_snapshot(const struct rt_object *o)
{
	if (RT_UNLIKELY(RT_STATE->sized))
		rt_guards_away(o->base, o->size);
	ACTIVATION_DO(activation_table((const void *)o->base, o->size, __muster_tls.site));
	int labelled = rt_any((const void *)o->base, o->size);
	unsigned slot = (unsigned)(o->base >> 4) % RECENT;
	if (recent[slot].base == o->base && same(recent[slot].data, o, labelled))
		return recent[slot].data;
	struct rt_state *s = RT_STATE;
	struct muster_header *h = s->header;
	uint64_t need = data_nodes(o->size, labelled), at = h->node_count;
	if (at + need > s->node_capacity) {
		rt_full(0);
		return 0;
	}
	h->node_count = at + need;
	struct muster_node *n = &s->nodes[at];
	memset(n, 0, need * sizeof *n);
	n->op = MUSTER_OP_DATA;
	n->aux = (uint8_t)labelled;
	n->k = o->size;
	char *bytes = (char *)(n + 1);
	memcpy(bytes, (const void *)o->base, o->size);
	if (labelled)
		copy_cells((uint32_t *)(bytes + (o->size + 31) / 32 * 32), o);
	recent[slot].base = o->base;
	recent[slot].data = (label)at;
	return (label)at;
}

/* base + x is the usual shape: keep x and fold the constants, so that the
 * expression does not depend on where the object happens to be. */
static label offset_in(const struct rt_object *o, uint64_t addr, label address)
{
	const struct muster_node *n = rt_node(address);
	if (n->op == MUSTER_OP_ADD && !n->b)
		return rt_binary(MUSTER_OP_ADD, 64, n->a, 0, rt_value(n->a), n->k - o->base);
	return rt_binary(MUSTER_OP_SUB, 64, address, 0, addr, o->base);
}

static label table_read(const struct rt_object *o, uint64_t addr, label offset, unsigned size, uint64_t site)
{
	if (!offset)
		return 0;
	label data = rt_snapshot(o);
	if (!data)
		return 0;
	if (!rt_was_judged(offset, o->size, size)) /* another input may have another object there */
		rt_check_once(MUSTER_CHECK_NONE, rt_binary(MUSTER_OP_ULE, 64, offset, 0, rt_value(offset), o->size - size), site);
	rt_wide v = 0;
	memcpy(&v, (const void *)addr, size);
	uint64_t high = (uint64_t)(v >> 64);
	return rt_make(MUSTER_OP_READ, size * 8, offset, data, (uint64_t)v, high);
}

label rt_load_at(const void *p, label address, uint32_t size, uint64_t site)
{
	uint64_t addr = (uint64_t)p;
	struct rt_object o;
	if (!RT_ON())
		return 0;
	if (muster_value(rt_node(address)) != addr)
		address = rt_stale(address, site, 1);
	if (address && !(rt_node(address)->flags & MUSTER_NODE_CONCRETISED)) {
		uint64_t limit = RT_STATE->header->table_limit;
		label offset = 0;
		enum rt_place place = RT_ELSEWHERE;
		int known;
		if (RT_STATE->driven) {
			place = rt_pin(address, addr, size, site, &o, &offset);
			known = place == RT_MOVING || (place == RT_ELSEWHERE && rt_object_find(p, &o));
		} else {
			known = rt_judge(address, addr, size, RT_READS, site, &o, limit * CONSTANT_FACTOR, &offset) != RT_UNKNOWN;
		}
		if (known && addr - o.base < o.size && addr + size <= o.base + o.size &&
		    o.size <= (o.constant ? limit * CONSTANT_FACTOR : limit))
			return table_read(&o, addr, offset ? offset : offset_in(&o, addr, address), size, site);
		if (place != RT_FIXED)
			rt_concrete_at(RT_STATE->driven && offset ? offset : address, MUSTER_REASON_ADDRESS, site);
	}
	if (RT_UNLIKELY(RT_STATE->sized))
		rt_touched(addr, size, RT_READS, site);
	return rt_any(p, size) ? rt_load_cells(addr, size, site) : 0;
}
