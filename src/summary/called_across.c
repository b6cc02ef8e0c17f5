/* called_across.c: summaries that begin in one function and end in another that it calls.
 *
 * lp is where an activation begins: the entry of a function, or the header of one of its loops. lq is in a function g that it calls itself: g's entry, or the first header of a loop that this call comes to. Only the first such call counts,
 * so lq is what an execution from lp visits first of its kind. P is what was decided until then, over the leaves of the activation that lp begins; leaves of g's are what they are bound to, so what variables of g hold at lq is a term over the same.
 *
 * Q names these variables and nothing else: of memory, and of the caller's own variables, it says nothing. A variable that holds what no place says (a pointer to something new, input of the program) is not named, which makes Q weaker and is no
 * gap. What is read and written behind lq is taken into P where it is about sizes; P is stronger by it.
 */
#include "summary/called_inside.h"

#include <string.h>

struct called_across {
	const struct called_function *g;
	const struct activation *call, *first; /* of g; its first segment; NULL: it ends at the entry */
	struct activation_terms *terms;
};

/* The variable holds the label there. Nothing is said of what has no term; nor of what has no label: a constant, or a parameter that nobody reads, of which the run does not say where it is from. */
static void leave_variable(struct called_maker *m, uint32_t variable, int pointer, unsigned bits, uint32_t label, uint64_t value)
{
	const struct called_across *x = m->across;
	const struct code_function *f = x->g->body;
	struct typed_scalar s = called_scalar(m, f, variable, pointer, bits);
	expr_t leaves = label ? activation_terms_label(x->terms, label) : EXPR_NONE;
	struct buf path = BUF_EMPTY, text = BUF_EMPTY;
	size_t words = m->why.size, conjuncts = m->post.size;
	int input = m->input;

	if (leaves == EXPR_NONE || expr_width(m->p, leaves) != bits)
		return;
	buf_addc(&path, 'c');
	called_variable_path(f, variable, &path);
	buf_addf(&text, "in(%s, %s)", f->name, f->variables[variable].name);
	m->input = 0;
	expr_t term = called_term(m, leaves);
	called_leave(m, &s, place_variable(m->p, bits, s.type, s.size, 1, buf_str(&path), buf_str(&text)), EXPR_NONE, term, value);
	if (m->input || m->why.size != words) { /* it is from no place */
		m->post.size = conjuncts;
		m->why.size = words;
		if (m->why.data)
			m->why.data[words] = 0;
	}
	m->input = input;
	buf_release(&path);
	buf_release(&text);
}

/* The only variable that parameter is; CODE_NONE. */
static uint32_t variable_of(const struct code_function *f, uint32_t parameter)
{
	for (uint32_t k = 0; k < f->variable_count; k++)
		if (f->variables[k].parameter == parameter)
			return k;
	return CODE_NONE;
}

static void leave_parameters(struct called_maker *m)
{
	const struct activation *c = m->across->call;
	const struct code_function *f = m->across->g->body;

	for (size_t i = 0; i < c->inputs.size && c->inputs.data[i].kind == ACTIVATION_PARAMETER; i++) {
		const struct activation_input *in = &c->inputs.data[i];
		uint32_t k = in->parameter < f->parameters ? variable_of(f, in->parameter) : CODE_NONE;
		if (k != CODE_NONE && !in->part && in->width == (f->values[in->parameter].is_pointer ? 64 : f->values[in->parameter].width))
			leave_variable(m, k, f->values[in->parameter].is_pointer, in->width, in->caller, in->value);
	}
}

static void leave_held(struct called_maker *m)
{
	const struct segment_cuts *cuts = m->across->g->cuts;
	const struct activation *first = m->across->first;
	const struct code_function *f = m->across->g->body;
	const struct segment_cut *cut = segment_cut_at(cuts, first->stop);

	for (uint32_t k = 0; cut && k < cut->held; k++) {
		const struct segment_held *h = &cuts->held.data[cut->first_held + k];
		const struct code_value *v = &f->values[h->value];
		unsigned bits = v->is_pointer ? 64 : v->width;
		if (!bits || bits > 64)
			continue;
		for (size_t i = 0; i < first->lives.size; i++) {
			const struct activation_live *x = &first->lives.data[i];
			if (x->number < cut->count && cuts->values.data[cut->first + x->number].value == h->value && x->label && v->uses)
				leave_variable(m, h->variable, v->is_pointer, bits, x->label, (uint64_t)trace_value(m->r->t, x->label));
		}
	}
}

void called_leave_across(struct called_maker *m)
{
	if (m->across->first)
		leave_held(m);
	else
		leave_parameters(m);
}

/* The first segment of the call, if it ends at a loop. */
static const struct activation *first_segment(const struct activations *a, uint32_t call)
{
	for (uint32_t i = call + 1; i < a->list.size && a->list.data[i].begin < a->list.data[call].end; i++)
		if (a->list.data[i].is_segment && a->list.data[i].caller == call)
			return a->list.data[i].cut == MUSTER_CUT_NEXT && !(a->list.data[i].marks & ACTIVATION_MARK(LOST)) ? &a->list.data[i] : NULL;
	return NULL;
}

int summary_across(struct summaries *l, const struct called_run *r, struct activation_terms *terms, const struct called_function *f, uint32_t number, const struct called_function *g, uint32_t call, int loop, const char **reason)
{
	struct called_across x = {g, &r->a->list.data[call], loop ? first_segment(r->a, call) : NULL, terms};
	struct called_maker m;
	struct summary s = {.function = arena_strdup(&l->arena, f->name), .kind = SUMMARY_SEGMENT, .lp = {.symbol = "", .ordinal = SUMMARY_ENTRY}, .lq = {.symbol = "", .ordinal = SUMMARY_ENTRY},
			    .end_function = arena_strdup(&l->arena, g->name), .line = f->line, .end_line = g->line, .paths = 1};
	const struct segment_cut *cut = x.first ? segment_cut_at(g->cuts, x.first->stop) : NULL;

	if (loop && !cut) {
		*reason = "the call comes to no loop";
		return 0;
	}
	called_open(&m, l, r, f, number);
	m.across = &x;
	m.stop = loop ? x.first->end : x.call->begin;
	int ok = called_fill(&m, reason);
	if (ok && m.a->is_segment) {
		called_locate(&m, &s);
		s.lq.ordinal = SUMMARY_ENTRY;
	}
	s.end_line = cut ? cut->line : g->line;
	if (cut)
		s.lq.ordinal = g->position[g->body->blocks[cut->block].first - g->body->first_instruction];
	ok = ok && called_finish(&m, &s, reason);
	if (ok)
		vec_push(&l->all, s);
	else
		summary_release(&s);
	called_close(&m);
	return ok;
}
