/* input.c: the input of a call as one line of text, for the command that shows a witness again, and as what muster-caller reads.
 *
 *	f(0x3,0x600001000) @600001000=0500 count+0=07000000 get#2/1=7 get#2>1+0.4=9
 *
 * Words, numbers in hexadecimal but for offsets, numbers of calls and of arguments: the function, as the old version calls it, with its arguments; bytes of the memory that pointers lead to; bytes of variables that both versions have
 * (in commands of before also of one, as old: or new:); what the n-th call outside returns if it is one of this function, and how many arguments are looked at if it is one through a pointer; what it writes to a local that its argument 1 (from 0) points to, from which byte on, and how many. Everything else is as it is when the program starts, but for variables whose
 * initial value changed, which are 0 in both.
 *
 * Every run takes this path, from the model to the text and from the text to the lines, so that the text is the input.
 */
#include "diff/inside.h"

#include "base/error.h"
#include "diff/caller.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------ bytes */

struct cell { /* of memory (no name), or of a variable */
	const char *name;
	uint64_t at;
	uint8_t value;
	unsigned versions; /* a bit for each that has it */
};
struct cells {
	VEC(struct cell) all;
};

static void add_cell(struct cells *c, const char *name, uint64_t at, uint8_t value, unsigned versions)
{
	vec_push(&c->all, (struct cell){name, at, value, versions});
}

/* The variable of this version that terms call so, also if only the other version's function uses it: both start in the same state. */
static uint32_t global_called(struct diff_pair *x, int which, const char *object)
{
	struct vc *vc = x->side[which].vc;
	const struct code *code = x->side[which].f->code;
	struct buf name = BUF_EMPTY;
	uint32_t found = CODE_NONE;
	for (uint32_t i = 0; i < vc_objects(vc) && found == CODE_NONE; i++)
		if (vc_object_global(vc, i) != CODE_NONE && !strcmp(vc_object_name(vc, i), object))
			found = vc_object_global(vc, i);
	for (uint32_t g = 0; g < code->global_count && found == CODE_NONE; g++) {
		buf_clear(&name);
		if (differ_data_name(x->d, which, code, g, &name) && !strcmp(buf_str(&name), object))
			found = g;
	}
	buf_release(&name);
	return found;
}

/* Of a variable that both versions have. What only one has, or has with another size, is no part of an input that both get: it is as it is when the program starts. */
static void add_global(struct diff_pair *x, struct cells *c, const char *object, uint64_t offset, uint8_t value)
{
	uint32_t g[2] = {global_called(x, OLD, object), global_called(x, NEW, object)};
	for (int k = 0; k < 2 && g[OLD] != CODE_NONE && g[NEW] != CODE_NONE; k++)
		add_cell(c, x->side[k].f->code->globals[g[k]].name, offset, value, 1u << k);
}

static void add_byte(struct diff_pair *x, const struct solve_model *m, const struct solve_byte *b, struct cells *c)
{
	const char *array = expr_name(x->p, b->array);
	if (strcmp(array, VC_FLAT)) {
		add_global(x, c, array, b->offset, b->value);
		return;
	}
	if (b->offset >= CALLER_ARENA && b->offset < CALLER_ARENA + CALLER_ARENA_BYTES) {
		add_cell(c, "", b->offset, b->value, 3);
		return;
	}
	for (int k = 0; k < 2 && x->flat_globals; k++) {
		struct vc *vc = x->side[k].vc;
		for (uint32_t i = 0; i < vc_objects(vc); i++) {
			uint64_t at = (uint64_t)solve_model_eval(x->p, m, vc_address(vc, i));
			if (vc_object_global(vc, i) != CODE_NONE && b->offset >= at && b->offset < at + vc_object_bytes(vc, i))
				add_global(x, c, vc_object_name(vc, i), b->offset - at, b->value);
		}
	}
}

static void add_value(struct diff_pair *x, const struct solve_value *v, struct cells *c)
{
	const char *name = v->op == EXPR_OP_NAMED ? expr_name(x->p, v->source) : "", *bracket = strrchr(name, '[');
	if (!bracket)
		return;
	char *object = strndup(name, (size_t)(bracket - name));
	add_global(x, c, object, strtoull(bracket + 1, NULL, 10), (uint8_t)v->value);
	free(object);
}

static int by_place(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;
	int names = strcmp(x->name, y->name);
	return names ? names : x->at < y->at ? -1 : x->at > y->at;
}

/* Bytes side by side in one word. */
static void write_cells(struct cells *c, struct buf *out)
{
	size_t kept = 0;
	if (!c->all.size)
		return;
	qsort(c->all.data, c->all.size, sizeof *c->all.data, by_place);
	for (size_t i = 0; i < c->all.size; i++) {
		struct cell *last = kept ? &c->all.data[kept - 1] : NULL;
		if (last && !by_place(last, &c->all.data[i]) && last->value == c->all.data[i].value)
			last->versions |= c->all.data[i].versions;
		else
			c->all.data[kept++] = c->all.data[i];
	}
	for (size_t i = 0; i < kept; i++) {
		const struct cell *b = &c->all.data[i], *a = i ? b - 1 : NULL;
		if (!a || strcmp(a->name, b->name) || a->at + 1 != b->at || a->versions != b->versions) {
			buf_addf(out, " %s", b->versions == 3 ? "" : b->versions == 1 ? "old:" : "new:");
			if (*b->name)
				buf_addf(out, "%s+%llu=", b->name, (unsigned long long)b->at);
			else
				buf_addf(out, "@%llx=", (unsigned long long)b->at);
		}
		buf_addf(out, "%02x", b->value);
	}
}

void diff_input_write(struct diff_pair *x, const struct solve_model *m, struct buf *out)
{
	struct cells c = {0};
	buf_addf(out, "%s(", x->side[OLD].f->name);
	for (uint32_t i = 0; i < x->side[OLD].f->parameters; i++)
		buf_addf(out, "%s0x%llx", i ? "," : "", (unsigned long long)solve_model_eval(x->p, m, x->args[i]));
	buf_addc(out, ')');
	for (size_t i = 0; i < m->values.size; i++)
		add_value(x, &m->values.data[i], &c);
	for (size_t i = 0; i < m->bytes.size; i++)
		add_byte(x, m, &m->bytes.data[i], &c);
	write_cells(&c, out);
	for (size_t i = 0; i < x->outside.size; i++) {
		const struct diff_outside *o = &x->outside.data[i];
		unsigned long long value = (unsigned long long)solve_model_eval(x->p, m, o->term);
		if (o->argument == DIFF_RESULT)
			buf_addf(out, " %s#%u/%u=%llx", o->name, o->number, o->arguments, value);
		else
			buf_addf(out, " %s#%u>%u+%u.%u=%llx", o->name, o->number, o->argument, o->offset, expr_width(x->p, o->term) / 8, value);
	}
	vec_release(&c.all);
}

/* ------------------------------------------------------------ lines for muster-caller */

struct reader {
	const struct diff_caller *to;
	struct buf *out;
};

static int wrong(const char *word)
{
	return error_set("'%s' is no part of an input that 'muster diff' wrote", word);
}

/* An argument as the version's own type extends it. */
static uint64_t extended(const struct code_function *f, uint32_t i, uint64_t value)
{
	const struct code_value *p = &f->values[i];
	if (!p->is_pointer && p->width < 64 && !(p->flags & CODE_UNSIGNED) && p->width > 1 && value >> (p->width - 1))
		value |= ~0ull << (p->width - 1);
	return value;
}

static int read_call(struct reader *r, const char *word)
{
	const char *s = strchr(word, '(');
	uint32_t i = 0;
	for (s = s ? s + 1 : NULL; s && *s && *s != ')'; i++) {
		char *end;
		uint64_t value = strtoull(s, &end, 16);
		if (end == s || (*end != ',' && *end != ')') || i >= r->to->f->parameters)
			return wrong(word);
		buf_addf(r->out, "A %u %llx\n", i, (unsigned long long)extended(r->to->f, i, value));
		s = *end == ',' ? end + 1 : end;
	}
	if (!s || strcmp(s, ")") || i != r->to->f->parameters)
		return wrong(word);
	return 0;
}

/* at: of memory; number: of a variable, or -1 for memory. */
static int read_bytes(struct reader *r, const char *word, const char *s, uint64_t at, int number)
{
	size_t n = strspn(s, "0123456789abcdefABCDEF");
	if (s[n] || n % 2)
		return wrong(word);
	if (number < 0)
		buf_addf(r->out, "M %llx %s\n", (unsigned long long)at, s);
	else
		buf_addf(r->out, "G %d %llu %s\n", number, (unsigned long long)at, s);
	return 0;
}

static int read_word(struct reader *r, char *word)
{
	char *value = strchr(word, '='), *mark, *end;
	if (!value)
		return wrong(word);
	if (*word == '@')
		return read_bytes(r, word, value + 1, strtoull(word + 1, NULL, 16), -1);
	if ((mark = strrchr(word, '#')) && mark < value) {
		unsigned number, arguments, argument, offset, bytes;
		unsigned long long result;
		if (sscanf(mark, "#%u>%u+%u.%u=%llx", &number, &argument, &offset, &bytes, &result) == 5) {
			buf_addf(r->out, "W %u %u %u %u %llx %.*s\n", number, argument, offset, bytes, result, (int)(mark - word), word);
			return 0;
		}
		if (sscanf(mark, "#%u/%u=%llx", &number, &arguments, &result) != 3)
			return wrong(word);
		buf_addf(r->out, "R %u %u %llx %.*s\n", number, arguments, result, (int)(mark - word), word);
		return 0;
	}
	if (!strncmp(word, "old:", 4) || !strncmp(word, "new:", 4)) {
		if ((*word == 'o') != (r->to->which == OLD))
			return 0;
		word += 4;
	}
	mark = strrchr(word, '+');
	if (!mark || mark > value)
		return wrong(word);
	uint64_t at = strtoull(mark + 1, &end, 10);
	*mark = 0;
	int number = r->to->data(r->to, word);
	return number < 0 ? 0 : read_bytes(r, word, value + 1, at, number);
}

int diff_input_read(const struct differ *d, const char *text, const struct diff_caller *to, struct buf *out)
{
	struct reader r = {to, out};
	const struct code *code = to->f->code;
	char *copy = strdup(text), *rest = copy, *word = strtok_r(copy, " ", &rest);
	buf_addf(out, "F %d\n", to->call);
	for (uint32_t g = 0; g < code->global_count; g++) { /* both start in the same state: variables with another initial value at 0 */
		int number = differ_data_changed(d, to->which, code, g) ? to->data(to, code->globals[g].name) : -1;
		if (number >= 0)
			buf_addf(out, "Z %d\n", number);
	}
	int e = word ? read_call(&r, word) : wrong(text);
	while (!e && (word = strtok_r(NULL, " ", &rest)))
		e = read_word(&r, word);
	buf_adds(out, ".\n");
	free(copy);
	return e;
}
