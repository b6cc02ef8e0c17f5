/* owner.c: whose memory a report is about, by its kind and by who allocated the block.
 *
 * Objects that a driven function is given come from the driver (runtime/drive_build.c), which is the innermost frame with a source line of the stack that allocated them. Where the report has no such stack nothing is
 * said, and where the block is merely the nearest one (located.h) nothing either. What was freed was freed by the program: the driver frees nothing before a call returns. But a block of the driver's that is freed twice, or used after that, may have been passed for two.
 */
#include "check/owner.h"

#include "base/file.h"
#include "check/located.h"

#include <stdio.h>
#include <string.h>

/* The source file of the innermost frame after the sentence that is not the sanitizer's own; 0: there is none. */
static int stack_file(const char *report, const char *sentence, char *out, size_t size)
{
	const char *p = strstr(report, sentence);
	for (p = p ? strchr(p, '\n') : NULL; p && p[1] == ' '; p = strchr(p + 1, '\n')) {
		const char *end = p + 1 + strcspn(p + 1, "\n"), *file = memrchr(p + 1, ' ', (size_t)(end - p - 1));
		if (!file || file[1] == '(' || (size_t)(end - file) > size)
			continue;
		snprintf(out, size, "%.*s", (int)(end - file - 1), file + 1);
		if (strchr(out, ':') && !strstr(out, "compiler-rt/") && !strstr(out, "sanitizer_common"))
			return 1;
	}
	return 0;
}

enum owner owner_of(const char *kind, const char *report)
{
	static const char *const own[] = {"stack-buffer", "dynamic-stack-buffer", "stack-use-after", "global-buffer", "stack-smashing", "fortify"};
	static const char *const shared[] = {"stack-overflow", "heap-use-after-free", "double-free"};
	struct located l;
	char file[300];
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (!strncmp(kind, own[i], strlen(own[i])))
			return OWNER_SELF;
	int found = report && stack_file(report, "allocated by thread", file, sizeof file), drivers = found && !strncmp(file_base(file), "drive_", 6);
	for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
		if (!strncmp(kind, shared[i], strlen(shared[i])))
			return drivers || !i ? OWNER_SHARED : OWNER_SELF;
	if (!found || (located_read(report, &l) && located_is_far(&l)))
		return OWNER_NONE;
	return drivers ? OWNER_CALLER : OWNER_SELF;
}
