/* test_value.c: inputs as C, beside the driver that builds them in memory.
 *
 * value_unit.c has functions of every kind of parameter, which return a hash of all they reach.
 * Random inputs go through the driver (runtime/drive*.c), which observes what each call returned
 * and wrote; the exported tests build the same arguments from C text, with another compiler, and
 * must agree with the observations. With observations that were falsified, each must fail. */
#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/proc.h"
#include "harness/harness.h"
#include "harness/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define UNIT "tests/unit/value_unit.c"
#define CASES 9 /* of each function */

static struct front *front;
static struct harness *h;
static const char *dir;
static uint64_t seed = 12345;

static uint32_t random32(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33);
}

static void run(char *const *argv, const void *input, size_t size, struct proc_result *r)
{
	struct proc_opts o = {
	    .input = input, .input_size = size, .capture_out = 1, .capture_err = 1};

	assert_int_equal(proc_run(argv, &o, r), 0);
}

static void run_ok(char *const *argv)
{
	struct proc_result r = {0};

	run(argv, "", 0, &r);
	if (r.status)
		print_error("%s: status %d\n%s\n%s\n", argv[0], r.status, buf_str(&r.out),
			    buf_str(&r.err));
	assert_int_equal(r.status, 0);
	proc_release(&r);
}

static char *path(const char *name)
{
	return file_join(dir, name);
}

/* The unit with ASan, which tells the driver what was freed; the driver itself is as in every
 * program. */
static void compile_driver(void)
{
	struct buf text = {0};
	struct proc_result r = {0};
	char *source = path("driven.c"), *object = path("driven.o"), *program = path("driven");
	char *pre[] = {"clang-19", "-E", UNIT, NULL};
	char *unit[] = {"clang-19", "-w", "-fsanitize=address", "-c", source, "-o", object, NULL};
	char *driver = path("driver.o");
	char *drive[] = {"clang-19",
			 "-r",
			 "-nostdlib",
			 "-D_GNU_SOURCE",
			 "-Iinclude",
			 "-Iruntime",
			 "runtime/drive.c",
			 "runtime/drive_build.c",
			 "runtime/drive_batch.c",
			 "-o",
			 driver,
			 NULL};
	char *link[] = {"clang-19", "-fsanitize=address", object, driver, "-o", program, NULL};

	run(pre, "", 0, &r);
	assert_int_equal(r.status, 0);
	buf_add(&text, r.out.data, r.out.size);
	harness_source(h, &text);
	buf_adds(&text, "\nvoid muster_assume(int x) { (void)x; }\n");
	assert_int_equal(file_write_atomic(source, text.data, text.size), 0);
	run_ok(unit);
	run_ok(drive);
	run_ok(link);
	proc_release(&r);
	buf_release(&text);
	free(source);
	free(object);
	free(driver);
	free(program);
}

static int open_unit(void **state)
{
	static const char *const stubs[] = {"opaque_number", "opaque_node", NULL};
	struct harness_options o = {
	    .elements = 8, .characters = 16, .objects = 3, .global_limit = 256};

	(void)state;
	dir = file_temp_dir();
	if (front_open(&front, UNIT, NULL, 0) || harness_plan(&h, front, &o, stubs)) {
		print_error("%s\n", error_text());
		return -1;
	}
	compile_driver();
	return 0;
}

static int close_unit(void **state)
{
	(void)state;
	harness_free(h);
	front_close(front);
	return 0;
}

/* ------------------------------------------------------------- the driver */

struct observed {
	struct drive_outcome outcome;
	struct buf bytes;
};

/* Runs inputs; out has room for count. */
static void observe(const struct buf *inputs, size_t count, struct observed *out)
{
	char *program = path("driven"), *argv[] = {program, "--batch", "5", NULL};
	struct proc_result r = {0};
	struct buf frames = {0};
	size_t at = 0;

	for (size_t i = 0; i < count; i++) {
		buf_add32(&frames, inputs[i].size);
		buf_add(&frames, inputs[i].data, inputs[i].size);
	}
	run(argv, frames.data, frames.size, &r);
	assert_int_equal(r.status, 0);
	for (size_t i = 0; i < count; i++) {
		assert_true(r.out.size - at >= sizeof out[i].outcome);
		memcpy(&out[i].outcome, r.out.data + at, sizeof out[i].outcome);
		at += sizeof out[i].outcome;
		assert_true(r.out.size - at >= out[i].outcome.size);
		buf_clear(&out[i].bytes);
		buf_add(&out[i].bytes, r.out.data + at, out[i].outcome.size);
		at += out[i].outcome.size;
	}
	assert_int_equal(at, r.out.size);
	proc_release(&r);
	buf_release(&frames);
	free(program);
}

/* Bytes that are often small, so that choices are often taken. */
static void random_input(const struct drive_function *f, struct buf *out)
{
	unsigned sparse = random32() % 4;

	buf_clear(out);
	buf_add32(out, f->id);
	buf_add32(out, 0);
	while (out->size < f->size) {
		unsigned kind = random32() % 8;
		buf_addc(out, kind < 2 * sparse ? 0
			      : kind < 6	? random32() % 4
			      : kind < 7	? random32() % 128
						: random32());
	}
	if (random32() % 2)
		out->size -= random32() % (out->size - DRIVE_PREFIX + 1);
}

/* -------------------------------------------------------------- the tests */

#define MAX 2000
static struct buf inputs[MAX], forms[MAX];
static struct observed seen[MAX], seen_again[MAX], seen_form[MAX];
static struct harness_case cases[MAX];
static size_t count;

static void make_inputs(void)
{
	if (count)
		return;
	for (uint32_t i = 0; i < h->calls.size; i++)
		for (unsigned k = 0; k < CASES && count < MAX; k++) {
			random_input(&h->calls.data[i], &inputs[count]);
			cases[count].number = i;
			count++;
		}
	observe(inputs, count, seen);
	observe(inputs, count, seen_again);
}

static void canonical_forms(void **state)
{
	size_t shorter = 0;

	(void)state;
	make_inputs();
	for (size_t i = 0; i < count; i++) {
		struct buf twice = {0};

		buf_clear(&forms[i]);
		buf_add(&forms[i], inputs[i].data, inputs[i].size);
		harness_canonical(h, cases[i].number, &forms[i]);
		buf_add(&twice, forms[i].data, forms[i].size);
		harness_canonical(h, cases[i].number, &twice);
		assert_int_equal(twice.size, forms[i].size);
		assert_memory_equal(twice.data, forms[i].data, twice.size);
		shorter += forms[i].size < inputs[i].size;
		buf_release(&twice);
	}
	assert_true(shorter > count / 4);
	observe(forms, count, seen_form);
	for (size_t i = 0; i < count; i++) {
		const struct drive_function *f = &h->calls.data[cases[i].number];

		assert_int_equal(seen[i].outcome.status, seen_form[i].outcome.status);
		/* Objects may have other numbers; what was returned is a hash of what they have in
		 * them. */
		if (seen[i].bytes.size && h->types.data[f->result_type].kind == DRIVE_BYTES)
			assert_memory_equal(seen[i].bytes.data, seen_form[i].bytes.data,
					    f->result_size);
		assert_int_equal(seen[i].bytes.size, seen_form[i].bytes.size);
	}
}

/* Swapping two objects, and bytes that mean nothing, do not change the form. */
static void forms_of_the_same(void **state)
{
	const struct harness_function *f = harness_find(h, "lists");
	const struct drive_function *call = &h->calls.data[f->number];
	const struct drive_root *a = &h->roots.data[call->first_root], *b = a + 1;
	const struct drive_pool *pool = NULL;
	struct buf x = {0}, y = {0};

	(void)state;
	for (uint32_t i = 0; i < call->pools; i++)
		if (h->pools.data[call->first_pool + i].pointer == h->pool_keys.data[a->type])
			pool = &h->pools.data[call->first_pool + i];
	assert_non_null(pool);
	assert_true(pool->objects >= 3);
	for (size_t i = 0; i < call->size; i++)
		buf_addc(&x, 0), buf_addc(&y, 0);
	memcpy(x.data, &call->id, 4);
	memcpy(y.data, &call->id, 4);
	x.data[a->at] = 1, x.data[b->at] = 2, x.data[pool->at[0] + DRIVE_HEADER] = 'p';
	y.data[a->at] = 3, y.data[b->at] = 1, y.data[pool->at[2] + DRIVE_HEADER] = 'p';
	y.data[a->at + 5] = 9;			  /* of a pointer: nothing */
	y.data[pool->at[1] + DRIVE_HEADER] = 'q'; /* nobody points to it */
	y.data[pool->at[2] + 3] = 1;		  /* of a header: nothing */
	harness_canonical(h, f->number, &x);
	harness_canonical(h, f->number, &y);
	assert_int_equal(x.size, y.size);
	assert_memory_equal(x.data, y.data, x.size);
	buf_release(&x);
	buf_release(&y);
}

static size_t make_cases(struct harness_case *out, int falsify)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		struct harness_case *c = &out[n];
		const struct drive_function *f = &h->calls.data[cases[i].number];
		int exits = !seen[i].outcome.size && (seen[i].outcome.status & 0x7f) == 0 &&
			    strcmp(f->name, "leaves") == 0;

		if (!seen[i].bytes.size && !exits)
			continue;
		if (falsify &&
		    (!f->result_size || h->types.data[f->result_type].kind != DRIVE_BYTES))
			continue;
		*c = (struct harness_case){.number = cases[i].number,
					   .name = mem_printf("test_%s_%zu", f->name, i),
					   .input = inputs[i].data,
					   .input_size = inputs[i].size,
					   .observation = exits ? NULL : seen[i].bytes.data,
					   .observation_size = seen[i].bytes.size,
					   .exit_code = seen[i].outcome.status >> 8 & 0xff};
		if (seen_again[i].bytes.size == seen[i].bytes.size && !falsify)
			c->again = seen_again[i].bytes.data;
		if (falsify)
			seen[i].bytes.data[0] ^= 1;
		n++;
	}
	return n;
}

/* Compiles the exported file with gcc; the words of its run. */
static void run_export(const char *name, int raw, const struct harness_case *c, size_t n,
		       struct proc_result *r)
{
	char *source = path(name), *program = mem_printf("%s.out", source),
	     *unit = file_absolute(UNIT);
	char *cc[] = {"gcc", "-w", source, "-o", program, "-lcmocka", NULL},
	     *argv[] = {program, NULL};
	struct buf out = {0};

	harness_cmocka(h, unit, "/* a test of the export */\n", raw, c, n, &out);
	assert_int_equal(file_write_atomic(source, out.data, out.size), 0);
	run_ok(cc);
	run(argv, "", 0, r);
	buf_release(&out);
	free(unit);
	free(source);
	free(program);
}

static void exported_tests(void **state)
{
	static struct harness_case c[MAX];
	struct proc_result r = {0};
	size_t n;

	(void)state;
	make_inputs();
	n = make_cases(c, 0);
	assert_true(n > count * 8 / 10);
	for (int raw = 0; raw < 2; raw++) {
		run_export(raw ? "test_raw.c" : "test_unit.c", raw, c, n, &r);
		if (r.status)
			fputs(buf_str(&r.err), stderr);
		assert_int_equal(r.status, 0);
		proc_release(&r);
	}
}

static void falsified_tests(void **state)
{
	static struct harness_case c[MAX];
	struct proc_result r = {0};
	char *words;
	size_t n;

	(void)state;
	make_inputs();
	n = make_cases(c, 1);
	assert_true(n > count / 2);
	run_export("test_false.c", 0, c, n, &r);
	words = mem_printf("%zu FAILED TEST(S)", n);
	if (!strstr(buf_str(&r.err), words))
		fputs(buf_str(&r.err), stderr);
	assert_non_null(strstr(buf_str(&r.err), words));
	free(words);
	proc_release(&r);
}

/* --------------------------------------------------------- people and JSON */

static void expect_text(const char *function, const struct buf *input, const char *line,
			const char *json)
{
	const struct harness_function *f = harness_find(h, function);
	struct buf out = {0};

	assert_non_null(f);
	harness_print_inline(h, f->number, input->data, input->size, &out);
	assert_string_equal(buf_str(&out), line);
	buf_clear(&out);
	harness_print_json(h, f->number, input->data, input->size, &out);
	assert_string_equal(buf_str(&out), json);
	buf_release(&out);
}

static const struct drive_function *zeros(const char *function, struct buf *out)
{
	const struct drive_function *f = &h->calls.data[harness_find(h, function)->number];

	buf_clear(out);
	for (size_t i = 0; i < f->size; i++)
		buf_addc(out, 0);
	memcpy(out->data, &f->id, 4);
	return f;
}

static uint8_t *root(struct buf *input, const struct drive_function *f, uint32_t i)
{
	return (uint8_t *)input->data + h->roots.data[f->first_root + i].at;
}

static uint8_t *object(struct buf *input, const struct drive_function *f, uint32_t i,
		       uint32_t number)
{
	uint32_t key = h->pool_keys.data[h->roots.data[f->first_root + i].type];

	for (uint32_t k = 0; k < f->pools; k++)
		if (h->pools.data[f->first_pool + k].pointer == key)
			return (uint8_t *)input->data +
			       h->pools.data[f->first_pool + k].at[number - 1];
	return NULL;
}

static void lines(void **state)
{
	struct buf b = {0};
	const struct drive_function *f;
	uint8_t *o;

	(void)state;
	f = zeros("numbers", &b);
	*root(&b, f, 0) = '\'';
	*root(&b, f, 1) = 0xff;
	memset(root(&b, f, 6), 0xff, 4);
	root(&b, f, 7)[7] = 0x80;
	memset(root(&b, f, 8), 0xff, 8);
	*root(&b, f, 9) = 5;
	*root(&b, f, 10) = 3;
	expect_text(
	    "numbers", &b,
	    "c = '\\'', sc = -1, b = 0, s = 0, us = 0, i = 0, u = 4294967295, l = "
	    "(-9223372036854775807 - 1), "
	    "ul = 18446744073709551615u, e = GREEN, flag = true",
	    "{\"c\": 39, \"sc\": -1, \"b\": 0, \"s\": 0, \"us\": 0, \"i\": 0, \"u\": 4294967295, "
	    "\"l\": -9223372036854775808, \"ul\": 18446744073709551615, \"e\": \"GREEN\", "
	    "\"flag\": true}");
	f = zeros("lists", &b);
	*root(&b, f, 0) = 2;
	*root(&b, f, 1) = 2;
	o = object(&b, f, 0, 2) + DRIVE_HEADER;
	o[0] = 'a';
	o[8] = 2; /* next: itself */
	expect_text("lists", &b, "a = {.tag = 'a', .next = a}, b = a, c = NULL",
		    "{\"a\": {\"tag\": 97, \"n\": 0, \"next\": {\"alias\": \"a\"}, \"low\": 0, "
		    "\"high\": 0, \"paint\": \"RED\", "
		    "\"flag\": false}, \"b\": {\"alias\": \"a\"}, \"c\": null}");
	f = zeros("strings", &b);
	*root(&b, f, 0) = 1;
	o = object(&b, f, 0, 1);
	o[0] = 6;
	memcpy(o + DRIVE_HEADER,
	       "\1"
	       "7\"\\\n\0",
	       6);
	expect_text("strings", &b, "s = \"\\0017\\\"\\\\\\n\\0\", t = NULL, list = NULL",
		    "{\"s\": \"\\u00017\\\"\\\\\\u000a\\u0000\", \"t\": null, \"list\": null}");
	f = zeros("opaque", &b);
	b.data[f->results + DRIVE_RESULT] = 0;
	*root(&b, f, 0) = 3;
	expect_text("opaque", &b, "x = 3", "{\"x\": 3}");
	buf_release(&b);
}

static void literals(void **state)
{
	struct buf b = {0};
	float f = 0.1f;
	double d = 1e300, z = -0.0;

	(void)state;
	text_float(&b, (uint8_t *)&f, 4, 0);
	buf_addc(&b, ' ');
	text_float(&b, (uint8_t *)&d, 8, 0);
	buf_addc(&b, ' ');
	text_float(&b, (uint8_t *)&z, 8, 0);
	buf_addc(&b, ' ');
	text_string(&b,
		    (const uint8_t *)"?\?/\0"
				     "9\0"
				     "7",
		    7);
	assert_string_equal(buf_str(&b), "0.1 1e+300 -0.0 \"?\\?/\\09\\0007\"");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(literals),	       cmocka_unit_test(lines),
	    cmocka_unit_test(canonical_forms), cmocka_unit_test(forms_of_the_same),
	    cmocka_unit_test(exported_tests),  cmocka_unit_test(falsified_tests),
	};

	return cmocka_run_group_tests(tests, open_unit, close_unit);
}
