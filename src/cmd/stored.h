/* stored.h: the campaign of the store that a command is about: that of -o DIR (its file `campaign` has the key), or the newest.
 *
 * The store is opened for reading only, so that it can be looked at while a search writes it, and from a directory that cannot be written. */
#ifndef MUSTER_CMD_STORED_H
#define MUSTER_CMD_STORED_H

#include "base/option.h"
#include "store/store.h"

struct stored {
	const char *dir, *store_file; /* of -o and --store, or NULL */
	struct store *store;
	char *path; /* of the store */
	/* The campaign; id 0: none is chosen. */
	uint64_t id;
	char *key, *program, *command;
	char *output; /* its directory, or NULL if it is not known */
};

#define STORED_ROWS(s)                                                                                              \
	OPTION_STR("output-dir", 'o', "DIR", &(s)->dir, "the search whose output directory this is (the newest)"), \
	    OPTION_STR("store", 0, "FILE", &(s)->store_file, "the store (.muster/store.db)")

/* Both end the process with words if it cannot be. */
void stored_open(struct stored *s);
void stored_choose(struct stored *s);
void stored_release(struct stored *s);
/* The output directory of any campaign of the store; allocated, NULL if it is not known. */
char *stored_output(const struct stored *s, uint64_t campaign);

/* The command that runs a bug's input again, "" if it is not known where its file is. */
void stored_replay(const struct stored *s, const struct result_bug *b, struct buf *out);

#endif
