/* program.c: why a program cannot be executed, found out before it is tried.
 *
 * The kernel says ENOENT for a missing file and for a missing interpreter, and
 * ENOEXEC for everything it does not know; here the file's first bytes are read,
 * so that the words can name what is wrong.
 */
#include "run/program.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/proc.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#else
#error "a machine whose ELF number is not known here"
#endif

char *program_find(const char *name)
{
	char *path;

	if (strchr(name, '/'))
		return mem_strdup(name);
	path = proc_which(name);
	if (path)
		return path;
	if (file_exists(name))
		error_set("there is no '%s' in PATH; the one in this directory is ./%s", name,
			  name);
	else
		error_set("there is no file '%s' here, and no program of that name in PATH", name);
	return NULL;
}

static int check_script(const char *path, const char *head)
{
	const char *p = head + 2 + strspn(head + 2, " \t");
	size_t n = strcspn(p, " \t\r\n");
	char *interpreter = mem_strndup(p, n);
	int e = 0;

	if (!n)
		e = error_set("'%s' is a script that names no interpreter after #!", path);
	else if (access(interpreter, X_OK))
		e = error_set("'%s' is a script for '%s', which is missing or not executable", path,
			      interpreter);
	free(interpreter);
	return e;
}

static int check_interpreter(int fd, const char *path, const Elf64_Phdr *ph)
{
	char name[4096];

	if (ph->p_filesz < 2 || ph->p_filesz > sizeof name ||
	    pread(fd, name, ph->p_filesz, (off_t)ph->p_offset) != (ssize_t)ph->p_filesz ||
	    name[ph->p_filesz - 1])
		return error_set(
		    "'%s' is a damaged ELF file: its interpreter's name cannot be read", path);
	if (access(name, X_OK))
		return error_set(
		    "'%s' needs the dynamic loader '%s', which is missing or not executable", path,
		    name);
	return 0;
}

static int check_elf(int fd, const char *path, const Elf64_Ehdr *h, size_t size)
{
	if (size < sizeof *h || h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_machine != OUR_MACHINE)
		return error_set("'%s' is an ELF file for another kind of machine", path);
	if (h->e_type != ET_EXEC && h->e_type != ET_DYN)
		return error_set(
		    "'%s' is an object file or core file, not a program; link it first", path);
	for (unsigned i = 0; i < h->e_phnum; i++) {
		Elf64_Phdr ph;

		if (pread(fd, &ph, sizeof ph, (off_t)(h->e_phoff + i * sizeof ph)) != sizeof ph)
			return error_set("'%s' is a damaged ELF file: it ends within its headers",
					 path);
		if (ph.p_type == PT_INTERP && check_interpreter(fd, path, &ph))
			return -1;
	}
	return 0;
}

int program_check(const char *path)
{
	union {
		Elf64_Ehdr elf;
		char text[256];
	} head;
	struct stat st;
	ssize_t n;
	int fd, e = 0;

	if (stat(path, &st))
		return errno == ENOENT ? error_set("there is no program '%s'", path)
				       : error_errno("cannot execute '%s'", path);
	if (S_ISDIR(st.st_mode))
		return error_set("'%s' is a directory, not a program", path);
	if (!S_ISREG(st.st_mode))
		return error_set("'%s' is not a regular file, so it cannot be executed", path);
	if (access(path, X_OK))
		return error_set("'%s' is not executable; if it is a program: chmod +x %s", path,
				 path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0; /* executable and not readable: the kernel will tell */
	memset(&head, 0, sizeof head);
	n = read(fd, &head, sizeof head - 1);
	if (n >= SELFMAG && !memcmp(&head, ELFMAG, SELFMAG))
		e = check_elf(fd, path, &head.elf, (size_t)n);
	else if (n >= 2 && !memcmp(&head, "#!", 2))
		e = check_script(path, head.text);
	else
		e = error_set("'%s' is neither an ELF file nor a script with #!%s", path,
			      n <= 0 ? " (it is empty)" : "");
	close(fd);
	return e;
}
