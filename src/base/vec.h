/* vec.h: a growing array of any type.
 *
 *	VEC(int) v = {0};            or a field of a structure; all zero is empty
 *	vec_push(&v, 7);
 *	for (size_t i = 0; i < v.size; i++) use(v.data[i]);
 *	vec_release(&v);
 *
 * Elements move when it grows: keep indices, not pointers.
 */
#ifndef MUSTER_VEC_H
#define MUSTER_VEC_H

#include "base/mem.h"

#include <stdlib.h>

#define VEC(T)                    \
	struct {                  \
		T *data;          \
		size_t size, cap; \
	}

/* Room for at least n elements in all. */
#define vec_reserve(v, n)                                                                \
	do {                                                                             \
		size_t vec_n_ = (n);                                                     \
		if (vec_n_ > (v)->cap) {                                                 \
			(v)->cap = vec_n_ > 2 * (v)->cap ? vec_n_ : 2 * (v)->cap;        \
			if ((v)->cap < 8)                                                \
				(v)->cap = 8;                                            \
			(v)->data = mem_realloc((v)->data, (v)->cap, sizeof *(v)->data); \
		}                                                                        \
	} while (0)

#define vec_push(v, ...)                                \
	do {                                            \
		vec_reserve((v), (v)->size + 1);        \
		(v)->data[(v)->size++] = (__VA_ARGS__); \
	} while (0)

#define vec_pop(v) ((v)->data[--(v)->size])
#define vec_last(v) ((v)->data[(v)->size - 1])
/* Elements from i on; NULL + i has no meaning in C, and an empty vector has no memory. */
#define vec_from(v, i) ((v)->data ? (v)->data + (i) : (v)->data)
#define vec_clear(v) ((void)((v)->size = 0))
#define vec_release(v)                    \
	do {                              \
		free((v)->data);          \
		(v)->data = NULL;         \
		(v)->size = (v)->cap = 0; \
	} while (0)

#endif
