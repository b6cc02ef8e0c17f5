/* test_absint_sound.c: what the analysis says of a block holds whenever the block is entered.
 *
 * Random programs over 8- and 16-bit integers (loops, nests, gotos into loops, breaks, calls, globals, arrays) are run by an interpreter of ir/code.h on many inputs,
 * with and without the compiler's checks; loop counters are counted beside. At every entry of a block each fact of the analysis over all
 * symbols that are there is evaluated. MUSTER_SEEDS, MUSTER_SEED: how many programs (6), and the first.
 */
#include "absint/absint.h"
#include "absint/callee.h"
#include "bitcode.h"
#include "ir/code.h"

#include <stdlib.h>

#define CHECKS "-fsanitize=undefined,unsigned-integer-overflow,implicit-conversion -fsanitize-trap=all"
#define INPUTS 150
#define STEPS 1500

static uint64_t state;
static unsigned roll(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

/* ------------------------------------------------------------------ programs */
static const char *const types[] = {"signed char", "unsigned char", "short", "unsigned short"};
static const char *const names[] = {"a", "b", "x", "y", "z"};
#define PICK(list) list[roll(sizeof list / sizeof *list)]
static unsigned labels, functions;

static void add_expression(struct buf *out, int depth)
{
	static const char *const ops[] = {"+", "-", "+", "-", "*", "&", "|", "^"};

	switch (depth > 0 ? roll(9) : roll(3)) {
	case 0:
		buf_addf(out, "%d", (int)roll(20) - 4);
		break;
	case 1:
	case 2:
		buf_adds(out, roll(8) ? PICK(names) : roll(2) ? "g" : "t[a & 3]");
		break;
	case 3:
		buf_addf(out, "%s %s %u", PICK(names), roll(2) ? "/" : "%", 1 + roll(9));
		break;
	case 4:
		buf_addf(out, "(%s %s %u)", PICK(names), roll(2) ? "<<" : ">>", roll(5));
		break;
	case 5:
		if (functions) {
			buf_addf(out, "f%u(%s, %s)", roll(functions), PICK(names), PICK(names));
			break;
		}
		/* fall through */
	default:
		buf_adds(out, "(");
		add_expression(out, depth - 1);
		buf_addf(out, " %s ", PICK(ops));
		add_expression(out, depth - 1);
		buf_adds(out, ")");
		break;
	}
}

static void add_condition(struct buf *out)
{
	static const char *const ops[] = {"<", "<=", ">", ">=", "==", "!="};

	buf_addf(out, "%s %s ", PICK(names), PICK(ops));
	if (roll(2))
		buf_addf(out, "%d", (int)roll(120) - 20);
	else
		add_expression(out, 1);
}

static void add_block(struct buf *out, int depth);

static void add_statement(struct buf *out, int depth)
{
	unsigned k = labels;
	const char *i = names[2 + roll(3)];

	switch (depth > 0 ? roll(11) : roll(4)) {
	case 4:
		buf_addf(out, "for (%s = %u; %s < %s; %s += %u) ", i, roll(4), i, roll(2) ? "a" : "40", i, 1 + roll(3));
		add_block(out, depth - 1);
		break;
	case 5:
		buf_addf(out, "for (%s = %s; %s > %d; %s--) ", i, roll(2) ? "b" : "30", i, (int)roll(5) - 2, i);
		add_block(out, depth - 1);
		break;
	case 6:
		buf_adds(out, "while (");
		add_condition(out);
		buf_adds(out, ") ");
		add_block(out, depth - 1);
		break;
	case 7:
		buf_adds(out, "do ");
		add_block(out, depth - 1);
		buf_adds(out, "while (");
		add_condition(out);
		buf_adds(out, ");\n");
		break;
	case 8:
		labels++;
		buf_adds(out, "if (");
		add_condition(out);
		buf_addf(out, ") goto L%u;\n", k);
		add_block(out, depth - 1);
		buf_addf(out, "L%u: %s++;\nif (", k, i);
		add_condition(out);
		buf_addf(out, ") { if (fuel-- > 0) goto L%u; }\n", k);
		break;
	case 9:
	case 10:
		buf_adds(out, "if (");
		add_condition(out);
		buf_adds(out, ") ");
		add_block(out, depth - 1);
		break;
	case 3:
		buf_addf(out, roll(2) ? "g += %s;\n" : "t[%s & 3] = 5;\n", PICK(names));
		break;
	default:
		buf_addf(out, "%s %s ", PICK(names), roll(2) ? "=" : "+=");
		add_expression(out, 2);
		buf_adds(out, ";\n");
		break;
	}
}

static void add_block(struct buf *out, int depth)
{
	buf_adds(out, "{\n");
	for (unsigned n = 1 + roll(3); n; n--)
		add_statement(out, depth);
	if (!roll(6))
		buf_adds(out, "if (y == 7) return x;\n");
	buf_adds(out, "}\n");
}

static void make_program(struct buf *out)
{
	labels = functions = 0;
	buf_addf(out, "static %s g; static short t[4]; static int fuel = 500;\n", PICK(types));
	for (unsigned k = 0; k < 3; k++) {
		const char *type = PICK(types);

		buf_addf(out, "%s%s f%u(%s a, %s b) { %s x = 0, y = %u, z = b;\n", k < 2 ? "static " : "", PICK(types), k, type, roll(3) ? type : PICK(types),
			 roll(3) ? type : PICK(types), roll(10));
		for (unsigned n = 2 + roll(3); n; n--)
			add_statement(out, 2);
		buf_addf(out, "return %s; }\n", PICK(names));
		functions = k + 1;
	}
}

/* ------------------------------------------------------------------ what the analysis says */
struct point {
	VEC(struct absint_symbol) wanted;
	struct absint_facts facts;
};

/* From the function's entry, or from that of an outermost loop. */
struct analysis {
	struct absint *a;
	uint32_t loop;
	struct point *points; /* by block */
	const uint32_t *cells;
	size_t cell_count;
};

static int is_there(const struct code_function *f, const struct absint_symbol *s, uint32_t block)
{
	switch (s->kind) {
	case ABSINT_VALUE:
		return code_available(f, s->id, block);
	case ABSINT_COUNTER:
	case ABSINT_TOTAL:
		return code_in_loop(f, s->id, block);
	default:
		return 1;
	}
}

static void analyse(const struct code *c, const struct code_function *f, uint32_t loop, struct callees *callees, enum domain_kind kind, struct analysis *out)
{
	struct absint_options o = {.callees = callees, .seconds = 0.1, .domain = kind};
	const struct absint_symbol *symbols;
	size_t n;

	out->loop = loop;
	out->a = loop == CODE_NONE ? absint_new(c, f, &o) : absint_loop(c, f, loop, &o);
	out->points = mem_zalloc(f->block_count * sizeof *out->points);
	out->cell_count = absint_cells(out->a, &out->cells);
	n = absint_symbols(out->a, &symbols);
	for (uint32_t b = 0; b < f->block_count; b++) {
		struct point *p = &out->points[b];

		for (size_t i = 0; i < n; i++)
			if (is_there(f, &symbols[i], b))
				vec_push(&p->wanted, symbols[i]);
		absint_at(out->a, (struct absint_point){b, ABSINT_ENTRY}, p->wanted.data, p->wanted.size, &p->facts);
	}
}

static void release_analysis(const struct code_function *f, struct analysis *a)
{
	for (uint32_t b = 0; b < f->block_count; b++) {
		absint_facts_release(&a->points[b].facts);
		vec_release(&a->points[b].wanted);
	}
	free(a->points);
	absint_free(a->a);
}

/* ------------------------------------------------------------------ the machine */
#define OBJECTS 4096
#define OBJECT 64

struct machine {
	const struct code *c;
	unsigned char memory[OBJECTS][OBJECT];
	uint32_t objects;
	int steps, over;
	struct analyses {
		VEC(struct analysis) list;
	} *analyses; /* by function */
	unsigned long checked, facts;
};

struct frame {
	const struct code_function *f;
	uint64_t *values;
	wide *counter, *total;
	wide **old; /* by analysis: cells at its start, NULL: not started */
};

static uint64_t mask(uint64_t v, unsigned width)
{
	return width >= 64 ? v : v & (((uint64_t)1 << width) - 1);
}

static int64_t sign(uint64_t v, unsigned width)
{
	return width >= 64 ? (int64_t)v : (int64_t)(v << (64 - width)) >> (64 - width);
}

static uint64_t get(struct machine *m, const struct frame *r, uint32_t id)
{
	const struct code_value *v = &r->f->values[id];

	switch ((enum code_kind)v->kind) {
	case CODE_CONSTANT:
		return v->bits[0];
	case CODE_ADDRESS:
		return ((uint64_t)v->index + 1) << 32 | (uint64_t)v->offset;
	case CODE_PARAMETER:
	case CODE_INSTRUCTION:
		return r->values[id];
	default:
		m->over = 1;
		return 0;
	}
}

static unsigned char *at(struct machine *m, uint64_t pointer, uint64_t bytes)
{
	uint32_t object = (uint32_t)(pointer >> 32), offset = (uint32_t)pointer;

	if (!object || object >= OBJECTS || offset + bytes > OBJECT) {
		m->over = 1;
		return m->memory[0];
	}
	return m->memory[object] + offset;
}

static uint64_t load(struct machine *m, uint64_t pointer, uint64_t bytes)
{
	uint64_t v = 0;

	memcpy(&v, at(m, pointer, bytes), bytes <= 8 ? bytes : 8);
	return v;
}

static uint64_t call(struct machine *m, const struct code_function *f, const uint64_t *arguments);

static uint64_t divide(struct machine *m, const struct code_value *v, uint64_t a, uint64_t b)
{
	unsigned w = v->width;

	if (!b || (sign(b, w) == -1 && sign(a, w) == sign((uint64_t)1 << (w - 1), w))) {
		m->over = 1;
		return 0;
	}
	switch (v->op) {
	case CODE_UDIV:
		return a / b;
	case CODE_UREM:
		return a % b;
	case CODE_SDIV:
		return (uint64_t)(sign(a, w) / sign(b, w));
	default:
		return (uint64_t)(sign(a, w) % sign(b, w));
	}
}

static uint64_t overflow(const struct code_value *v, unsigned w, uint64_t a, uint64_t b)
{
	int is_signed = v->op == CODE_SADD_OVER || v->op == CODE_SSUB_OVER || v->op == CODE_SMUL_OVER;
	wide x = is_signed ? (wide)sign(a, w) : (wide)a, y = is_signed ? (wide)sign(b, w) : (wide)b, r;

	r = v->op == CODE_SADD_OVER || v->op == CODE_UADD_OVER ? x + y : v->op == CODE_SSUB_OVER || v->op == CODE_USUB_OVER ? x - y : x * y;
	return r != (is_signed ? (wide)sign((uint64_t)r, w) : (wide)mask((uint64_t)r, w));
}

static uint64_t compute(struct machine *m, const struct frame *r, uint32_t id)
{
	const struct code_value *v = &r->f->values[id];
	uint64_t a = v->operands ? get(m, r, code_operand(r->f, id, 0)) : 0, b = v->operands > 1 ? get(m, r, code_operand(r->f, id, 1)) : 0;
	unsigned w = v->operands ? code_operand_value(r->f, id, 0)->width : 0, shift = (unsigned)b & (v->width - 1);

	switch ((enum code_op)v->op) {
	case CODE_ADD:
		return a + b;
	case CODE_SUB:
		return a - b;
	case CODE_MUL:
		return a * b;
	case CODE_UDIV:
	case CODE_SDIV:
	case CODE_UREM:
	case CODE_SREM:
		return divide(m, v, a, b);
	case CODE_SHL:
		return a << shift;
	case CODE_LSHR:
		return a >> shift;
	case CODE_ASHR:
		return (uint64_t)(sign(a, w) >> shift);
	case CODE_AND:
		return a & b;
	case CODE_OR:
		return a | b;
	case CODE_XOR:
		return a ^ b;
	case CODE_EQ:
		return a == b;
	case CODE_NE:
		return a != b;
	case CODE_ULT:
		return a < b;
	case CODE_ULE:
		return a <= b;
	case CODE_UGT:
		return a > b;
	case CODE_UGE:
		return a >= b;
	case CODE_SLT:
		return sign(a, w) < sign(b, w);
	case CODE_SLE:
		return sign(a, w) <= sign(b, w);
	case CODE_SGT:
		return sign(a, w) > sign(b, w);
	case CODE_SGE:
		return sign(a, w) >= sign(b, w);
	case CODE_SEXT:
		return (uint64_t)sign(a, w);
	case CODE_TRUNC:
	case CODE_ZEXT:
	case CODE_COPY:
		return a;
	case CODE_SELECT:
		return get(m, r, code_operand(r->f, id, a ? 1 : 2));
	case CODE_SADD_OVER:
	case CODE_UADD_OVER:
	case CODE_SSUB_OVER:
	case CODE_USUB_OVER:
	case CODE_SMUL_OVER:
	case CODE_UMUL_OVER:
		return overflow(v, w, a, b);
	default:
		m->over = 1;
		return 0;
	}
}

static void step(struct machine *m, struct frame *r, uint32_t id)
{
	const struct code_value *v = &r->f->values[id];
	uint64_t result = 0, arguments[8];

	switch ((enum code_op)v->op) {
	case CODE_NOP:
	case CODE_PAIR:
	case CODE_ANY:
	case CODE_PTRTOINT: /* of checks */
		break;
	case CODE_ALLOCA:
		if (m->objects + 1 >= OBJECTS)
			m->over = 1;
		else
			result = (uint64_t)m->objects++ << 32;
		break;
	case CODE_GEP:
		result = get(m, r, code_operand(r->f, id, 0)) + (uint64_t)v->offset;
		for (uint32_t k = 1; k < v->operands; k++)
			result += (uint64_t)sign(get(m, r, code_operand(r->f, id, k)), code_operand_value(r->f, id, k)->width) * (uint64_t)code_scale(r->f, id, k);
		r->values[id] = result;
		return;
	case CODE_LOAD:
		result = load(m, get(m, r, code_operand(r->f, id, 0)), v->bytes);
		break;
	case CODE_STORE:
		result = get(m, r, code_operand(r->f, id, 0));
		memcpy(at(m, get(m, r, code_operand(r->f, id, 1)), v->bytes), &result, v->bytes <= 8 ? v->bytes : 8);
		return;
	case CODE_CALL:
		for (uint32_t k = 1; k < v->operands; k++)
			arguments[k - 1] = get(m, r, code_operand(r->f, id, k));
		result = call(m, &m->c->functions[v->target], arguments);
		break;
	default:
		result = compute(m, r, id);
		break;
	}
	r->values[id] = v->width ? mask(result, v->width) : result;
}

/* ------------------------------------------------------------------ the comparison */
static wide cell_value(struct machine *m, const struct frame *r, uint32_t cell, int is_signed)
{
	const struct code_cell *c = &r->f->cells[cell];
	uint64_t v = load(m, get(m, r, c->root) + (uint64_t)c->offset, c->bytes);

	return is_signed ? (wide)sign(v, c->width) : (wide)mask(v, c->width);
}

static wide symbol_value(struct machine *m, const struct frame *r, size_t analysis, const struct absint_symbol *s)
{
	switch (s->kind) {
	case ABSINT_VALUE: {
		uint64_t v = get(m, r, s->id);

		return s->is_signed ? (wide)sign(v, s->width) : (wide)v;
	}
	case ABSINT_COUNTER:
		return r->counter[s->id];
	case ABSINT_TOTAL:
		return r->total[s->id];
	case ABSINT_CELL:
		return cell_value(m, r, s->id, s->is_signed);
	default:
		return s->is_signed ? r->old[analysis][2 * s->id] : r->old[analysis][2 * s->id + 1];
	}
}

static void compare(struct machine *m, const struct frame *r, size_t analysis, uint32_t block)
{
	const struct point *p = &m->analyses[r->f->number].list.data[analysis].points[block];
	wide values[256];
	int some = 0;

	assert_true(p->wanted.size <= 256);
	for (size_t i = 0; i < p->wanted.size; i++)
		values[i] = symbol_value(m, r, analysis, &p->wanted.data[i]);
	if (m->over)
		return;
	for (size_t i = 0; i < p->facts.cases.size && !some; i++) {
		some = 1;
		for (size_t k = 0; k < p->facts.cases.data[i].facts.size && some; k++) {
			some = linear_holds(&p->facts.cases.data[i].facts.data[k], values);
			m->facts++;
		}
	}
	m->checked++;
	if (some)
		return;
	for (size_t i = 0; i < p->wanted.size; i++)
		print_message("x%zu: kind %d id %u is %lld\n", i, p->wanted.data[i].kind, p->wanted.data[i].id, (long long)values[i]);
	for (size_t i = 0; i < p->facts.cases.size; i++)
		for (size_t k = 0; k < p->facts.cases.data[i].facts.size; k++) {
			struct buf b = {0};

			linear_print(&b, &p->facts.cases.data[i].facts.data[k], NULL, NULL);
			print_message("case %zu: %s: %s\n", i, buf_str(&b), linear_holds(&p->facts.cases.data[i].facts.data[k], values) ? "holds" : "FAILS");
			buf_release(&b);
		}
	fail_msg("%s, block %u, loop %d", r->f->name, block, (int)m->analyses[r->f->number].list.data[analysis].loop);
}

/* ------------------------------------------------------------------ running */
static uint32_t choose(struct machine *m, const struct frame *r, uint32_t block)
{
	const struct code_block *b = &r->f->blocks[block];
	uint32_t last = code_last(r->f, block);

	for (uint32_t e = b->first_edge; e < b->first_edge + b->edges; e++)
		if (r->f->edges[e].flags & CODE_EDGE_PASS)
			return e;
	if (r->f->values[last].op == CODE_BRANCH)
		return b->first_edge + (get(m, r, code_operand(r->f, last, 0)) & 1);
	if (r->f->values[last].op != CODE_JUMP)
		m->over = 1;
	return b->first_edge;
}

static void count(struct frame *r, uint32_t edge)
{
	const struct code_edge *e = &r->f->edges[edge];

	for (uint32_t l = r->f->blocks[e->to].loop; l != CODE_NONE; l = r->f->loops[l].parent) {
		if (!code_in_loop(r->f, l, e->from)) {
			r->counter[l] = 0;
		} else if (r->f->loops[l].header == e->to) {
			r->counter[l]++;
			r->total[l]++;
		}
	}
	for (uint32_t l = 0; l < r->f->loop_count; l++) { /* entered from outside of the outermost loop around it */
		uint32_t top = l;

		while (r->f->loops[top].parent != CODE_NONE)
			top = r->f->loops[top].parent;
		if (code_in_loop(r->f, top, e->to) && !code_in_loop(r->f, top, e->from))
			r->total[l] = 0;
	}
}

static void cross(struct machine *m, struct frame *r, uint32_t edge)
{
	const struct code_block *b = &r->f->blocks[r->f->edges[edge].to];
	uint64_t next[64];
	uint32_t k = 0, n = 0;

	while (r->f->preds[b->first_pred + k] != edge)
		k++;
	for (uint32_t v = b->first; r->f->values[v].op == CODE_PHI; v++, n++) {
		assert_true(n < 64);
		next[n] = get(m, r, code_operand(r->f, v, k));
	}
	for (uint32_t i = 0; i < n; i++)
		r->values[b->first + i] = next[i];
	count(r, edge);
}

static void start(struct machine *m, struct frame *r, size_t analysis)
{
	const struct analysis *a = &m->analyses[r->f->number].list.data[analysis];
	wide *old = mem_zalloc((2 * r->f->cell_count + 2) * sizeof *old);

	for (size_t i = 0; i < a->cell_count; i++) {
		uint32_t c = a->cells[i];

		if (r->f->values[r->f->cells[c].root].kind != CODE_ADDRESS && a->loop == CODE_NONE)
			continue; /* what an alloca holds before it is there: nobody may ask */
		old[2 * c] = cell_value(m, r, c, 1);
		old[2 * c + 1] = cell_value(m, r, c, 0);
	}
	free(r->old[analysis]);
	r->old[analysis] = old;
}

/* Analyses that start with a loop which the edge enters. */
static void start_loops(struct machine *m, struct frame *r, uint32_t edge)
{
	for (size_t i = 0; i < m->analyses[r->f->number].list.size; i++) {
		uint32_t l = m->analyses[r->f->number].list.data[i].loop;

		if (l != CODE_NONE && code_in_loop(r->f, l, r->f->edges[edge].to) && !code_in_loop(r->f, l, r->f->edges[edge].from))
			start(m, r, i);
	}
}

static uint64_t run(struct machine *m, struct frame *r)
{
	uint32_t block = 0;

	for (;;) {
		const struct code_block *b = &r->f->blocks[block];
		uint32_t last = code_last(r->f, block), edge;

		for (size_t i = 0; i < m->analyses[r->f->number].list.size; i++)
			if (r->old[i])
				compare(m, r, i, block);
		for (uint32_t v = b->first; v < last && !m->over; v++)
			if (r->f->values[v].op != CODE_PHI)
				step(m, r, v);
		if (m->over || --m->steps < 0) {
			m->over = 1;
			return 0;
		}
		if (r->f->values[last].op == CODE_RETURN)
			return get(m, r, code_operand(r->f, last, 0));
		edge = choose(m, r, block);
		if (m->over)
			return 0;
		start_loops(m, r, edge);
		cross(m, r, edge);
		block = r->f->edges[edge].to;
	}
}

static uint64_t call(struct machine *m, const struct code_function *f, const uint64_t *arguments)
{
	struct frame r = {.f = f};
	uint32_t objects = m->objects;
	uint64_t result;

	if (!f->defined) {
		m->over = 1;
		return 0;
	}
	r.values = mem_zalloc((f->value_count + 1) * sizeof *r.values);
	r.counter = mem_zalloc((f->loop_count + 1) * sizeof *r.counter);
	r.total = mem_zalloc((f->loop_count + 1) * sizeof *r.total);
	for (uint32_t k = 0; k < f->parameters; k++)
		r.values[k] = mask(arguments[k], f->values[k].width);
	r.old = mem_zalloc((m->analyses[f->number].list.size + 1) * sizeof *r.old);
	start(m, &r, 0);
	result = run(m, &r);
	for (size_t i = 0; i < m->analyses[f->number].list.size; i++)
		free(r.old[i]);
	m->objects = objects;
	free(r.values);
	free(r.counter);
	free(r.total);
	free(r.old);
	return result;
}

static void add_analyses(const struct code *c, const struct code_function *f, struct callees *callees, enum domain_kind kind, struct analyses *out)
{
	struct analysis a;

	if (!f->defined)
		return;
	analyse(c, f, CODE_NONE, callees, kind, &a);
	vec_push(&out->list, a);
	for (uint32_t l = 0; l < f->loop_count; l++)
		if (f->loops[l].parent == CODE_NONE) {
			analyse(c, f, l, callees, kind, &a);
			vec_push(&out->list, a);
		}
}

static void check_program(uint64_t seed, const char *flags, enum domain_kind kind, unsigned long *checked, unsigned long *facts)
{
	struct buf text = {0}, bitcode = {0};
	struct machine *m = mem_zalloc(sizeof *m);
	struct callees *callees;
	struct code *c;

	state = seed;
	make_program(&text);
	if (getenv("MUSTER_PRINT"))
		print_message("%s", buf_str(&text));
	compile_with(buf_str(&text), flags, &bitcode);
	m->c = c = code_load(bitcode.data, bitcode.size, 1);
	assert_non_null(c);
	callees = callees_new(c);
	m->analyses = mem_zalloc((c->function_count + 1) * sizeof *m->analyses);
	for (uint32_t i = 0; i < c->function_count; i++)
		add_analyses(c, &c->functions[i], callees, kind, &m->analyses[i]);
	for (unsigned i = 0; i < INPUTS; i++) {
		uint64_t arguments[2] = {roll(2) ? roll(65536) : roll(60), roll(2) ? roll(65536) : (uint64_t)-(int64_t)roll(9)};

		memset(m->memory, (int)roll(256), (c->global_count + 1) * OBJECT);
		m->objects = c->global_count + 1;
		m->steps = STEPS;
		m->over = 0;
		call(m, code_find(c, "f2"), arguments);
	}
	*checked += m->checked;
	*facts += m->facts;
	for (uint32_t i = 0; i < c->function_count; i++) {
		for (size_t k = 0; k < m->analyses[i].list.size; k++)
			release_analysis(&c->functions[i], &m->analyses[i].list.data[k]);
		vec_release(&m->analyses[i].list);
	}
	free(m->analyses);
	callees_free(callees);
	code_free(c);
	free(m);
	buf_release(&text);
	buf_release(&bitcode);
}

static void test_sound(void **unused)
{
	const char *count = getenv("MUSTER_SEEDS"), *first = getenv("MUSTER_SEED");
	unsigned n = count ? (unsigned)atoi(count) : 4, from = first ? (unsigned)atoi(first) : 1;
	unsigned long checked = 0, facts = 0;

	(void)unused;
	for (unsigned i = from; i < from + n; i++) {
		if (count)
			print_message("seed %u\n", i);
		check_program(i * 104729u, i % 2 ? NULL : CHECKS, i % 5 == 4 ? DOMAIN_OCTAGONS : i % 5 == 3 ? DOMAIN_BOXES : DOMAIN_POLYHEDRA, &checked, &facts);
	}
	print_message("%lu entries of blocks, %lu facts\n", checked, facts);
	assert_true(checked > 300 * n && facts > checked / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_sound)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
