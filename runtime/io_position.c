/* io_position.c: symbolic file positions, and the length of an input.
 *
 * The kernel keeps a descriptor's position; here stands only what it cannot know:
 * that a position would be another one if the input were longer or shorter. Such
 * positions are kept in a small table by descriptor, with the value they had. A
 * descriptor whose position has another value now was moved by other code, and
 * its position is concrete. Positions of a duplicate are concrete too: that makes
 * a condition on the length more than need be, never one too few.
 *
 * Invariant of known[]: the events so far say that the source has at least that
 * many bytes, so a smaller bound need not be written again.
 */
#include "io.h"
#include "node.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

off_t __real_lseek(int fd, off_t offset, int whence);

#define POSITIONS 64
#define LAST_DESCRIPTOR 16 /* that is looked at when the program ends */

static struct entry {
	int used, fd;
	struct io_position position;
} entries[POSITIONS];
static unsigned next_victim;

static uint64_t known[MUSTER_MAX_SOURCES];

/* The furthest position of each source that a wrapper left behind. A descriptor that stands further was read by other code:
 * a library that was built without muster, libc inside a function that no wrapper follows, a system call. */
static uint64_t furthest[MUSTER_MAX_SOURCES];

static void moved(const struct io_position *p)
{
	if (p->at > furthest[p->source])
		furthest[p->source] = p->at;
}

static void look_where(const struct io_position *p)
{
	/* The driver reads its input itself; a function that it calls and that reads a file is no candidate for a verdict. */
	if (p->at > furthest[p->source] && !RT_STATE->driven)
		rt_lost(MUSTER_LOST_READ);
}

static struct entry *find(int fd)
{
	for (int i = 0; i < POSITIONS; i++)
		if (entries[i].used && entries[i].fd == fd)
			return &entries[i];
	return NULL;
}

int rt_io_position_get(int fd, struct io_position *p)
{
	int kept = errno;
	p->source = rt_source_of_fd(fd);
	p->label = 0;
	if (p->source < 0)
		return 0;
	off_t at = __real_lseek(fd, 0, SEEK_CUR);
	errno = kept;
	if (at < 0)
		return 0;
	p->at = (uint64_t)at;
	look_where(p);
	struct entry *e = find(fd);
	if (e && e->position.source == p->source && e->position.at == p->at)
		p->label = e->position.label;
	return 1;
}

void rt_io_position_forget(int fd)
{
	struct entry *e = find(fd);
	struct io_position p;
	if (rt_active())
		rt_io_position_get(fd, &p);
	if (e && rt_active())
		e->used = 0;
	rt_leaves_changed(fd);
}

void rt_io_end_of_run(void)
{
	struct io_position p;
	for (int fd = 0; fd < LAST_DESCRIPTOR && rt_active(); fd++)
		rt_io_position_get(fd, &p);
}

void rt_io_position_set(int fd, const struct io_position *p)
{
	struct entry *e = find(fd);
	moved(p);
	if (!p->label) {
		if (e)
			e->used = 0;
		return;
	}
	for (int i = 0; !e && i < POSITIONS; i++)
		if (!entries[i].used)
			e = &entries[i];
	if (!e)
		e = &entries[next_victim++ % POSITIONS];
	*e = (struct entry){.used = 1, .fd = fd, .position = *p};
}

/* Bound: the input has at least n bytes. */
static void at_least(int source, uint64_t n)
{
	if (n <= known[source])
		return;
	known[source] = n;
	rt_bound(rt_binary(MUSTER_OP_ULE, 64, 0, rt_length((unsigned)source), n,
			   rt_source_size((unsigned)source)));
}

label rt_io_end(const struct io_position *p)
{
	return p->label || p->at > rt_source_size((unsigned)p->source) ? 0 : rt_length((unsigned)p->source);
}

/* Nothing was there to be read, at a position beyond the end or a symbolic one. */
static label nothing_left(struct io_position *p, label length, uint64_t size)
{
	if (p->label != length)
		rt_bound(rt_binary(MUSTER_OP_ULE, 64, length, p->label, size, p->at));
	return 0;
}

static label met_end(struct io_position *p, size_t want, label want_label, label length,
		     uint64_t size)
{
	label end = want_label ? rt_binary(MUSTER_OP_ADD, 64, want_label, 0, want, p->at) : 0;
	label left = length;
	rt_bound(rt_binary(MUSTER_OP_ULT, 64, length, end, size, p->at + want));
	if (p->at != 0)
		left = rt_binary(MUSTER_OP_SUB, 64, length, 0, size, p->at);
	p->at = size;
	p->label = length;
	return left;
}

static label was_full(struct io_position *p, size_t want, label want_label, label length,
		      uint64_t size)
{
	uint64_t end = p->at + want;
	if (!want_label) {
		at_least(p->source, end);
		p->at = end;
		return 0;
	}
	label end_label = want_label;
	if (p->at != 0)
		end_label = rt_binary(MUSTER_OP_ADD, 64, want_label, 0, want, p->at);
	if (end_label != length)
		rt_bound(rt_binary(MUSTER_OP_ULE, 64, end_label, length, end, size));
	p->at = end;
	p->label = end_label;
	return want_label;
}

label rt_io_account(struct io_position *p, size_t want, label want_label, size_t got)
{
	label length = rt_length((unsigned)p->source);
	uint64_t size = rt_source_size((unsigned)p->source);

	if (!length)
		return 0;
	if (want == 0 && !want_label)
		return 0;
	if (p->label && got > 0) { /* other bytes for another length */
		rt_concrete(p->label, MUSTER_REASON_OFFSET);
		p->label = 0;
	}
	if (p->label || p->at > size)
		return nothing_left(p, length, size);
	at_least(p->source, p->at);
	if (got == want)
		return was_full(p, want, want_label, length, size);
	if (p->at + got == size)
		return met_end(p, want, want_label, length, size);
	p->at += got; /* cut short by something else than the end */
	rt_concrete(want_label, MUSTER_REASON_SIZE);
	return 0;
}

/* How much of [to, to + *room) can be looked at. A program has no business beyond its object: *room
 * ends there. Where no object is known, less than *room may be known to be mapped. */
static size_t readable(const char *to, size_t *room, int touched)
{
	struct rt_object o;
	size_t page = 4096 - ((uintptr_t)to & 4095);
	if (to && rt_object_find(to, &o)) {
		uint64_t left = o.base + o.size - (uint64_t)to;
		if (left < *room)
			*room = left;
		return *room;
	}
	if (!to || !touched || page == 4096)
		return 0; /* of a page that was never touched */
	return page < *room ? page : *room;
}

/* to[i] would be byte offset + i of the source if end, which is `value` now, were more than value +
 * i. Gives for how many bytes that could be said. */
static size_t label_past(int source, uint64_t offset, char *to, size_t n, label end, uint64_t value)
{
	uint64_t size = rt_source_size((unsigned)source);
	for (size_t i = 0; i < n; i++) {
		uint64_t at = offset + i;
		label byte = at < size ? rt_input((unsigned)source, at)
				       : rt_input_past((unsigned)source, at - size);
		if (!byte)
			return i;
		uint64_t old = (unsigned char)to[i];
		label there = rt_binary(MUSTER_OP_ULT, 64, 0, end, value + i, value);
		rt_store(to + i, 1, rt_ite(there, byte, rt_load(to + i, 1), 8, 0, old, 0));
	}
	return n;
}

void rt_io_past(int source, char *to, size_t room, int touched)
{
	label length = rt_length((unsigned)source);
	uint64_t size = rt_source_size((unsigned)source);
	size_t n = readable(to, &room, touched);

	if (!length)
		return;
	n = label_past(source, size, to, n, length, size);
	if (n < room)
		rt_bound(rt_binary(MUSTER_OP_ULE, 64, length, 0, size, size + n));
}

void rt_io_more(int source, uint64_t offset, char *to, label want, size_t value)
{
	struct rt_object o;
	if (!want || !rt_object_find(to, &o))
		return;
	size_t room = o.base + o.size - (uint64_t)to;
	size_t n = label_past(source, offset, to, room, want, value);
	if (n < room)
		rt_bound(rt_binary(MUSTER_OP_ULE, 64, want, 0, value, value + n));
}

void rt_io_seek(struct io_position *p, int64_t offset, label offset_label, int whence, int64_t at)
{
	label length = rt_length((unsigned)p->source), from = 0, target = offset_label;
	uint64_t from_value = 0;

	if (whence != SEEK_SET && whence != SEEK_CUR && whence != SEEK_END) {
		rt_concrete(offset_label, MUSTER_REASON_OFFSET);
		target = 0;
	} else if (whence == SEEK_END) {
		from = length;
		from_value = rt_source_size((unsigned)p->source);
	} else if (whence == SEEK_CUR) {
		from = p->label;
		from_value = p->at;
	}
	if (from && !offset && !offset_label)
		target = from;
	else if (from || (offset_label && from_value))
		target =
		    rt_binary(MUSTER_OP_ADD, 64, from, offset_label, from_value, (uint64_t)offset);
	if (target && target != length) /* before the start it fails */
		rt_bound(rt_binary(MUSTER_OP_SLE, 64, 0, target, 0, from_value + (uint64_t)offset));
	if (at >= 0) {
		p->label = target;
		p->at = (uint64_t)at;
	}
}
