/* test_codes.c: units of a program as code, by the ids of its variants: those that can be read, and
 * those that cannot. */
#include "base/file.h"
#include "bitcode.h"
#include "build/units.h"
#include "loops/codes.h"

#include <stdlib.h>
#include <unistd.h>

/* A unit's record: with bitcode of the text; with bytes that are no bitcode; with bytes that nobody
 * packed; without any. */
enum content { TEXT, GARBAGE, RAW, NOTHING };
struct made {
	uint64_t hash;
	enum content content;
	const char *text;
};

static void add_record(struct buf *frames, const struct made *m)
{
	struct buf payload = BUF_EMPTY, bitcode = BUF_EMPTY;

	record_string(&payload, TAG_NAME, "unit.c");
	record_hash(&payload, TAG_HASH, (struct hash128){m->hash, (uint64_t)m->content});
	if (m->content == TEXT) {
		compile(m->text, &bitcode);
		assert_int_equal(record_packed(&payload, TAG_BITCODE, bitcode.data, bitcode.size),
				 0);
	} else if (m->content == GARBAGE) {
		assert_int_equal(
		    record_packed(&payload, TAG_BITCODE, "BC\xc0\xde but not for long", 20), 0);
	} else if (m->content == RAW) {
		record_string(&payload, TAG_BITCODE, "neither packed nor bitcode");
	}
	record_frame(frames, RECORD_UNIT, &payload);
	buf_release(&payload);
	buf_release(&bitcode);
}

/* An object file with these units; `damage`: a byte of its last record is another one. */
static char *make_object(const struct made *list, size_t count, int damage)
{
	char *path = file_temp("codes.o");
	char *cc[] = {"clang-19", "-c", "-x", "c", "/dev/null", "-o", path, NULL};
	struct buf frames = BUF_EMPTY;
	struct proc_result r = {0};

	assert_int_equal(proc_run(cc, NULL, &r), 0);
	proc_release(&r);
	for (size_t i = 0; i < count; i++)
		add_record(&frames, &list[i]);
	if (damage)
		frames.data[frames.size - 1] ^= 1;
	if (count)
		assert_int_equal(record_append(path, &frames), 0);
	buf_release(&frames);
	return path;
}

static void drop(char *path)
{
	unlink(path);
	free(path);
}

static const char one[] = "int one(int n) { int i = 0; while (i < n) i++; return i; }";
static const char two[] = "int two(int n) { return n * 2; } int three(void) { return 3; }";

static void test_units(void **unused)
{
	/* The ids of the first and the third would be the same, that of the second would be none.
	 */
	const struct made list[] = {{0x1234, TEXT, one},
				    {(uint64_t)7 << 32, GARBAGE, NULL},
				    {0x1234 | (uint64_t)1 << 40, TEXT, two},
				    {0x99, RAW, NULL},
				    {0x77, NOTHING, NULL}};
	char *path = make_object(list, 5, 0);
	struct program p;
	struct units u;
	struct codes *c = codes_new(path);

	(void)unused;
	assert_int_equal(program_load(&p, path), 0);
	assert_int_equal(units_collect(&u, &p, VARIANT_COV), 0);
	assert_int_equal(u.list.size, 5);
	for (size_t i = 5; i-- > 0;) { /* whatever is asked for first */
		const struct code *code = codes_find(c, u.list.data[i].id);

		if (list[i].content != TEXT) {
			assert_null(code);
			assert_null(codes_find(c, u.list.data[i].id)); /* nor the second time */
			continue;
		}
		assert_non_null(code);
		assert_int_equal(code->unit, u.list.data[i].id);
		assert_int_equal(code_find(code, "one") != NULL, list[i].text == one);
		assert_int_equal(code_find(code, "three") != NULL, list[i].text == two);
		assert_ptr_equal(codes_find(c, u.list.data[i].id), code);
	}
	assert_int_equal(u.list.data[0].id, 0x1234);
	assert_int_not_equal(u.list.data[2].id, 0x1234);
	assert_null(codes_find(c, 0xabcdef));
	assert_null(codes_find(c, 0));
	assert_non_null(codes_find(c, 0x1234));
	codes_free(c);
	units_release(&u);
	program_release(&p);
	drop(path);
}

static void find_nothing(const char *path)
{
	struct codes *c = codes_new(path);

	for (unsigned i = 0; i < 3; i++)
		assert_null(codes_find(c, 0x1234 + i / 2));
	codes_free(c);
}

static void test_programs(void **unused)
{
	const struct made list[] = {{0x1234, TEXT, one}, {0x99, TEXT, two}};
	char *whole = make_object(list, 2, 0), *damaged = make_object(list, 2, 1),
	     *plain = make_object(NULL, 0, 0), *text = file_temp("codes.txt");
	struct codes *c = codes_new(whole);

	(void)unused;
	assert_non_null(codes_find(c, 0x1234));
	codes_free(c);
	assert_int_equal(file_write_atomic(text, "no program\n", 11), 0);
	find_nothing(damaged); /* ids depend on all records */
	find_nothing(plain);
	find_nothing(text);
	find_nothing("/nonexistent/program");
	find_nothing("/");
	c = codes_new(whole); /* nobody asks */
	codes_free(c);
	codes_free(NULL);
	drop(whole);
	drop(damaged);
	drop(plain);
	drop(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_units),
	    cmocka_unit_test(test_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
