/* option.h: the option table and parser that every subcommand uses.
 *
 *	static int json; static const char *input; static uint64_t cap = 1000;
 *	static const struct option_row rows[] = {
 *		OPTION_FLAG("json", 'j', &json, "print JSON"),
 *		OPTION_STR("input", 'i', "FILE", &input, "read the input from FILE"),
 *		OPTION_U64("cap", 0, "N", &cap, "events a site may have"),
 *		OPTION_END
 *	};
 *	static const struct option_spec spec = {"trace", "[options] -- PROGRAM [ARGUMENTS]", "what
 *it does", rows}; int i = option_parse(&spec, argc, argv);   // argv[i...] are the operands
 *
 * --name VALUE, --name=VALUE, -x VALUE, -xVALUE and --no-name (flags) are
 * understood; -- ends the options; the first operand ends them as well.
 * --help prints and exits 0, so does --option-table (for scripts/completions); wrong usage prints words and exits 2: the parser is
 * called from cmd/ only.
 */
#ifndef MUSTER_OPTION_H
#define MUSTER_OPTION_H

#include <stdint.h>

enum option_kind {
	OPTION_KIND_END,
	OPTION_KIND_FLAG,
	OPTION_KIND_STR,
	OPTION_KIND_U64,
	OPTION_KIND_DOUBLE,
	OPTION_KIND_LIST
};

struct option_list { /* of an option that may be given several times */
	const char **data;
	int size;
};

struct option_row {
	enum option_kind kind;
	const char *name;
	char letter;	   /* 0: none */
	const char *value; /* what the value is called in the help */
	void *target;	   /* int, const char *, uint64_t, double or struct option_list */
	const char *help;  /* NULL hides the option */
};

#define OPTION_FLAG(name, letter, target, help)                 \
	{                                                       \
		OPTION_KIND_FLAG, name, letter, 0, target, help \
	}
#define OPTION_STR(name, letter, value, target, help)              \
	{                                                          \
		OPTION_KIND_STR, name, letter, value, target, help \
	}
#define OPTION_U64(name, letter, value, target, help)              \
	{                                                          \
		OPTION_KIND_U64, name, letter, value, target, help \
	}
#define OPTION_DOUBLE(name, letter, value, target, help)              \
	{                                                             \
		OPTION_KIND_DOUBLE, name, letter, value, target, help \
	}
#define OPTION_LIST(name, letter, value, target, help)              \
	{                                                           \
		OPTION_KIND_LIST, name, letter, value, target, help \
	}
#define OPTION_END                             \
	{                                      \
		OPTION_KIND_END, 0, 0, 0, 0, 0 \
	}

struct option_spec {
	const char *command; /* "trace" */
	const char *usage;   /* after "muster trace " */
	const char *about;   /* a sentence or a paragraph */
	const struct option_row *rows;
};

/* The file of options (config.h) that commands read before their arguments, which win over it; what an option that may be given several times has there is added to. Words with the line
 * and exit 2 if the file is wrong: an option that the command does not have, one that may only be typed, a wrong value; of sections of other commands what check says. Not read where --help is
 * asked for. Without this call there is none. Both must outlive the options. */
enum option_section {
	OPTION_SECTION_RIGHT,
	OPTION_SECTION_WRONG,	/* words were printed */
	OPTION_SECTION_CLOSED,	/* a command that has no section */
	OPTION_SECTION_UNKNOWN, /* no command */
};
void option_config(const char *path, enum option_section (*check)(const char *section), const char *const *typed_only);
/* A command with this as its only argument reads its own section of the file and exits: 0, or 2 with words. */
#define OPTION_CHECK "--check-config"

/* argv[0] is the subcommand's name. Returns the index of the first operand.
 * Numbers may end in k, M or G (1024 each). */
int option_parse(const struct option_spec *spec, int argc, char **argv);
int option_number(const char *s, uint64_t *out); /* such a number; -1 if it is none */
void option_help(const struct option_spec *spec);
/* The name that was probably meant: of those shown to option_near, the one that fewest letters
 * separate from what was typed, if these are few for its length; else NULL. */
struct option_near {
	const char *typed, *name;
	unsigned distance; /* of name; larger ones are of no interest */
};
#define OPTION_NEAR(typed) {typed, NULL, strlen(typed) / 3 + 1}
void option_near(struct option_near *near, const char *name);
/* Words about wrong usage and a pointer to --help, then exit 2. */
void option_usage(const struct option_spec *spec, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), noreturn));

#endif
