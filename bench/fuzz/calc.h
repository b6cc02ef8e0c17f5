/* calc.h: a small language: statements over integers, strings and named values.
 *
 *	x = 0x1f + max(3, y); if (x > 4 && !y) { print "a\n"; } while (x) x = x - 1;
 *
 * A run ends at the end of the text, at the first error, or after CALC_STEPS steps; nothing is allocated. */
#ifndef CALC_H
#define CALC_H

#include <stddef.h>
#include <stdint.h>

#define CALC_STEPS 2000
#define CALC_NAMES 32
#define CALC_DEPTH 40

enum calc_token {
	CALC_END, CALC_NUMBER, CALC_STRING, CALC_NAME, CALC_BAD,
	CALC_IF, CALC_ELSE, CALC_WHILE, CALC_PRINT, CALC_RETURN, CALC_BREAK, CALC_CONTINUE,
	CALC_EQ, CALC_NE, CALC_LE, CALC_GE, CALC_AND, CALC_OR, CALC_SHL, CALC_SHR, CALC_ADD_TO, CALC_SUB_FROM,
	CALC_CHAR = 128, /* a character by itself is CALC_CHAR + its code */
};

enum calc_error {
	CALC_FINE, CALC_UNEXPECTED, CALC_BAD_NUMBER, CALC_BAD_ESCAPE, CALC_OPEN_STRING, CALC_OPEN_COMMENT, CALC_LONG_NAME,
	CALC_TOO_MANY_NAMES, CALC_TOO_DEEP, CALC_DIVISION, CALC_UNKNOWN_FUNCTION, CALC_ARGUMENTS, CALC_TOO_LONG, CALC_STRAY,
};

struct calc {
	const char *text;
	size_t size, at;
	enum calc_token token;
	int64_t number;
	char name[16];
	unsigned name_length;
	uint32_t string_hash; /* of the last string or name */
	unsigned string_length;
	struct {
		char name[16];
		int64_t value;
	} names[CALC_NAMES];
	unsigned name_count, depth, steps, loops;
	int skip; /* parse without effect: the branch that is not taken */
	int leave; /* 1 break, 2 continue, 3 return */
	uint64_t printed;
	enum calc_error error;
};

void calc_init(struct calc *c, const char *text, size_t size);
/* The error that ended the run, or CALC_FINE. */
enum calc_error calc_run(struct calc *c);

#endif
