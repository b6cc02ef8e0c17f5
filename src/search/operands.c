/* operands.c: comparison operands of a traced run, put in place in its input.
 *
 * One pass over the nodes says which values depend on a single byte of the input. A decision that compares such a value with a constant character, where the decision
 * before did not do the same with the byte before (the next round of a string comparison), looks for a word: those the dictionary has with that character in front
 * take the place of the token that begins there. One that compares two such bytes with each other (a closing tag, a name that was declared) puts the one token in
 * the place of the other.
 *
 * A comparison is known by its instruction, the character, and the decision by which its function was come to: a program's strcmp is one function for a
 * hundred questions. Each is tried for a few inputs; the inputs are run by the mutation stage, which gives them the share of its runs that they earn.
 */
#include "search/operands.h"

#include "base/hash.h"
#include "base/limit.h"
#include "base/mem.h"
#include "expr/op.h"
#include "search/mutation.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define PLAIN 0u /* no limit: depends on no byte of the input */
#define MANY UINT32_MAX /* no limit: on more than one, or on something else; between the two: on the byte before that number */
#define TRIED LIMIT(2, 1) /* inputs for which the words of one comparison are tried | the second one has other tokens around it */
#define TRIED_TOKENS LIMIT(8, 1) /* the same of comparisons of two places of the input | each input has other names */
#define TOKEN_MOST LIMIT(64, 2) /* bytes of a token | longer ones are no words */
#define OPERAND_NODES LIMIT(1u << 20, 16) /* nodes of a trace that is looked at | larger ones take as long as a query */

/* On which byte a node depends, by label. */
static uint32_t of_node(const struct muster_node *n, const uint32_t *of)
{
	uint32_t operand[3] = {n->a, n->b, n->c}, found = PLAIN;
	unsigned arity = op_table[n->op].arity;
	switch (n->op) {
	case MUSTER_OP_INPUT:
		return n->a == 0 && n->k < MANY - 1 ? (uint32_t)n->k + 1 : MANY;
	case MUSTER_OP_CONST:
		return PLAIN;
	case MUSTER_OP_READ: /* the contents of a table may depend on more */
		return of[n->a];
	case MUSTER_OP_BYTES:
		return n->width == 8 ? of[n->a] : MANY;
	case MUSTER_OP_LEAF:
	case MUSTER_OP_LENGTH:
	case MUSTER_OP_DATA:
		return MANY;
	default:
		break;
	}
	for (unsigned i = 0; i < arity; i++) {
		uint32_t o = operand[i] ? of[operand[i]] : PLAIN;
		if (o && found && o != found)
			return MANY;
		found = o ? o : found;
	}
	return found;
}

static uint32_t *bytes_of(const struct trace *t)
{
	uint32_t *of = mem_zalloc((size_t)t->node_count * sizeof *of);
	for (uint32_t i = 1; i < t->node_count; i++)
		of[i] = trace_is_node(t, i) ? of_node(&t->nodes[i], of) : MANY;
	return of;
}

/* What a decision compares: a byte with a character, or with another byte. */
struct operands {
	size_t at, other; /* offsets; other: of a second byte, or SIZE_MAX */
	uint8_t character;
	int changed; /* the byte was changed before it was compared: lower case to upper, most likely */
};

static int is_single(uint32_t of)
{
	return of != PLAIN && of != MANY;
}

/* c == k, also as c - k' == k. */
static int with_constant(const struct trace *t, const uint32_t *of, uint32_t label, uint64_t value, struct operands *out)
{
	const struct muster_node *n = &t->nodes[label];
	uint64_t mask = n->width < 64 ? (1ull << n->width) - 1 : UINT64_MAX;
	if (!is_single(of[label]) || n->width < 8)
		return 0;
	if ((n->op == MUSTER_OP_ADD || n->op == MUSTER_OP_SUB) && !n->b && n->a)
		value = (n->op == MUSTER_OP_SUB ? value + n->k : value - n->k) & mask;
	while ((n->op == MUSTER_OP_ZEXT || n->op == MUSTER_OP_SEXT) && n->a)
		n = &t->nodes[n->a];
	*out = (struct operands){of[label] - 1, SIZE_MAX, (uint8_t)value, n->op != MUSTER_OP_INPUT};
	return value < 256 && isgraph((int)value);
}

static int compared(const struct trace *t, const uint32_t *of, uint32_t label, struct operands *out)
{
	const struct muster_node *n = &t->nodes[label];
	if (n->op == MUSTER_OP_XOR && n->width == 1 && !n->b && n->a)
		n = &t->nodes[n->a];
	if (n->op != MUSTER_OP_EQ && n->op != MUSTER_OP_NE)
		return 0;
	if (!n->a || !n->b)
		return with_constant(t, of, n->a ? n->a : n->b, n->k, out);
	if (!is_single(of[n->a]) || !is_single(of[n->b]) || of[n->a] == of[n->b])
		return 0;
	*out = (struct operands){of[n->a] - 1, of[n->b] - 1, 0, 0};
	return 1;
}

/* ------------------------------------------------------------- inputs */

struct offering {
	struct search *s;
	uint64_t test;
	const uint8_t *data;
	size_t size;
	struct buf input;
};

static int in_token(uint8_t c)
{
	return isalnum(c) || c == '_' || c == '-' || c == '.' || c == ':' || c >= 128;
}

static size_t token_end(const struct offering *o, size_t at)
{
	size_t end = at;
	while (end < o->size && end - at < TOKEN_MOST && in_token(o->data[end]))
		end++;
	return end > at ? end : at + 1;
}

/* The input with other bytes in the place of [from, to). */
static void offer(struct offering *o, size_t from, size_t to, const void *bytes, size_t size)
{
	if (to > o->size)
		to = o->size;
	buf_clear(&o->input);
	buf_add(&o->input, o->data, from);
	buf_add(&o->input, bytes, size);
	buf_add(&o->input, o->data + to, o->size - to);
	if (o->input.size <= o->s->o.max_input)
		mutation_offer(o->s->next.mutation, o->test, o->input.data, o->input.size);
}

static void in_place(void *ctx, size_t at, const void *word, size_t size)
{
	struct offering *o = ctx;
	size_t end = token_end(o, at);
	offer(o, at, end, word, size);
	if (end - at != size && end - at < 3) /* one character or none: the word may stand in front of something */
		offer(o, at, at + size, word, size);
}

static void offer_tokens(struct offering *o, size_t to, size_t from)
{
	size_t end = token_end(o, from);
	offer(o, to, token_end(o, to), o->data + from, (end < o->size ? end : o->size) - from);
}

/* Is this comparison, come to in this way, to be tried once more? */
static int once_more(struct search *s, uint64_t key, uint64_t most)
{
	uint64_t n = 0;
	map_get(&s->known.operands, key, &n);
	if (n < most)
		map_set(&s->known.operands, key, n + 1);
	return n < most;
}

static void take(struct offering *o, const struct operands *c, uint64_t place)
{
	if (c->other != SIZE_MAX) {
		if (c->at >= o->size || c->other >= o->size || !once_more(o->s, hash_mix(place), TRIED_TOKENS))
			return;
		offer_tokens(o, c->at, c->other);
		offer_tokens(o, c->other, c->at);
	} else if (c->at < o->size && once_more(o->s, hash_mix(place ^ c->character), TRIED)) {
		mutation_words_from(o->s->next.mutation, c->character, c->changed, c->at, in_place, o);
	}
}

static void offer_all(struct offering *o, const struct trace *t, const struct path *p, const uint32_t *of)
{
	uint64_t outer = 0, before = 0;
	uint32_t function = 0, site = UINT32_MAX;
	struct operands c, last = {.at = SIZE_MAX - 1};
	for (size_t i = 0; i < p->steps.size; i++) {
		const struct path_step *step = &p->steps.data[i];
		if (!path_decides(step))
			continue;
		const struct sites_decision *d = &o->s->sites.decisions.data[step->site];
		if (d->function != function)
			outer = before;
		function = d->function;
		before = (uint64_t)step->site << 32 | step->outcome;
		if (step->kind != MUSTER_EV_BRANCH || !compared(t, of, step->label, &c))
			continue;
		/* The next round of the same comparison: the first one spoke for it. */
		if (step->site != site || (c.at != last.at + 1 && c.at != last.at))
			take(o, &c, hash_mix(outer + step->site) & ~0xffull);
		last = c;
		site = step->site;
	}
}

void operands_offer(struct search *s, uint64_t test, const struct trace *t, const struct path *p, const uint8_t *data, size_t size)
{
	struct offering o = {s, test, data, size, BUF_EMPTY};
	if (!s->next.mutation || !p->steps.size || t->node_count > OPERAND_NODES || !mutation_takes_offers(s->next.mutation))
		return;
	uint32_t *of = bytes_of(t);
	offer_all(&o, t, p, of);
	free(of);
	buf_release(&o.input);
}
