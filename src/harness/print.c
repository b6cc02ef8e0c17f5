/* print.c: an input in one line for people, and as JSON.
 *
 *	x = 26, s = "ab", p = {.n = 3}, q = p, hash() returns 7, then 0
 *	{"x": 26, "s": "ab", "p": {"next": null, "n": 3}, "q": {"alias": "p"}, "hash()": [7, 0]}
 *
 * A global is printed where it differs from what it starts with, member by member; `g ^= 5` if what
 *it starts with is not known. Results of functions without a body are printed up to the last that
 *is not 0; which of several such functions takes a result is known to the run only, so all that may
 *are named.
 */
#include "base/error.h"
#include "harness/text.h"
#include "harness/value.h"

#include <stdio.h>
#include <string.h>

struct print {
	struct value_printer p;
	struct walk w;
	int first;
	/* of the global that is printed now */
	struct value_image *raw, *value;
	int known;
};

static void begin(struct print *t, const char *name)
{
	buf_adds(t->p.out, t->first ? "" : ", ");
	t->first = 0;
	if (t->p.form == VALUE_JSON) {
		text_json_string(t->p.out, name, strlen(name));
		buf_adds(t->p.out, ": ");
	} else {
		buf_adds(t->p.out, name);
	}
	buf_clear(&t->p.path);
	buf_adds(&t->p.path, name);
}

static void print_parameter(struct print *t, uint32_t i)
{
	const struct harness *h = t->w.h;
	const struct drive_root *root = &h->roots.data[t->w.f->first_root + i];
	const char *name = h->root_names.data[t->w.f->first_root + i];
	uint8_t *bytes = mem_alloc(h->types.data[root->type].size + 1);
	struct value_image im;
	char unnamed[32];

	snprintf(unnamed, sizeof unnamed, "argument%u", i + 1);
	begin(t, name && *name ? name : unnamed);
	buf_adds(t->p.out, t->p.form == VALUE_JSON ? "" : " = ");
	value_load(&im, &t->w, root->type, root->at, 0, NULL, bytes);
	value_print_image(&t->p, &im);
	free(bytes);
}

/* ------------------------------------------------------------------ globals */

static int is_pointer(const struct value_image *im, size_t off)
{
	struct value_pointer vp;

	return value_pointer_at(im, off, &vp);
}

static void print_leaf(void *ctx, const struct value_leaf *leaf)
{
	struct print *t = ctx;
	const struct value_image *im = t->raw;
	int known = t->known || (!leaf->bits && is_pointer(im, leaf->off));
	int same = 1;

	if (leaf->bits)
		same = !value_bits(im->bytes + leaf->off, leaf->bits, 0);
	for (size_t i = 0; !leaf->bits && i < leaf->size; i++)
		same &= !im->bytes[leaf->off + i];
	if (same)
		return;
	begin(t, leaf->path);
	if (t->p.form == VALUE_JSON)
		buf_adds(t->p.out, known ? "" : "{\"xor\": ");
	else
		buf_adds(t->p.out, known ? " = " : " ^= ");
	if (leaf->off || leaf->bits || !is_pointer(im, 0) ||
	    leaf->size < im->w->h->types.data[im->type].size)
		value_print_leaf(&t->p, known ? t->value : im, leaf);
	else
		value_print_image(&t->p, im);
	if (t->p.form == VALUE_JSON && !known)
		buf_addc(t->p.out, '}');
}

static void print_global(struct print *t, uint32_t i)
{
	const struct harness *h = t->w.h;
	uint32_t number = t->w.f->first_root + i;
	const struct drive_root *root = &h->roots.data[number];
	const uint8_t *initial =
	    number < h->root_initial.size ? h->root_initial.data[number] : NULL;
	size_t size = h->types.data[root->type].size;
	uint8_t *bytes = mem_alloc(2 * size + 1);
	struct value_image raw, value;

	if (!walk_zero(&t->w, root->at, size)) {
		value_load(&raw, &t->w, root->type, root->at, 1, NULL, bytes);
		value_load(&value, &t->w, root->type, root->at, 1, initial, bytes + size);
		t->raw = &raw;
		t->value = &value;
		t->known = initial != NULL;
		value_leaves(&raw, h->root_names.data[number], 0, print_leaf, t);
	}
	free(bytes);
}

/* ------------------------------------------------------------------ results */

static void stub_names(const struct print *t, struct buf *out)
{
	const struct harness *h = t->w.h;

	for (uint32_t i = 0; i < t->w.about->stub_count; i++) {
		uint32_t stub = t->w.about->stubs[i];
		uint32_t what = h->stubs.data[stub];

		if (h->stub_types.data[stub] == WALK_NONE)
			continue; /* it returns nothing */
		buf_adds(out, out->size ? " or " : "");
		if (what & HARNESS_STUB_POINTER)
			buf_addf(out, "muster_stub_%u()", what & ~HARNESS_STUB_POINTER);
		else
			buf_addf(out, "%s()", h->front->functions.data[what].name);
	}
}

static void print_result(struct print *t, uint32_t slot)
{
	size_t at = t->w.f->results + slot * DRIVE_RESULT;
	uint32_t type = t->w.result_types.data[0];
	uint8_t bytes[DRIVE_RESULT];
	struct value_image im;

	if (t->w.result_types.size == 1) {
		value_load(&im, &t->w, type, at, 0, NULL, bytes);
		value_print_image(&t->p, &im);
		return;
	}
	walk_copy(&t->w, at, DRIVE_RESULT, bytes);
	buf_adds(t->p.out, t->p.form == VALUE_JSON ? "\"" : "bytes ");
	for (size_t i = 0; i < DRIVE_RESULT; i++)
		buf_addf(t->p.out, "%02x", bytes[i]);
	buf_adds(t->p.out, t->p.form == VALUE_JSON ? "\"" : "");
}

static void print_results(struct print *t)
{
	struct buf names = {0};
	uint32_t count = DRIVE_RESULTS;

	while (count &&
	       walk_zero(&t->w, t->w.f->results + (count - 1) * DRIVE_RESULT, DRIVE_RESULT))
		count--;
	if (!count || !t->w.result_types.size)
		return;
	stub_names(t, &names);
	begin(t, buf_str(&names));
	buf_adds(t->p.out, t->p.form == VALUE_JSON ? "[" : " returns ");
	for (uint32_t i = 0; i < count; i++) {
		if (i)
			buf_adds(t->p.out, t->p.form == VALUE_JSON ? ", " : ", then ");
		print_result(t, i);
	}
	buf_adds(t->p.out, t->p.form == VALUE_JSON ? "]" : "");
	buf_release(&names);
}

static void print_all(enum value_form form, const struct harness *h, uint32_t number,
		      const void *data, size_t size, struct buf *out)
{
	struct print t = {.p = {.form = form, .out = out}, .first = 1};

	walk_open(&t.w, h, number, data, size);
	t.p.paths = mem_zalloc((t.w.objects.size + 1) * sizeof *t.p.paths);
	for (uint32_t i = 0; i < t.w.f->parameters; i++)
		print_parameter(&t, i);
	for (uint32_t i = 0; i < t.w.f->globals; i++)
		print_global(&t, t.w.f->parameters + i);
	print_results(&t);
	for (size_t i = 0; i < t.w.objects.size; i++)
		free(t.p.paths[i]);
	free(t.p.paths);
	buf_release(&t.p.path);
	walk_release(&t.w);
}

void harness_print_inline(const struct harness *h, uint32_t number, const void *data, size_t size,
			  struct buf *out)
{
	print_all(VALUE_PEOPLE, h, number, data, size, out);
}

void harness_print_json(const struct harness *h, uint32_t number, const void *data, size_t size,
			struct buf *out)
{
	buf_addc(out, '{');
	print_all(VALUE_JSON, h, number, data, size, out);
	buf_addc(out, '}');
}
