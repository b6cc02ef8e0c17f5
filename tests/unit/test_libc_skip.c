/* test_libc_skip.c: the skip functions stop at labels, and nowhere too late. */
#include "libc_native.h"

/* The real ones, beside the natives' stand-ins. */
#define rt_skip_bytes real_skip_bytes
#define rt_skip_string real_skip_string
#define rt_skip_equal real_skip_equal
#define rt_skip_equal_string real_skip_equal_string
#define __real_memchr memchr
#define __real_strnlen strnlen
size_t real_skip_string(const char *s, int c, size_t max);
size_t real_skip_bytes(const void *p, int c, size_t max);
size_t real_skip_equal(const void *a, const void *b, size_t max);
size_t real_skip_equal_string(const char *a, const char *b, size_t max);
#include "skip.c"

static const char *labelled[2];
static label argument_labels[3];

void rt_enter(const void *fn, label *args, int n)
{
	(void)fn;
	for (int i = 0; i < n; i++)
		args[i] = argument_labels[i];
}

void rt_access(label a, const void *p, size_t n, enum muster_reason why)
{
	(void)a, (void)p, (void)n, (void)why;
}

int rt_any(const void *p, size_t n)
{
	for (int i = 0; i < 2; i++)
		if (labelled[i] && (const char *)p <= labelled[i] &&
		    labelled[i] < (const char *)p + n)
			return 1;
	return 0;
}

static size_t nearest(const char *s, size_t n, int k)
{
	return labelled[k] && labelled[k] >= s && (size_t)(labelled[k] - s) < n
		   ? (size_t)(labelled[k] - s)
		   : n;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void stops(void **state)
{
	(void)state;
	for (int i = 0; i < 20 * ROUNDS; i++) {
		size_t n = chance(4) ? chance(40) : chance(1000);
		char *a = guarded(0, n + 1), *b = guarded(1, n + 1);
		memset(a, 'a', n + 1);
		memset(b, 'a', n + 1);
		a[n] = b[n] = '\0';
		size_t differ = chance(n + 1), found = chance(n + 1);
		labelled[0] = chance(2) ? a + chance(n + 1) : NULL;
		labelled[1] = chance(2) ? b + chance(n + 1) : NULL;
		b[differ] = 'd';
		size_t max = chance(2) ? n : chance(n + 1);
		size_t want = least(differ, least(nearest(a, n, 0), nearest(b, n, 1)));
		assert_int_equal(real_skip_equal(a, b, max), least(max, want));
		if (differ < n)
			assert_int_equal(real_skip_equal_string(a, b, SIZE_MAX), want);
		a[found] = 'f';
		want = least(found, nearest(a, n, 0));
		assert_int_equal(real_skip_bytes(a, 'f', max), least(max, want));
		a[n] = '\0';
		assert_int_equal(real_skip_string(a, 'f', SIZE_MAX), want);
		assert_int_equal(real_skip_string(a, 0, SIZE_MAX), nearest(a, n, 0));
		assert_int_equal(real_skip_string(a, 0, max), least(max, nearest(a, n, 0)));
	}
}

static void symbolic_bounds(void **state)
{
	(void)state;
	labelled[0] = labelled[1] = NULL;
	argument_labels[2] = 5;
	assert_int_equal(real_skip_equal("aaa", "aaa", 3), 0);
	assert_int_equal(real_skip_string("aaa", 'b', 3), 0);
	argument_labels[2] = 0;
	argument_labels[1] = 5;
	assert_int_equal(real_skip_bytes("aaa", 'b', 3), 0);
	argument_labels[1] = 0;
	assert_int_equal(real_skip_bytes("aaa", 'b', 3), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(stops),
	    cmocka_unit_test(symbolic_bounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
