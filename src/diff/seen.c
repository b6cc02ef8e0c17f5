/* seen.c: what the runs of a witness left, and how they differ.
 *
 * muster-caller writes what the calls of each version left (caller.h). What a version does in one run and not in the next is no observation, and muster-caller says so. Of two versions the first thing
 * that differs is named: how they end or what they return, what they said of calls of functions outside, memory and variables that both have. Addresses of the program's own are the word `address` on both sides.
 */
#include "diff/inside.h"

#include "diff/caller.h"
#include "run/launch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* ------------------------------------------------------------ a run */

void diff_seen_release(struct diff_seen *s)
{
	free(s->out);
	free(s->result);
	free(s->memory);
	free(s->end);
	*s = (struct diff_seen){0};
}

/* What undefined behaviour looks like from outside. */
static int is_crash(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGTRAP;
}

static int same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* What two versions said of their calls. One may pass a text that is a constant, which is seen, and the other one that is not: an address, of who knows what. */
static int same_said(const char *a, const char *b)
{
	static const char address[] = "address";
	size_t size = sizeof address - 1;
	if (!a || !b)
		return a == b;
	for (; *a && *a == *b; a++, b++)
		;
	if (*a == 'a' && *b == '"') {
		const char *other = a;
		a = b, b = other;
	}
	if (*a != '"' || strncmp(b, address, size))
		return *a == *b;
	for (const char *end = a + 1; *end && *end != '\n'; end++) /* quotes may be a part of it */
		if (*end == '"' && (end[1] == ' ' || end[1] == '\n') && same_said(end + 1, b + size))
			return 1;
	return 0;
}

/* One call, from what was written during it: the text up to CALLER_END. -1: it says nothing. */
static int read_call(char *text, const char *status, struct diff_seen *out)
{
	int code = atoi(status);
	struct run_result r = {.end = WIFSIGNALED(code) ? RUN_SIGNAL : RUN_EXIT, .code = WEXITSTATUS(code), .signal = WTERMSIG(code)};
	char *mark = strstr(text, CALLER_MARK), words[256];
	if (r.end == RUN_SIGNAL && r.signal == SIGPROF)
		r.end = RUN_TIME;
	if (!mark && r.end == RUN_EXIT && r.code == CALLER_FAILED)
		return -1;
	if (!mark && r.end == RUN_EXIT && r.code == CALLER_WILD) {
		r = (struct run_result){.end = RUN_SIGNAL, .signal = SIGSEGV};
		out->wild = 1;
	}
	int undefined = !mark && r.end == RUN_EXIT && r.code == CALLER_UNDEFINED;
	int trapped = !mark && r.end == RUN_EXIT && r.code == CALLER_TRAPPED;
	if (trapped)
		r = (struct run_result){.end = RUN_SIGNAL, .signal = SIGILL};
	if (undefined)
		snprintf(words, sizeof words, "undefined behaviour");
	else
		run_result_words(&r, words, sizeof words);
	out->timeout = run_was_stopped(r.end);
	out->crashed = undefined || (!trapped && r.end == RUN_SIGNAL && is_crash(r.signal));
	if (mark) {
		char *result = mark + strlen(CALLER_MARK), *memory = strstr(result, "\2\n");
		if (!memory || r.end != RUN_EXIT || r.code)
			return -1;
		*mark = *memory = 0;
		out->result = strdup(result);
		out->memory = strdup(memory + 2);
	} else {
		out->end = strdup(words);
	}
	out->out = strdup(text);
	return 0;
}

int diff_seen_read(char **text, struct diff_seen *out)
{
	char *end = strstr(*text, CALLER_END), *status = end ? end + strlen(CALLER_END) : NULL, *next = status ? strchr(status, '\n') : NULL;
	if (!next)
		return -1;
	*end = 0;
	int e = read_call(*text, status, out);
	*text = next + 1;
	return e;
}

/* ------------------------------------------------------------ what differs */

static int returns(const struct code_function *f)
{
	for (uint32_t i = f->first_instruction; i < f->first_instruction + f->instructions; i++)
		if (f->values[i].op == CODE_RETURN)
			return f->values[i].operands != 0;
	return 0;
}

/* What stands in a line of a word of memory; text NULL: the version did not write there. */
static uint64_t word_there(const struct diff_pair *x, const struct solve_model *m, uint64_t at, const char *text)
{
	uint64_t v = text ? strtoull(text, NULL, 16) : 0;
	for (unsigned i = 0; i < 8 && !text; i++) {
		uint8_t before;
		diff_place_byte(x, m, at + i, &before);
		v |= (uint64_t)before << 8 * i;
	}
	return v;
}

/* Bits of the word at a place that are no padding. */
static uint64_t used_there(const struct diff_pair *x, const struct solve_model *m, const char *place)
{
	const struct code *code = x->side[OLD].f->code;
	const char *offset = strrchr(place, ' ');
	uint64_t at = strtoull(offset + 1, NULL, 16), used = 0;
	int memory = !strncmp(place, "memory ", 7);
	uint32_t g = 0;
	while (!memory && g < code->global_count && (strncmp(code->globals[g].name, place, (size_t)(offset - place)) || code->globals[g].name[offset - place]))
		g++;
	for (unsigned i = 0; i < 8; i++)
		used |= (uint64_t)(memory ? (m ? diff_place_used(x, m, at + i) : 0xff) : g < code->global_count ? diff_place_global_used(code, g, at + i) : 0xff) << 8 * i;
	return used;
}

/* A word of memory that the versions leave with other values; b NULL: one did not write to it. The first byte that differs, by the pointer that leads there. */
static void name_byte(const struct diff_pair *x, const struct solve_model *m, uint64_t at, uint64_t used, const char *a, const char *b, struct buf *name, struct buf *old, struct buf *new)
{
	uint64_t va = word_there(x, m, at, a), vb = word_there(x, m, at, b);
	unsigned k = 0;
	while (k < 7 && !(uint8_t)(((va ^ vb) & used) >> 8 * k))
		k++;
	diff_place_name(x, m, at + k, name);
	buf_addf(old, "0x%x", (unsigned)(uint8_t)(va >> 8 * k));
	buf_addf(new, "0x%x%s", (unsigned)(uint8_t)(vb >> 8 * k), b ? "" : " as before");
}

/* Do they differ in more than padding? What C leaves there is for the compiler to say. */
static int differs_in_members(const struct diff_pair *x, const struct solve_model *m, const char *place, const char *a, const char *b)
{
	uint64_t at = strtoull(strrchr(place, ' ') + 1, NULL, 16), used = used_there(x, m, place);
	if (used == UINT64_MAX || (!m && !b))
		return 1;
	return ((word_there(x, m, at, a) ^ word_there(x, m, at, b)) & used) != 0;
}

/* Lines "NAME offset value": where each stands in the text, by name and offset. */
static void index_lines(const char *text, struct strmap *out)
{
	struct buf key = BUF_EMPTY;
	for (const char *s = text, *end; *s && (end = strchr(s, '\n')); s = end + 1) {
		const char *value = memrchr(s, ' ', (size_t)(end - s));
		buf_clear(&key);
		buf_add(&key, s, value ? (size_t)(value - s) : 0);
		strmap_set(out, buf_str(&key), (uint64_t)((value ? value + 1 : end) - text));
	}
	buf_release(&key);
}

static int same_value(const char *a, const char *b)
{
	size_t n = strcspn(a, "\n");
	return n == strcspn(b, "\n") && !strncmp(a, b, n);
}

/* A place with another value; b NULL: only one version wrote to this memory. */
static void say_place(const struct diff_pair *x, const struct solve_model *m, const char *place, const char *a, const char *b, struct buf *name, struct buf *old, struct buf *new)
{
	const char *offset = strrchr(place, ' ') + 1;
	int length = (int)(offset - place) - 1, memory = !strncmp(place, "memory ", 7);
	char va[64], vb[64];
	snprintf(va, sizeof va, "%.*s", (int)strcspn(a, "\n"), a);
	snprintf(vb, sizeof vb, "%.*s", b ? (int)strcspn(b, "\n") : 0, b ? b : "");
	if (m && memory) {
		name_byte(x, m, strtoull(offset, NULL, 16), used_there(x, m, place), va, b ? vb : NULL, name, old, new);
		return;
	}
	buf_addf(name, "%.*s%s%s", length, place, memory ? " at 0x" : "+0x", offset);
	buf_addf(old, "0x%s", va);
	buf_addf(new, "%s%s", b ? "0x" : "", b ? vb : "what it was");
}

/* Is it memory, or a variable that both versions have with one size? */
static int is_comparable(const struct diff_pair *x, const char *place)
{
	const struct code *code = x->side[OLD].f->code;
	size_t length = (size_t)(strrchr(place, ' ') - place);
	struct buf name = BUF_EMPTY;
	int yes = !strncmp(place, "memory ", 7);
	for (uint32_t g = 0; g < code->global_count && !yes; g++)
		yes = !strncmp(code->globals[g].name, place, length) && !code->globals[g].name[length] && differ_data_name(x->d, OLD, code, g, &name);
	buf_release(&name);
	return yes;
}

/* Variables that both versions have, or memory, with another value. 1: some differ, and the first is named; m: the input, if it is known. */
static int memory_differs(const struct diff_pair *x, const struct solve_model *m, const char *a, const char *b, struct buf *name, struct buf *old, struct buf *new)
{
	struct strmap others = {0};
	struct buf place = BUF_EMPTY;
	int differs = 0;
	index_lines(b, &others);
	for (const char *s = a, *end; *s && !differs && (end = strchr(s, '\n')); s = end + 1) {
		const char *value = memrchr(s, ' ', (size_t)(end - s));
		uint64_t at;
		if (!value++)
			continue;
		buf_clear(&place);
		buf_add(&place, s, (size_t)(value - 1 - s));
		int there = strmap_get(&others, buf_str(&place), &at);
		if (there ? same_value(value, b + at) : strncmp(s, "memory ", 7) != 0) /* a variable that only one version has */
			continue;
		if (!is_comparable(x, buf_str(&place)) || !differs_in_members(x, m, buf_str(&place), value, there ? b + at : NULL))
			continue;
		say_place(x, m, buf_str(&place), value, there ? b + at : NULL, name, old, new);
		differs = 1;
	}
	buf_release(&place);
	strmap_release(&others);
	return differs;
}

static void result_text(const struct diff_pair *x, int which, const char *line, struct buf *out)
{
	const struct code_function *f = x->side[which].f;
	unsigned long long value = 0;
	char word[64] = "";
	if (sscanf(line, "result 0 %63s", word) == 1 && !strcmp(word, "address")) {
		buf_adds(out, "an address");
		return;
	}
	value = strtoull(word, NULL, 16);
	if (!f->result_width || f->result_width >= 64)
		buf_addf(out, !f->result_width ? "%#llx" : f->result_unsigned ? "%llu" : "%lld", (long long)value);
	else if (f->result_width == 1)
		buf_addf(out, "%llu", value & 1);
	else if (f->result_unsigned)
		buf_addf(out, "%llu", value);
	else
		buf_addf(out, "%lld", (long long)(value << (64 - f->result_width)) >> (64 - f->result_width));
}

/* Of the value only the bits of its type count: the other version may extend it in another manner. The highest one is a sign in one version only, if their types say so. */
static int same_result(const struct diff_pair *x, const char *a, const char *b)
{
	unsigned width = x->side[OLD].f->result_width;
	char va[64] = "", vb[64] = "";
	if (!a || !b || sscanf(a, "result 0 %63s", va) != 1 || sscanf(b, "result 0 %63s", vb) != 1)
		return a == b;
	if (!diff_pair_same_sign(x->side[OLD].f, x->side[NEW].f) && strtoull(va, NULL, 16) >> (width - 1) & 1)
		return 0;
	if (!width || width >= 64)
		return !strcmp(va, vb);
	return !((strtoull(va, NULL, 16) ^ strtoull(vb, NULL, 16)) & ((1ull << width) - 1));
}

void diff_seen_end_text(const struct diff_pair *x, int which, const struct diff_seen *s, struct buf *out)
{
	if (!s->result) {
		buf_adds(out, !s->timeout ? s->end : which == OLD ? "did not end" : "does not end");
		return;
	}
	buf_adds(out, which == OLD ? "returned" : "returns");
	if (returns(x->side[which].f)) {
		buf_addc(out, ' ');
		result_text(x, which, s->result, out);
	}
}

/* What the two runs did, on the input of the model if it is known; 0: nothing that differs. */
int diff_seen_differ(const struct diff_pair *x, const struct solve_model *m, const struct diff_seen *a, const struct diff_seen *b, struct diff_case *out)
{
	struct buf old = BUF_EMPTY, new = BUF_EMPTY, name = BUF_EMPTY, what = BUF_EMPTY;
	int differs = !same_result(x, a->result, b->result) || !same_text(a->end, b->end);
	if (out->termination ? a->timeout == b->timeout : a->timeout || b->timeout)
		differs = 0; /* too slow for a run is no difference: that it never ends was proved elsewhere */
	else if ((a->crashed || b->crashed) && (!out->undefined || a->crashed == b->crashed))
		differs = 0; /* memory that a run does not have is none, either: that only one of them is undefined is for the terms to say */
	else if (differs) {
		diff_seen_end_text(x, OLD, a, &old);
		diff_seen_end_text(x, NEW, b, &new);
		buf_addf(&what, "%s, now %s", buf_str(&old), buf_str(&new));
	} else if (!same_said(a->out, b->out)) {
		buf_adds(&old, a->out);
		buf_adds(&new, b->out);
		buf_adds(&what, "prints something else");
		differs = 1;
	} else if (a->memory && b->memory && (memory_differs(x, m, a->memory, b->memory, &name, &old, &new) || memory_differs(x, m, b->memory, a->memory, &name, &new, &old))) {
		buf_addf(&what, "%s is %s, now %s", buf_str(&name), buf_str(&old), buf_str(&new));
		differs = 1;
	}
	out->old = buf_take(&old);
	out->new = buf_take(&new);
	out->what = buf_take(&what);
	buf_release(&name);
	return differs;
}
