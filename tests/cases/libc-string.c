/* string.h: paths through the bodies are the program's paths; results depend on the bytes.
 *
 * INPUT hello, world\x00other\x00xyz
 * FLAGS -O2 -D_FORTIFY_SOURCE=2
 */
#define _GNU_SOURCE
#include <strings.h>
#include "case.h"

int main(void) {
	load();
	char *s = (char *)in, *t = s + 13, b[64];
	IF(strlen(s) == 12);
	IF(strnlen(s, 5) == 5);
	IF(memcmp(s, "hellp", 5) < 0);          // branch
	IF(strcmp(t, "other") == 0);            // branch
	IF(strncmp(s, "help", 3) == 0);
	IF(strchr(s, 'w') == s + 7);
	IF(strrchr(s, 'o') == s + 8);
	IF(memchr(s, ',', 12) == s + 5);
	IF(memrchr(s, 'l', 12) == s + 10);
	IF(rawmemchr(s, 'w') == s + 7);
	IF(strchrnul(s, '#') == s + 12);
	IF(strstr(s, "wor") == s + 7);
	IF(strcasestr(s, "WOR") == s + 7);
	IF(memmem(s, 12, "ld", 2) == s + 10);
	IF(strspn(s, "hel") == 4);
	IF(strcspn(s, " ,") == 5);
	IF(strpbrk(s, "xw") == s + 7);
	strcpy(b, s);
	IF(b[4] == 'o');                        // branch
	strncpy(b, t, 8);
	IF(b[0] == 'o');                        // branch
	strcat(b, s + 10);
	IF(b[5] == 'l');                        // branch
	strncat(b, s, 2);
	IF(b[7] == 'h');                        // branch
	IF(stpcpy(b, t) == b + 5);
	char *save, *word = strtok_r(b, "h", &save);
	IF(word[1] == 't');                     // branch
	char *copy = strndup(s, 3);
	IF(copy[2] == 'l');                     // branch
	free(copy);
	IF(strsep(&s, ",") != NULL);
	IF(s[0] == ' ');                        // branch
	IF(strcasecmp(t, "OTHER") == 0);
	IF(strncasecmp(t, "OTHx", 3) == 0);
	IF(bcmp(t, "other", 5) == 0);
	IF(ffs(in[0]) == 4);                    // branch
	return 0;
}
