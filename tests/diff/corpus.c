/* corpus.c: functions as real code has them, one to a line pair or a block, for tests/diff/mutants: integers, strings, arrays, lists of states, variables. */
#include <stddef.h>
#include <stdint.h>

int state, total;

int is_leap(int y) { return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0; }
int days_in_month(int m, int y)
{
	if (m == 2)
		return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0 ? 29 : 28;
	return m == 4 || m == 6 || m == 9 || m == 11 ? 30 : 31;
}
int hex_value(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}
int base64_value(unsigned char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}
int utf8_length(unsigned char c)
{
	if (c < 0x80)
		return 1;
	if ((c & 0xe0) == 0xc0)
		return 2;
	if ((c & 0xf0) == 0xe0)
		return 3;
	return (c & 0xf8) == 0xf0 ? 4 : 0;
}
int utf8_encode(unsigned code, unsigned char *out)
{
	if (code < 0x80) {
		out[0] = code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = 0xc0 | code >> 6;
		out[1] = 0x80 | (code & 0x3f);
		return 2;
	}
	if (code >= 0xd800 && code <= 0xdfff)
		return 0;
	out[0] = 0xe0 | (code >> 12 & 0x0f);
	out[1] = 0x80 | (code >> 6 & 0x3f);
	out[2] = 0x80 | (code & 0x3f);
	return 3;
}
int clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }
int sign(int x) { return (x > 0) - (x < 0); }
unsigned gcd(unsigned a, unsigned b)
{
	while (b != 0) {
		unsigned t = a % b;
		a = b;
		b = t;
	}
	return a;
}
int bits(unsigned x)
{
	int n = 0;
	while (x) {
		x &= x - 1;
		n++;
	}
	return n;
}
unsigned rotate(unsigned x, unsigned n)
{
	n &= 31;
	return n ? x << n | x >> (32 - n) : x;
}
unsigned swap16(unsigned x) { return (x >> 8 & 0xff) | (x & 0xff) << 8; }
int length(const char *s)
{
	int n = 0;
	while (s[n] != 0)
		n++;
	return n;
}
int compare(const char *a, const char *b)
{
	while (*a != 0 && *a == *b) {
		a++;
		b++;
	}
	return *a - *b;
}
int index_of(const char *s, int c)
{
	for (int i = 0; s[i] != 0; i++)
		if (s[i] == c)
			return i;
	return -1;
}
int parse_number(const char *s)
{
	int n = 0, minus = 0;
	if (*s == '-') {
		minus = 1;
		s++;
	}
	while (*s >= '0' && *s <= '9') {
		n = n * 10 + (*s - '0');
		s++;
	}
	return minus ? -n : n;
}
int count_words(const char *s)
{
	int n = 0, in = 0;
	for (; *s != 0; s++) {
		if (*s == ' ')
			in = 0;
		else if (in == 0) {
			in = 1;
			n++;
		}
	}
	return n;
}
void lower(char *s)
{
	for (; *s != 0; s++)
		if (*s >= 'A' && *s <= 'Z')
			*s = *s + 32;
}
int sum(const int *a, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += a[i];
	return s;
}
int largest(const int *a, int n)
{
	int m = a[0];
	for (int i = 1; i < n; i++)
		if (a[i] > m)
			m = a[i];
	return m;
}
int search(const int *a, int n, int x)
{
	for (int i = 0; i < n; i++)
		if (a[i] == x)
			return i;
	return -1;
}
void reverse(int *a, int n)
{
	for (int i = 0, j = n - 1; i < j; i++, j--) {
		int t = a[i];
		a[i] = a[j];
		a[j] = t;
	}
}
unsigned checksum(const unsigned char *p, int n)
{
	unsigned a = 1, b = 0;
	for (int i = 0; i < n; i++) {
		a = (a + p[i]) % 65521;
		b = (b + a) % 65521;
	}
	return b << 16 | a;
}
int feed(int c)
{
	if (state == 0) {
		if (c == '"')
			state = 1;
		return 0;
	}
	if (state == 1 && c == '\\') {
		state = 2;
		return 1;
	}
	if (state == 1 && c == '"') {
		state = 0;
		total++;
		return 2;
	}
	state = 1;
	return 1;
}
int account(int amount)
{
	if (amount < 0 && total + amount < 0)
		return -1;
	total += amount;
	return total > 1000 ? 1 : 0;
}
