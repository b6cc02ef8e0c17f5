/* drive.c: the main of a program that `muster test` made: one input, one call.
 *
 * The tables of all units are walked once and the functions hashed by their ids, before the fork
 * server's first fork where there is one; a run then does work for its own function only. Nothing
 * here is instrumented and nothing leaves an event: to the trace the program begins with the thunk.
 *
 * Everything goes to the kernel by syscall(): in the traced variant the names of libc are wrapped,
 * and a read would be labelled as one of the program's.
 */
#include "drive_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "kernel.h" /* after unistd.h */

extern const struct drive_table *const __start_muster_drive[]
    __attribute__((weak, visibility("hidden")));
extern const struct drive_table *const __stop_muster_drive[]
    __attribute__((weak, visibility("hidden")));

struct drive_run __muster_drive_run;

#define ARENA (64ull << 20) /* address space; memory comes as it is used */
#define OUTPUT (64l << 20)  /* bytes that a call may write: then its disk is full */

static struct {
	int prepared;
	char *at, *end; /* memory that is left */
	struct slot {
		const struct drive_table *table;
		const struct drive_function *function;
	} * slots;
	uint32_t mask;
} state;

static void say(const char *text)
{
	syscall(SYS_write, 2, text, strlen(text));
}

_Noreturn void __muster_drive_die(const char *what, const char *name)
{
	say("muster driver: ");
	say(what);
	say(name);
	say("\n");
	syscall(SYS_exit_group, 2);
	__builtin_unreachable();
}

void *__muster_drive_memory(uint64_t n)
{
	n = (n + 15) & ~15ull;
	if (n > (uint64_t)(state.end - state.at))
		__muster_drive_die("out of memory", "");
	state.at += n;
	return state.at - n;
}

/* ----------------------------------------------------------------- functions */

static struct slot *slot_of(uint32_t id)
{
	uint32_t i = id * 0x9e3779b1u;

	while (state.slots[i & state.mask].function &&
	       state.slots[i & state.mask].function->id != id)
		i++;
	return &state.slots[i & state.mask];
}

static void hash_functions(void)
{
	const struct drive_table *const *t = __start_muster_drive;
	uint32_t n = 0, room = 8;

	for (; t && t < __stop_muster_drive; t++)
		n += *t && (*t)->version == DRIVE_VERSION ? (*t)->functions_count : 0;
	while (room < 2 * n)
		room *= 2;
	state.mask = room - 1;
	state.slots = __muster_drive_memory(room * sizeof *state.slots);
	for (t = __start_muster_drive; t && t < __stop_muster_drive; t++)
		for (uint32_t i = 0;
		     *t && (*t)->version == DRIVE_VERSION && i < (*t)->functions_count; i++)
			*slot_of((*t)->functions[i].id) = (struct slot){*t, &(*t)->functions[i]};
}

void __muster_drive_prepare(void)
{
	if (state.prepared)
		return;
	state.prepared = 1;
	state.at = (char *)syscall(SYS_mmap, 0L, ARENA, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
	if (state.at == MAP_FAILED)
		__muster_drive_die("cannot map memory", "");
	state.end = state.at + ARENA;
	hash_functions();
	__muster_drive_reserve();
}

int __muster_drive_find(const uint8_t *input, uint64_t size)
{
	struct slot *s;
	uint32_t id = 0;

	for (unsigned i = 0; i < 4 && i < size; i++)
		id |= (uint32_t)input[i] << (8 * i);
	s = slot_of(id);
	__muster_drive_run.table = s->table;
	__muster_drive_run.function = s->function;
	__muster_drive_run.input = input;
	__muster_drive_run.size = size;
	__muster_drive_run.growth = size <= DRIVE_GROWTH ? 0 : drive_growth(input[DRIVE_GROWTH]);
	return s->function != NULL;
}

/* --------------------------------------------------------------------- input */

/* The rest of a file, pipe or terminal, in memory that is never given back. */
static const uint8_t *read_all(int fd, uint64_t *size)
{
	uint64_t room = 4096, n = 0;
	uint8_t *all = __muster_drive_memory(room);

	for (;;) {
		long got = syscall(SYS_read, fd, all + n, room - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (uint64_t)got;
		if (n == room) {
			uint8_t *more = __muster_drive_memory(2 * room);

			drive_copy(more, all, n);
			all = more;
			room *= 2;
		}
	}
	*size = n;
	return all;
}

static const uint8_t *take_input(int argc, char **argv, uint64_t *size)
{
	const uint8_t *data;
	int fd = 0;

	__muster_drive_run.traced =
	    __muster_drive_input && __muster_drive_input(DRIVE_HOOKS, &data, size);
	if (__muster_drive_run.traced)
		return data;
	if (argc > 1)
		fd = (int)syscall(SYS_openat, AT_FDCWD, argv[1], O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		__muster_drive_die("cannot open ", argv[1]);
	data = read_all(fd, size);
	if (fd > 0)
		syscall(SYS_close, fd);
	return data;
}

/* /dev/null takes every write, even one from NULL; a file, a pipe and a terminal, which outputs are
 * elsewhere, do not. So where output goes nowhere it goes to a file without a name. */
void __muster_drive_output(void)
{
	for (int fd = 1; fd <= 2; fd++) {
		struct stat s;
		long file;

		if (syscall(SYS_fstat, fd, &s) || !S_ISCHR(s.st_mode) || s.st_rdev != makedev(1, 3))
			continue;
		file = syscall(SYS_memfd_create, "output", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		if (file < 0)
			return;
		if (!syscall(SYS_ftruncate, file, OUTPUT) && !syscall(SYS_fcntl, file, F_ADD_SEALS, F_SEAL_GROW))
			syscall(SYS_dup3, file, fd, 0);
		syscall(SYS_close, file);
	}
}

int main(int argc, char **argv)
{
	const uint8_t *data;
	uint64_t size;

	__muster_drive_prepare();
	if (argc > 2 && !strcmp(argv[1], "--batch"))
		return __muster_drive_batch(argv[2]);
	data = take_input(argc, argv, &size);
	if (!__muster_drive_find(data, size))
		__muster_drive_die("the input names no function of this program", "");
	__muster_drive_output();
	__muster_drive_call();
	return 0;
}
