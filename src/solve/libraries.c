/* libraries.c: which solvers this muster was linked with. */
#include "solve/solve.h"

#include <ccadical.h>
#include <stdio.h>
#include <string.h>
#include <z3.h>

const char *solve_libraries(void)
{
	static char text[128];
	const char *cadical = ccadical_signature();
	unsigned major, minor, build, revision;

	if (!strncmp(cadical, "cadical-", 8))
		cadical += 8;
	Z3_get_version(&major, &minor, &build, &revision);
	snprintf(text, sizeof text, "CaDiCaL %s, Z3 %u.%u.%u", cadical, major, minor, build);
	return text;
}
