/* kill.c: kills writers of a store N times. kill PATH KILLS SEED */
#include "store_kill.h"

int main(int argc, char **argv)
{
	struct kill_state k = {.path = argv[1]};
	int kills = argc == 4 ? atoi(argv[2]) : 0;

	if (kills <= 0)
		return 2;
	k.random = strtoull(argv[3], NULL, 0);
	for (int i = 1; i <= kills; i++) {
		if (kill_round(&k)) {
			printf("kill %d of %d: the store is not what was acknowledged\n", i, kills);
			return 1;
		}
	}
	if (kill_check(&k, 0))
		return 1;
	printf(
	    "%d kills of two writers each, %u before a commit: %zu acknowledged tests, none lost\n",
	    kills, k.empty, k.acks.size);
	vec_release(&k.acks);
	return 0;
}
