/* system and popen run other programs beside the trace.
 *
 * INPUT ab
 * ALLOW extern
 */
#define _GNU_SOURCE
#include "case.h"

int main(void) {
	load();
	IF(in[0] == 'a'); // branch
	fflush(stdout);
	IF(system("echo from system") == 0);
	FILE *p = popen("echo piped", "r");
	char line[64] = "";
	IF(fgets(line, sizeof line, p) != NULL); // nobranch
	IF(strcmp(line, "piped\n") == 0);        // nobranch
	pclose(p);
	IF(in[1] == 'b'); // branch
	return 0;
}
