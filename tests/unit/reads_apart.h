/* reads_apart.h: for tests that include the runtime's reads (io_position.c, stdio.c, io.c): the parts of the runtime that a read tells
 * something and that are no part of what it found.
 */
#ifndef READS_APART_H
#define READS_APART_H

#include "rt.h"

/* What checkers ask for. */
int rt_fits(const void *p, size_t n)
{
	(void)p, (void)n;
	return 1;
}

void rt_check_read(const void *p, uint64_t n, label want, label length, uint64_t at)
{
	(void)p, (void)n, (void)want, (void)length, (void)at;
}

/* Data that left and come back: no file here was written. */
void rt_leaves_changed(int fd)
{
	(void)fd;
}

void rt_returned(int fd)
{
	(void)fd;
}

void rt_returned_inode(uint64_t dev, uint64_t ino)
{
	(void)dev, (void)ino;
}

void rt_lost(enum muster_loss what)
{
	(void)what;
}

#endif
