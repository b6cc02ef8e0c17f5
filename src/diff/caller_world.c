/* caller_world.c: what is around a function that muster-caller calls: memory, the allocator, stubs, functions that pointers lead to, and the input that sets them up (caller_main.c has its lines).
 *
 * Functions that nobody has are stubs (instrument/expose.h), as is the allocator, and functions that pointers of the input lead to: they say how they were called, and return what the input says, or 0. The allocator says nothing; what it gives
 * is an address like those of variables.
 */
#include "diff/caller_world.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RESTRICTED 4096 /* bytes */
#define TALK 2000 /* calls of stubs in one run of many: a loop that does not end */

int caller_fill;
unsigned caller_run;
void (*caller_leave)(int status);
unsigned char *caller_arena;
unsigned char caller_set[CALLER_ARENA_BYTES / 4096];

static _Noreturn void end_with(int status)
{
	if (caller_leave)
		caller_leave(status);
	fflush(NULL);
	_exit(status);
}

static struct row { /* what a call of a stub returns */
	unsigned number, arguments;
	unsigned long long value;
	char name[256];
} rows[4 * CALLER_CALLS];
static struct write { /* what it writes */
	unsigned number, argument, offset, bytes;
	unsigned long long value;
	char name[256];
} writes[4 * CALLER_CALLS];
static unsigned row_count, write_count, calls;
static const unsigned long long *given; /* the function's arguments */

const char *caller_called[CALLER_CALLS];

static int is_in(unsigned long long v, unsigned long long start, unsigned long long bytes)
{
	return v >= start && v < start + bytes;
}

int caller_is_address(unsigned long long v)
{
	unsigned char c;

	return v >= 65536 && v >> 47 == 0 && !is_in(v, CALLER_ARENA, CALLER_ARENA_BYTES) && !is_in(v, CALLER_CODE, CALLER_POINTERS * CALLER_CODE_BYTES) && !mincore((void *)(v & ~4095ull), 1, &c);
}

void caller_say_word(const char *what, unsigned long long at, unsigned long long v)
{
	if (caller_is_address(v))
		printf("%s %llx address\n", what, at);
	else
		printf("%s %llx %llx\n", what, at, v);
}

/* ------------------------------------------------------------ stubs */

static const struct row *row_at(const char *name, unsigned number)
{
	for (unsigned i = 0; i < row_count; i++)
		if (rows[i].number == number && !strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

static const struct row *row_of(const char *name)
{
	return row_at(name, calls);
}

/* Locals of the caller, as the input says. What is written is the same in both versions: if there is no room for it in one, the input cannot be run. */
static void write_locals(const char *name, unsigned long long count, const unsigned long long *arguments, const unsigned long long *rooms)
{
	for (unsigned i = 0; i < write_count; i++) {
		const struct write *w = &writes[i];
		if (w->number != calls || strcmp(w->name, name))
			continue;
		if (!rooms || w->argument >= count || w->offset + w->bytes > rooms[w->argument])
			end_with(CALLER_FAILED);
		memcpy((char *)arguments[w->argument] + w->offset, &w->value, w->bytes);
	}
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

/* Which one is before which one, and how far apart, is not the same in all runs. */
static unsigned slot_of(unsigned number)
{
	return caller_run == 0 ? number : caller_run == 1 ? CALLER_CALLS - 1 - number : (number * 7 + 3) % CALLER_CALLS;
}

static void *slot_at(unsigned number)
{
	return (void *)(CALLER_HEAP + slot_of(number) * CALLER_SLOT_BYTES + 16 * caller_run);
}

static void *allocate(const char *name, unsigned long long bytes, int fails)
{
	unsigned number = calls++;
	if (number < CALLER_CALLS)
		caller_called[number] = name;
	void *at = slot_at(number);

	if (fails)
		return NULL;
	if (number >= CALLER_CALLS || bytes > CALLER_SLOT_BYTES - 16 * CALLER_FILLS)
		at = large = malloc(bytes ? bytes : 1);
	if (at)
		memset(at, caller_fill, bytes);
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
		at = allocate(name, bytes, fails);
		if (at)
			memset(at, 0, bytes);
		return at;
	}
	if (!strcmp(name, "malloc"))
		return allocate(name, a[0], fails);
	if (a[0] && (void *)a[0] == large)
		return calls++, fails ? NULL : (large = realloc(large, a[1] ? a[1] : 1));
	at = allocate(name, a[1], fails);
	if (at && a[0])
		memcpy(at, (void *)a[0], bytes_at(a[0]) < a[1] ? bytes_at(a[0]) : a[1]);
	return at;
}

static int is_allocator(const char *name)
{
	return !strcmp(name, "malloc") || !strcmp(name, "calloc") || !strcmp(name, "realloc");
}

static void note_call(const char *name)
{
	if (calls < CALLER_CALLS)
		caller_called[calls] = name;
}

/* The text that a constant of the program is, at this address: what is called sees it. */
struct text {
	const char *at;
	size_t size;
};

static int find_text(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct text *t = ctx;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		const char *start = (const char *)info->dlpi_addr + h->p_vaddr;
		if (h->p_type != PT_LOAD || h->p_flags & (PF_W | PF_X) || t->at < start || t->at >= start + h->p_memsz)
			continue;
		for (t->size = 0; t->at + t->size < start + h->p_memsz && t->at[t->size] >= ' ' && t->at[t->size] <= '~';)
			t->size++;
		if (t->at + t->size == start + h->p_memsz || t->at[t->size])
			t->size = 0;
		return 1;
	}
	return 0;
}

static void say_arguments(unsigned long long count, const unsigned long long *arguments)
{
	for (unsigned long long i = 0; i < count; i++) {
		struct text t = {.at = (const char *)arguments[i]};
		if (!caller_is_address(arguments[i]))
			printf(" %llx", arguments[i]);
		else if (dl_iterate_phdr(find_text, &t) && t.size)
			printf(" \"%.*s\"", (int)t.size, t.at);
		else
			printf(" address");
	}
	printf("\n");
}

/* What they lead to nobody knows here: objects of an input begin a page apart. */
static int may_meet(unsigned long long a, unsigned long long b)
{
	return a && b && (a - b < RESTRICTED || b - a < RESTRICTED);
}

/* What the function promises to return: memory of its own, and a pointer that is not null. One that the input says nothing of has memory that nobody has written. */
static unsigned long long promised(unsigned long long flags, const struct row *row)
{
	unsigned long long value = row ? row->value : 0;

	for (unsigned i = 0; i < CALLER_ARGUMENTS && flags & EXPOSE_FRESH && given; i++)
		if (may_meet(value, given[i]))
			end_with(CALLER_FAILED);
	for (unsigned i = 0; i < row_count && flags & EXPOSE_FRESH; i++)
		if (&rows[i] != row && may_meet(value, rows[i].value))
			end_with(CALLER_FAILED);
	if (value || !(flags & EXPOSE_SET))
		return value;
	if (row || calls >= CALLER_CALLS)
		end_with(CALLER_FAILED);
	return (unsigned long long)memset(slot_at(calls), caller_fill, CALLER_SLOT_BYTES - 16 * CALLER_FILLS);
}

unsigned long long muster_stub(const char *name, unsigned long long count, const unsigned long long *arguments, const unsigned long long *rooms)
{
	const struct row *row = row_of(name);

	if (!strcmp(name, "free")) /* of what the input says is memory, too */
		return 0;
	if (is_allocator(name))
		return (unsigned long long)allocator(name, arguments);
	if (count & EXPOSE_QUIET) { /* the same for whatever arguments: such a function can be */
		row = row_at(name, CALLER_QUIET);
		return row ? row->value : 0;
	}
	note_call(name);
	if (caller_leave && calls > TALK)
		end_with(CALLER_FAILED);
	printf("call of %s", name);
	say_arguments(count & EXPOSE_COUNT, arguments);
	write_locals(name, count & EXPOSE_COUNT, arguments, rooms);
	unsigned long long value = promised(count, row);
	calls++;
	if (count & EXPOSE_ENDS)
		end_with(CALLER_ENDED);
	return value;
}

/* From a function that a pointer of the input leads to: which one, and the registers of arguments. */
unsigned long long muster_pointer(unsigned number, const unsigned long long *registers);
unsigned long long muster_pointer(unsigned number, const unsigned long long *registers)
{
	const struct row *row = row_of(CALLER_POINTER);
	unsigned count = row && row->arguments < 6 ? row->arguments : row ? 6 : 0;

	note_call(CALLER_POINTER);
	if (caller_leave && calls > TALK)
		end_with(CALLER_FAILED);
	printf("call of pointer %u", number);
	say_arguments(count, registers);
	calls++;
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
int caller_make_pointers(void)
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

int caller_make_heap(void)
{
	void *at = (void *)CALLER_HEAP;

	return mmap(at, CALLER_CALLS * CALLER_SLOT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == at ? 0 : -1;
}

/* In place of the instruction: by its signal it could not be told from undefined behaviour. */
void muster_trap(void)
{
	end_with(CALLER_TRAPPED);
}

void muster_undefined(void)
{
	end_with(CALLER_UNDEFINED);
}

/* The input is undefined, and so shows nothing; with --overflow=ub the compiler's check came before. */
void muster_shift(unsigned long long too_far)
{
	if (too_far)
		end_with(CALLER_FAILED);
}

/* A local of the code, where it begins to live. */
void muster_fill(void *at, unsigned long long bytes)
{
	memset(at, caller_fill, bytes);
}

/* Around a local, where nobody may write: it wrote beyond it, and what that does is not the code's. */
void muster_guard(const void *at, unsigned long long bytes)
{
	const unsigned char *byte = at;

	for (unsigned long long i = 0; i < bytes; i++)
		if (byte[i] != (unsigned char)caller_fill)
			end_with(CALLER_WILD);
}

/* C says of no such call what it does: it is not the versions that differ. */
void muster_apart(const void *to, const void *from, unsigned long long bytes)
{
	unsigned long long up = (unsigned long long)to - (unsigned long long)from, down = -up;

	if (up && (up < bytes || down < bytes))
		end_with(CALLER_FAILED);
}

void muster_restricted(const void *pointer, const void *other)
{
	if (may_meet((unsigned long long)pointer, (unsigned long long)other))
		end_with(CALLER_FAILED);
}

void muster_set(const void *pointer)
{
	if (!pointer)
		end_with(CALLER_FAILED);
}

/* ------------------------------------------------------------ the input */

static const char *skip_space(const char *s)
{
	while (*s == ' ' || *s == '\n')
		s++;
	return s;
}

/* The next number, in this base. */
static unsigned long long number(const char **s, int base)
{
	char *end;
	unsigned long long v = strtoull(*s, &end, base);

	*s = end;
	return v;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* Two digits each; -1: there is no room for them. */
static int bytes(const char **s, unsigned char *at, unsigned long long room)
{
	for (*s += **s == ' '; digit((*s)[0]) >= 0 && digit((*s)[1]) >= 0; *s += 2, room--) {
		if (!room)
			return -1;
		*at++ = (unsigned char)(digit((*s)[0]) << 4 | digit((*s)[1]));
	}
	return 0;
}

static void word(const char **s, char *out, size_t size)
{
	size_t n = 0;

	for (*s = skip_space(*s); **s > ' '; ++*s)
		if (n + 1 < size)
			out[n++] = **s;
	out[n] = 0;
}

static int read_row(const char **s)
{
	struct row *r = &rows[row_count];

	if (row_count++ == sizeof rows / sizeof *rows)
		return -1;
	r->number = (unsigned)number(s, 10);
	r->arguments = (unsigned)number(s, 10);
	r->value = number(s, 16);
	word(s, r->name, sizeof r->name);
	return 0;
}

static int read_write(const char **s)
{
	struct write *w = &writes[write_count];

	if (write_count++ == sizeof writes / sizeof *writes)
		return -1;
	w->number = (unsigned)number(s, 10);
	w->argument = (unsigned)number(s, 10);
	w->offset = (unsigned)number(s, 10);
	w->bytes = (unsigned)number(s, 10);
	w->value = number(s, 16);
	word(s, w->name, sizeof w->name);
	return w->offset < CALLER_WRITES && w->bytes <= sizeof w->value ? 0 : -1;
}

/* Which function is called, or -1. The text's end is behind the input then. */
int caller_set_up(const char **text, const struct expose_data *data, unsigned long long *arguments)
{
	const char *s = skip_space(*text);
	unsigned long long i, at;
	int call = -1, e = 0;

	given = arguments;
	for (; *s && *s != '.' && !e; s = skip_space(s)) {
		char kind = *s++;
		if (kind == 'F') {
			call = (int)number(&s, 10);
		} else if (kind == 'A' && (i = number(&s, 10)) < CALLER_ARGUMENTS) {
			arguments[i] = number(&s, 16);
		} else if (kind == 'M' && is_in(at = number(&s, 16), CALLER_ARENA, CALLER_ARENA_BYTES)) {
			const char *from = s;
			e = bytes(&s, (unsigned char *)at, CALLER_ARENA + CALLER_ARENA_BYTES - at);
			for (i = at - CALLER_ARENA; i < at - CALLER_ARENA + (unsigned long long)(s - from) / 2 + 1 && i < CALLER_ARENA_BYTES; i++)
				caller_set[i / 4096] = 1;
		} else if (kind == 'Z') {
			i = number(&s, 10);
			memset(data[i].at, 0, data[i].size);
		} else if (kind == 'R') {
			e = read_row(&s);
		} else if (kind == 'W') {
			e = read_write(&s);
		} else if (kind == 'G') {
			i = number(&s, 10);
			at = number(&s, 10);
			e = at < data[i].size ? bytes(&s, data[i].at + at, data[i].size - at) : -1;
		} else {
			e = -1;
		}
	}
	*text = *s ? s + 1 : s;
	return e || !*s ? -1 : call;
}

void caller_forget(void)
{
	memset(caller_arena, 0, CALLER_ARENA_BYTES);
	memset(caller_called, 0, sizeof caller_called);
	row_count = write_count = calls = 0;
	large = NULL;
}
