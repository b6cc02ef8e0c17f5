/* drive_trace.c: the labels of what the driver builds (runtime/drive.c), in the traced runtime.
 *
 * Bytes of an image are the input's bytes at their offset, whether the input is long enough or not:
 *what it lacks is 0, and the engine lets it grow. A pointer is a chain of choices, choice == 1 ? A1
 *: choice == 2 ? A2 : ... : null over addresses that are constants of the run. Byte i of a string
 *is `i < length ? byte : 0`: the terminator is where the header says, and another header moves it.
 */
#include "drive_inside.h"
#include "node.h"
#include "pin.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned source; /* that has the input */
static const uint8_t *input;
static uint64_t input_size;

/* The label of a byte of the input that stands nowhere in memory. */
static label byte_label(uint64_t at, uint8_t *value)
{
	uint8_t scratch; /* below every frame of the program: no activation has written it */

	*value = scratch = at < input_size ? input[at] : 0;
	rt_label_input(&scratch, source, at, 1);
	rt_clear(&scratch, 1);
	return rt_input(source, at);
}

void pin_measure(struct drive_object *o)
{
	uint8_t header;

	if (o->limit < 2 || o->last)
		return;
	label l = byte_label(o->at, &header);
	o->last = o->limit < 256 ? rt_binary(MUSTER_OP_AND, 8, l, 0, header, o->limit - 1) : l;
	l = rt_binary(MUSTER_OP_ADD, 64, rt_zext(o->last, 64), 0, o->elements - 1, 1);
	o->bytes =
	    o->element == 1 ? l : rt_binary(MUSTER_OP_MUL, 64, l, 0, o->elements, o->element);
	o->checked = o->element;
}

/* Bytes of standard input, if that is what the engine made symbolic and objects have none. */
static const uint8_t *from_stdin(uint64_t *size)
{
	static uint8_t bytes[1 << 16];
	int in = rt_source_of_fd(0);
	long n = in >= 0 ? syscall(SYS_pread64, 0, bytes, sizeof bytes, 0L) : -1;

	if (n < 0)
		return NULL;
	source = (unsigned)in;
	*size = (uint64_t)n;
	return bytes;
}

void __muster_drive_starved(void)
{
	rt_lost(MUSTER_LOST_RESULTS);
}

int __muster_drive_input(uint32_t version, const uint8_t **data, uint64_t *size)
{
	struct muster_header *h = RT_STATE->header;

	if (!RT_ON())
		return 0;
	if (version != DRIVE_HOOKS) {
		rt_message("the driver in this program is of another version; build it again");
		return 0;
	}
	source = h->object_source;
	input = (const uint8_t *)h + h->data_offset;
	input_size = source < h->source_count ? h->sources[source].size : 0;
	if (input_size > h->data_size)
		input_size = h->data_size;
	if (!input_size && !(input = from_stdin(&input_size)))
		return 0;
	*data = input;
	*size = input_size;
	return 1;
}

void __muster_drive_begin(struct drive_objects *o, uint64_t size)
{
	RT_STATE->driven = 1;
	RT_STATE->driven_source = source;
	RT_STATE->driven_size = size;
	RT_STATE->header->object_used = size;
	pin_begin(o);
}

/* -------------------------------------------------------------------- bytes */

/* A word of a global: what stood there, exclusive or the input's bytes. */
static void flipped(uint8_t *p, uint64_t at, unsigned n, const uint8_t *first)
{
	uint64_t value = 0, was = 0;
	uint8_t now[8];

	memcpy(now, p, n);
	for (unsigned i = 0; i < n; i++)
		p[i] ^= first[i];
	rt_label_input(p, source, at, n);
	label l = rt_load(p, n);
	memcpy(&value, p, n);
	memcpy(&was, first, n);
	memcpy(p, now, n);
	rt_store(p, n, rt_binary(MUSTER_OP_XOR, n * 8, l, 0, value, was));
}

static void flag(uint8_t *p, uint64_t at, const uint8_t *first)
{
	uint8_t value;
	label l = byte_label(at, &value);

	l = rt_binary(MUSTER_OP_AND, 8, l, 0, value, 1);
	rt_store(p, 1, rt_binary(MUSTER_OP_XOR, 8, l, 0, value & 1, first ? *first : 0));
}

void __muster_drive_bytes(void *p, uint64_t at, uint64_t n, const void *first, unsigned mask)
{
	if (!mask)
		rt_clear(p, n);
	else if (mask == 1)
		flag(p, at, first);
	else if (!first)
		rt_label_input(p, source, at, n);
	else if (n == 1 || n == 2 || n == 4 || n == 8)
		flipped(p, at, (unsigned)n, first);
	else
		for (uint64_t i = 0; i < n; i++)
			flipped((uint8_t *)p + i, at + i, 1, (const uint8_t *)first + i);
}

static label string_byte(const struct drive_object *o, uint64_t i)
{
	uint64_t element = i / o->element;
	uint8_t value;
	label l = byte_label(o->at + DRIVE_HEADER + i, &value);

	if (!o->last)
		return element + 1 >= o->elements ? 0 : l;
	if (element + 1 >= o->limit)
		return 0; /* always the end */
	return rt_ite(rt_binary(MUSTER_OP_ULT, 8, 0, o->last, element, o->elements - 1), l, 0, 8,
		      value, 0, element < o->elements - 1);
}

void __muster_drive_string(struct drive_object *o)
{
	pin_measure(o);
	for (uint64_t i = 0; i < o->size; i++)
		rt_store(o->base + i, 1, string_byte(o, i));
}

int pin_has_end(const struct drive_object *o)
{
	for (uint64_t i = o->size - o->element; i < o->size; i++)
		if (o->base[i] || rt_load(o->base + i, 1) != string_byte(o, i))
			return 0;
	return 1;
}

/* ----------------------------------------------------------------- pointers */

/* Bytes from the object's start, as byte 1 of the image says: up to its end. */
static label inside(const struct drive_choice *c, struct drive_object *o, uint64_t *value)
{
	uint8_t skip;
	label l = rt_zext(byte_label(c->at + 1, &skip), 64), count = 0;
	int fits = skip <= o->elements;

	pin_measure(o);
	if (o->last)
		count = rt_binary(MUSTER_OP_ADD, 64, rt_zext(o->last, 64), 0, o->elements - 1, 1);
	*value = fits ? (uint64_t)skip * o->element : 0;
	return rt_ite(rt_binary(MUSTER_OP_ULE, 64, l, count, skip, o->elements),
		      rt_binary(MUSTER_OP_MUL, 64, l, 0, skip, o->element), 0, 64,
		      (uint64_t)skip * o->element, 0, fits);
}

void __muster_drive_pointer(void *p, const struct drive_choice *c)
{
	uint8_t value;
	label choice = byte_label(c->at, &value), l = 0, skips[DRIVE_OBJECTS] = {0};
	uint64_t now = 0; /* the value of l */

	for (uint32_t k = c->count; k-- > 0;) {
		uint64_t to = (uint64_t)(c->objects ? (void *)c->objects[k].base : c->targets[k]),
			 skip = 0;
		label at = 0;

		if (c->objects && c->type->flags & DRIVE_INTERIOR && k < DRIVE_OBJECTS) {
			skips[k] = inside(c, &c->objects[k], &skip);
			at = rt_binary(MUSTER_OP_ADD, 64, skips[k], 0, skip, to);
		}
		uint64_t code = k + 1 + (uint64_t)c->global;
		int here = value == code;
		l = rt_ite(rt_binary(MUSTER_OP_EQ, 8, choice, 0, value, code), at, l, 64, to + skip,
			   now, here);
		now = here ? to + skip : now;
	}
	if (c->global && c->first)
		l = rt_ite(rt_binary(MUSTER_OP_EQ, 8, choice, 0, value, 0), 0, l, 64, c->first, now,
			   value == 0);
	rt_store(p, 8, l);
	struct pin_root *r = l ? pin_new(l) : NULL;
	if (!r)
		return;
	r->choice = choice;
	r->objects = c->objects;
	r->count = c->count;
	r->align = 1u << (c->type->flags >> DRIVE_ALIGN_SHIFT);
	r->global = (uint8_t)c->global;
	r->first = c->first;
	if (c->objects && value > r->global && value - 1u - r->global < c->count &&
	    value - 1u - r->global < DRIVE_OBJECTS)
		r->skip = skips[value - 1 - r->global];
}

void __muster_drive_memory_at(unsigned after, unsigned what, uint32_t number, const void *p, uint64_t n)
{
	struct rt_object o = {(uint64_t)p, n, 0};
	label data;

	if (!RT_ON() || !(RT_STATE->header->flags & MUSTER_FLAG_MEMORY) || !n)
		return;
	data = rt_snapshot(&o);
	if (data)
		rt_event_at(MUSTER_EV_MEMORY, what, (uint64_t)after << 32 | number, data);
}

unsigned long __muster_drive_length(const void *self, const void *p, unsigned long element)
{
	label a[2], count = 0;

	rt_enter(self, a, 2);
	rt_concrete(a[1], MUSTER_REASON_SIZE);
	uint64_t n = element ? pin_rest(a[0], (uint64_t)p, element, &count, __muster_tls.site) : 0;
	rt_return(self, count);
	return n;
}
