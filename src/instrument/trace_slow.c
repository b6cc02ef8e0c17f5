/* trace_slow.c: the slow copy of a function: the original, instrumented in full.
 *
 * Region by region, in any order, since whatever comes from another region is
 * reloaded from its slot, with its labels.
 */
#include "instrument/trace_region.h"

/* At the start of a slow region: names and labels of everything it uses that
 * comes from elsewhere. */
static void slow_names(struct fast *f, struct region *r, struct map *names)
{
	struct tracer *t = f->t;

	for (size_t i = 0; i < r->list.size; i++) {
		LLVMValueRef inst = r->list.data[i];
		int n = LLVMGetNumOperands(inst);
		if (LLVMIsAPHINode(inst))
			continue;
		for (int k = 0; k < n; k++) {
			LLVMValueRef v = LLVMGetOperand(inst, (unsigned)k), labels[TRACER_LEAVES], name = v;
			struct slot *s = LLVMValueIsBasicBlock(v) ? NULL : trace_slot_of(f, v);
			uint64_t known;
			if (!s || (LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == r->slow && !LLVMIsAPHINode(v)))
				continue;
			if (LLVMIsAPHINode(v) && LLVMGetInstructionParent(v) == r->slow)
				continue; /* named by slow_phis */
			if (!map_get(names, (uint64_t)(uintptr_t)v, &known)) {
				if (s->room)
					name = trace_reload(t, LLVMTypeOf(v), s->room);
				for (unsigned j = 0; j < s->n; j++)
					labels[j] = s->labels[j] ? trace_reload(t, t->i32, s->labels[j]) : t->zero;
				tracer_set(t, name, labels, s->n);
				known = (uint64_t)(uintptr_t)name;
				map_set(names, (uint64_t)(uintptr_t)v, known);
			}
			LLVMSetOperand(inst, (unsigned)k, (LLVMValueRef)(uintptr_t)known);
		}
	}
}

/* A phi becomes a reload of what the predecessor left. */
static void slow_phis(struct fast *f, struct region *r, struct map *names)
{
	struct tracer *t = f->t;

	for (size_t i = 0; i < r->list.size && LLVMIsAPHINode(r->list.data[i]); i++) {
		LLVMValueRef p = r->list.data[i], labels[TRACER_LEAVES];
		struct slot *s = trace_slot_of(f, p);
		LLVMValueRef v = trace_reload(t, LLVMTypeOf(p), s->in);
		for (unsigned j = 0; j < s->n; j++)
			labels[j] = s->in_labels[j] ? trace_reload(t, t->i32, s->in_labels[j]) : t->zero;
		tracer_set(t, v, labels, s->n);
		if (s->room) {
			LLVMBuildStore(t->b, v, s->room);
			trace_store_labels(t, s->labels, labels, s->n);
		}
		map_set(names, (uint64_t)(uintptr_t)p, (uint64_t)(uintptr_t)v);
	}
}

static void rename_phis(struct region *r, struct map *names)
{
	uint64_t v;

	for (size_t i = 0; i < r->list.size; i++) {
		LLVMValueRef inst = r->list.data[i];
		if (LLVMIsAPHINode(inst))
			continue;
		for (int k = 0; k < LLVMGetNumOperands(inst); k++) {
			LLVMValueRef op = LLVMGetOperand(inst, (unsigned)k);
			if (LLVMIsAPHINode(op) && map_get(names, (uint64_t)(uintptr_t)op, &v))
				LLVMSetOperand(inst, (unsigned)k, (LLVMValueRef)(uintptr_t)v);
		}
	}
}

/* An incoming value of a successor's phi, with its labels, at the end of r. */
struct incoming {
	LLVMValueRef value, labels[TRACER_LEAVES];
	struct slot *to;
};

static void slow_incoming(struct fast *f, struct region *r, struct map *names, LLVMValueRef v, struct incoming *in)
{
	struct tracer *t = f->t;
	struct slot *s = trace_slot_of(f, v);
	uint64_t known;

	in->value = v;
	if (map_get(names, (uint64_t)(uintptr_t)v, &known)) {
		in->value = (LLVMValueRef)(uintptr_t)known;
		tracer_get(t, in->value, in->labels, in->to->n);
		return;
	}
	if (s && !(LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == r->slow)) {
		if (s->room)
			in->value = trace_reload(t, LLVMTypeOf(v), s->room);
		for (unsigned j = 0; j < s->n; j++)
			in->labels[j] = s->labels[j] ? trace_reload(t, t->i32, s->labels[j]) : t->zero;
		return;
	}
	tracer_get(t, v, in->labels, in->to->n);
}

static void slow_successors(struct fast *f, struct region *r, struct map *names)
{
	struct tracer *t = f->t;
	VEC(struct incoming) all = {0};

	for (size_t k = 0; k < r->next.size; k++) {
		struct region *to = r->next.data[k];
		for (size_t q = 0; q < to->list.size && LLVMIsAPHINode(to->list.data[q]); q++) {
			LLVMValueRef p = to->list.data[q], v = trace_incoming_from(p, r->slow);
			struct incoming in = {.to = trace_slot_of(f, p)};
			if (!v)
				continue;
			slow_incoming(f, r, names, v, &in);
			vec_push(&all, in);
		}
	}
	for (size_t i = 0; i < all.size; i++) {
		LLVMBuildStore(t->b, all.data[i].value, all.data[i].to->in);
		trace_store_labels(t, all.data[i].to->in_labels, all.data[i].labels, all.data[i].to->n);
	}
	vec_release(&all);
}

void trace_make_slow(struct fast *f, struct region *r)
{
	struct tracer *t = f->t;
	struct map names = {0};
	LLVMValueRef last = LLVMGetBasicBlockTerminator(r->slow), first = NULL;

	for (size_t i = 0; i < r->list.size && !first; i++)
		if (!LLVMIsAPHINode(r->list.data[i]))
			first = r->list.data[i];
	tracer_before(t, first);
	slow_phis(f, r, &names);
	rename_phis(r, &names);
	slow_names(f, r, &names);
	for (size_t i = 0; i < r->list.size; i++) {
		LLVMValueRef inst = r->list.data[i], labels[TRACER_LEAVES];
		uint64_t ordinal = trace_ordinal_of(t, inst);
		struct slot *s = trace_slot_of(f, inst);
		if (LLVMIsAPHINode(inst))
			continue;
		if (inst == last) {
			tracer_before(t, inst);
			slow_successors(f, r, &names);
		}
		tracer_before(t, inst);
		if (ordinal)
			trace_instruction(t, inst, (uint32_t)(ordinal - 1));
		if (s && s->room) { /* the builder stands where the labels were made */
			tracer_get(t, inst, labels, s->n);
			trace_store_labels(t, s->labels, labels, s->n);
			tracer_after(t, inst);
			LLVMBuildStore(t->b, inst, s->room);
		}
	}
	map_release(&names);
}

/* The phis are all reloads now; what is left of them goes. */
void trace_drop_phis(struct fast *f)
{
	for (size_t i = 0; i < f->regions.size; i++) {
		struct region *r = f->regions.data[i];
		for (size_t k = 0; k < r->list.size; k++)
			if (LLVMIsAPHINode(r->list.data[k]))
				LLVMReplaceAllUsesWith(r->list.data[k], LLVMGetUndef(LLVMTypeOf(r->list.data[k])));
	}
	for (size_t i = 0; i < f->regions.size; i++) {
		struct region *r = f->regions.data[i];
		for (size_t k = 0; k < r->list.size; k++)
			if (LLVMIsAPHINode(r->list.data[k])) {
				map_set(&f->t->ordinals, (uint64_t)(uintptr_t)r->list.data[k], 0);
				LLVMInstructionEraseFromParent(r->list.data[k]);
			}
	}
}
