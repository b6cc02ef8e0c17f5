/* wrap: turns the bytes of a message round a ring of sixteen places.
 *
 *	byte 0      'w'
 *	byte 1      where to begin
 */
#include <stdio.h>

int main(void)
{
	char buf[16] = "0123456789abcde";
	int kind = getchar(), at = getchar();
	if (kind != 'w' || at < 0)
		return 1;
	puts(at < 128 ? "low" : "high");
	buf[at & 63] = '-';
	puts(buf);
	return 0;
}
