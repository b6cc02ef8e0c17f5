/* caller_main.c: the program muster-caller, which calls one function of two shared objects on one input, for witness.c. Only muster starts it.
 *
 *	muster-caller OLD NEW <INPUTS
 *	muster-caller -a OLD NEW <INPUTS     all calls, also if the first ones leave the same
 *	muster-caller -s OLD NEW <BATCH      many inputs at once, for a search (caller_many.c)
 *
 * The objects have the tables of instrument/expose.h. There is an input for each; it is lines, numbers in hexadecimal but for N:
 *
 *	F N          call function N of the table
 *	A N VALUE    its argument N
 *	M AT BYTES   of the memory that pointers of the input lead to, from there on, two digits each
 *	Z N          variable N of the table is 0
 *	G N N BYTES  of variable N, from this offset on
 *	R N COUNT VALUE NAME    what call N of a stub returns if it is one of NAME; COUNT: its arguments, if it is a call through a pointer. Of the allocator: whether it fails. N CALLER_QUIET: all calls of a function that only computes
 *	W N ARGUMENT OFFSET COUNT VALUE NAME    what that call writes to the local whose address its argument is: COUNT bytes from OFFSET on
 *	.            the end
 *
 * Functions that nobody has are stubs (instrument/expose.h), as is the allocator, and functions that pointers of the input lead to: they say how they were called, and return what the input says, or 0. The allocator says nothing; what it gives
 * is an address like those of variables.
 *
 * Each call has a process, which loads the version and sets up its input: CALLER_FILLS of them, with other bytes where nobody has written: on the stack, and in what the allocator gives; and with the object and the stack at other addresses (the last with CALLER_MOVED), and what the allocator gives in another order, so that a number that is made of an address is not the same each time. After the function's own output
 * come a mark, and what it left: its result, words of the memory that changed, all variables. An address that is none of the input's (of a variable, a function, the stack) is the word `address`: it is another one in another version.
 *
 * What a version leaves must be the same in all its calls; then it is said once, with CALLER_END and the status that waitpid gave. The first call of both comes first: if they leave the same, there is no difference to show, and that was all. Else come the other calls of both,
 * and if they differ, all calls of both once more, since the clock may have gone on between the two. A call that takes too long ends by SIGPROF, and that version is not called again. One that ends with status 97 has read or written where a run has no memory. Status of the run: CALLER_FAILED: the input cannot be set up; CALLER_UNSTEADY: a version does not leave the same each time.
 */
#include "diff/caller_world.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096u

static unsigned char before[CALLER_ARENA_BYTES]; /* of pages that the input says something about; the others were 0 */

static void say_state(const struct expose_data *data, const unsigned char *arena)
{
	static const unsigned char zeros[PAGE];
	unsigned long long value;

	for (unsigned long long i = 0; i < sizeof before; i += 8) {
		const unsigned char *was = caller_set[i / PAGE] ? before + i : zeros + i % PAGE;
		if (i % PAGE == 0 && !memcmp(was, arena + i, PAGE)) {
			i += PAGE - 8;
		} else if (memcmp(was, arena + i, 8)) {
			memcpy(&value, arena + i, 8);
			caller_say_word("memory", CALLER_ARENA + i, value);
		}
	}
	for (; data->name; data++)
		for (unsigned long long at = 0; at < data->size; at += 8) {
			value = 0;
			memcpy(&value, data->at + at, data->size - at < 8 ? data->size - at : 8);
			caller_say_word(data->name, at, value);
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

/* What locals without a value find on the stack. */
static void __attribute__((noinline)) fill_stack(void)
{
	unsigned char bytes[65536];

	memset(bytes, caller_fill, sizeof bytes);
	__asm__ volatile("" : : "r"(bytes) : "memory");
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
	caller_say_word("result", 0, result);
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
static void load_and_call(const char *path, const char *in, unsigned char *arena, int number)
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
	int call = table && data ? caller_set_up(&in, data, arguments) : -1;
	volatile unsigned char *room = __builtin_alloca((size_t)number * 1264 + 16);

	if (call < 0)
		_exit(CALLER_FAILED);
	room[0] = 0;
	for (unsigned i = 0; i < CALLER_ARENA_BYTES / PAGE; i++)
		if (caller_set[i])
			memcpy(before + i * PAGE, arena + i * PAGE, PAGE);
	call_once(&table[call], data, arguments, arena);
}

struct said { /* by a call */
	char *text;
	size_t size;
	int status;
};

/* The call: everything that it writes. 0, or the status. */
static int call_with(const char *path, const char *in, unsigned char *arena, unsigned number, int out, struct said *said)
{
	static const int fills[CALLER_FILLS] = {0xa5, 0, 0x5a};
	pid_t pid;

	if (ftruncate(out, 0) || lseek(out, 0, SEEK_SET))
		return CALLER_FAILED;
	caller_fill = fills[number];
	caller_run = number;
	pid = fork();
	if (!pid) {
		dup2(out, 1);
		close(out);
		load_and_call(path, in, arena, (int)number);
	}
	if (pid < 0 || waitpid(pid, &said->status, 0) != pid)
		return CALLER_FAILED;
	said->size = (size_t)lseek(out, 0, SEEK_END);
	said->text = malloc(said->size + 1);
	return said->text && pread(out, said->text, said->size, 0) == (ssize_t)said->size ? 0 : CALLER_FAILED;
}

static int same(const struct said *a, const struct said *b)
{
	return a->status == b->status && a->size == b->size && !memcmp(a->text, b->text, a->size);
}

static int was_slow(const struct said *s)
{
	return WIFSIGNALED(s->status) && WTERMSIG(s->status) == SIGPROF;
}

struct version {
	const char *path, *in;
	struct said said; /* by the first call */
};

/* Calls of both that leave what the first ones did. 0, or the status. */
static int call_again(struct version v[2], unsigned first, unsigned char *arena, int out)
{
	for (int k = 0; k < 2; k++)
		for (unsigned i = first; i < CALLER_FILLS && !was_slow(&v[k].said); i++) {
			struct said said;
			int e = call_with(v[k].path, v[k].in, arena, i, out, &said), steady = !e && same(&said, &v[k].said);

			if (e || !steady)
				return e ? e : CALLER_UNSTEADY;
			free(said.text);
		}
	return 0;
}

/* Both versions: all of it, or what a difference needs. 0, or the status. */
static int call_both(struct version v[2], int all, unsigned char *arena)
{
	int out = memfd_create("calls", MFD_CLOEXEC), e = out < 0 ? CALLER_FAILED : 0;

	for (int k = 0; k < 2 && !e; k++)
		e = call_with(v[k].path, v[k].in, arena, 0, out, &v[k].said);
	int differ = !e && !same(&v[0].said, &v[1].said);
	if (!e && (all || differ))
		e = call_again(v, 1, arena, out);
	if (!e && differ && !was_slow(&v[0].said) && !was_slow(&v[1].said))
		e = call_again(v, 0, arena, out);
	for (int k = 0; k < 2 && !e; k++) {
		fwrite(v[k].said.text, 1, v[k].said.size, stdout);
		printf(CALLER_END "%d\n", v[k].said.status);
	}
	fflush(stdout);
	return e;
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
	unsigned char *arena = mmap((void *)CALLER_ARENA, CALLER_ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_POPULATE, -1, 0);
	int option = argc == 4 && argv[1][0] == '-' ? argv[1][1] : 0;
	char *text = argc == 3 || option ? read_inputs() : NULL, *end = text;

	if (argc != 3 && !option) {
		fprintf(stderr, "muster-caller is a part of muster, which starts it for 'muster diff'\n");
		return 2;
	}
	if (arena != (void *)CALLER_ARENA || caller_make_pointers() || caller_make_heap() || !text)
		return CALLER_FAILED;
	caller_arena = arena;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (option == 's')
		return caller_many(argv[2], argv[3], text);
	struct version v[2] = {{.path = argv[argc - 2], .in = text}, {.path = argv[argc - 1]}};
	for (int k = 0; k < 2; k++) {
		v[k].in = end;
		end = strstr(end, "\n.\n");
		if (!end)
			return CALLER_FAILED;
		end += 3;
	}
	return call_both(v, option == 'a', arena);
}
