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
 *	U VALUE      what memory that nobody has written is filled with: the stack, and what the allocator gives
 *	R N COUNT VALUE NAME    what call N of a stub returns if it is one of NAME; COUNT: its arguments, if it is a call through a pointer. Of the allocator: whether it fails
 *	.            the end
 *
 * Functions that nobody has are stubs (instrument/expose.h), as is the allocator, and functions that pointers of the input lead to: they say how they were called, and return what the input says, or 0. The allocator says nothing; what it gives
 * is an address like those of variables.
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
static int fill;

static struct row { /* what a call of a stub returns */
	unsigned number, arguments;
	unsigned long long value;
	char name[256];
} rows[4 * CALLER_CALLS];
static unsigned row_count, calls;

static int is_in(unsigned long long v, unsigned long long start, unsigned long long bytes)
{
	return v >= start && v < start + bytes;
}

static int is_address(unsigned long long v)
{
	unsigned char c;

	return v >= 65536 && v >> 47 == 0 && !is_in(v, CALLER_ARENA, CALLER_ARENA_BYTES) && !is_in(v, CALLER_CODE, CALLER_POINTERS * CALLER_CODE_BYTES) && !mincore((void *)(v & ~4095ull), 1, &c);
}

static void say_word(const char *what, unsigned long long at, unsigned long long v)
{
	if (is_address(v))
		printf("%s %llx address\n", what, at);
	else
		printf("%s %llx %llx\n", what, at, v);
}

/* ------------------------------------------------------------ stubs */

static const struct row *row_of(const char *name)
{
	for (unsigned i = 0; i < row_count; i++)
		if (rows[i].number == calls && !strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

/* Bytes that can be read from there on. */
static unsigned long long bytes_at(unsigned long long at)
{
	if (is_in(at, CALLER_ARENA, CALLER_ARENA_BYTES))
		return CALLER_ARENA + CALLER_ARENA_BYTES - at;
	if (is_in(at, CALLER_HEAP, CALLER_CALLS * CALLER_SLOT_BYTES))
		return CALLER_SLOT_BYTES - (at - CALLER_HEAP) % CALLER_SLOT_BYTES;
	return 0;
}

static void *large; /* the last that no slot holds */

static void *allocate(unsigned long long bytes, int fails)
{
	unsigned number = calls++;
	void *at = (void *)(CALLER_HEAP + number * CALLER_SLOT_BYTES);

	if (fails)
		return NULL;
	if (number >= CALLER_CALLS || bytes > CALLER_SLOT_BYTES)
		at = large = malloc(bytes ? bytes : 1);
	if (at)
		memset(at, fill, bytes);
	return at;
}

static void *allocator(const char *name, const unsigned long long *a)
{
	const struct row *row = row_of(name);
	int fails = row && row->value;
	void *at;

	if (!strcmp(name, "calloc")) {
		unsigned long long bytes;
		if (__builtin_mul_overflow(a[0], a[1], &bytes))
			return calls++, NULL;
		at = allocate(bytes, fails);
		if (at)
			memset(at, 0, bytes);
		return at;
	}
	if (!strcmp(name, "malloc"))
		return allocate(a[0], fails);
	if (a[0] && (void *)a[0] == large)
		return calls++, fails ? NULL : (large = realloc(large, a[1] ? a[1] : 1));
	at = allocate(a[1], fails);
	if (at && a[0])
		memcpy(at, (void *)a[0], bytes_at(a[0]) < a[1] ? bytes_at(a[0]) : a[1]);
	return at;
}

static int is_allocator(const char *name)
{
	return !strcmp(name, "malloc") || !strcmp(name, "calloc") || !strcmp(name, "realloc");
}

static void say_arguments(unsigned long long count, const unsigned long long *arguments)
{
	for (unsigned long long i = 0; i < count; i++)
		if (is_address(arguments[i]))
			printf(" address");
		else
			printf(" %llx", arguments[i]);
	printf("\n");
}

unsigned long long muster_stub(const char *name, unsigned long long count, const unsigned long long *arguments)
{
	const struct row *row = row_of(name);

	if (!strcmp(name, "free")) /* of what the input says is memory, too */
		return 0;
	if (is_allocator(name))
		return (unsigned long long)allocator(name, arguments);
	calls++;
	printf("call of %s", name);
	say_arguments(count & ~EXPOSE_ENDS, arguments);
	if (count & EXPOSE_ENDS) {
		fflush(NULL);
		_Exit(CALLER_ENDED);
	}
	return row ? row->value : 0;
}

/* From a function that a pointer of the input leads to: which one, and the registers of arguments. */
unsigned long long muster_pointer(unsigned number, const unsigned long long *registers);
unsigned long long muster_pointer(unsigned number, const unsigned long long *registers)
{
	const struct row *row = row_of(CALLER_POINTER);
	unsigned count = row && row->arguments < 6 ? row->arguments : row ? 6 : 0;

	calls++;
	printf("call of pointer %u", number);
	say_arguments(count, registers);
	return row ? row->value : 0;
}

void muster_pointer_entry(void);
__asm__("muster_pointer_entry:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	push %r9\n"
	"	push %r8\n"
	"	push %rcx\n"
	"	push %rdx\n"
	"	push %rsi\n"
	"	push %rdi\n"
	"	mov %rsp, %rsi\n"
	"	mov %eax, %edi\n"
	"	and $-16, %rsp\n"
	"	call muster_pointer\n"
	"	mov %rbp, %rsp\n"
	"	pop %rbp\n"
	"	ret\n");

/* Function N at its address: mov $N, %eax; movabs $muster_pointer_entry, %r11; jmp *%r11. */
static int make_pointers(void)
{
	unsigned char *code = mmap((void *)CALLER_CODE, CALLER_POINTERS * CALLER_CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	void (*entry)(void) = muster_pointer_entry;

	if (code != (void *)CALLER_CODE)
		return -1;
	for (unsigned i = 0; i < CALLER_POINTERS; i++) {
		unsigned char *at = code + i * CALLER_CODE_BYTES;
		at[0] = 0xb8;
		memcpy(at + 1, &i, 4);
		at[5] = 0x49;
		at[6] = 0xbb;
		memcpy(at + 7, &entry, 8);
		at[15] = 0x41;
		at[16] = 0xff;
		at[17] = 0xe3;
	}
	return mprotect(code, CALLER_POINTERS * CALLER_CODE_BYTES, PROT_READ | PROT_EXEC);
}

static int make_heap(void)
{
	void *at = (void *)CALLER_HEAP;

	return mmap(at, CALLER_CALLS * CALLER_SLOT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == at ? 0 : -1;
}

/* What locals without a value find on the stack. */
static void __attribute__((noinline)) fill_stack(void)
{
	unsigned char bytes[65536];

	memset(bytes, fill, sizeof bytes);
	__asm__ volatile("" : : "r"(bytes) : "memory");
}

/* ------------------------------------------------------------ the input */

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
		if (kind == 'U' && scanf("%x", (unsigned *)&fill) == 1)
			continue;
		if (kind == 'R' && row_count < sizeof rows / sizeof *rows) {
			struct row *r = &rows[row_count++];
			if (scanf("%u %u %llx %255s", &r->number, &r->arguments, &r->value, r->name) == 4)
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
	const struct expose_call *table = object ? dlsym(object, "muster_calls") : NULL;
	const struct expose_data *data = object ? dlsym(object, "muster_data") : NULL;

	if (argc != 2) {
		fprintf(stderr, "muster-caller is a part of muster, which starts it for 'muster diff'\n");
		return 2;
	}
	if (arena != (void *)CALLER_ARENA || !table || !data || make_pointers() || make_heap())
		return CALLER_FAILED;
	int call = set_up(data, arguments);
	if (call < 0)
		return CALLER_FAILED;
	memcpy(before, arena, sizeof before);
	setvbuf(stdout, NULL, _IOLBF, 0);
	fill_stack();
	result = table[call].call(arguments);
	printf(CALLER_MARK);
	say_word("result", 0, result);
	printf("\2\n");
	say_state(data, arena);
	fflush(NULL);
	_Exit(0);
}
