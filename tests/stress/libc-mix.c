/* libc-mix.c: a random sequence of libc calls on pieces of the input, chosen by the argument. Each result is
 * tested, so a label that is lost on the way shows as a path that the trace does not explain.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static unsigned long state;
static char in[64], pieces[4][80], w[160];

static unsigned chance(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 11) % n;
}

/* A string: bytes of the input, or a constant. */
static char *string(void)
{
	static const char *const known[] = {"abc", "a", "", "ABC", "12", "-7", "0x1f", "zz top"};
	char *p = pieces[chance(4)];
	if (chance(3) == 0)
		return strcpy(p, known[chance(8)]);
	unsigned at = chance(30), n = chance(12);
	memcpy(p, in + at, n);
	p[n] = '\0';
	return p;
}

static int by_byte(const void *a, const void *b)
{
	return *(const unsigned char *)a - *(const unsigned char *)b;
}

#define TEST(condition) puts((condition) ? "yes " #condition : "no " #condition)

static void search(const char *x, const char *y, int c, unsigned n)
{
	switch (chance(14)) {
	case 0: TEST(strlen(x) > 3); break;
	case 1: TEST(strcmp(x, y) < 0); break;
	case 2: TEST(strncmp(x, y, n) == 0); break;
	case 3: TEST(memcmp(in + n, y, strlen(y)) > 0); break;
	case 4: TEST(strchr(x, c) != NULL); TEST(strrchr(x, c) == x + 2); break;
	case 5: TEST(memchr(in, c, 20) != NULL); TEST(memrchr(in, c, 20) == in + 5); break;
	case 6: TEST(strstr(x, y) != NULL); break;
	case 7: TEST(strspn(x, y) == 1); break;
	case 8: TEST(strcspn(x, y) > 2); break;
	case 9: TEST(strpbrk(x, y) != NULL); break;
	case 10: TEST(strcasecmp(x, y) == 0); TEST(strncasecmp(x, y, n) < 0); break;
	case 11: TEST(strcasestr(x, y) != NULL); break;
	case 12: TEST(memmem(in, 30, y, strlen(y)) != NULL); break;
	case 13: TEST(strnlen(x, n) == 2); TEST(strverscmp(x, y) > 0); break;
	}
}

static void change(const char *x, const char *y, int c, unsigned n)
{
	char *p = w, *copy;
	switch (chance(9)) {
	case 0: strcat(strcpy(w, x), y); TEST(w[3] == 'b'); break;
	case 1: strncpy(w, x, n + 1); TEST(w[n] == 'a'); break;
	case 2: memset(w, c, 8); TEST(w[3] == 'b'); break;
	case 3: memmove(w, in + n, 20); memmove(w + 3, w, 12); TEST(w[5] == 'a'); break;
	case 4: copy = strdup(x); TEST(copy[0] == 'a'); free(copy); break;
	case 5: copy = strndup(y, n); TEST(strlen(copy) == 2); free(copy); break;
	case 6: TEST(strtok(strcpy(w, x), ", ") != NULL); p = strtok(NULL, ", "); TEST(p && *p == 'b'); break;
	case 7: strcpy(w, x); strsep(&p, y); TEST(p != NULL); break;
	case 8: TEST(stpcpy(w, x) == w + 3); break;
	}
}

static void numbers(const char *x, int c)
{
	char *end;
	div_t d;
	switch (chance(8)) {
	case 0: TEST(atoi(x) == 12); break;
	case 1: TEST(strtol(x, &end, chance(2) ? 0 : 16) > 5); TEST(*end == 'b'); break;
	case 2: TEST(strtoul(x, &end, 10) == 7); TEST(end - x == 2); break;
	case 3: TEST(isalpha(c) != 0); TEST(isupper(c) != 0); TEST(isxdigit(c) != 0); break;
	case 4: TEST(ispunct(c) != 0); TEST(isspace(c) != 0); break;
	case 5: TEST(toupper(c) == 'A'); TEST(tolower(c) == 'b'); break;
	case 6: TEST(abs(c - 100) < 20); TEST(labs(c * -3L) > 200); TEST(ffs(c) == 1); break;
	case 7: d = div(c, 7); TEST(d.quot == 13); TEST(d.rem == 3); break;
	}
}

static void formats(const char *x, int c, unsigned n)
{
	int a = 0, b = 0;
	char key = (char)c, word[20] = "";
	switch (chance(6)) {
	case 0: snprintf(w, sizeof w, "%d:%s", c, x); TEST(strlen(w) > 5); TEST(w[1] == '9'); break;
	case 1:
		snprintf(w, sizeof w, "%*x|%-5.2s|%c", (int)n, (unsigned char)c * 3u, x, c);
		TEST(w[n > 3 ? n - 1 : 2] == '5');
		TEST(w[6] == ' ');
		break;
	case 2: TEST(sscanf(x, "%d %d", &a, &b) == 1); TEST(a > 10); break;
	case 3: TEST(sscanf(x, "%3[a-c]", word) == 1); TEST(word[0] == 'b'); break;
	case 4: memcpy(w, in + n, 8); qsort(w, 8, 1, by_byte); TEST(w[0] == 'a'); TEST(w[4] > 'b'); break;
	case 5: TEST(bsearch(&key, memcpy(w, "aceg", 4), 4, 1, by_byte) != NULL); break;
	}
}

int main(int argc, char **argv)
{
	state = strtoul(argc > 1 ? argv[1] : "1", NULL, 10) * 0x9e3779b97f4a7c15u + 1;
	for (int i = 0; i < 5; i++)
		chance(2);
	if (read(0, in, 60) < 40)
		return 1;
	for (int i = 0; i < 12; i++) {
		char *x = string(), *y = string();
		unsigned n = chance(10);
		int c = chance(2) ? in[chance(40)] : "ab1 ,"[chance(5)];
		switch (chance(4)) {
		case 0: search(x, y, c, n); break;
		case 1: change(x, y, c, n); break;
		case 2: numbers(x, (unsigned char)c); break;
		case 3: formats(x, c, n); break;
		}
	}
	return 0;
}
