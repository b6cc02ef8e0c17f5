/* stubs.c: what functions without a body return, in Phase 3 of a partial summary.
 *
 * The harness has put a body in their place: the k-th such call of a run gets slot k of the input, whichever function it is (include/muster/drive.h), and leaves everything else as it is. So the results are inputs that P says nothing
 * of, and R may be about them: places sK, which are read `name()@K+1`. How many calls a path has made is a number in an object that only this file knows; where paths with other numbers have met, the result is that of one slot or another.
 *
 * A function outside of the program may do more than that, so a summary that is proved in this way stays partial. Of a pointer R says whether it is null; where it leads to is anything, and a path that looks there is unknown.
 */
#include "validate/inside.h"

#include "base/limit.h"

#include <stdio.h>
#include <string.h>

#define SLOTS LIMIT(12, 2) /* calls of one path whose results are told apart; a path with more is unknown | by hand */
#define RESULT "muster_drive_result"
#define COUNTER "calls of functions without a body"

static expr_t zero(void *ctx, expr_t variable)
{
	struct exprs *p = ctx;
	int counts = expr_get(p, variable)->op == EXPR_OP_NAMED && strstr(expr_name(p, variable), COUNTER) != NULL;
	return counts ? expr_const(p, expr_width(p, variable), 0) : EXPR_NONE;
}

/* The calls so far, and one more from here on. */
static expr_t count_call(struct phase *x, struct vc_call *c)
{
	if (!x->bind.calls)
		x->bind.calls = vc_object(c->vc, COUNTER, 8) + 1;
	expr_t at = vc_address(c->vc, x->bind.calls - 1), n = vc_state_load(c, at, 64);
	if (n == EXPR_NONE)
		return EXPR_NONE;
	n = expr_substitute(x->p, n, zero, x->p); /* it begins with 0 */
	vc_state_store(c, at, expr_binary(x->p, MUSTER_OP_ADD, n, expr_const(x->p, 64, 1)));
	return n;
}

static expr_t slot(struct phase *x, const struct vc_call *c, unsigned k, enum place_type type, unsigned width)
{
	char path[16];
	struct buf text = BUF_EMPTY;
	snprintf(path, sizeof path, "%c%u", STUBS_PATH, k);
	buf_addf(&text, "%s()@%u", c->f->name, k + 1);
	expr_t v = place_variable(x->p, width, type, 0, 0, path, buf_str(&text));
	buf_release(&text);
	missing_result(x->stubs, v);
	expr_t null = expr_const(x->p, width, 0);
	return type == PLACE_POINTER ? expr_ite(x->p, expr_eq(x->p, v, null), null, vc_fresh(c->vc, width, "somewhere")) : v;
}

static int is_of_type(const struct code_function *f)
{
	return !strncmp(f->name, "muster_stub_", 12);
}

int stubs_stands_in(const struct phase *x, const struct vc_call *c)
{
	const struct validate_options *o = x->budget->o;
	return c->target && (is_of_type(c->target) || (o->stands_in && o->stands_in(o->ctx, c->target->name)));
}

/* The kind of what the harness makes there, in an object of so many bytes: a result of the function around, or the byte that says whether one that gives memory fails. 0: it is another one. */
static enum place_type type_of(const struct vc_call *c, uint64_t bytes)
{
	const struct code_function *f = c->f;
	if (is_of_type(f)) /* of a type, not of a function: it has no name that a reader knows */
		return 0;
	if (f->result_type == CODE_TYPE_POINTER)
		return bytes == 8 ? PLACE_POINTER : bytes == 1 ? PLACE_UNSIGNED : 0;
	if (f->result_type != CODE_TYPE_INT || !bytes || bytes > 8 || bytes * 8 != f->result_width)
		return 0;
	return f->result_unsigned ? PLACE_UNSIGNED : PLACE_SIGNED;
}

int stubs_call(struct phase *x, struct vc_call *c)
{
	struct exprs *p = x->p;
	expr_t offset;
	if (!c->target || c->target->defined || strcmp(c->target->name, RESULT) || c->arg_count != 3 || c->args[0] == EXPR_NONE)
		return 0;
	uint32_t object = vc_object_at(c->vc, c->args[0], &offset);
	uint64_t bytes = object == VC_NO_OBJECT ? 0 : vc_object_bytes(c->vc, object);
	enum place_type type = type_of(c, bytes);
	expr_t n = type ? count_call(x, c) : EXPR_NONE;
	if (n == EXPR_NONE)
		return 0;
	expr_t value = expr_const(p, (unsigned)bytes * 8, 0);
	for (unsigned k = SLOTS; k-- > 0;) {
		expr_t here = expr_eq(p, n, expr_const(p, 64, k));
		if (here != expr_false(p))
			value = expr_ite(p, here, slot(x, c, k, type, (unsigned)bytes * 8), value);
	}
	vc_state_end(c, VC_UNKNOWN, expr_not(p, expr_binary(p, MUSTER_OP_ULT, n, expr_const(p, 64, SLOTS))), "more calls of functions without a body than are told apart");
	vc_state_store(c, c->args[0], value);
	return 1;
}
