/* probe.c: an input that shows a difference, by running many.
 *
 * Formulas of a large function are more terms than anybody can have, and its pointers lead anywhere. Runs need neither. Inputs are made from types (probe_input.c) and run on both versions, some hundreds in one process (caller_many.c); those that come to a block
 * as no other did are kept, and changed a little to get the next ones, most often those that come to modified code. After an input for which the versions seem to differ, it is run as every witness is (witness.c): three times,
 * with other bytes where nobody has written and all addresses elsewhere, and once more. Only that is a claim. What is then left out as long as the difference stays is nobody's concern: parts of a witness that do not matter become 0.
 */
#include "diff/probe.h"

#include "base/deadline.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH LIMIT(250, 10)	/* inputs of a run | what it costs to start one is a small part then */
#define BATCH_MILLISECONDS 300	/* of a run of many */
#define FIRST 150		/* inputs made from types alone, at first */
#define FRESH 10		/* percent of them afterwards */
#define KEPT 600		/* inputs that are kept */
#define CONFIRMED 40		/* that are run as witnesses */
#define ALIKE 3			/* of these that came to the same modified blocks */
#define WANTED 60		/* percent that come from an input that comes to modified code, if there is one */
#define CLOCK 2			/* seconds of its time by the clock: others compute for it */
#define ROUNDS 6		/* of leaving out */

struct kept {
	struct probe_input in;
	int wanted;
};

struct reply { /* about an input of a batch */
	unsigned number;
	int differs, wanted, is_new;
	const char *names[CALLER_CALLS];
	char *key; /* which wanted blocks */
};
typedef VEC(struct reply) replies;

struct probe {
	struct diff_pair *x;
	struct probe_code code;
	uint64_t random;
	VEC(uint8_t) seen[2], targets[2]; /* by block: bits, as caller_many.c has them; whether it is modified */
	VEC(uint32_t) lines[2];		  /* of modified instructions */
	VEC(struct kept) kept;
	VEC(size_t) wanted; /* of kept */
	struct strmap names, tried;
	unsigned confirmed, batches;
	uint64_t runs;
	double end, clock_end;
};

static int is_over(const struct probe *p)
{
	return deadline_clock() > p->clock_end || deadline_processor() > p->end || deadline_over();
}

/* ------------------------------------------------------------ targets */

static void find_lines(struct probe *p)
{
	const struct match_function *m = p->x->d->m->functions[p->x->symbols[OLD]];
	for (int k = 0; k < 2; k++) {
		const struct code_function *f = p->x->side[k].f;
		for (uint32_t v = f->first_instruction; v < f->first_instruction + f->instructions; v++) {
			uint32_t other = k == OLD ? m->to_new[v] : m->to_old[v];
			if ((other == CODE_NONE || (k == OLD ? m->modified[v] : m->modified[other])) && f->values[v].line)
				vec_push(&p->lines[k], f->values[v].line);
		}
	}
}

static void note_block(void *ctx, int which, uint32_t block, const char *text)
{
	struct probe *p = ctx;
	const char *colon = strchr(text, ':'), *name = p->x->side[which].f->name;
	int target = 0;
	(void)block;
	for (const char *s = colon + 1; *s && strlen(name) == (size_t)(colon - text) && !strncmp(name, text, (size_t)(colon - text)); s = strchr(s, ',') + 1)
		for (size_t i = 0; i < p->lines[which].size && !target; i++)
			target = p->lines[which].data[i] == strtoul(s, NULL, 10);
	vec_push(&p->seen[which], 0);
	vec_push(&p->targets[which], (uint8_t)target);
}

/* ------------------------------------------------------------ batches */

static void write_settings(const struct probe *p, struct buf *out)
{
	double left = (p->clock_end - deadline_clock()) * 1000;
	buf_addf(out, "L %d\n", left < 20 ? 20 : left < BATCH_MILLISECONDS ? (int)left : BATCH_MILLISECONDS);
	for (int k = 0; k < 2; k++)
		for (size_t b = 0; b < p->seen[k].size; b++) {
			if (p->seen[k].data[b])
				buf_addf(out, "K %d %zu %u\n", k, b, p->seen[k].data[b]);
			if (p->targets[k].data[b])
				buf_addf(out, "X %d %zu\n", k, b);
		}
}

static const char *name_of(struct probe *p, const char *name)
{
	strmap_set(&p->names, name, 1);
	return strmap_key(&p->names, name);
}

static void read_line(struct probe *p, char *line, replies *out)
{
	struct reply *r = out->size ? &vec_last(out) : NULL;
	unsigned a, b, c;
	char *space;
	if (*line == 'i' && sscanf(line, "i %u %u %u", &a, &b, &c) == 3)
		vec_push(out, ((struct reply){.number = a, .differs = (int)b, .wanted = (int)c}));
	else if (*line == 'k' && r && sscanf(line, "k %u %u %u", &a, &b, &c) == 3 && a < 2 && b < p->seen[a].size) {
		p->seen[a].data[b] |= (uint8_t)c;
		r->is_new = 1;
	}
	else if (*line == 's' && r && sscanf(line, "s %u", &a) == 1 && a < CALLER_CALLS && (space = strchr(line + 2, ' ')))
		r->names[a] = name_of(p, space + 1);
	else if (*line == 'w' && r && !r->key)
		r->key = strdup(line);
	else if (*line == 'e' && sscanf(line, "e %u", &a) == 1)
		p->runs += a;
}

static void release_replies(replies *r)
{
	for (size_t i = 0; i < r->size; i++)
		free(r->data[i].key);
	vec_release(r);
}

/* What is said of these inputs. -1: it cannot be run. */
static int run_batch(struct probe *p, const struct probe_input *inputs, size_t count, replies *out)
{
	struct buf settings = BUF_EMPTY, reply = BUF_EMPTY;
	VEC(char *) texts = {0};
	for (size_t i = 0; i < count; i++) {
		struct buf text = BUF_EMPTY;
		probe_input_write(&p->code, p->x->side[OLD].f->name, &inputs[i], &text);
		vec_push(&texts, buf_take(&text));
	}
	write_settings(p, &settings);
	int e = diff_witness_batch(p->x, &settings, texts.data, count, &reply);
	char *rest = buf_str(&reply);
	for (char *line; !e && (line = strtok_r(rest, "\n", &rest));)
		read_line(p, line, out);
	for (size_t i = 0; i < texts.size; i++)
		free(texts.data[i]);
	vec_release(&texts);
	buf_release(&settings);
	buf_release(&reply);
	p->batches++;
	return e;
}

/* ------------------------------------------------------------ what a person sees */

static uint64_t word_at(const struct probe_object *o, uint64_t offset, unsigned bytes)
{
	uint64_t v = 0;
	memcpy(&v, o->bytes + offset, bytes);
	return v;
}

static int is_in(const struct probe_object *o, uint64_t at)
{
	return at - o->at < o->size;
}

/* Names for members that are not 0, of what this pointer leads to, and so on. */
static void name_members(struct probe *p, const struct probe_input *in, size_t pointer, uint64_t at, struct map *seen)
{
	const struct code *code = p->code.code;
	uint32_t type = p->x->inputs.data[pointer].type, base = type != CODE_NONE ? code->types[type].base : CODE_NONE;
	const struct probe_object *o = NULL;
	for (size_t i = 0; i < in->objects.size && !o; i++)
		o = is_in(&in->objects.data[i], at) ? &in->objects.data[i] : NULL;
	if (!o || base == CODE_NONE || code->types[base].kind != CODE_TYPE_STRUCT || !map_set(seen, at, 1))
		return;
	for (uint32_t i = 0; i < code->types[base].members; i++) {
		const struct code_member *m = &code->members[code->types[base].first_member + i];
		uint64_t bytes = m->type != CODE_NONE ? code->types[m->type].bytes : 0, offset = at - o->at + m->offset;
		uint8_t kind = m->type != CODE_NONE ? code->types[m->type].kind : CODE_TYPE_OTHER;
		if ((kind != CODE_TYPE_INT && kind != CODE_TYPE_POINTER) || m->bits || bytes > 8 || offset + bytes > o->size || !word_at(o, offset, (unsigned)bytes))
			continue;
		size_t word = diff_word_behind(p->x, pointer, m->offset, (unsigned)bytes);
		if (word != SIZE_MAX && kind == CODE_TYPE_POINTER)
			name_members(p, in, word, word_at(o, offset, 8), seen);
	}
}

/* A word that no term has: of a variable, or what a call returned. */
static void name_value(struct probe *p, const char *name, unsigned bytes, uint64_t value, int is_pointer, struct solve_model *m)
{
	struct diff_pair *x = p->x;
	expr_t e = expr_named(x->p, 8 * bytes, name);
	for (size_t i = 0; i < x->inputs.size; i++)
		if (x->inputs.data[i].term == e)
			return;
	vec_push(&x->inputs, ((struct diff_word){.term = e, .name = strdup(name), .type = CODE_NONE, .is_pointer = (uint8_t)is_pointer, .is_outside = 1}));
	vec_push(&m->values, ((struct solve_value){EXPR_OP_NAMED, e, 0, value}));
}

static int is_object(const struct probe_input *in, uint64_t value)
{
	for (size_t i = 0; i < in->objects.size; i++)
		if (is_in(&in->objects.data[i], value))
			return 1;
	return 0;
}

static void describe(struct probe *p, const struct probe_input *in, struct solve_model *m)
{
	struct diff_pair *x = p->x;
	struct map seen = {0};
	char name[320];
	if (diff_pair_begin(x))
		return;
	expr_t memory = expr_array(x->p, VC_FLAT);
	for (uint32_t i = 0; i < p->code.f->parameters; i++)
		vec_push(&m->values, ((struct solve_value){EXPR_OP_NAMED, x->args[i], 0, in->args[i]}));
	for (size_t i = 0; i < in->objects.size; i++)
		for (uint32_t k = 0; k < in->objects.data[i].size; k++)
			if (in->objects.data[i].bytes[k])
				vec_push(&m->bytes, ((struct solve_byte){memory, in->objects.data[i].at + k, in->objects.data[i].bytes[k]}));
	for (uint32_t i = 0; i < p->code.f->parameters; i++)
		if (x->inputs.data[i].is_pointer)
			name_members(p, in, i, in->args[i], &seen);
	for (size_t i = 0; i < in->sets.size; i++) {
		const struct probe_set *s = &in->sets.data[i];
		snprintf(name, sizeof name, s->offset ? "%.250s+%llu" : "%.250s", p->code.code->globals[s->global].name, (unsigned long long)s->offset);
		name_value(p, name, s->bytes, s->value, is_object(in, s->value), m);
	}
	for (unsigned i = 0; i < CALLER_CALLS; i++)
		if (in->rows[i].is_set && in->rows[i].name) {
			snprintf(name, sizeof name, "%.250s()#%u", in->rows[i].name, i);
			name_value(p, name, 8, in->rows[i].value, is_object(in, in->rows[i].value), m);
		}
	map_release(&seen);
}

/* ------------------------------------------------------------ witnesses */

static int run_witness(struct probe *p, const struct probe_input *in, struct diff_case *k)
{
	struct solve_model m = {0};
	struct buf text = BUF_EMPTY;
	*k = (struct diff_case){0};
	describe(p, in, &m);
	probe_input_write(&p->code, p->x->side[OLD].f->name, in, &text);
	int ok = diff_witness_run_text(p->x, &m, buf_str(&text), k);
	buf_release(&text);
	solve_model_release(&m);
	return ok;
}

/* ------------------------------------------------------------ leaving out */

/* Parts of an input that may be left out: scalars that are not 0. They point into it. */
static void find_parts(const struct probe_code *c, struct probe_input *in, probe_slots *out)
{
	static const uint8_t zero[8];
	size_t kept = 0;
	probe_input_slots(c, in, out);
	for (size_t i = 0; i < out->size; i++)
		if (memcmp(out->data[i].at, zero, out->data[i].bytes))
			out->data[kept++] = out->data[i];
	out->size = kept;
}

struct range {
	size_t first, count;
};
typedef VEC(struct range) ranges;

/* The input without these parts. */
static void leave_out(const struct probe_code *c, const struct probe_input *in, const struct range *some, size_t count, struct probe_input *out)
{
	probe_slots parts = {0};
	probe_input_copy(in, out);
	find_parts(c, out, &parts);
	for (size_t k = 0; k < count; k++)
		for (size_t i = some[k].first; i < some[k].first + some[k].count && i < parts.size; i++)
			memset(parts.data[i].at, 0, parts.data[i].bytes);
	vec_release(&parts);
}

/* Which of these inputs still show a difference. */
static int still_differ(struct probe *p, struct probe_input *tries, size_t count, uint8_t *differs)
{
	replies said = {0};
	memset(differs, 0, count);
	int e = run_batch(p, tries, count, &said);
	for (size_t i = 0; i < said.size && !e; i++)
		if (said.data[i].number < count)
			differs[said.data[i].number] = (uint8_t)said.data[i].differs;
	for (size_t i = 0; i < count; i++)
		probe_input_release(&tries[i]);
	release_replies(&said);
	return e;
}

/* Ranges of this many parts that can be left out, each by itself; then as many of them as can be together. */
static void leave_out_ranges(struct probe *p, struct probe_input *in, size_t parts, size_t size)
{
	struct probe_input *tries = mem_zalloc((BATCH + 1) * sizeof *tries), smaller;
	uint8_t differs[BATCH + 1];
	ranges some = {0};
	size_t count = 0, most = 0;
	for (size_t at = 0; at < parts && count < BATCH; at += size)
		leave_out(&p->code, in, &(struct range){at, size}, 1, &tries[count++]);
	if (!still_differ(p, tries, count, differs))
		for (size_t i = 0; i < count; i++)
			if (differs[i])
				vec_push(&some, ((struct range){i * size, size}));
	for (count = 0; count < some.size; count++)
		leave_out(&p->code, in, some.data, count + 1, &tries[count]);
	if (count && !still_differ(p, tries, count, differs))
		for (size_t i = 0; i < count; i++)
			most = differs[i] ? i + 1 : most;
	if (most) {
		leave_out(&p->code, in, some.data, most, &smaller);
		probe_input_release(in);
		*in = smaller;
	}
	vec_release(&some);
	free(tries);
}

static void make_smaller(struct probe *p, struct probe_input *in)
{
	probe_slots parts = {0};
	find_parts(&p->code, in, &parts);
	size_t size = parts.size;
	for (unsigned i = 0; i < ROUNDS && size; i++) {
		vec_clear(&parts);
		find_parts(&p->code, in, &parts);
		size = parts.size <= BATCH / 2 ? 1 : (parts.size + BATCH - 1) / BATCH;
		size_t before = parts.size;
		leave_out_ranges(p, in, parts.size, i ? size : (parts.size + 7) / 8);
		vec_clear(&parts);
		find_parts(&p->code, in, &parts);
		if (i && parts.size == before)
			break;
	}
	for (unsigned i = 0; i < CALLER_CALLS; i++)
		in->rows[i].is_set &= in->rows[i].value || in->rows[i].out;
	vec_release(&parts);
}

/* ------------------------------------------------------------ the search */

/* The versions seem to differ. 1: a witness shows it. */
static int try_witness(struct probe *p, struct diff_function *f, const struct probe_input *in, const char *key)
{
	struct diff_case k, less;
	uint64_t tries = 0;
	strmap_get(&p->tried, key, &tries);
	if (tries >= ALIKE || p->confirmed >= CONFIRMED)
		return 0;
	strmap_set(&p->tried, key, tries + 1);
	p->confirmed++;
	if (!run_witness(p, in, &k))
		return 0;
	struct probe_input small;
	probe_input_copy(in, &small);
	make_smaller(p, &small);
	if (run_witness(p, &small, &less)) {
		diff_case_release(&k);
		k = less;
	}
	probe_input_release(&small);
	diff_describe_add_case(f, &k, NULL);
	return 1;
}

static void keep(struct probe *p, struct probe_input *in, const struct reply *r)
{
	if (p->kept.size >= KEPT)
		return;
	for (unsigned i = 0; i < CALLER_CALLS; i++) {
		in->rows[i].name = r->names[i];
		in->rows[i].is_set &= r->names[i] != NULL;
	}
	if (r->wanted)
		vec_push(&p->wanted, p->kept.size);
	vec_push(&p->kept, ((struct kept){*in, r->wanted}));
	*in = (struct probe_input){0};
}

/* A kept one: that comes to modified code, or one of the last, or any. */
static const struct probe_input *choose(struct probe *p)
{
	p->random = hash_mix(p->random + 1);
	uint64_t n = p->random >> 8;
	if (p->wanted.size && p->random % 100 < WANTED)
		return &p->kept.data[p->wanted.data[n % p->wanted.size]].in;
	size_t last = p->kept.size > 16 && p->random & 128 ? 16 : p->kept.size;
	return &p->kept.data[p->kept.size - 1 - n % last].in;
}

static void make_inputs(struct probe *p, struct probe_input *out, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		p->random = hash_mix(p->random + 1);
		if (!p->kept.size || !p->batches || p->random % 100 < FRESH) {
			probe_input_make(&p->code, &p->random, &out[i]);
			if (p->batches && p->random & 256)
				probe_input_mutate(&p->code, &p->random, &out[i]);
			continue;
		}
		probe_input_copy(choose(p), &out[i]);
		probe_input_mutate(&p->code, &p->random, &out[i]);
	}
}

static int search(struct probe *p, struct diff_function *f)
{
	struct probe_input *inputs = mem_zalloc(BATCH * sizeof *inputs);
	int found = 0, e = 0;
	while (!found && !e && !is_over(p) && p->confirmed < CONFIRMED) {
		size_t count = p->batches || FIRST > BATCH ? BATCH : FIRST;
		replies said = {0};
		make_inputs(p, inputs, count);
		e = run_batch(p, inputs, count, &said);
		for (size_t i = 0; i < said.size && !e && !found && !is_over(p); i++) {
			const struct reply *r = &said.data[i];
			if (r->number < count && r->differs)
				found = try_witness(p, f, &inputs[r->number], r->key ? r->key : "");
			if (r->number < count && r->is_new && !found)
				keep(p, &inputs[r->number], r);
		}
		for (size_t i = 0; i < count; i++)
			probe_input_release(&inputs[i]);
		release_replies(&said);
	}
	free(inputs);
	return found;
}

static void probe_release(struct probe *p)
{
	for (int k = 0; k < 2; k++) {
		vec_release(&p->seen[k]);
		vec_release(&p->targets[k]);
		vec_release(&p->lines[k]);
	}
	for (size_t i = 0; i < p->kept.size; i++)
		probe_input_release(&p->kept.data[i].in);
	vec_release(&p->kept);
	vec_release(&p->wanted);
	strmap_release(&p->names);
	strmap_release(&p->tried);
	probe_code_release(&p->code);
}

int diff_probe_find(struct diff_pair *x, struct diff_function *f, double seconds)
{
	struct probe p = {.x = x, .random = hash64(f->name, strlen(f->name), 1)};
	int found = 0;
	if (diff_pair_begin(x))
		return 0;
	find_lines(&p);
	if (diff_witness_blocks(x, OLD, note_block, &p) && diff_witness_blocks(x, NEW, note_block, &p)) {
		probe_code_init(&p.code, x);
		p.end = deadline_processor() + seconds;
		p.clock_end = deadline_clock() + CLOCK * seconds;
		x->stubs = 2; /* what a run shows is what is said */
		found = search(&p, f);
		x->stubs = 0;
	}
	size_t targets = 0;
	for (int k = 0; k < 2; k++)
		for (size_t b = 0; b < p.targets[k].size; b++)
			targets += p.targets[k].data[b];
	log_info("diff of %s: %llu runs, %u batches, %zu kept, %zu of them come to one of %zu modified blocks, %u run as witnesses: %s", f->name, (unsigned long long)p.runs, p.batches, p.kept.size, p.wanted.size, targets, p.confirmed, found ? "one shows a difference" : "none shows a difference");
	probe_release(&p);
	return found;
}
