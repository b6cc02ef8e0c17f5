/* known.c: functions of the C library whose effects on memory with a name are known.
 *
 * None of them calls back into the program, and none touches a global that the program can name, so all there is to say is
 * what becomes of their pointer arguments: r read, w written, k kept (stored, or returned). Those after the last letter are like it: variable arguments of
 * printf are read and may be written (%n). Functions that are not here may do anything.
 */
#include "ir/code_parts.h"

#include <string.h>

/* Names sorted; letters for each parameter with commas between, * before them: returns new memory. */
static const char *const table[][2] = {
    {"__assert_fail", "r"},
    {"__ctype_b_loc", ""},
    {"__ctype_tolower_loc", ""},
    {"__ctype_toupper_loc", ""},
    {"__errno_location", ""},
    {"_exit", ""},
    {"abort", ""},
    {"abs", ""},
    {"aligned_alloc", "*"},
    {"atof", "r"},
    {"atoi", "r"},
    {"atol", "r"},
    {"atoll", "r"},
    {"calloc", "*"},
    {"clock", ""},
    {"exit", ""},
    {"fclose", "rw"},
    {"feof", "r"},
    {"ferror", "r"},
    {"fflush", "rw"},
    {"fgetc", "rw"},
    {"fgets", "wk,,rw"},
    {"fileno", "r"},
    {"fopen", "r,r"},
    {"fprintf", "rw,r,rw"},
    {"fputc", ",rw"},
    {"fputs", "r,rw"},
    {"fread", "w,,,rw"},
    {"free", ""},
    {"fscanf", "rw,r,rw"},
    {"fseek", "rw"},
    {"ftell", "rw"},
    {"fwrite", "r,,,rw"},
    {"getc", "rw"},
    {"getchar", ""},
    {"isalnum", ""},
    {"isalpha", ""},
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
    {"malloc", "*"},
    {"memchr", "rk"},
    {"memcmp", "r,r"},
    {"memcpy", "wk,r"},
    {"memmove", "wk,r"},
    {"memset", "wk"},
    {"perror", "r"},
    {"printf", "r,rw"},
    {"putc", ",rw"},
    {"putchar", ""},
    {"puts", "r"},
    {"rand", ""},
    {"read", ",w"},
    {"realloc", "rk"},
    {"snprintf", "w,,r,rw"},
    {"sprintf", "w,r,rw"},
    {"srand", ""},
    {"sscanf", "r,r,rw"},
    {"strcasecmp", "r,r"},
    {"strcat", "rwk,r"},
    {"strchr", "rk"},
    {"strcmp", "r,r"},
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
    {"strrchr", "rk"},
    {"strspn", "r,r"},
    {"strstr", "rk,r"},
    {"strtol", "rk,w"},
    {"strtoll", "rk,w"},
    {"strtoul", "rk,w"},
    {"strtoull", "rk,w"},
    {"time", "w"},
    {"tolower", ""},
    {"toupper", ""},
    {"ungetc", ",rw"},
    {"vfprintf", "rw,r,rw"},
    {"vsnprintf", "w,,r,rw"},
    {"write", ",r"},
};
#define COUNT (sizeof table / sizeof *table)

static void parse(const char *letters, struct code_known *k)
{
	unsigned at = 0;

	for (; *letters; letters++) {
		if (*letters == '*')
			k->fresh = 1;
		else if (*letters == ',')
			at++;
		else
			k->parameter[at] |= *letters == 'r' ? CODE_READS : *letters == 'w' ? CODE_WRITES : CODE_KEEPS;
	}
	while (++at < KNOWN_PARAMETERS)
		k->parameter[at] = k->parameter[at - 1];
}

int code_known(const struct code_function *f, struct code_known *out)
{
	size_t low = 0, high = COUNT;

	*out = (struct code_known){.fresh = 0};
	if (f->defined)
		return 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int c = strcmp(f->name, table[middle][0]);

		if (!c) {
			parse(table[middle][1], out);
			return 1;
		}
		if (c < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return 0;
}

int code_function_keeps_to_itself(const struct code_function *f)
{
	struct code_known known;

	return code_known(f, &known);
}
