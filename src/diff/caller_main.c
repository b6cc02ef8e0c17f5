/* caller_main.c: the program muster-caller, which calls one function of two shared objects on one input, for witness.c. Only muster starts it.
 *
 *	muster-caller OLD NEW <INPUTS
 *
 * The objects have the tables of instrument/expose.h. There is an input for each; it is lines, numbers in hexadecimal but for N:
 *
 *	F N          call function N of the table
 *	A N VALUE    its argument N
 *	M AT VALUE   a byte of the memory that pointers of the input lead to
 *	Z N          variable N of the table is 0
 *	G N N VALUE  a byte of variable N, at this offset
 *	R N COUNT VALUE NAME    what call N of a stub returns if it is one of NAME; COUNT: its arguments, if it is a call through a pointer. Of the allocator: whether it fails. N CALLER_QUIET: all calls of a function that only computes
 *	W N ARGUMENT OFFSET COUNT VALUE NAME    what that call writes to the local whose address its argument is: COUNT bytes from OFFSET on
 *	.            the end
 *
 * Functions that nobody has are stubs (instrument/expose.h), as is the allocator, and functions that pointers of the input lead to: they say how they were called, and return what the input says, or 0. The allocator says nothing; what it gives
 * is an address like those of variables.
 *
 * Each call has a process, which loads the version and sets up its input: CALLER_FILLS of them, with other bytes where nobody has written: on the stack, and in what the allocator gives; and with the object and the stack at other addresses (the last with CALLER_MOVED), and what the allocator gives in another order, so that a number that is made of an address is not the same each time. After the function's own output
 * come a mark, and what it left: its result, words of the memory that changed, all variables. An address that is none of the input's (of a variable, a function, the stack) is the word `address`: it is another one in another version. After each call
 * comes CALLER_END with the status that waitpid gave: what lacks it was ended with the whole run. A call that takes too long ends by SIGPROF, and is not repeated. One that ends with status 97 has read or written where a run has no memory. Status 99 of the run: the input cannot be set up.
 */
#include "diff/caller.h"
#include "instrument/expose.h"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned char before[CALLER_ARENA_BYTES];
static int fill;
static unsigned run; /* of CALLER_FILLS */

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
			_exit(CALLER_FAILED);
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
	return run == 0 ? number : run == 1 ? CALLER_CALLS - 1 - number : (number * 7 + 3) % CALLER_CALLS;
}

static void *allocate(unsigned long long bytes, int fails)
{
	unsigned number = calls++;
	void *at = (void *)(CALLER_HEAP + slot_of(number) * CALLER_SLOT_BYTES + 16 * run);

	if (fails)
		return NULL;
	if (number >= CALLER_CALLS || bytes > CALLER_SLOT_BYTES - 16 * CALLER_FILLS)
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
		if (!is_address(arguments[i]))
			printf(" %llx", arguments[i]);
		else if (dl_iterate_phdr(find_text, &t) && t.size)
			printf(" \"%.*s\"", (int)t.size, t.at);
		else
			printf(" address");
	}
	printf("\n");
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
	printf("call of %s", name);
	say_arguments(count & ~EXPOSE_ENDS, arguments);
	write_locals(name, count & ~EXPOSE_ENDS, arguments, rooms);
	calls++;
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

/* In place of the instruction: by its signal it could not be told from undefined behaviour. */
void muster_trap(void)
{
	fflush(NULL);
	_exit(CALLER_TRAPPED);
}

/* A local of the code, where it begins to live. */
void muster_fill(void *at, unsigned long long bytes)
{
	memset(at, fill, bytes);
}

/* ------------------------------------------------------------ the input */

static int set_up(FILE *in, const struct expose_data *data, unsigned long long *arguments)
{
	unsigned long long i, at, value;
	int call = -1;
	char kind;

	while (fscanf(in, " %c", &kind) == 1 && kind != '.') {
		if (kind == 'F' && fscanf(in, "%d", &call) == 1)
			continue;
		if (kind == 'A' && fscanf(in, "%llu %llx", &i, &value) == 2 && i < CALLER_ARGUMENTS) {
			arguments[i] = value;
			continue;
		}
		if (kind == 'M' && fscanf(in, "%llx %llx", &at, &value) == 2 && at >= CALLER_ARENA && at < CALLER_ARENA + CALLER_ARENA_BYTES) {
			*(unsigned char *)at = (unsigned char)value;
			continue;
		}
		if (kind == 'Z' && fscanf(in, "%llu", &i) == 1) {
			memset(data[i].at, 0, data[i].size);
			continue;
		}
		if (kind == 'R' && row_count < sizeof rows / sizeof *rows) {
			struct row *r = &rows[row_count++];
			if (fscanf(in, "%u %u %llx %255s", &r->number, &r->arguments, &r->value, r->name) == 4)
				continue;
		}
		if (kind == 'W' && write_count < sizeof writes / sizeof *writes) {
			struct write *w = &writes[write_count++];
			if (fscanf(in, "%u %u %u %u %llx %255s", &w->number, &w->argument, &w->offset, &w->bytes, &w->value, w->name) == 6 && w->offset < CALLER_WRITES && w->bytes <= sizeof w->value)
				continue;
		}
		if (kind == 'G' && fscanf(in, "%llu %llu %llx", &i, &at, &value) == 3 && at < data[i].size) {
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

/* A pointer that is nearly null is the program's; any other that leads nowhere may be an object that the input has not made. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)context;
	if (signal == SIGSEGV && (info->si_code == SI_KERNEL || (unsigned long long)info->si_addr >= CALLER_NEAR))
		_exit(CALLER_WILD);
	sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL); /* it comes again */
}

static void watch_faults(void)
{
	static char room[65536];
	const struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	sigaltstack(&(stack_t){.ss_sp = room, .ss_size = sizeof room}, NULL);
	sigaction(SIGSEGV, &action, NULL);
}

/* Calls the function; does not return. */
static void __attribute__((noinline)) call_once(const struct expose_call *call, const struct expose_data *data, unsigned long long *arguments, const unsigned char *arena)
{
	const struct itimerval limit = {.it_value = {CALLER_MILLISECONDS / 1000, CALLER_MILLISECONDS % 1000 * 1000}};
	unsigned long long result;

	setitimer(ITIMER_PROF, &limit, NULL);
	watch_faults();
	fill_stack();
	result = call->call(arguments);
	printf(CALLER_MARK);
	say_word("result", 0, result);
	printf("\2\n");
	say_state(data, arena);
	fflush(NULL);
	_Exit(0);
}

/* The object and the stack lie elsewhere in each call. What is taken here is the room that the loader would find next. */
static void __attribute__((noinline)) move_addresses(int number)
{
	for (int i = 0; i < 13 * number; i++) /* pages: the smallest gap is filled first */
		if (mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED)
			_exit(CALLER_FAILED);
}

/* One call: the process that was made for it. */
static void load_and_call(const char *path, FILE *in, unsigned char *arena, int number)
{
	unsigned long long arguments[CALLER_ARGUMENTS] = {0};
	char moved[4096];
	snprintf(moved, sizeof moved, "%s" CALLER_MOVED, path);
	if (number == CALLER_FILLS - 1)
		path = moved;
	move_addresses(number);
	void *object = dlopen(path, RTLD_LAZY);
	const struct expose_call *table = object ? dlsym(object, "muster_calls") : NULL;
	const struct expose_data *data = object ? dlsym(object, "muster_data") : NULL;
	int call = table && data ? set_up(in, data, arguments) : -1;
	volatile unsigned char *room = __builtin_alloca((size_t)number * 1264 + 16);

	if (call < 0)
		_exit(CALLER_FAILED);
	room[0] = 0;
	memcpy(before, arena, sizeof before);
	call_once(&table[call], data, arguments, arena);
}

/* One version. 0, or the status. */
static int call_all(const char *path, FILE *in, unsigned char *arena)
{
	static const int fills[CALLER_FILLS] = {0xa5, 0, 0x5a};
	int status;

	for (int i = 0; i < CALLER_FILLS; i++) {
		pid_t pid = fork();

		fill = fills[i];
		run = (unsigned)i;
		if (!pid)
			load_and_call(path, in, arena, i);
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			return CALLER_FAILED;
		printf(CALLER_END "%d\n", status);
		fflush(stdout);
		if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
			break;
	}
	return 0;
}

/* Everything on standard input, so that nothing is left for the functions. */
static char *read_inputs(void)
{
	size_t size = 0, room = 0, n = 0;
	char *text = NULL;

	do {
		size += n;
		if (room - size < 4096 && !(text = realloc(text, room = 2 * room + 65536)))
			return NULL;
	} while ((n = fread(text + size, 1, room - size - 1, stdin)));
	text[size] = 0;
	return text;
}

int main(int argc, char **argv)
{
	unsigned char *arena = mmap((void *)CALLER_ARENA, CALLER_ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	char *text = argc == 3 ? read_inputs() : NULL;
	int status = 0;

	if (argc != 3) {
		fprintf(stderr, "muster-caller is a part of muster, which starts it for 'muster diff'\n");
		return 2;
	}
	if (arena != (void *)CALLER_ARENA || make_pointers() || make_heap())
		return CALLER_FAILED;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 1; i < argc && !status; i++) {
		char *end = text ? strstr(text, "\n.\n") : NULL;
		FILE *in = end ? fmemopen(text, (size_t)(end - text) + 3, "r") : NULL;

		status = in ? call_all(argv[i], in, arena) : CALLER_FAILED;
		text = end ? end + 3 : NULL;
	}
	return status;
}
