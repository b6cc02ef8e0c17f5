/* link.h: muster's end of the connection to a keeper. */
#ifndef MUSTER_LINK_H
#define MUSTER_LINK_H

#include "base/vec.h"
#include "run/keeper.h"

struct link {
	pid_t pid; /* of the keeper; 0: none */
	int socket;
	struct keeper_board *board; /* stays through restarts */
	int board_fd;
	int no_namespace;
	unsigned starts;
	VEC(pid_t) known; /* our children when the keeper started: none of its orphans */
};

enum link_event { LINK_DONE, LINK_WAITING, LINK_LOST };

/* fds: what becomes KEEPER_IN, KEEPER_OUT, KEEPER_ERR and, if not -1, KEEPER_SHM and KEEPER_REPORT. 0 or -1 with
 * words. */
int link_init(struct link *l, int no_namespace);
#define LINK_FDS (KEEPER_FDS - KEEPER_IN)
int link_start(struct link *l, const int fds[LINK_FDS]);
/* Says that a job stands on the board. -1: the keeper is gone, see link_lost. */
int link_ask(struct link *l);
/* Asks for the end of the run that is under way; nothing if there is none. */
void link_stop(struct link *l, char why);
/* The socket is readable: is the reply there, or the keeper gone? */
enum link_event link_read(struct link *l);
/* The keeper died or does not answer: ends it and everything that was below it. */
void link_lost(struct link *l);
void link_quit(struct link *l); /* ends the keeper, which has nothing to do; link_start starts another */
void link_release(struct link *l);

#endif
