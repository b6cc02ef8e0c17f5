/* sort.h: lists of numbers in order. */
#ifndef MUSTER_SORT_H
#define MUSTER_SORT_H

#include <stddef.h>
#include <stdint.h>

void sort_u32(uint32_t *list, size_t count);
size_t sort_u32_once(uint32_t *list, size_t count); /* each number once: how many are left */

#endif
