/* activation_inside.h: between the files about activations: activation_log.c (who read and wrote what, objects), activation_read.c (leaves), activation_write.c (writes and outputs),
 * activation.c (begin and end), activation_mark.c (what a summary of it would miss). */
#ifndef MUSTER_RT_ACTIVATION_INSIDE_H
#define MUSTER_RT_ACTIVATION_INSIDE_H

#include "activation.h"
#include "node.h"

#ifdef RT_ACTIVATIONS

#define ACTIVATION_GRAINS (1u << 20)
#define ACTIVATION_SLOTS (1u << 21)
#define ACTIVATION_OPEN (1u << 12) /* activations at once */
#define ACTIVATION_BULK (1u << 20) /* bytes of one copy or fill that are logged */

struct grain {
	uint64_t at;	   /* multiple of 8 */
	uint32_t open;	   /* place of its activation in the stack, from 1 */
	uint32_t outer;	   /* of the same address, of an activation around this one; 0: none */
	uint32_t next;	   /* of the same activation */
	label place;	   /* of the address of the last write, which had the value `wrote` */
	uint64_t wrote;
	uint8_t read, written, starts; /* a bit for each byte; starts: a write began there */
	uint8_t ahead;		       /* bytes that a parameter points to: they may be outputs, though this path does not write them */
	uint32_t saved[8]; /* cells of the caller */
	uint32_t born;	   /* if it was written: the activation since whose beginning the object is there; 0: longer */
};

struct activation {
	uint32_t number;
	uint32_t grains; /* the newest */
	uint32_t born;	 /* blocks allocated before it began, of those in the list */
	uint32_t marks;
	uint32_t leaves, writes; /* that it has; grains that it wrote, but for blocks of its own */
	uint64_t frame;
	uint64_t site, shape; /* of its function; 0: a segment. How its parameters point */
	uint64_t events;      /* there were before it */
	label first; /* nodes from here on are made since it began */
};

struct slot { /* grains by address */
	uint64_t at;
	uint32_t top;
};

struct moving { /* a block that realloc gave back: its cells are still there, its contents are not */
	uint64_t at, end, size;
};

/* activation_log.c */
extern RT_HIDDEN struct activation activation_open[ACTIVATION_OPEN + 1];
extern RT_HIDDEN struct grain activation_grains[ACTIVATION_GRAINS];
extern RT_HIDDEN struct slot activation_slots[ACTIVATION_SLOTS];
extern RT_HIDDEN uint32_t activation_born_count; /* blocks allocated since the outermost began */
extern RT_HIDDEN uint32_t activation_busy;	 /* in here: what is read and written now is the runtime's own */
extern RT_HIDDEN uint64_t activation_frees;	 /* counts whatever may take a page of the program's away */
/* Made if it is not there; NULL: there is no room, which is marked. */
RT_HIDDEN struct grain *activation_grain(uint64_t at, uint32_t open);
/* The grain of the innermost activation is over. */
RT_HIDDEN void activation_grain_free(uint32_t grain);
/* The innermost activation since whose beginning the object was allocated; 0: it was there before. */
RT_HIDDEN uint32_t activation_born_in(uint64_t base);
/* The blocks of the innermost activation become its caller's. */
RT_HIDDEN void activation_born_end(void);
RT_HIDDEN void activation_forget(void); /* nothing is open any more */
/* The object that the address is in, as an event, before anything that lies in it. Where it begins; 0: no known one. */
RT_HIDDEN uint64_t activation_object(uint64_t addr);
RT_HIDDEN void activation_put_object(const struct rt_object *o);
/* activation_mark.c: of the `count` innermost; 0: of all. */
RT_HIDDEN void activation_mark_some(enum muster_mark what, uint32_t count);
/* activation_read.c */
extern RT_HIDDEN struct moving activation_moving;
/* One more inside of the innermost: its number; 0: there is no room. */
RT_HIDDEN uint32_t activation_push(uint64_t frame);
RT_HIDDEN uint32_t activation_next(void); /* the number that it would have */
RT_HIDDEN label activation_leaf(uint32_t open, unsigned width, label bound, label place, unsigned memory, uint64_t value, uint64_t k, uint64_t site);
RT_HIDDEN int activation_is_outer(uint32_t number); /* is it open, for rt_rebind? */
RT_HIDDEN void activation_read_end(void); /* nothing is open any more */
/* activation_write.c: the innermost ends: cells as the caller sees them, what it wrote in the caller's log. */
RT_HIDDEN void activation_hand_over(struct grain *g);

static inline int activation_composes(void)
{
	return RT_ON() && RT_STATE->header->flags & MUSTER_FLAG_COMPOSE;
}

static inline int activation_is_large(const struct activation *a)
{
	return a->leaves + a->writes > MUSTER_FEW_PARTS;
}

static inline uint32_t *cells(uint64_t addr)
{
	return (uint32_t *)MUSTER_SHADOW(addr);
}

static inline int covered(uint64_t addr, uint64_t size)
{
	uint64_t end = addr + size;
	if (end < addr)
		return 0;
	return end <= 0x10000000000ull || (addr >= 0x7e0000000000ull && end <= 0x800000000000ull) ||
	       (addr >= 0x550000000000ull && end <= 0x570000000000ull);
}

static inline void mark_page(uint64_t addr)
{
	RT_STATE->any_label = 1;
	*(uint8_t *)(MUSTER_DIRTY_BASE + (addr >> 12)) = 1;
}

static inline uint64_t place_of(uint64_t at)
{
	uint64_t i = (at >> 3) + (at >> 24) * 0x9e3779b1u; /* neighbours lie together: a page of slots serves a page of memory */

	while (activation_slots[i % ACTIVATION_SLOTS].at && activation_slots[i % ACTIVATION_SLOTS].at != at)
		i++;
	return i % ACTIVATION_SLOTS;
}

static inline struct grain *find(uint64_t at, uint32_t open)
{
	for (uint32_t g = activation_slots[place_of(at)].top; g && activation_grains[g].open >= open; g = activation_grains[g].outer)
		if (activation_grains[g].open == open)
			return &activation_grains[g];
	return NULL;
}

static inline int on_own_stack(uint64_t addr, uint32_t open)
{
	return addr < activation_open[open].frame && addr >= (uint64_t)__builtin_frame_address(0);
}

#endif
#endif
