# Rewrites a Csmith program so that its data come from standard input: every global that is a number, an
# array, a structure or a union without pointers and not const is filled at main's start. Compiled
# with -DDUMP the program writes the initial values instead: that file is the seed, with which
# the program does what Csmith meant it to do. At its end the checksum over all globals is
# written bit by bit, each through a branch: a value that lost its dependence on the input shows there.
/^static (volatile )?(u?int(8|16|32|64)_t|struct S[0-9]+|union U[0-9]+) g_[0-9]+(\[[0-9]+\])* = / {
	match($0, /g_[0-9]+/)
	names[count++] = substr($0, RSTART, RLENGTH)
}
/^int main \(/ {
	print "#include <unistd.h>"
	print "static void data(void *p, unsigned long n)"
	print "{"
	print "#ifdef DUMP"
	print "    if (write(1, p, n) < 0) _exit(1);"
	print "#else"
	print "    if (read(0, p, n) < 0) _exit(1);"
	print "#endif"
	print "}"
	in_main = 1
}
in_main && /platform_main_end/ {
	print "    for (int bit = 0; bit < 32; bit++)"
	print "        if ((crc32_context >> bit) & 1) putchar('1'); else putchar('0');"
	print "    putchar('\\n');"
	print "    return 0;"
	next
}
{ print }
in_main && /platform_main_begin/ {
	for (i = 0; i < count; i++)
		printf "    data((void *)&%s, sizeof %s);\n", names[i], names[i]
	print "#ifdef DUMP"
	print "    return 0;"
	print "#endif"
}
