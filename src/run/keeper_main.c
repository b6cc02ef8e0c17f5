/* keeper_main.c: the program muster-keeper. Only muster starts it. */
#include "run/keeper.h"

#include <fcntl.h>
#include <stdio.h>

int main(void)
{
	if (fcntl(KEEPER_BOARD, F_GETFD) < 0 || fcntl(KEEPER_SOCKET, F_GETFD) < 0) {
		fprintf(stderr, "muster-keeper is a part of muster, which starts it for each "
				"target; try: muster --help\n");
		return 2;
	}
	keeper_main();
}
