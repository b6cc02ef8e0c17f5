/* test_describe.c: what reports of sanitizers become in plain words; what is not as expected is passed over. */
#include "check/describe.h"

#include "base/file.h"
#include "report/bug.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void expect(const char *kind, char access, uint64_t size, const char *report, const char *file, uint32_t line, const char *words)
{
	struct buf out = {0};
	struct describe_from d = {kind, report, file, line, access, size};
	assert_int_equal(describe(&d, &out), *words != 0);
	assert_string_equal(buf_str(&out), words);
	buf_release(&out);
}

static void test_memory(void **state)
{
	(void)state;
	expect("heap-buffer-overflow", 'R', 1,
	       "0x602 is located 0 bytes after 16-byte region [0x6,0x7)\nallocated by thread T0 here:\n    #0 in malloc (prog+0x1)\n"
	       "    #1 in main /a/b/k.c:14:3\n\n",
	       "", 0, "a read of 1 byte right after a block of 16 bytes (allocated at k.c:14)");
	expect("heap-buffer-overflow", 'W', 4, "0x602 is located 3 bytes before 1-byte region [0x6,0x7)\n", "", 0,
	       "a write of 4 bytes, 3 bytes before a block of 1 byte");
	expect("heap-buffer-overflow", 'R', 4, "0x602 is located 14 bytes inside of 16-byte region [0x6,0x7)\n", "", 0,
	       "a read of 4 bytes across the end of a block of 16 bytes");
	expect("heap-use-after-free", 'R', 1,
	       "0x602 is located 3 bytes inside of 16-byte region [0x6,0x7)\nfreed by thread T0 here:\n    #0 in free (p+0x1)\n    #1 in f l.c:9:2\n", "",
	       0, "a read of 1 byte in a block of 16 bytes (freed at l.c:9)");
	expect("stack-buffer-overflow", 'W', 1,
	       "  This frame has 2 object(s):\n    [32, 36) 'in' (line 12)\n    [48, 64) 'local' (line 12) <== Memory access at offset 68 overflows "
	       "this variable\n",
	       "", 0, "a write of 1 byte, 4 bytes after local (16 bytes)");
	expect("global-buffer-overflow", 'R', 4, "0x1 is located 24 bytes after global variable 'tab' defined in 'k.c:6' (0x2) of size 40\n", "", 0,
	       "a read of 4 bytes, 24 bytes after tab (40 bytes)");
	expect("heap-buffer-overflow", 'R', 1, "something else\n", "", 0, "");
	expect("no-such-kind", 'R', 1, "0x602 is located 0 bytes after 16-byte region\n", "", 0, "");
}

static void test_index(void **state)
{
	static const char text[] = "\n\tx = buf[i] + h->tab[buf[i]];\n\ty = a[1][k];\n";
	char path[] = "/tmp/test_describe.XXXXXX";
	int fd = mkstemp(path);
	(void)state;
	assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
	expect("out-of-bounds-index", 0, 0, "p.c:2:6: runtime error: index 300 out of bounds for type 'unsigned char[256]'\n", path, 2,
	       "index 300 of buf[256]");
	expect("out-of-bounds-index", 0, 0, "p.c:2:15: runtime error: index -1 out of bounds for type 'int[4]'\n", path, 2, "index -1 of h->tab[4]");
	expect("out-of-bounds-index", 0, 0, "p.c:2:3: runtime error: index 7 out of bounds for type 'int[4]'\n", path, 2, "index 7 of an array int[4]");
	expect("out-of-bounds-index", 0, 0, "p.c:9:3: runtime error: index 7 out of bounds for type 'int[4][5]'\n", "/nowhere", 9,
	       "index 7 of an array int[4][5]");
	close(fd);
	unlink(path);
}

static void test_words(void **state)
{
	(void)state;
	expect("implicit-integer-sign-change", 0, 0,
	       "w.c:12:18: runtime error: implicit conversion from type 'unsigned char' of value 255 (8-bit, unsigned) to type 'signed char' changed "
	       "the value to -1 (8-bit, signed)\n",
	       "", 0, "255 of type unsigned char becomes -1 of type signed char");
	assert_string_equal(bug_description("SEGV", "SEGV: a read through a null pointer in f at x.c:1"), "a read through a null pointer in f at x.c:1");
	assert_string_equal(bug_description("crash", "a run was killed"), "a run was killed");
	assert_string_equal(bug_checker("signed-integer-overflow", "signed-integer-overflow: 2147483647 + 1 cannot be"), "int-overflow");
	assert_string_equal(bug_checker("signed-integer-overflow", "signed-integer-overflow: -2147483648 - 1 cannot be"), "int-underflow");
	assert_string_equal(bug_checker("signed-integer-overflow", "signed-integer-overflow: 65536 * -65536 cannot be"), "int-underflow");
	assert_string_equal(bug_checker("signed-integer-overflow", "signed-integer-overflow: division of -2147483648 by -1"), "divide");
	assert_string_equal(bug_checker("out-of-bounds-index", "out-of-bounds-index: index -1 of a[3]"), "array-underflow");
	assert_string_equal(bug_checker("heap-buffer-overflow", "heap-buffer-overflow: a read of 1 byte right after"), "array-overflow");
	assert_string_equal(bug_checker("alloc-size", "alloc-size: x"), "alloc-size");
	assert_null(bug_checker("timeout", "timeout: it runs far beyond"));
}

static void test_input(void **state)
{
	struct buf b = {0};
	(void)state;
	bug_input("a\"\n", 3, &b);
	assert_string_equal(buf_str(&b), "\"a\\\"\\n\"");
	buf_clear(&b);
	bug_input("J\0\xff", 3, &b);
	assert_string_equal(buf_str(&b), "4a 00 ff |J..|");
	buf_clear(&b);
	bug_input(NULL, 0, &b);
	assert_string_equal(buf_str(&b), "\"\"");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_memory),
	    cmocka_unit_test(test_index),
	    cmocka_unit_test(test_words),
	    cmocka_unit_test(test_input),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
