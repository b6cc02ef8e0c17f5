/* trace_activations.c: activations of named functions, printed.
 *
 * Leaves get short names: a0, a1 for parameters (a0_1 for a further part of one), m0, m1 for memory in the order it was read first. Conditions, values
 * written and results are C over these; what a leaf is in the caller is C over the caller's names, or over the input.
 */
#include "cmd/trace_activations.h"

#include "base/error.h"
#include "base/map.h"
#include "base/vec.h"
#include "expr/text.h"
#include "ir/checker.h"

#include <inttypes.h>
#include <string.h>

#define LIBC "runtime/libc/"
#define WRAP "__wrap_"

static int is_libc(const struct site_function *f)
{
	return !strncmp(f->file, LIBC, strlen(LIBC));
}

static int is_asked(const struct option_list *names, const struct site_function *f, unsigned *hits)
{
	int asked = 0;

	for (int i = 0; i < names->size; i++)
		if (!strcmp(names->data[i], f->name) || (!strcmp(names->data[i], "all") && !is_libc(f))) {
			hits[i]++;
			asked = 1;
		}
	return asked;
}

int trace_activations_name(struct shm *s, const struct site_tables *sites, const struct option_list *names)
{
	VEC(struct muster_function) found = {0};
	VEC(unsigned) hits = {0};
	int e = 0;

	for (int i = 0; i < names->size; i++)
		vec_push(&hits, 0u);
	for (size_t i = 0; i < sites->count; i++)
		for (uint32_t k = 0; k < sites->tables[i].functions; k++) {
			struct site_function f;
			if (site_table_function(&sites->tables[i], k, &f) && is_asked(names, &f, hits.data))
				vec_push(&found, ((struct muster_function){(uint64_t)f.unit << 32 | f.first, ((uint64_t)f.unit << 32 | f.first) + f.count}));
		}
	for (int i = 0; i < names->size && !e; i++)
		if (!hits.data[i])
			e = error_set("the program has no function '%s' with a body; 'all' names every one", names->data[i]);
	if (!e)
		e = shm_set_functions(s, found.data, found.size);
	vec_release(&found);
	vec_release(&hits);
	return e;
}

int trace_activations_event(const struct muster_event *e)
{
	return (e->kind >= MUSTER_EV_ACTIVATION && e->kind <= MUSTER_EV_MARK) || e->kind == MUSTER_EV_NAME || e->kind == MUSTER_EV_SEGMENT || e->kind == MUSTER_EV_LIVE;
}

/* --------------------------------------------------------------------- names */

struct names {
	const struct trace_show *s;
	struct map of; /* variable -> activation << 32 | input */
};

static void name_input(const struct activation *a, uint32_t i, struct buf *out)
{
	const struct activation_input *in = &a->inputs.data[i];
	uint32_t before = 0;

	if (in->kind == ACTIVATION_PARAMETER) {
		buf_addf(out, "a%" PRIu32, in->parameter);
		if (in->part)
			buf_addf(out, "_%" PRIu32, in->part);
		return;
	}
	for (uint32_t k = 0; k < i; k++)
		before += a->inputs.data[k].kind == ACTIVATION_MEMORY;
	buf_addf(out, "m%" PRIu32, before);
}

static void name_variable(void *ctx, expr_t variable, struct buf *out)
{
	const struct names *n = ctx;
	uint64_t at;

	if (map_get(&n->of, variable, &at)) {
		name_input(&n->s->activations->list.data[at >> 32], (uint32_t)at, out);
		return;
	}
	const struct expr_node *v = expr_get(n->s->pool, variable);
	if (v->op == MUSTER_OP_INPUT && v->a)
		buf_addf(out, "in%" PRIu32 "[%" PRIu64 "]", v->a, v->k);
	else if (v->op == MUSTER_OP_INPUT)
		buf_addf(out, "in[%" PRIu64 "]", v->k);
	else
		buf_adds(out, v->op == MUSTER_OP_LENGTH ? "len(in)" : "?");
}

static void names_init(struct names *n, const struct trace_show *s)
{
	*n = (struct names){.s = s};
	for (size_t i = 0; i < s->activations->list.size; i++)
		for (size_t k = 0; k < s->activations->list.data[i].inputs.size; k++)
			map_set(&n->of, s->activations->list.data[i].inputs.data[k].leaf, (uint64_t)i << 32 | k);
}

/* A term in C; definitions of its parts stand after it. */
static void add_term(struct names *n, expr_t e, struct buf *out)
{
	struct buf text = {0}, lets = {0};
	u128 v;

	if (!e) {
		buf_adds(out, "/* floating point */");
		return;
	}
	if (expr_is_const(n->s->pool, e, &v) && v > UINT32_MAX && v <= UINT64_MAX) {
		buf_addf(out, "0x%" PRIx64, (uint64_t)v);
		return;
	}
	expr_c(n->s->pool, e, &text, &lets, name_variable, n);
	buf_adds(out, buf_str(&text));
	if (lets.size) {
		buf_adds(out, " where ");
		for (const char *l = buf_str(&lets); *l; l++)
			buf_addc(out, *l == '\n' ? ' ' : *l);
	}
	buf_release(&text);
	buf_release(&lets);
}

static const char *function_name(const struct trace_show *s, const struct activation *a, struct site_function *f)
{
	*f = (struct site_function){.name = "?", .file = ""};
	site_find_function(s->sites, a->unit, a->index, f);
	return strncmp(f->name, WRAP, strlen(WRAP)) ? f->name : f->name + strlen(WRAP);
}

/* i: whose memory it is; new: allocated inside it. */
static void add_object(const struct trace_show *s, size_t i, uint32_t object, uint64_t offset, struct buf *out)
{
	const struct activation_object *o = &s->activations->objects.data[object];

	size_t n = 0;
	const char *name = activation_object_name(s->trace, o, &n);

	if (!o->known)
		buf_adds(out, "no known object");
	else if (name && n && name[0] != '.')
		buf_addf(out, "%.*s + %" PRIu64 " of %" PRIu64, (int)n, name, offset, o->size);
	else
		buf_addf(out, "%s %" PRIu32 " + %" PRIu64 " of %" PRIu64, o->born == ACTIVATION_NONE || o->born < i ? "object" : "new object", object, offset, o->size);
}

/* ---------------------------------------------------------------------- text */

static void text_input(struct names *n, const struct activation *a, uint32_t i, struct buf *out)
{
	size_t own = (size_t)(a - n->s->activations->list.data);
	const struct activation_input *in = &a->inputs.data[i];

	buf_adds(out, "    ");
	name_input(a, i, out);
	if (in->kind == ACTIVATION_MEMORY) {
		buf_addf(out, ": u%u at ", in->width);
		add_term(n, in->place, out);
		buf_adds(out, " (");
		add_object(n->s, own, in->object, in->offset, out);
		buf_addc(out, ')');
	} else {
		buf_addf(out, ": u%u, parameter %" PRIu32, in->width, in->parameter);
	}
	buf_addf(out, in->value > UINT32_MAX ? " == 0x%" PRIx64 : " == %" PRIu64, in->value);
	if (in->caller) {
		buf_adds(out, ", in the caller ");
		add_term(n, in->bound, out);
	}
	if (in->points_to != ACTIVATION_NONE) {
		buf_adds(out, "; to ");
		add_object(n->s, own, in->points_to, in->points_at, out);
		buf_adds(out, in->followed ? ", followed" : "");
	}
	if (in->same != i) {
		buf_adds(out, "; same as ");
		name_input(a, in->same, out);
	}
	buf_addc(out, '\n');
}

/* Checks of the compiler are branches, too. */
static unsigned checker_of(const struct activation_step *x, const struct site *site)
{
	return x->kind == MUSTER_EV_BOUND ? x->checker : x->kind == MUSTER_EV_BRANCH ? site->checker : 0;
}

static const char *step_kind(const struct activation_step *x, const struct site *site)
{
	return checker_of(x, site) ? "check" : trace_event_text(x->kind);
}

static void text_step(struct names *n, const struct activation_step *x, struct buf *out)
{
	struct site site = {.file = "?", .function = "?"};

	site_find(n->s->sites, x->unit, x->index, &site);
	buf_addf(out, "    %s:%" PRIu32 ": %s%s%s: ", site.file, site.line, step_kind(x, &site), x->own ? "" : " of a callee", x->outer ? ", outer" : "");
	add_term(n, x->holds, out);
	if (x->kind == MUSTER_EV_CONCRETE)
		buf_addf(out, " (%s)", trace_reason_key(x->reason));
	if (checker_of(x, &site))
		buf_addf(out, " (%s)", checker_get(checker_of(x, &site))->name);
	buf_addc(out, '\n');
}

static void text_write(struct names *n, size_t own, const struct activation_write *w, struct buf *out)
{
	buf_addf(out, "    write u%u at ", w->width);
	add_term(n, w->place, out);
	buf_adds(out, " (");
	add_object(n->s, own, w->object, w->offset, out);
	buf_adds(out, "): ");
	add_term(n, w->value, out);
	buf_addc(out, '\n');
}

static const char *how_left(const struct activation *a)
{
	return a->end == CALLS_OPEN ? "open when the run ended" : calls_left_words(a->left);
}

static void text_activation(struct names *n, size_t i, struct buf *out)
{
	const struct activation *a = &n->s->activations->list.data[i];
	struct site_function f;
	const char *name = function_name(n->s, a, &f);

	buf_addf(out, "activation %zu: %s:%" PRIu32 ": %s", i, f.file[0] ? f.file : "?", f.line, name);
	if (a->caller != ACTIVATION_NONE)
		buf_addf(out, ", inside activation %" PRIu32, a->caller);
	buf_addf(out, ": %s\n", how_left(a));
	for (unsigned b = 0; b < ACTIVATION_MARK_BITS; b++)
		if (a->marks >> b & 1)
			buf_addf(out, "    not everything: %s\n", activation_mark_words(b));
	for (uint32_t k = 0; k < a->inputs.size; k++)
		text_input(n, a, k, out);
	for (size_t k = 0; k < a->steps.size; k++)
		text_step(n, &a->steps.data[k], out);
	for (size_t k = 0; k < a->writes.size; k++)
		text_write(n, i, &a->writes.data[k], out);
	for (size_t k = 0; k < a->results.size; k++) {
		buf_adds(out, "    result ");
		add_term(n, a->results.data[k], out);
		buf_addc(out, '\n');
	}
}

void trace_activations_text(const struct trace_show *s, struct buf *out)
{
	struct names n;

	names_init(&n, s);
	for (size_t i = 0; i < s->activations->list.size; i++)
		text_activation(&n, i, out);
	map_release(&n.of);
}

/* ---------------------------------------------------------------------- JSON */

static void json_term(struct names *n, struct json *j, const char *key, expr_t e)
{
	struct buf text = {0};

	json_key(j, key);
	if (e) {
		add_term(n, e, &text);
		json_str(j, buf_str(&text));
	} else {
		json_null(j);
	}
	buf_release(&text);
}

static void json_object_at(struct names *n, struct json *j, const char *key, uint32_t object, uint64_t offset)
{
	json_key(j, key);
	if (object == ACTIVATION_NONE || !n->s->activations->objects.data[object].known) {
		json_null(j);
		return;
	}
	json_object_open(j);
	json_key(j, "object"), json_u64(j, object);
	json_key(j, "offset"), json_u64(j, offset);
	json_object_close(j);
}

static void json_name(struct json *j, const char *key, const struct activation *a, uint32_t i)
{
	struct buf name = {0};

	name_input(a, i, &name);
	json_key(j, key), json_str(j, buf_str(&name));
	buf_release(&name);
}

static void json_input(struct names *n, struct json *j, const struct activation *a, uint32_t i)
{
	const struct activation_input *in = &a->inputs.data[i];

	json_object_open(j);
	json_name(j, "name", a, i);
	json_key(j, "kind"), json_str(j, in->kind == ACTIVATION_MEMORY ? "memory" : "parameter");
	if (in->kind == ACTIVATION_MEMORY) {
		json_key(j, "address"), json_hex(j, in->address);
		json_term(n, j, "place", in->place);
		json_object_at(n, j, "in", in->object, in->offset);
	} else {
		json_key(j, "parameter"), json_u64(j, in->parameter);
		json_key(j, "part"), json_u64(j, in->part);
	}
	json_key(j, "width"), json_u64(j, in->width);
	json_key(j, "value"), json_hex(j, in->value);
	json_key(j, "symbolic"), json_bool(j, in->caller != 0);
	json_term(n, j, "caller", in->bound);
	json_object_at(n, j, "points", in->points_to, in->points_at);
	json_key(j, "followed"), json_bool(j, in->followed);
	if (in->same != i)
		json_name(j, "same", a, in->same);
	json_object_close(j);
}

static void json_step(struct names *n, struct json *j, const struct activation_step *x)
{
	struct site site = {.file = "", .function = ""};

	site_find(n->s->sites, x->unit, x->index, &site);
	json_object_open(j);
	json_key(j, "kind"), json_str(j, step_kind(x, &site));
	if (checker_of(x, &site))
		json_key(j, "checker"), json_str(j, checker_get(checker_of(x, &site))->name);
	json_key(j, "file"), json_str(j, site.file);
	json_key(j, "line"), json_u64(j, site.line);
	json_key(j, "own"), json_bool(j, x->own);
	json_key(j, "outer"), json_bool(j, x->outer);
	json_key(j, "outcome"), json_u64(j, x->outcome);
	if (x->kind == MUSTER_EV_CONCRETE)
		json_key(j, "reason"), json_str(j, trace_reason_key(x->reason));
	json_term(n, j, "condition", x->holds);
	json_object_close(j);
}

static void json_write(struct names *n, struct json *j, const struct activation_write *w)
{
	json_object_open(j);
	json_key(j, "address"), json_hex(j, w->address);
	json_term(n, j, "place", w->place);
	json_object_at(n, j, "in", w->object, w->offset);
	json_key(j, "width"), json_u64(j, w->width);
	json_term(n, j, "expression", w->value);
	json_key(j, "value"), json_hex(j, w->value_low);
	json_object_close(j);
}

static void json_activation(struct names *n, struct json *j, size_t i)
{
	const struct activation *a = &n->s->activations->list.data[i];
	struct site_function f;
	const char *name = function_name(n->s, a, &f);

	json_object_open(j);
	json_key(j, "id"), json_u64(j, i);
	json_key(j, "function"), json_str(j, name);
	json_key(j, "file"), json_str(j, f.file);
	json_key(j, "line"), json_u64(j, f.line);
	json_key(j, "inside");
	if (a->caller == ACTIVATION_NONE)
		json_null(j);
	else
		json_u64(j, a->caller);
	json_key(j, "left"), json_str(j, a->end == CALLS_OPEN ? "open" : calls_left_key(a->left));
	json_key(j, "marks"), json_array_open(j);
	for (unsigned b = 0; b < ACTIVATION_MARK_BITS; b++)
		if (a->marks >> b & 1)
			json_str(j, activation_mark_key(b));
	json_array_close(j);
	json_key(j, "inputs"), json_array_open(j);
	for (uint32_t k = 0; k < a->inputs.size; k++)
		json_input(n, j, a, k);
	json_array_close(j);
	json_key(j, "steps"), json_array_open(j);
	for (size_t k = 0; k < a->steps.size; k++)
		json_step(n, j, &a->steps.data[k]);
	json_array_close(j);
	json_key(j, "writes"), json_array_open(j);
	for (size_t k = 0; k < a->writes.size; k++)
		json_write(n, j, &a->writes.data[k]);
	json_array_close(j);
	json_key(j, "results"), json_array_open(j);
	for (size_t k = 0; k < a->results.size; k++) {
		json_object_open(j);
		json_term(n, j, "expression", a->results.data[k]);
		json_object_close(j);
	}
	json_array_close(j);
	json_object_close(j);
}

void trace_activations_json(const struct trace_show *s, struct json *j)
{
	struct names n;

	names_init(&n, s);
	json_key(j, "activations"), json_array_open(j);
	for (size_t i = 0; i < s->activations->list.size; i++)
		json_activation(&n, j, i);
	json_array_close(j);
	if (s->activations_check) {
		json_key(j, "activations_check"), json_object_open(j);
		json_key(j, "terms"), json_u64(j, s->activations_check->terms);
		json_key(j, "wrong"), json_u64(j, s->activations_check->wrong);
		json_key(j, "changed"), json_u64(j, s->activations_check->changed);
		json_key(j, "different"), json_u64(j, s->activations_check->different);
		json_object_close(j);
	}
	json_key(j, "objects"), json_array_open(j);
	for (size_t i = 0; i < s->activations->objects.size; i++) {
		const struct activation_object *o = &s->activations->objects.data[i];
		json_object_open(j);
		json_key(j, "id"), json_u64(j, i);
		json_key(j, "base"), json_hex(j, o->base);
		json_key(j, "size"), json_u64(j, o->size);
		json_key(j, "constant"), json_bool(j, o->constant);
		json_key(j, "known"), json_bool(j, o->known);
		json_key(j, "born");
		if (o->born == ACTIVATION_NONE)
			json_null(j);
		else
			json_u64(j, o->born);
		json_object_close(j);
	}
	json_array_close(j);
	map_release(&n.of);
}
