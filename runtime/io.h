/* io.h: positions in input files, and what a read from one says about the length.
 *
 * A position is concrete, or carries a label: after a read that met the end it is
 * the length itself, after a seek from the end the length and an offset.
 */
#ifndef MUSTER_RT_IO_H
#define MUSTER_RT_IO_H

#include "rt.h"

struct io_position {
	int source;
	uint64_t at;
	label label;
};

/* The descriptor's source and position. 0 if it is no source or cannot seek. */
RT_HIDDEN int rt_io_position_get(int fd, struct io_position *p);
/* Remembers the label of a descriptor's position, as long as the position is p->at. */
RT_HIDDEN void rt_io_position_set(int fd, const struct io_position *p);
/* The program ends: has other code read an input? */
RT_HIDDEN void rt_io_end_of_run(void);
/* The descriptor is another file's now, or closed. */
RT_HIDDEN void rt_io_position_forget(int fd);

/* A read of `want` bytes (label want_label) at p gave `got`: records what that says
 * about the length, moves p, and gives the label of the result. */
RT_HIDDEN label rt_io_account(struct io_position *p, size_t want, label want_label, size_t got);

/* The label of the source's length; 0: unknown, or the position follows it. */
RT_HIDDEN label rt_io_end(const struct io_position *p);

/* A read met the end of a source: a longer input would have put its next bytes at `to`, `room`
 * of them at most. They get labels that say so, as far as RT_PAST; beyond that the length is
 * bounded. touched: the byte before `to` was written just now. to may be NULL: nothing is known of
 * the memory. */
RT_HIDDEN void rt_io_past(int source, char *to, size_t room, int touched);
/* A read of a symbolic number of bytes, `value`, got them all: if it were larger, the byte at
 * `offset` of the source and those after it would stand at `to`, as far as the object there goes.
 */
RT_HIDDEN void rt_io_more(int source, uint64_t offset, char *to, label want, size_t value);

/* A seek of p to `offset` from `whence` reached `at`, or failed where at is negative. */
RT_HIDDEN void rt_io_seek(struct io_position *p, int64_t offset, label offset_label, int whence,
			  int64_t at);

#endif
