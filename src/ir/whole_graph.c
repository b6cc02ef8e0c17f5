/* whole_graph.c: who calls whom in a program, and what its functions may write and read.
 *
 * The callee of a call is a symbol, which is bound; or a value, and then every function of that type whose address is taken may be it; or assembly, which may call anything.
 * Components are those of all these edges together; callgraph.c finds them. Effects are modref.c's: units say which function a call of theirs
 * runs (if it has the type that the caller declares) and which global is which, and are gone through together, callees first.
 */
#include "ir/code_parts.h"
#include "base/sort.h"
#include "ir/whole_parts.h"

#include <string.h>

/* ------------------------------------------------------------------ targets of pointers */

struct typed {
	uint64_t signature;
	uint32_t symbol;
};

static int by_signature(const void *a, const void *b)
{
	const struct typed *x = a, *y = b;

	if (x->signature != y->signature)
		return x->signature < y->signature ? -1 : 1;
	return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

static void list_targets(struct whole *w)
{
	VEC(struct typed) list = {0};

	for (uint32_t i = 0; i < w->symbols.size; i++)
		if (w->symbols.data[i].function && w->symbols.data[i].taken)
			vec_push(&list, (struct typed){w->symbols.data[i].signature, i});
	if (list.size)
		qsort(list.data, list.size, sizeof *list.data, by_signature);
	for (size_t at = 0, end; at < list.size; at = end) {
		struct whole_targets t = {.first = (uint32_t)at};

		for (end = at; end < list.size && list.data[end].signature == list.data[at].signature; end++)
			vec_push(&w->inside->target_list, list.data[end].symbol);
		t.count = (uint32_t)(end - at);
		map_set(&w->inside->signatures, list.data[at].signature, w->inside->targets.size);
		vec_push(&w->inside->targets, t);
	}
	vec_release(&list);
}

/* ------------------------------------------------------------------ calls */

struct caller {
	struct whole *w;
	VEC(uint32_t) list;
	struct map types; /* signatures of pointers whose targets are in the list */
};

static void add_pointer_call(struct caller *c, struct whole_symbol *s, uint64_t signature)
{
	uint32_t n;
	const uint32_t *targets = whole_targets(c->w, signature, &n);

	if (!n)
		s->unknown_calls++;
	if (!n || !map_set(&c->types, signature, 1))
		return;
	for (uint32_t k = 0; k < n; k++)
		vec_push(&c->list, targets[k]);
}

static void add_call(struct caller *c, struct whole_symbol *s, const struct content_instruction *i)
{
	const struct whole_unit *u = &c->w->units.data[s->unit];
	uint32_t callee = content_callee(u->content, i), number = callee & CONTENT_NUMBER;
	const struct whole_symbol *called;

	if ((callee & CONTENT_KIND) == CONTENT_CONSTANT) {
		if (u->content->constants[number].assembly)
			s->unknown_calls++;
		else
			add_pointer_call(c, s, i->signature);
		return;
	}
	if ((callee & CONTENT_KIND) != CONTENT_SYMBOL) {
		add_pointer_call(c, s, i->signature);
		return;
	}
	called = &c->w->symbols.data[u->symbols[number]];
	if (called->function)
		vec_push(&c->list, u->symbols[number]);
	else if (!called->intrinsic)
		s->unknown_calls++;
}

static void list_callees(struct caller *c, struct whole_symbol *s)
{
	const struct content *t = c->w->units.data[s->unit].content;

	vec_clear(&c->list);
	map_clear(&c->types);
	for (uint32_t k = 0; k < s->function->instructions; k++) {
		const struct content_instruction *i = &t->instructions[s->function->first_ordinal + k];

		if (i->signature)
			add_call(c, s, i);
	}
	c->list.size = sort_u32_once(c->list.data, c->list.size);
	s->first_callee = (uint32_t)c->w->callees.size;
	for (size_t k = 0; k < c->list.size; k++)
		vec_push(&c->w->callees, c->list.data[k]);
	s->callees = (uint32_t)c->w->callees.size - s->first_callee;
}

static void find_components(struct whole *w)
{
	struct code_graph g = {.count = (uint32_t)w->symbols.size, .callees = w->callees.data};

	g.first = mem_alloc((g.count + 1) * sizeof *g.first);
	g.component = mem_alloc((g.count + 1) * sizeof *g.component);
	g.recursive = mem_zalloc(g.count + 1);
	g.first[0] = 0;
	for (uint32_t i = 0; i < g.count; i++)
		g.first[i + 1] = g.first[i] + w->symbols.data[i].callees;
	code_components(&g);
	for (uint32_t i = 0; i < g.count; i++) {
		w->symbols.data[i].component = g.component[i];
		w->symbols.data[i].recursive = g.recursive[i];
	}
	free(g.first);
	free(g.component);
	free(g.recursive);
}

/* ------------------------------------------------------------------ effects */

/* The symbol whose memory it is: an alias may name a part of something. */
static uint32_t memory_of(const struct whole *w, uint32_t symbol)
{
	for (int depth = 0; depth < 16 && w->symbols.data[symbol].kind == WHOLE_OTHER && w->symbols.data[symbol].unit != CODE_NONE; depth++) {
		const struct whole_unit *u = &w->units.data[w->symbols.data[symbol].unit];
		uint32_t initial = u->content->symbols[w->symbols.data[symbol].number].initial;

		if (initial == CODE_NONE || u->content->constants[initial].refs != 1)
			break;
		symbol = u->symbols[u->content->refs[u->content->constants[initial].first]];
	}
	return symbol;
}

/* A declaration stands for a definition only if both say the same type: effects are those of parameters. */
static void set_definitions(struct whole *w, struct whole_unit *u)
{
	struct code_inside *in = u->code->inside;

	for (uint32_t k = 0; k < u->code->function_count; k++) {
		const struct whole_symbol *s = &w->symbols.data[u->symbols[k]];

		in->definitions[k] = NULL;
		if (s->function && s->signature == u->content->symbols[k].signature)
			in->definitions[k] = &w->units.data[s->unit].code->functions[s->number];
	}
	for (uint32_t k = 0; k < u->code->global_count; k++)
		in->ids[k] = memory_of(w, u->symbols[u->content->function_count + k]);
	in->id_count = (uint32_t)w->symbols.size;
}

static void join_effects(struct whole *w)
{
	VEC(struct code *) codes = {0};

	for (size_t i = 0; i < w->units.size; i++) {
		struct whole_unit *u = &w->units.data[i];

		set_definitions(w, u);
		vec_push(&codes, u->code);
	}
	/* A body that the linker left out is never called; it keeps a component of its own after all others. */
	for (size_t i = 0; i < w->units.size; i++)
		for (uint32_t k = 0; k < codes.data[i]->function_count; k++) {
			codes.data[i]->functions[k].component = CODE_NONE;
			codes.data[i]->functions[k].recursive = 1;
		}
	for (size_t i = 0; i < w->symbols.size; i++) {
		const struct whole_symbol *s = &w->symbols.data[i];
		struct code_function *f;

		if (!s->function)
			continue;
		f = &codes.data[s->unit]->functions[s->number];
		f->component = s->component;
		f->recursive = s->recursive;
	}
	code_effects_joined(codes.data, codes.size);
	vec_release(&codes);
}

void whole_calls(struct whole *w)
{
	struct caller c = {.w = w};

	list_targets(w);
	for (size_t i = 0; i < w->symbols.size; i++) {
		w->symbols.data[i].first_callee = (uint32_t)w->callees.size;
		if (w->symbols.data[i].function)
			list_callees(&c, &w->symbols.data[i]);
	}
	vec_release(&c.list);
	map_release(&c.types);
	find_components(w);
	join_effects(w);
}
