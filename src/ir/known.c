/* known.c: functions of the C library whose effects on memory with a name are known.
 *
 * None of them calls back into the program, and none touches a global that the program can name, so all there is to say is
 * what becomes of their pointer arguments: r read, w written, k kept (stored, or returned), f given back. Those after the last letter are like it: variable arguments of
 * printf are read and may be written (%n). Functions that are not here may do anything: those that call back (qsort), and those that use what an earlier call kept, or what lies behind
 * a pointer in memory (strtok, strsep, getline).
 */
#include "ir/code_parts.h"

#include <string.h>

/* Names sorted; letters for each parameter with commas between. Before them *: returns new memory; s: uses streams, whose buffers may be memory of the program's (setvbuf, fmemopen). */
static const char *const table[][2] = {
    {"__assert_fail", "r"},
    {"__ctype_b_loc", ""},
    {"__ctype_tolower_loc", ""},
    {"__ctype_toupper_loc", ""},
    {"__errno_location", ""},
    {"__isoc99_fscanf", "srw,r,rw"},
    {"__isoc99_sscanf", "r,r,rw"},
    {"_exit", ""},
    {"abort", ""},
    {"abs", ""},
    {"access", "!r"},
    {"acos", "!"},
    {"acosf", "!"},
    {"aligned_alloc", "*"},
    {"asin", "!"},
    {"asinf", "!"},
    {"atan", "!"},
    {"atan2", "!"},
    {"atan2f", "!"},
    {"atanf", "!"},
    {"atof", "r"},
    {"atoi", "r"},
    {"atol", "r"},
    {"atoll", "r"},
    {"bcmp", "r,r"},
    {"bzero", "w"},
    {"calloc", "*"},
    {"cbrt", "!"},
    {"cbrtf", "!"},
    {"ceil", "!"},
    {"ceilf", "!"},
    {"chdir", "!r"},
    {"chmod", "!r"},
    {"clearerr", "srw"},
    {"clock", ""},
    {"clock_gettime", ",w"},
    {"close", ""},
    {"copysign", "!"},
    {"copysignf", "!"},
    {"cos", "!"},
    {"cosf", "!"},
    {"cosh", "!"},
    {"coshf", "!"},
    {"creat", "r"},
    {"dprintf", ",r,rw"},
    {"dup", "!"},
    {"dup2", "!"},
    {"exit", "s"},
    {"exp", "!"},
    {"exp2", "!"},
    {"exp2f", "!"},
    {"expf", "!"},
    {"explicit_bzero", "w"},
    {"expm1", "!"},
    {"expm1f", "!"},
    {"fabs", "!"},
    {"fabsf", "!"},
    {"fchmod", "!"},
    {"fclose", "srwf"},
    {"fdatasync", ""},
    {"fdopen", ",r"},
    {"feof", "sr"},
    {"ferror", "sr"},
    {"fflush", "srw"},
    {"fgetc", "srw"},
    {"fgets", "swk,,rw"},
    {"fileno", "sr"},
    {"floor", "!"},
    {"floorf", "!"},
    {"fmax", "!"},
    {"fmaxf", "!"},
    {"fmin", "!"},
    {"fminf", "!"},
    {"fmod", "!"},
    {"fmodf", "!"},
    {"fopen", "r,r"},
    {"fopen64", "r,r"},
    {"fprintf", "srw,r,rw"},
    {"fputc", "s,rw"},
    {"fputs", "sr,rw"},
    {"fread", "sw,,,rw"},
    {"free", "f"},
    {"frexp", "!,w"},
    {"fscanf", "srw,r,rw"},
    {"fseek", "srw"},
    {"fseeko", "srw"},
    {"fseeko64", "srw"},
    {"fstat", "!,w"},
    {"fstat64", "!,w"},
    {"fsync", ""},
    {"ftell", "srw"},
    {"ftello", "srw"},
    {"ftello64", "srw"},
    {"ftruncate", ""},
    {"fwrite", "sr,,,rw"},
    {"getc", "srw"},
    {"getchar", "s"},
    {"getegid", ""},
    {"getentropy", "w"},
    {"geteuid", ""},
    {"getgid", ""},
    {"getpid", ""},
    {"getppid", ""},
    {"getrandom", "w"},
    {"gettimeofday", "w,w"},
    {"getuid", ""},
    {"hypot", "!"},
    {"hypotf", "!"},
    {"isalnum", ""},
    {"isalpha", ""},
    {"isascii", ""},
    {"isatty", ""},
    {"isblank", ""},
    {"iscntrl", ""},
    {"isdigit", ""},
    {"isgraph", ""},
    {"islower", ""},
    {"isprint", ""},
    {"ispunct", ""},
    {"isspace", ""},
    {"isupper", ""},
    {"isxdigit", ""},
    {"labs", ""},
    {"ldexp", "!"},
    {"ldexpf", "!"},
    {"link", "!r,r"},
    {"llabs", ""},
    {"llvm.debugtrap", ""},
    {"llvm.trap", ""},
    {"log", "!"},
    {"log10", "!"},
    {"log10f", "!"},
    {"log1p", "!"},
    {"log1pf", "!"},
    {"log2", "!"},
    {"log2f", "!"},
    {"logf", "!"},
    {"lrint", "!"},
    {"lrintf", "!"},
    {"lround", "!"},
    {"lroundf", "!"},
    {"lseek", ""},
    {"lseek64", ""},
    {"lstat", "!r,w"},
    {"lstat64", "!r,w"},
    {"malloc", "*"},
    {"memchr", "rk"},
    {"memcmp", "r,r"},
    {"memcpy", "wk,r"},
    {"memmem", "rk,,r"},
    {"memmove", "wk,r"},
    {"mempcpy", "wk,r"},
    {"memrchr", "rk"},
    {"memset", "wk"},
    {"mkdir", "!r"},
    {"modf", "!,w"},
    {"nanosleep", "r,w"},
    {"open", ".r"},
    {"open64", ".r"},
    {"openat", ".,r"},
    {"perror", "sr"},
    {"pow", "!"},
    {"powf", "!"},
    {"pread", ",w"},
    {"pread64", ",w"},
    {"printf", "sr,rw"},
    {"putc", "s,rw"},
    {"putchar", "s"},
    {"puts", "sr"},
    {"pwrite", ",r"},
    {"pwrite64", ",r"},
    {"rand", ""},
    {"random", "!"},
    {"rawmemchr", "rk"},
    {"read", ",w"},
    {"realloc", "rkf"},
    {"reallocarray", "rkf"},
    {"remove", "!r"},
    {"rename", "!r,r"},
    {"rint", "!"},
    {"rintf", "!"},
    {"rmdir", "!r"},
    {"round", "!"},
    {"roundf", "!"},
    {"sched_yield", ""},
    {"sin", "!"},
    {"sinf", "!"},
    {"sinh", "!"},
    {"sinhf", "!"},
    {"sleep", ""},
    {"snprintf", "w,,r,rw"},
    {"sprintf", "w,r,rw"},
    {"sqrt", "!"},
    {"sqrtf", "!"},
    {"srand", ""},
    {"srandom", "!"},
    {"sscanf", "r,r,rw"},
    {"stat", "!r,w"},
    {"stat64", "!r,w"},
    {"stpcpy", "wk,r"},
    {"strcasecmp", "r,r"},
    {"strcasestr", "rk,r"},
    {"strcat", "rwk,r"},
    {"strchr", "rk"},
    {"strchrnul", "rk"},
    {"strcmp", "r,r"},
    {"strcoll", "r,r"},
    {"strcpy", "wk,r"},
    {"strcspn", "r,r"},
    {"strdup", "*r"},
    {"strlen", "r"},
    {"strncasecmp", "r,r"},
    {"strncat", "rwk,r"},
    {"strncmp", "r,r"},
    {"strncpy", "wk,r"},
    {"strndup", "*r"},
    {"strnlen", "r"},
    {"strpbrk", "rk,r"},
    {"strrchr", "rk"},
    {"strspn", "r,r"},
    {"strstr", "rk,r"},
    {"strtod", "rk,w"},
    {"strtof", "rk,w"},
    {"strtol", "rk,w"},
    {"strtoll", "rk,w"},
    {"strtoul", "rk,w"},
    {"strtoull", "rk,w"},
    {"symlink", "!r,r"},
    {"tan", "!"},
    {"tanf", "!"},
    {"tanh", "!"},
    {"tanhf", "!"},
    {"time", "w"},
    {"toascii", ""},
    {"tolower", ""},
    {"toupper", ""},
    {"trunc", "!"},
    {"truncate", "!r"},
    {"truncf", "!"},
    {"umask", "!"},
    {"ungetc", "s,rw"},
    {"unlink", "!r"},
    {"usleep", ""},
    {"vfprintf", "srw,r,rw"},
    {"vsnprintf", "w,,r,rw"},
    {"write", ",r"},
};
#define COUNT (sizeof table / sizeof *table)

/* A function of the user's may have the name: it is not this one if a pointer has no letter, or a letter no pointer. Names that are words (!) count only as headers of the C library declare them, which say that they throw nothing; open (.) only with variable arguments. */
static int parse(const char *letters, const struct code_function *f, struct code_known *k)
{
	unsigned at = 0, last = 0;
	uint64_t has = 0;

	if ((*letters == '!' && !f->nothrow) || (*letters == '.' && !f->variadic))
		return 0;
	for (letters += *letters == '!' || *letters == '.'; *letters; letters++) {
		if (*letters == '*')
			k->fresh = 1;
		else if (*letters == 's')
			k->streams = 1;
		else if (*letters == ',')
			last = ++at;
		else {
			has |= (uint64_t)1 << at;
			k->parameter[at] |= *letters == 'r' ? CODE_READS : *letters == 'w' ? CODE_WRITES : *letters == 'k' ? CODE_KEEPS : CODE_FREES;
		}
	}
	while (++at < KNOWN_PARAMETERS)
		k->parameter[at] = k->parameter[at - 1];
	for (uint32_t i = 0; i < f->parameters && i < 64; i++) {
		int pointer = f->pointers >> i & 1, letter = has >> (i < last ? i : last) & 1;
		if (pointer ? !letter : letter && i <= last)
			return 0;
	}
	return 1;
}

/* Its letters, or NULL. */
static const char *find(const char *name)
{
	size_t low = 0, high = COUNT;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int c = strcmp(name, table[middle][0]);

		if (!c)
			return table[middle][1];
		if (c < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

int code_library_has(const char *name)
{
	return find(name) != NULL;
}

int code_known(const struct code_function *f, struct code_known *out)
{
	const char *letters = f->defined ? NULL : find(f->name);

	*out = (struct code_known){.fresh = 0};
	return letters && parse(letters, f, out);
}

int code_function_keeps_to_itself(const struct code_function *f)
{
	struct code_known known;

	return code_known(f, &known);
}

int code_function_frees(const struct code_function *f)
{
	struct code_known known;
	int frees = 0;

	if (code_known(f, &known))
		for (unsigned i = 0; i < KNOWN_PARAMETERS; i++)
			frees |= (known.parameter[i] & CODE_FREES) != 0;
	return frees;
}
