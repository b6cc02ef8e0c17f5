/* test_libc_number.c: strings to integers, arithmetic, sorting and searching against libc's. */
#include "libc_native.h"

#include "libc/number.c"
#include "libc/sort.c"

/* Text that looks like a number, near the limits often enough. */
static char *number_text(void)
{
	static const char *const known[] = {
	    "9223372036854775807",
	    "9223372036854775808",
	    "-9223372036854775808",
	    "-9223372036854775809",
	    "18446744073709551615",
	    "18446744073709551616",
	    "-18446744073709551615",
	    "0x7fffffffffffffff",
	    "0x8000000000000000",
	    "0xffffffffffffffff",
	    "0x10000000000000000",
	    "777777777777777777777",
	    "1777777777777777777777",
	    "2000000000000000000000",
	    "0x",
	    "0xg",
	    "0x-1",
	    "-0x1f",
	    "+ 1",
	    "1y2p0ij32e8e7",
	    "1y2p0ij32e8e8",
	    "3w5e11264sgsf",
	    "3w5e11264sgsg",
	    "-",
	    "+",
	    "",
	};
	static const char letters[] = "0001123456789abcdefxXzZ+- \t\n\v\f\r.";
	char text[64];
	if (!chance(3))
		return guarded_copy(0, known[chance(sizeof known / sizeof *known)]);
	size_t n = chance(26), i = 0;
	while (i < n && !chance(4))
		text[i++] = " \t+-0x"[chance(6)];
	int all = (int)chance(3);
	for (; i < n; i++)
		text[i] = all ? letters[chance(sizeof letters - 1)] : (char)('0' + chance(10));
	text[n] = '\0';
	return guarded_copy(0, text);
}

#define COMPARE(name, type)                                    \
	do {                                                   \
		char *end_ours = s + 1, *end_theirs = s + 1;   \
		errno = 0;                                     \
		type ours = muster_##name(s, &end_ours, base); \
		int errno_ours = errno;                        \
		errno = 0;                                     \
		type theirs = name(s, &end_theirs, base);      \
		assert_int_equal(errno_ours, errno);           \
		assert_true(ours == theirs);                   \
		assert_ptr_equal(end_ours, end_theirs);        \
	} while (0)

long __strtol_internal(const char *, char **, int, int);
unsigned long __strtoul_internal(const char *, char **, int, int);

static void numbers(void **state)
{
	(void)state;
	for (int i = 0; i < 8 * ROUNDS; i++) {
		char *s = number_text();
		int base =
		    chance(2) ? (int[]){0, 10, 16, 8, 2, 36}[chance(6)] : (int)chance(40) - 2;
		COMPARE(strtol, long);
		COMPARE(strtoul, unsigned long);
		COMPARE(strtoll, long long);
		COMPARE(strtoull, unsigned long long);
		COMPARE(strtoimax, intmax_t);
		COMPARE(strtoumax, uintmax_t);
		COMPARE(strtoq, long long);
		COMPARE(strtouq, unsigned long long);
		assert_true(muster___strtol_internal(s, NULL, 10, 0) ==
			    __strtol_internal(s, NULL, 10, 0));
		assert_true(muster___strtoul_internal(s, NULL, 16, 0) ==
			    __strtoul_internal(s, NULL, 16, 0));
		assert_int_equal(muster_atoi(s), (atoi)(s));
		assert_int_equal(muster_atol(s), (atol)(s));
		assert_int_equal(muster_atoll(s), (atoll)(s));
	}
}

static void arithmetic(void **state)
{
	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		long x = (long)(chance(UINT64_MAX) << chance(64)),
		     y = (long)(chance(UINT64_MAX) >> chance(63)) | 1;
		if (x == LONG_MIN || (int)x == INT_MIN)
			x = 1;
		assert_true(muster_abs((int)x) == abs((int)x));
		assert_true(muster_labs(x) == labs(x) && muster_llabs(x) == llabs(x));
		assert_true(muster_imaxabs(x) == imaxabs(x));
		div_t d = muster_div((int)x, (int)y | 1), e = div((int)x, (int)y | 1);
		assert_true(d.quot == e.quot && d.rem == e.rem);
		ldiv_t f = muster_ldiv(x, y), g = ldiv(x, y);
		assert_true(f.quot == g.quot && f.rem == g.rem);
		lldiv_t h = muster_lldiv(x, -y), j = lldiv(x, -y);
		assert_true(h.quot == j.quot && h.rem == j.rem);
	}
}

/* Elements of several sizes whose first byte is the key; the rest tells equal ones apart. */
static unsigned long comparisons;

static int by_key(const void *a, const void *b)
{
	comparisons = comparisons * 31 + *(const unsigned char *)a * 7u + *(const unsigned char *)b;
	return *(const unsigned char *)a - *(const unsigned char *)b;
}

static int by_context(const void *a, const void *b, void *context)
{
	return *(int *)context * by_key(a, b);
}

/* No order at all: the same questions must get the same answers. */
static int by_nonsense(const void *a, const void *b)
{
	comparisons++;
	return (int)(*(const unsigned char *)a * 7u % 5) -
	       (int)(*(const unsigned char *)b * 3u % 5);
}

static void sorting(void **state)
{
	(void)state;
	for (int i = 0; i < ROUNDS / 4; i++) {
		size_t size = (size_t[]){1, 2, 3, 4, 8, 12, 16, 24, 32, 40, 100}[chance(11)];
		size_t n = chance(8) ? chance(20) : chance(200);
		char *a = malloc(n * size + 1), *b = malloc(n * size + 1);
		for (size_t k = 0; k < n * size; k++)
			a[k] = b[k] = (char)(k % size ? chance(256) : chance(10));
		int direction = chance(2) ? 1 : -1, way = (int)chance(3);
		comparisons = 0;
		if (way == 0)
			muster_qsort(a, n, size, by_key);
		else if (way == 1)
			muster_qsort_r(a, n, size, by_context, &direction);
		else
			muster_qsort(a, n, size, by_nonsense);
		unsigned long ours = comparisons;
		comparisons = 0;
		if (way == 0)
			qsort(b, n, size, by_key);
		else if (way == 1)
			qsort_r(b, n, size, by_context, &direction);
		else
			qsort(b, n, size, by_nonsense);
		assert_memory_equal(a, b, n * size);
		assert_true(ours == comparisons);
		free(a);
		free(b);
	}
}

static void searching(void **state)
{
	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		size_t size = 1 + chance(9), n = chance(20), m = n, o = n;
		char *a = calloc(n + 1, size), *b = calloc(n + 1, size),
		     key[16] = {(char)chance(40)};
		for (size_t k = 0; k < n; k++)
			a[k * size] = b[k * size] = (char)(k * 2);
		char *x = muster_bsearch(key, a, n, size, by_key),
		     *y = bsearch(key, a, n, size, by_key);
		assert_ptr_equal(x, y);
		assert_ptr_equal(muster_lfind(key, a, &n, size, by_key),
				 lfind(key, a, &n, size, by_key));
		x = muster_lsearch(key, a, &m, size, by_key);
		y = lsearch(key, b, &o, size, by_key);
		assert_int_equal(x - a, y - b);
		assert_int_equal(m, o);
		assert_memory_equal(a, b, (n + 1) * size);
		free(a);
		free(b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(numbers),
	    cmocka_unit_test(arithmetic),
	    cmocka_unit_test(sorting),
	    cmocka_unit_test(searching),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
