/* frame.h: frames of a small protocol: a kind from 1 to 4, and up to 16 bytes. */
#ifndef FRAME_H
#define FRAME_H

#define FRAME_MOST 16

/* How many percent of a frame are used. */
int frame_used(int length);
/* 0 if there are such frames, -1 if not. */
int frame_check(int kind, int length);
/* What sending it costs, or -1. */
int frame_cost(int kind, int length);

#endif
