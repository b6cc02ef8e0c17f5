/* challenge.h: what the challenges share. Each is a harness that calls abort() where an input has passed every test.
 *
 * NEED(condition) gives up where it does not hold: each is a branch of its own, so that a search gets one step further with every
 * test it solves. Numbers are taken as a program takes them that reads a file: copied out, little-endian. */
#ifndef CHALLENGE_H
#define CHALLENGE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NEED(condition)           \
	do {                      \
		if (!(condition)) \
			return 0; \
	} while (0)

#define TAKE(type, name)                                          \
	type name;                                                \
	do {                                                      \
		NEED(size >= sizeof name);                        \
		memcpy(&name, data, sizeof name);                 \
		data += sizeof name, size -= sizeof name;         \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
