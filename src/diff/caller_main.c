/* caller_main.c: the program muster-caller, which calls one function of a shared object on one input, for witness.c. Only muster starts it.
 *
 *	muster-caller OBJECT <INPUT
 *
 * The object has the tables of instrument/expose.h. The input is lines, numbers in hexadecimal but for N:
 *
 *	F N          call function N of the table
 *	A N VALUE    its argument N
 *	M AT VALUE   a byte of the memory that pointers of the input lead to
 *	Z N          variable N of the table is 0
 *	G N N VALUE  a byte of variable N, at this offset
 *	.            the end
 *
 * After the function's own output come a mark, and what it left: its result, words of the memory that changed, all variables. An address that is none of the input's (of a variable, a function, the stack) is the word `address`: it is
 * another one in another version. Status 99: the input cannot be set up.
 */
#include "diff/caller.h"
#include "instrument/expose.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static unsigned char before[CALLER_ARENA_BYTES];

static int is_address(unsigned long long v)
{
	unsigned char c;

	return v >= 65536 && v >> 47 == 0 && (v < CALLER_ARENA || v >= CALLER_ARENA + CALLER_ARENA_BYTES) && !mincore((void *)(v & ~4095ull), 1, &c);
}

static void say_word(const char *what, unsigned long long at, unsigned long long v)
{
	if (is_address(v))
		printf("%s %llx address\n", what, at);
	else
		printf("%s %llx %llx\n", what, at, v);
}

void muster_stub(const char *name, unsigned long long count, const unsigned long long *arguments)
{
	printf("call of %s", name);
	for (unsigned long long i = 0; i < count; i++)
		if (is_address(arguments[i]))
			printf(" address");
		else
			printf(" %llx", arguments[i]);
	printf("\n");
}

static int set_up(const struct expose_data *data, unsigned long long *arguments)
{
	unsigned long long i, at, value;
	int call = -1;
	char kind;

	while (scanf(" %c", &kind) == 1 && kind != '.') {
		if (kind == 'F' && scanf("%d", &call) == 1)
			continue;
		if (kind == 'A' && scanf("%llu %llx", &i, &value) == 2 && i < CALLER_ARGUMENTS) {
			arguments[i] = value;
			continue;
		}
		if (kind == 'M' && scanf("%llx %llx", &at, &value) == 2 && at >= CALLER_ARENA && at < CALLER_ARENA + CALLER_ARENA_BYTES) {
			*(unsigned char *)at = (unsigned char)value;
			continue;
		}
		if (kind == 'Z' && scanf("%llu", &i) == 1) {
			memset(data[i].at, 0, data[i].size);
			continue;
		}
		if (kind == 'G' && scanf("%llu %llu %llx", &i, &at, &value) == 3 && at < data[i].size) {
			data[i].at[at] = (unsigned char)value;
			continue;
		}
		return -1;
	}
	return call;
}

static void say_state(const struct expose_data *data, const unsigned char *arena)
{
	unsigned long long value;

	for (unsigned long long i = 0; i < sizeof before; i += 8)
		if (memcmp(before + i, arena + i, 8)) {
			memcpy(&value, arena + i, 8);
			say_word("memory", CALLER_ARENA + i, value);
		}
	for (; data->name; data++)
		for (unsigned long long at = 0; at < data->size; at += 8) {
			value = 0;
			memcpy(&value, data->at + at, data->size - at < 8 ? data->size - at : 8);
			say_word(data->name, at, value);
		}
}

int main(int argc, char **argv)
{
	unsigned long long arguments[CALLER_ARGUMENTS] = {0}, result;
	unsigned char *arena = mmap((void *)CALLER_ARENA, CALLER_ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	void *object = argc == 2 ? dlopen(argv[1], RTLD_LAZY) : NULL;
	const struct expose_call *calls = object ? dlsym(object, "muster_calls") : NULL;
	const struct expose_data *data = object ? dlsym(object, "muster_data") : NULL;

	if (argc != 2) {
		fprintf(stderr, "muster-caller is a part of muster, which starts it for 'muster diff'\n");
		return 2;
	}
	if (arena != (void *)CALLER_ARENA || !calls || !data)
		return CALLER_FAILED;
	int call = set_up(data, arguments);
	if (call < 0)
		return CALLER_FAILED;
	memcpy(before, arena, sizeof before);
	result = calls[call].call(arguments);
	printf(CALLER_MARK);
	say_word("result", 0, result);
	printf("\2\n");
	say_state(data, arena);
	fflush(NULL);
	_Exit(0);
}
