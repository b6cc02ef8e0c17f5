/* statement.c: accepted contracts, stated where their functions begin.
 *
 * A function with an accepted contract calls, as the first thing its body does, a function of the harness that has the same named parameters and hands the contract to the runtime
 * (muster_contract_holds): whoever calls the function is checked, by name or by a pointer, and so is recursion. The driver's own calls have the contract assumed before. Where the contract asks for the
 * length of an object that the driver did not make (a local array, a block of malloc's), nothing is known of it: the contract holds then, for nothing is said without a proof.
 *
 * A function of another unit is a stub here, and states its contract in the same way: callers are checked across units.
 *
 * The text of the unit stays on its lines: what is put in stands behind the brace. The statement is in a block of its own, since C of old wants declarations first. Its types are those that the names have there.
 */
#include "harness/plan.h"

#include "base/mem.h"
#include "muster/abi.h"

#include <stdlib.h>
#include <string.h>

static int is_stub(const struct harness *h, uint32_t function)
{
	for (size_t i = 0; i < h->stubs.size; i++)
		if (h->stubs.data[i] == function)
			return 1;
	return 0;
}

/* The contract that is stated for a function; NULL: none. A function of another unit has the names that its declaration gives it here: they must be those of the contract. */
static const char *stated(const struct harness *h, const struct front_function *fn)
{
	const char *text = plan_accepted(h, fn);

	if (!text || !strcmp(text, HARNESS_NOTHING))
		return NULL;
	if (fn->defined)
		return fn->body ? text : NULL;
	return is_stub(h, (uint32_t)(fn - h->front->functions.data)) && plan_speaks_of(h->front, fn, text) ? text : NULL;
}

/* The call, with a declaration of what is called. */
static void add_call(const struct front_function *fn, uint32_t number, struct buf *out)
{
	struct buf types = BUF_EMPTY, names = BUF_EMPTY;

	for (size_t i = 0; i < fn->parameters.size; i++) {
		const char *name = fn->parameters.data[i].name;

		if (!*name)
			continue;
		buf_addf(&types, "%s__typeof__(%s)", types.size ? ", " : "", name);
		buf_addf(&names, "%s%s", names.size ? ", " : "", name);
	}
	buf_addf(out, "{ extern void " MUSTER_REQUIRES_FUNCTION "%u(%s); " MUSTER_REQUIRES_FUNCTION "%u(%s); }", number, types.size ? buf_str(&types) : "void", number, buf_str(&names));
	buf_release(&types);
	buf_release(&names);
}

static int by_body(const void *x, const void *y)
{
	const struct front_function *a = *(const struct front_function *const *)x, *b = *(const struct front_function *const *)y;

	return a->body < b->body ? -1 : a->body > b->body;
}

void harness_unit_text(const struct harness *h, const struct buf *text, struct buf *out)
{
	VEC(const struct front_function *) all = {0};
	size_t at = 0;

	for (size_t i = 0; i < h->front->functions.size; i++)
		if (h->front->functions.data[i].defined && stated(h, &h->front->functions.data[i]))
			vec_push(&all, &h->front->functions.data[i]);
	if (all.size)
		qsort(all.data, all.size, sizeof *all.data, by_body);
	for (size_t i = 0; i < all.size; i++) {
		size_t to = all.data[i]->body + 1;

		if (to <= at || to > text->size)
			continue;
		buf_add(out, text->data + at, to - at);
		add_call(all.data[i], (uint32_t)(all.data[i] - h->front->functions.data), out);
		at = to;
	}
	buf_add(out, text->data + at, text->size - at);
	vec_release(&all);
}

static void add_string(const char *s, struct buf *out)
{
	buf_addc(out, '"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			buf_addc(out, '\\');
		buf_addc(out, *s == '\n' ? ' ' : *s);
	}
	buf_addc(out, '"');
}

static void add_statement(const struct harness *h, const struct front_function *fn, uint32_t number, struct buf *out)
{
	const char *text = stated(h, fn), *before = "";
	char *words = mem_printf("%s requires %s", fn->name, text), *line = mem_printf("contract '%s: %s'", fn->name, text);

	buf_addf(out, HARNESS_QUIET " void " MUSTER_REQUIRES_FUNCTION "%u(", number);
	for (size_t i = 0; i < fn->parameters.size; i++) {
		if (!*fn->parameters.data[i].name)
			continue;
		buf_adds(out, before);
		harness_type_name(h->front, fn->parameters.data[i].type, 1, out);
		buf_addf(out, " %s", fn->parameters.data[i].name);
		before = ", ";
	}
	buf_adds(out, *before ? ") { int __muster_unknown = 0;\n# 1 " : "void) { int __muster_unknown = 0;\n# 1 ");
	add_string(line, out); /* a compiler's message names it as its file */
	buf_adds(out, "\nint __muster_holds = (");
	plan_requires_expand(text, "__muster_unknown", out);
	buf_adds(out, ") != 0;\n# 1 \"<muster>\"\n__muster_contract_holds(__muster_holds | __muster_unknown, ");
	add_string(words, out);
	buf_adds(out, ", ");
	add_string(fn->file, out);
	buf_addf(out, ", %u); }\n", fn->line);
	free(words);
	free(line);
}

void harness_statements(const struct harness *h, struct buf *out)
{
	for (size_t i = 0; i < h->front->functions.size; i++)
		if (stated(h, &h->front->functions.data[i]))
			add_statement(h, &h->front->functions.data[i], (uint32_t)i, out);
}

void harness_stub_statement(const struct harness *h, uint32_t function, struct buf *out)
{
	const struct front_function *fn = &h->front->functions.data[function];
	const char *before = "";

	if (!stated(h, fn))
		return;
	buf_addf(out, MUSTER_REQUIRES_FUNCTION "%u(", function);
	for (size_t i = 0; i < fn->parameters.size; i++)
		if (*fn->parameters.data[i].name) {
			buf_addf(out, "%s__muster_%zu", before, i);
			before = ", ";
		}
	buf_adds(out, "); ");
}
