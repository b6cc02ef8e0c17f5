# search.awk: a random C program that reads at most two bytes. awk -v seed=N -f search.awk
#
# Outcomes are numbered; H(n) marks one. With -DBRUTE the program runs its test() on every input of up to two
# bytes (or, with arguments, on those files) in one process and prints the outcomes that were taken, one a line.
# Without, H(n) is an assembler comment of its own, so that no two sides of a branch can become one.
# No operation is undefined for any input: divisors are odd, shifts and indices are masked.
function r(n) { return int(rand() * n) }
function pick(s,   a, n) { n = split(s, a, "@"); return a[1 + r(n)] }
function konst() { return pick(r(256) "@" r(16) "@" (r(300) - 150) "@" r(70000) "@0@1@255@'a'@'7'") }
function hit() { return "H(" hits++ ");" }
function atom() { return pick("a@b@v@n@(signed char)a@(signed char)b@v@(short)v@a@b") }

function value(d,   x) {
	if (d <= 0)
		return r(3) ? atom() : konst()
	x = r(16)
	if (x < 7)
		return "(" value(d - 1) " " pick("+@-@*@&@^@+@-") " " value(d - 1) ")"
	if (x < 8)
		return "(int)((unsigned)(" value(d - 1) ") " pick("<<@>>") " ((" value(d - 1) ") & 7))"
	if (x < 9)
		return "((" value(d - 1) ") >> ((" value(d - 1) ") & 3))"
	if (x < 10)
		return "((" value(d - 1) ") " pick("/@%") " ((" value(d - 1) ") & 0xff | 1))"
	if (x < 11)
		return "bytes[(" value(d - 1) ") & 15]"
	if (x < 12)
		return "words[(" value(d - 1) ") & 7]"
	if (x < 13)
		return "(" condition(d - 1) " ? " value(d - 1) " : " value(d - 1) ")"
	if (x < 14)
		return pick("(int)strlen(s)@atoi(s)@abs(v)@toupper(a)@tolower(b)@(int)strtol(s, 0, 16)@(int)strspn(s, \"0123\")@(memcmp(s, \"ab\", 2) > 0)@twice(a)@depth(a & 3, b)")
	return atom()
}

function condition(d,   x) {
	x = r(14)
	if (x < 6)
		return "(" value(d) ") " pick("==@!=@<@>@<=@>=") " (" konst() ")"
	if (x < 8)
		return "(" value(d) ") " pick("==@<@>=") " (" value(d) ")"
	if (x < 9)
		return "(unsigned)(" value(d) ") " pick("<@>") " " r(300) "u"
	if (x < 10 && d > 0)
		return "(" condition(d - 1) ") " pick("&&@||") " (" condition(d - 1) ")"
	if (x < 11)
		return pick("isdigit(a)@isalpha(b)@isspace(a)@isxdigit(b)@ispunct(a)")
	if (x < 12)
		return pick("!strcmp(s, \"" pick("a@no@Z@ok@7") "\")@!memcmp(s, \"" pick("xy@GI@PK@00") "\", 2)@strchr(s, '" pick("q@=@-@3") "') != 0@strchr(\"aeiou\", a) != 0@memchr(s, " konst() ", 2) != 0@strncmp(s, \"m\", 1) > 0")
	if (x < 13)
		return "n == " r(3)
	return "(long)(" value(d) ") * " (r(1000) + 1) "L == " (r(1000) + 1) * (r(100) + 1) "L"
}

function say(d, text,   i) {
	for (i = 0; i < d; i++)
		printf "\t"
	print text
}

function statement(d,   x, i, used, k, mod) {
	x = r(12)
	if (x < 2 || d > 4) {
		say(d, "v = " value(2) ";")
	} else if (x < 7) {
		say(d, "if (" condition(2) ") {"); say(d + 1, hit()); block(d + 1)
		say(d, "} else {"); say(d + 1, hit()); if (r(2)) block(d + 1)
		say(d, "}")
	} else if (x < 8) {
		say(d, "switch (" pick("a@b & 15@(signed char)b@v@(short)(a << 8 | b)@(unsigned char)v % 9") ") {")
		split("", used)
		for (i = 2 + r(5); i > 0; i--) {
			k = r(2) ? r(16) : r(2) ? -r(128) : r(256)
			if (k in used)
				continue
			used[k] = 1
			say(d, "case " k ":"); say(d + 1, hit())
			if (r(3)) { block(d + 1); say(d + 1, "break;") }
		}
		say(d, "default:"); say(d + 1, hit()); say(d, "}")
	} else if (x < 9) {
		i = loops++
		say(d, "for (int i" i " = 0; i" i " < (" value(1) " & 3); i" i "++) {"); say(d + 1, hit())
		block(d + 2); say(d, "}")
	} else if (x < 10) {
		say(d, "for (size_t j = 0; j < n; j++) {")
		say(d + 1, "v = v * " pick("31@10@2@3") " + s[j]" pick("@- '0'@ ^ 0x55") ";")
		say(d + 1, "if (" pick("isdigit((unsigned char)s[j])@s[j] > 'm'@(v & 7) == 3@v % 5 == 1") ") {"); say(d + 2, hit())
		say(d + 1, "} else {"); say(d + 2, hit()); say(d + 1, "}"); say(d, "}")
	} else if (x < 11) {
		say(d, "{"); say(d + 1, "unsigned char mem[8] = {0};")
		say(d + 1, "mem[" pick("1@a & 7@b & 3@n") "] = (unsigned char)(" value(1) ");")
		say(d + 1, "v " pick("=@+=@^=") " mem[" pick("1@a & 7@b & 7") "];"); say(d, "}")
	} else {
		say(d, pick("memcpy(copy, s, n); v += copy[" pick("0@1@n") "];@if (n) v = s[n - 1];@v = (int)table[b & 3](a);@v = sprintf(copy, \"%d\", a);@v = (int)(a * 0.5);@{ char *m = calloc(n + 1, 1); m[n] = 7; v = m[n / 2]; free(m); }"))
	}
}

function block(d,   i) {
	for (i = 1 + r(2); i > 0 && budget > 0; i--) {
		budget--
		statement(d)
	}
}

BEGIN {
	srand(seed)
	budget = 12
	print "#include <ctype.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>"
	print "#ifdef BRUTE\nstatic char hit[1000];\n#define H(n) (hit[n] = 1)\n#else\n#define H(n) __asm__ volatile(\"# outcome \" #n)\n#endif"
	printf "static const unsigned char bytes[16] = {"
	for (i = 0; i < 16; i++) printf "%d, ", r(256)
	printf "};\nstatic const int words[8] = {"
	for (i = 0; i < 8; i++) printf "%d, ", r(4000) - 2000
	print "};"
	print "static int twice(int x) { return 2 * x; }\nstatic int square(int x) { return x * x; }"
	print "static int minus(int x) { return -x; }\nstatic int same(int x) { return x; }"
	print "static int (*const table[4])(int) = {twice, square, minus, same};"
	print "static int depth(int d, int x) { return d > 0 ? 1 + depth(d - 1, x / 2) : x; }"
	print "__attribute__((noinline)) static int test(const unsigned char *data, size_t n)\n{"
	print "\tchar s[3] = {0}, copy[16] = {0};\n\tint v = 0, a, b;\n\tif (n > 0)\n\t\ts[0] = (char)data[0];\n\tif (n > 1)\n\t\ts[1] = (char)data[1];\n\ta = (unsigned char)s[0];\n\tb = (unsigned char)s[1];"
	while (budget > 0) { budget--; statement(1) }
	print "\t(void)bytes, (void)words, (void)table, (void)copy, (void)twice, (void)depth;\n\treturn v;\n}"
	print "#ifdef BRUTE\nint main(int argc, char **argv)\n{\n\tunsigned char d[2];\n\tfor (int i = 1; i < argc; i++) {"
	print "\t\tFILE *f = fopen(argv[i], \"r\");\n\t\tif (!f)\n\t\t\treturn 1;\n\t\ttest(d, fread(d, 1, 2, f));\n\t\tfclose(f);\n\t}"
	print "\tfor (int x = 0; x < 65536 && argc == 1; x++) {\n\t\td[0] = (unsigned char)x, d[1] = (unsigned char)(x >> 8);\n\t\ttest(d, 2);\n\t\tif (x < 256)\n\t\t\ttest(d, 1);\n\t\tif (!x)\n\t\t\ttest(d, 0);\n\t}"
	print "\tfor (int i = 0; i < 1000; i++)\n\t\tif (hit[i])\n\t\t\tprintf(\"%03d\\n\", i);\n\treturn 0;\n}\n#else"
	print "int main(void)\n{\n\tunsigned char d[2];\n\treturn test(d, fread(d, 1, 2, stdin)) == 1;\n}\n#endif"
}
