/* test_libc_string.c: the string, memory and character bodies against libc's. */
#include "libc_native.h"

#include "libc/memory.c"
#include "libc/string.c"
#include "libc/copy.c"
#include "libc/ctype.c"

#include <signal.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

/* NULL and positions compare as offsets. */
#define SAME_PLACE(base, ours, theirs)                            \
	assert_int_equal((ours) ? (const char *)(ours)-base : -1, \
			 (theirs) ? (const char *)(theirs)-base : -1)

static int any_char(void)
{
	return chance(6) ? (unsigned char)chance_char() - (chance(4) ? 0 : 256) : 0;
}

static void memory_search(void **state)
{
	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		size_t n = chance(40), m = chance(4);
		char *p = guarded_bytes(0, n), *q = guarded_bytes(1, n);
		if (n && chance(2))
			memcpy(q, p, chance(n + 1));
		assert_int_equal(sign(muster_memcmp(p, q, n)), sign(memcmp(p, q, n)));
		assert_int_equal(!muster_bcmp(p, q, n), !bcmp(p, q, n));
		assert_int_equal(!muster___memcmpeq(p, q, n), !memcmp(p, q, n));
		int c = any_char();
		SAME_PLACE(p, muster_memchr(p, c, n), memchr(p, c, n));
		SAME_PLACE(p, muster_memrchr(p, c, n), memrchr(p, c, n));
		char *needle = guarded_bytes(2, m);
		SAME_PLACE(p, muster_memmem(p, n, needle, m), memmem(p, n, needle, m));
		if (memchr(p, c, n))
			SAME_PLACE(p, muster_rawmemchr(p, c), rawmemchr(p, c));
		char *r = guarded(3, n);
		memset(q, 7, n);
		memset(r, 7, n);
		SAME_PLACE(q, muster_memccpy(q, p, c, n),
			   (char *)memccpy(r, p, c, n) ? q + ((char *)memccpy(r, p, c, n) - r)
						       : NULL);
		assert_memory_equal(q, r, n);
		memcpy(q, p, n);
		memcpy(r, p, n);
		assert_ptr_equal(muster_memfrob(q, n), q);
		memfrob(r, n);
		assert_memory_equal(q, r, n);
		memset(q, 7, n);
		memset(r, 7, n);
		muster_swab(p, q, (ssize_t)n);
		swab(p, r, (ssize_t)n);
		assert_memory_equal(q, r, n);
	}
}

static void bits(void **state)
{
	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		long long x = (long long)(chance(UINT64_MAX) << chance(64));
		assert_int_equal(muster_ffsll(x), ffsll(x));
		assert_int_equal(muster_ffsl(x), ffsl(x));
		assert_int_equal(muster_ffs((int)x), ffs((int)x));
	}
	assert_int_equal(muster_ffs(0), 0);
}

static void string_compare(void **state)
{
	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		char *a = guarded_string(0, 12),
		     *b = chance(3) ? guarded_string(1, 12) : guarded_copy(1, a);
		size_t n = chance(14);
		if (*b && !chance(3))
			b[chance(strlen(b))] ^= 0x20;
		assert_int_equal(muster_strlen(a), strlen(a));
		assert_int_equal(muster_strnlen(a, n), strnlen(a, n));
		assert_int_equal(sign(muster_strcmp(a, b)), sign(strcmp(a, b)));
		assert_int_equal(sign(muster_strcoll(a, b)), sign(strcoll(a, b)));
		assert_int_equal(sign(muster_strncmp(a, b, n)), sign(strncmp(a, b, n)));
		assert_int_equal(sign(muster_strcasecmp(a, b)), sign(strcasecmp(a, b)));
		assert_int_equal(sign(muster_strncasecmp(a, b, n)), sign(strncasecmp(a, b, n)));
		/* Neither needs an end within n. */
		char *p = guarded_bytes(2, n), *q = guarded_bytes(3, n);
		if (n && chance(2))
			memcpy(q, p, n);
		assert_int_equal(muster_strnlen(p, n), strnlen(p, n));
		assert_int_equal(sign(muster_strncmp(p, q, n)), sign(strncmp(p, q, n)));
		assert_int_equal(sign(muster_strncasecmp(p, q, n)), sign(strncasecmp(p, q, n)));
	}
}

static void string_search(void **state)
{
	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		char *s = guarded_string(0, 30), *t = guarded_string(1, 4);
		int c = any_char();
		if (*s && chance(2)) { /* a needle that is there */
			size_t at = chance(strlen(s)), n = chance(strlen(s) - at + 1);
			t = guarded(1, n + 1);
			memcpy(t, s + at, n);
			t[n] = '\0';
			if (n && chance(2))
				t[0] ^= 0x20;
		}
		SAME_PLACE(s, muster_strchr(s, c), strchr(s, c));
		SAME_PLACE(s, muster_index(s, c), index(s, c));
		SAME_PLACE(s, muster_strrchr(s, c), strrchr(s, c));
		SAME_PLACE(s, muster_rindex(s, c), rindex(s, c));
		SAME_PLACE(s, muster_strchrnul(s, c), strchrnul(s, c));
		SAME_PLACE(s, muster_strstr(s, t), strstr(s, t));
		SAME_PLACE(s, muster_strcasestr(s, t), strcasestr(s, t));
		assert_int_equal(muster_strspn(s, t), strspn(s, t));
		assert_int_equal(muster_strcspn(s, t), strcspn(s, t));
		SAME_PLACE(s, muster_strpbrk(s, t), strpbrk(s, t));
	}
}

static void versions(void **state)
{
	(void)state;
	for (int i = 0; i < 10 * ROUNDS; i++) {
		char *s[2];
		for (int k = 0; k < 2; k++) {
			size_t n = chance(7);
			s[k] = guarded((unsigned)k, n + 1);
			for (size_t j = 0; j < n; j++)
				s[k][j] = "00129a./"[chance(8)];
			s[k][n] = '\0';
		}
		if (sign(muster_strverscmp(s[0], s[1])) != sign(strverscmp(s[0], s[1])))
			fail_msg("strverscmp(\"%s\", \"%s\"): not %d", s[0], s[1],
				 muster_strverscmp(s[0], s[1]));
		SAME_PLACE(s[0], muster_basename(s[0]), basename(s[0]));
	}
}

static void string_split(void **state)
{
	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		char *s = guarded_string(0, 30), *t = guarded_copy(1, s),
		     *set = guarded_string(2, 3);
		size_t size = strlen(s) + 1;
		char *x = s, *y = t, *rest_x = NULL, *rest_y = NULL, *p = s, *q = t;
		int way = (int)chance(3);
		for (int k = 0; k < 40; k++) {
			if (way == 0)
				x = muster_strtok(p, set), y = strtok(q, set);
			else if (way == 1)
				x = muster_strtok_r(p, set, &rest_x), y = strtok_r(q, set, &rest_y);
			else
				x = muster_strsep(&p, set), y = strsep(&q, set);
			assert_int_equal(x ? x - s : -1, y ? y - t : -1);
			assert_memory_equal(s, t, size);
			if (way == 1)
				assert_int_equal(rest_x - s, rest_y - t);
			if (!x)
				break;
			if (way != 2)
				p = q = NULL;
		}
	}
}

/* Both copy into buffers of the same contents, which must be the same afterwards. */
static void string_copy(void **state)
{
	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		char *s = guarded_string(0, 20), before[64], ours[64], theirs[64];
		char *raw = guarded_bytes(1, chance(20));
		size_t n = chance(25), raw_size = (size_t)(guarded(1, 0) - raw);
		memset(before, 'x', sizeof before);
		before[chance(20)] = '\0';
#define BOTH(ours_call, theirs_call)                              \
	memcpy(ours, before, sizeof ours);                        \
	memcpy(theirs, before, sizeof theirs);                    \
	assert_int_equal((ours_call)-ours, (theirs_call)-theirs); \
	assert_memory_equal(ours, theirs, sizeof ours)
		BOTH(muster_strcpy(ours, s), strcpy(theirs, s));
		BOTH(muster_stpcpy(ours, s), stpcpy(theirs, s));
		BOTH(muster_strncpy(ours, s, n), strncpy(theirs, s, n));
		BOTH(muster_stpncpy(ours, s, n), stpncpy(theirs, s, n));
		BOTH(muster_strcat(ours, s), strcat(theirs, s));
		BOTH(muster_strncat(ours, s, n), strncat(theirs, s, n));
		BOTH(muster_strncpy(ours, raw, raw_size), strncpy(theirs, raw, raw_size));
		BOTH(muster_strncat(ours, raw, raw_size), strncat(theirs, raw, raw_size));
		BOTH(muster___strcpy_chk(ours, s, 64), strcpy(theirs, s));
		BOTH(muster___stpcpy_chk(ours, s, 64), stpcpy(theirs, s));
		BOTH(muster___strncpy_chk(ours, s, n, 64), strncpy(theirs, s, n));
		BOTH(muster___stpncpy_chk(ours, s, n, 64), stpncpy(theirs, s, n));
		BOTH(muster___strcat_chk(ours, s, 64), strcat(theirs, s));
		BOTH(muster___strncat_chk(ours, s, n, 64), strncat(theirs, s, n));
		char *copies[] = {muster_strdup(s), muster_strndup(s, n),
				  muster_strndup(raw, raw_size), strndup(s, n),
				  strndup(raw, raw_size)};
		assert_string_equal(copies[0], s);
		assert_string_equal(copies[1], copies[3]);
		assert_string_equal(copies[2], copies[4]);
		for (int k = 0; k < 5; k++)
			free(copies[k]);
	}
}

static void characters(void **state)
{
	(void)state;
	for (int c = -128; c < 256; c++) {
		int (*volatile theirs)(int); /* or the compiler answers instead of libc */
#define CLASS(name, bit, condition) \
	theirs = (name);            \
	assert_int_equal(muster_##name(c), theirs(c));
		CLASSES(CLASS)
		assert_int_equal(muster_tolower(c), (tolower)(c));
		assert_int_equal(muster_toupper(c), (toupper)(c));
		assert_int_equal(muster_isascii(c), isascii(c));
		assert_int_equal(muster_toascii(c), toascii(c));
	}
}

/* A child that overflows a buffer ends as libc ends it. */
static void overflows(void **state)
{
	(void)state;
	for (int way = 0; way < 6; way++) {
		pid_t pid = fork();
		if (pid == 0) {
			char to[8] = "abc";
			freopen("/dev/null", "w", stderr);
			setenv("LIBC_FATAL_STDERR_", "1", 1);
			switch (way) {
			case 0:
				muster___strcpy_chk(to, "12345678", 8);
				break;
			case 1:
				muster___stpcpy_chk(to, "12345678", 8);
				break;
			case 2:
				muster___strncpy_chk(to, "1", 9, 8);
				break;
			case 3:
				muster___stpncpy_chk(to, "1", 9, 8);
				break;
			case 4:
				muster___strcat_chk(to, "12345", 8);
				break;
			case 5:
				muster___strncat_chk(to, "1234567", 5, 8);
				break;
			}
			_exit(0);
		}
		int status;
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(memory_search),  cmocka_unit_test(bits),
	    cmocka_unit_test(string_compare), cmocka_unit_test(string_search),
	    cmocka_unit_test(string_split),   cmocka_unit_test(string_copy),
	    cmocka_unit_test(versions),	      cmocka_unit_test(characters),
	    cmocka_unit_test(overflows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
