/* support.c: digests of what functions and data rest on.
 *
 * The graph has an edge from a symbol to each symbol that it names or may call. Its strongly connected components are finished after all that they lead to, so that in their order the digest of a component
 * can be made from its members (key and own digest, sorted) and from the digests of the components that it leads to (sorted, each once). All members of a component reach the same symbols; a
 * member's digest is that of its component with its own key. So every digest is over all that can be reached, and the cost is linear in the size of the graph.
 */
#include "ir/support.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/sort.h"
#include "ir/code_parts.h"

#include <stdlib.h>
#include <string.h>

struct maker {
	const struct whole *w;
	uint32_t opaque;       /* symbol that counts by name, with the functions that name it; CODE_NONE */
	VEC(uint32_t) names;   /* of all symbols, one after another */
	uint32_t *first;       /* by symbol: in names */
	uint32_t *component;
	struct hash128 *own;   /* by symbol */
	struct hash128 *whole; /* by component */
};

static void add_name(struct maker *m, uint32_t unit, uint32_t symbol)
{
	vec_push(&m->names, whole_resolve(m->w, unit, symbol));
}

static void add_constant(struct maker *m, uint32_t unit, uint32_t constant)
{
	const struct content *t = m->w->units.data[unit].content;
	const struct content_constant *c = &t->constants[constant];

	for (uint32_t k = 0; k < c->refs; k++)
		add_name(m, unit, t->refs[c->first + k]);
}

static void add_body(struct maker *m, const struct whole_symbol *s)
{
	const struct content *t = m->w->units.data[s->unit].content;

	for (uint32_t k = 0; k < s->function->instructions; k++) {
		const struct content_instruction *i = &t->instructions[s->function->first_ordinal + k];

		for (uint32_t n = 0; n < i->operands; n++) {
			uint32_t operand = content_operand(t, i, n);

			if ((operand & CONTENT_KIND) == CONTENT_SYMBOL)
				add_name(m, s->unit, operand & CONTENT_NUMBER);
			else if ((operand & CONTENT_KIND) == CONTENT_CONSTANT)
				add_constant(m, s->unit, operand & CONTENT_NUMBER);
		}
	}
	for (uint32_t k = 0; k < s->callees; k++) /* those through pointers are not named */
		vec_push(&m->names, m->w->callees.data[s->first_callee + k]);
}

static void add_symbol(struct maker *m, const struct whole_symbol *s)
{
	if (s->unit == CODE_NONE)
		return;
	uint32_t initial = m->w->units.data[s->unit].content->symbols[s->number].initial;

	if (s->function)
		add_body(m, s);
	else if (initial != CODE_NONE)
		add_constant(m, s->unit, initial);
}

static int is_opaque(const struct maker *m, uint32_t symbol)
{
	if (symbol == m->opaque)
		return 1;
	if (!m->w->symbols.data[symbol].function)
		return 0;
	for (uint32_t k = m->first[symbol]; k < m->names.size; k++)
		if (m->names.data[k] == m->opaque)
			return 1;
	return 0;
}

/* What a symbol is by itself. The assembly of its unit may define or write anything that the unit names. */
static struct hash128 own_digest(const struct whole *w, const struct whole_symbol *s)
{
	int defined = s->unit != CODE_NONE;
	struct hash128 kind = {(uint64_t)s->kind | (uint64_t)s->local << 8 | (uint64_t)defined << 16 | (uint64_t)!s->function << 24,
			       defined ? w->units.data[s->unit].content->assembly : 0};
	int unnamed = defined && w->units.data[s->unit].content->symbols[s->number].unnamed; /* its name is a number that says nothing */
	struct hash128 name = hash128_join(kind, hash128_str(unnamed ? "" : s->key ? s->key : s->name));

	return hash128_join(name, hash128_join((struct hash128){s->signature, s->unknown_calls}, s->digest));
}

/* Names and own digests. */
static void find_names(struct maker *m)
{
	for (uint32_t i = 0; i < m->w->symbols.size; i++) {
		const struct whole_symbol *s = &m->w->symbols.data[i];

		m->first[i] = (uint32_t)m->names.size;
		add_symbol(m, s);
		if (is_opaque(m, i)) {
			m->names.size = m->first[i];
			m->own[i] = hash128_join(hash128_str(s->name), (struct hash128){s->kind, s->signature});
			continue;
		}
		if (m->names.size > m->first[i])
			m->names.size = m->first[i] + sort_u32_once(m->names.data + m->first[i], m->names.size - m->first[i]);
		m->own[i] = own_digest(m->w, s);
	}
	m->first[m->w->symbols.size] = (uint32_t)m->names.size;
}

static int by_hash(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct hash128));
}

static struct hash128 hash_set(struct hash128 *list, size_t count)
{
	struct buf b = BUF_EMPTY;

	if (count)
		qsort(list, count, sizeof *list, by_hash);
	for (size_t k = 0; k < count; k++)
		if (!k || memcmp(&list[k], &list[k - 1], sizeof *list))
			buf_add(&b, &list[k], sizeof *list);
	struct hash128 h = hash128(b.data ? b.data : "", b.size);
	buf_release(&b);
	return h;
}

/* members: of one component; those that they lead to are done. */
static struct hash128 component_digest(struct maker *m, const uint32_t *members, size_t count)
{
	VEC(struct hash128) in = {0}, out = {0};

	for (size_t i = 0; i < count; i++) {
		uint32_t s = members[i];

		vec_push(&in, m->own[s]);
		for (uint32_t k = m->first[s]; k < m->first[s + 1] && k < m->names.size; k++)
			if (m->component[m->names.data[k]] != m->component[s])
				vec_push(&out, hash128_join(m->own[m->names.data[k]], m->whole[m->component[m->names.data[k]]]));
	}
	struct hash128 h = hash128_join(hash_set(in.data, in.size), hash_set(out.data, out.size));
	vec_release(&in);
	vec_release(&out);
	return h;
}

/* Symbols by component, ascending: starts[c] is the first of component c in the list, which the caller frees. */
static uint32_t *by_component(const struct maker *m, uint32_t count, uint32_t *starts)
{
	uint32_t *list = mem_alloc((count + 1) * sizeof *list);

	memset(starts, 0, (count + 2) * sizeof *starts);
	for (uint32_t i = 0; i < count; i++)
		starts[m->component[i] + 2]++;
	for (uint32_t c = 2; c < count + 2; c++)
		starts[c] += starts[c - 1];
	for (uint32_t i = 0; i < count; i++)
		list[starts[m->component[i] + 1]++] = i;
	return list;
}

struct hash128 *support_digests(const struct whole *w, const char *opaque)
{
	uint32_t count = (uint32_t)w->symbols.size;
	struct maker m = {.w = w, .opaque = opaque ? whole_find_any(w, opaque) : CODE_NONE};
	struct hash128 *result = mem_alloc((count + 1) * sizeof *result);
	uint32_t *starts = mem_alloc((count + 2) * sizeof *starts);

	m.first = mem_alloc((count + 1) * sizeof *m.first);
	m.component = mem_alloc((count + 1) * sizeof *m.component);
	m.own = mem_alloc((count + 1) * sizeof *m.own);
	m.whole = mem_alloc((count + 1) * sizeof *m.whole);
	find_names(&m);
	struct code_graph g = {.count = count, .callees = m.names.data, .first = m.first, .component = m.component, .recursive = mem_zalloc(count + 1)};
	code_components(&g);
	uint32_t *list = by_component(&m, count, starts);
	for (uint32_t c = 0; c < count && starts[c] < count; c++)
		m.whole[c] = component_digest(&m, list + starts[c], starts[c + 1] - starts[c]);
	for (uint32_t i = 0; i < count; i++)
		result[i] = hash128_join(m.own[i], m.whole[m.component[i]]);
	free(list);
	free(starts);
	free(g.recursive);
	free(m.first);
	free(m.component);
	free(m.own);
	free(m.whole);
	vec_release(&m.names);
	return result;
}
