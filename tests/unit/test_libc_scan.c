/* test_libc_scan.c: scanning strings, by generated formats and inputs, against libc's. */
#include "libc_native.h"

#include "libc/number.c"
#include "libc/scan.c"
#include "libc/scan_float.c"
#include "libc/scan_names.c"

int muster_fgetc(FILE *fp)
{
	return fgetc(fp);
}

int muster_ungetc(int c, FILE *fp)
{
	return ungetc(c, fp);
}

size_t rt_scan_double(const char *text, int size, void *to)
{
	char *end;
	long double large = strtold(text, &end);
	if (end != text) {
		if (size == 4)
			*(float *)to = strtof(text, &end);
		else if (size == 8)
			*(double *)to = strtod(text, &end);
		else
			memcpy(to, &large, 10);
	}
	return (size_t)(end - text);
}

#define RESULTS 5
struct results {
	char space[RESULTS][64];
};

#define ALL(r) (r).space[0], (r).space[1], (r).space[2], (r).space[3], (r).space[4]

/* The strings that a format allocated, so that they can be compared and freed. */
static void settle(const char *format, struct results *a, struct results *b)
{
	if (!strchr(format, 'm'))
		return;
	for (int i = 0; i < RESULTS; i++) {
		char *x, *y;
		memcpy(&x, a->space[i], sizeof x);
		memcpy(&y, b->space[i], sizeof y);
		if (x == y || (uintptr_t)x == 0x2323232323232323)
			continue;
		assert_non_null(x);
		assert_non_null(y);
		if (!strchr(format, 'c'))
			assert_string_equal(x, y);
		free(x);
		free(y);
		memset(a->space[i], 0, sizeof x);
		memset(b->space[i], 0, sizeof y);
	}
}

static void both(const char *input, const char *format)
{
	struct results ours, theirs;
	memset(&ours, '#', sizeof ours);
	memset(&theirs, '#', sizeof theirs);
	char *s = guarded_copy(0, input);
	errno = 0;
	int n = muster___isoc99_sscanf(s, format, ALL(ours)), errno_ours = errno;
	errno = 0;
	int m = sscanf(s, format, ALL(theirs)), errno_theirs = errno;
	settle(format, &ours, &theirs);
	if (n != m || memcmp(&ours, &theirs, sizeof ours) != 0 || errno_ours != errno_theirs)
		fail_msg("sscanf(\"%s\", \"%s\"): %d errno %d against %d errno %d", input, format,
			 n, errno_ours, m, errno_theirs);

	/* The same from a stream, which must stand at the same place afterwards. */
	FILE *a = fmemopen(s, strlen(s) + !*s, "r"), *b = fmemopen(s, strlen(s) + !*s, "r");
	memset(&ours, '#', sizeof ours);
	memset(&theirs, '#', sizeof theirs);
	n = muster___isoc99_fscanf(a, format, ALL(ours));
	m = fscanf(b, format, ALL(theirs));
	settle(format, &ours, &theirs);
	if (n != m || memcmp(&ours, &theirs, sizeof ours) != 0 || getc(a) != getc(b) ||
	    !feof(a) != !feof(b))
		fail_msg("fscanf(\"%s\", \"%s\"): %d against %d", input, format, n, m);
	fclose(a);
	fclose(b);
}

static void chance_format(char *to, int sets)
{
	static const char *const integers[] = {"d",  "i",   "u",  "o",	 "x",  "X",  "p",
					       "ld", "lli", "hu", "hhx", "jd", "zu", "n"};
	static const char *const texts[] = {"s",    "c",     "[a-c]",	"[^ ,]",
					    "[]a]", "[^]b]", "[-0-9]",	"[0-9-]",
					    "[a-]", "ms",    "m[0-9a]", "mc"};
	static const char *const floats[] = {"f", "lf", "Lg", "e", "a"};
	int count = 1 + (int)chance(4);
	*to = '\0';
	for (int i = 0; i < count; i++) {
		char width[8] = "", *skip = chance(8) ? "" : "*";
		if (chance(3) == 0)
			sprintf(width, "%d", (int)chance(5));
		const char *what = sets == 1   ? texts[chance(12)]
				   : sets == 2 ? floats[chance(5)]
					       : integers[chance(14)];
		sprintf(to + strlen(to), "%s%%%s%s%s",
			(const char *[]){"", " ", ",", "a", "%%"}[chance(20) < 14 ? 0 : chance(5)],
			*what == 'n' ? "" : skip, *what == 'n' ? "" : width, what);
	}
	if (chance(6) == 0)
		strcat(to, chance(2) ? " " : " b");
}

static void chance_input(char *to, const char *letters)
{
	size_t n = chance(16), m = strlen(letters);
	for (size_t i = 0; i < n; i++)
		to[i] = letters[chance(m)];
	to[n] = '\0';
}

static void generated(void **state)
{
	(void)state;
	static const char *const letters[] = {"0123456789 -+xabf,%", "abc ,]-09\t\n%",
					      "0123.eE+-xpPinfINFtyYaA ,"};
	for (int i = 0; i < 6 * ROUNDS; i++) {
		char format[128], input[64];
		int kind = (int)chance(3);
		chance_format(format, kind);
		chance_input(input, letters[kind]);
		both(input, format);
	}
}

static void chosen(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
	    {"", "%d"},
	    {"", ""},
	    {"", " "},
	    {"x", "%d"},
	    {"12", "%d%d"},
	    {"12 ", "%d %d"},
	    {"0x", "%i"},
	    {"0xg", "%i%c"},
	    {"0x1", "%x"},
	    {"0x1", "%d%s"},
	    {"(nil)", "%p"},
	    {"(nix", "%p"},
	    {"99999999999999999999", "%d"},
	    {"-99999999999999999999", "%ld"},
	    {"99999999999999999999", "%lu"},
	    {"4294967296", "%d"},
	    {"300", "%hhd"},
	    {"abc", "%2c%n"},
	    {"a", "%3c"},
	    {"  ab cd", "%s%n%s"},
	    {"  ab", "%c%s"},
	    {"ab", "%[b]"},
	    {"ab", "%[^b"},
	    {"1.5e", "%lf%n"},
	    {"inf", "%lf"},
	    {"infinite", "%lf"},
	    {"infinity!", "%lf%c"},
	    {"nano", "%lf%s"},
	    {"na", "%lf"},
	    {"0x1p3", "%lf"},
	    {"0x", "%lf"},
	    {"1e+", "%lf%n"},
	    {"+", "%lf"},
	    {".", "%lf"},
	    {".5.", "%lf%c"},
	    {"5%", "%d%%"},
	    {"5 %", "%d%%%n"},
	    {"5x", "%d%%"},
	    {"a b", "a b"},
	    {"ab", "a b%n"},
	    {"1,2,3", "%d,%d,%d"},
	    {"k=v", "%[^=]=%s"},
	    {"12345", "%2d%2d%2d"},
	    {"-5", "%1d"},
	    {"- 5", "%d"},
	    {"+7", "%u"},
	    {"-7", "%u"},
	    {"010", "%i"},
	    {"08", "%i%d"},
	    {"1 2", "%2$d %1$d"},
	    {"1", "%"},
	    {"1", "%y"},
	    {"abc", "%*s"},
	    {"7 8", "%*d%d"},
	    {"word", "%ms"},
	    {"", "%ms"},
	    {"  ", "%ms"},
	    {"x1", "%m[0-9]"},
	    {"wide", "%ls"},
	    {"\xff", "%s"},
	    {"abc", "%lc"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		both(cases[i][0], cases[i][1]);
}

/* Without C99, %as allocates. */
static void old_names(void **state)
{
	(void)state;
	char *made = NULL, word[8];
	assert_int_equal(muster_sscanf("abc def", "%as %s", &made, word), 2);
	assert_string_equal(made, "abc");
	free(made);
	float x = 0;
	assert_int_equal(muster_sscanf("2.5", "%a", &x), 1);
	assert_true(x == 2.5f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(chosen),
	    cmocka_unit_test(generated),
	    cmocka_unit_test(old_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
