/* site.h: from (unit, ordinal) back to the source.
 *
 * Each object of a variant carries a table of the instructions that events can
 * name, in the section MUSTER_SITES_SECTION (docs/site-table.md has the format).
 * Writing one needs LLVM (site_write.c); reading does not, and what is read is
 * checked: a damaged table gives an error or finds nothing, never a wild access.
 */
#ifndef MUSTER_IR_SITE_H
#define MUSTER_IR_SITE_H

#include <stddef.h>
#include <stdint.h>

struct buf;
struct unit;

/* X(NAME, text) */
#define SITE_KINDS(X)                                                                  \
	X(OTHER, "other")                                                              \
	X(BRANCH, "branch") /* conditional */                                          \
	X(SWITCH, "switch")                                                            \
	X(SELECT, "select")                                                            \
	X(CALL, "call")                                                                \
	X(INTRINSIC, "intrinsic")                                                      \
	X(MEMORY, "memory") /* memcpy, memmove, memset that the compiler made */       \
	X(ASM, "asm")                                                                  \
	X(LOAD, "load")                                                                \
	X(STORE, "store")                                                              \
	X(ATOMIC, "atomic")                                                            \
	X(POINTER, "pointer") /* address arithmetic */                                 \
	X(ARITHMETIC, "arithmetic")                                                    \
	X(COMPARE, "compare")                                                          \
	X(CONVERT, "convert") /* between integers and pointers */                      \
	X(FLOAT, "float")     /* floating-point operation, comparison or conversion */ \
	X(ALLOCA, "alloca")                                                            \
	X(INDIRECT, "indirect jump")                                                   \
	X(RETURN, "return")

enum site_kind {
#define X(name, text) SITE_##name,
	SITE_KINDS(X)
#undef X
	    SITE_KIND_COUNT
};

const char *site_kind_text(enum site_kind kind);

/* Strings belong to the set of tables. Never NULL: "" where nothing is known. */
struct site {
	uint32_t unit, index;
	uint8_t kind;	       /* enum site_kind */
	uint32_t line, column; /* 0 where the compiler made the instruction */
	const char *file;      /* as the compiler was given it */
	const char *directory; /* where the compiler ran */
	const char *function;
	const char *what;  /* callee of a call ("" if indirect), else the opcode */
	uint32_t outcomes; /* of a decision; 0 for others */
	int check;	   /* it is a check for undefined behaviour, made by the compiler */
	uint32_t checker;  /* enum muster_checker: whose; NONE if it is no check */
};

struct site_function {
	uint32_t unit;
	const char *name, *file, *directory;
	uint32_t line;
	uint32_t first, count;		    /* ordinals */
	uint32_t first_decision, decisions; /* in the unit's dense list of decisions */
	int internal;			    /* static: the name means it in this unit only */
};

#define SITE_NO_OUTCOME UINT32_MAX

/* Conditional branches, switches and selects on one bit, densely numbered in a unit. */
struct site_decision {
	uint32_t index;		/* ordinal */
	uint32_t outcomes;	/* see unit_outcomes for their order */
	uint32_t first_outcome; /* sum of counted outcomes before it: the unit's coverage counters */
	int check;		/* the compiler's, for undefined behaviour: it has no counters */
	uint32_t fails;		/* outcome of a check that reports, or SITE_NO_OUTCOME */
	uint32_t checker;	/* enum muster_checker of a check; of two for both directions the one for "too large":
				   checker_pair (ir/checker.h) has both. NONE if it is no check */
};

struct site_table {
	uint32_t unit;
	const char *source; /* name of the source file */
	uint32_t instructions, sites, functions, decisions;
	uint32_t outcomes;	   /* of all decisions but checks: coverage counters */
	const unsigned char *base; /* the frame; what follows is the reader's own */
	uint32_t cases, files, strings;
	size_t case_at, site_at, function_at, decision_at, file_at, string_at;
};

/* A set of tables, one for each unit of a program and its libraries. */
struct site_tables {
	struct site_table *tables; /* by ascending unit */
	size_t count;
	struct site_file {
		void *data;
		size_t size;
	} * files; /* mapped files the tables point into */
	size_t file_count;
};

/* A zeroed struct is an empty set. */
void site_tables_release(struct site_tables *t);

/* Adds the tables of a section's contents, which must outlive the set. Returns how
 * many units it had; -1 with words if there is a damaged one (those before it are added). A unit
 * that is already there is not added again. */
int site_tables_add(struct site_tables *t, const void *section, size_t size);
/* Adds the tables of an ELF file: executable, shared library or object. */
int site_tables_add_elf(struct site_tables *t, const char *path);

const struct site_table *site_tables_find(const struct site_tables *t, uint32_t unit);

/* 1 and *out, or 0. Where the instruction itself has no entry, *out has its
 * function's name and file at least if there is one, and 0 is returned. */
int site_find(const struct site_tables *t, uint32_t unit, uint32_t index, struct site *out);

/* The function that the instruction belongs to: 1 and *out, or 0. */
int site_find_function(const struct site_tables *t, uint32_t unit, uint32_t index, struct site_function *out);

/* The i-th of a table's lists; the caller keeps i below the count. 0 if damaged. */
int site_table_site(const struct site_table *t, uint32_t i, struct site *out);
int site_table_function(const struct site_table *t, uint32_t i, struct site_function *out);
int site_table_decision(const struct site_table *t, uint32_t i, struct site_decision *out);
/* The decision at an ordinal: its number in the dense list, or -1. */
int64_t site_table_decision_at(const struct site_table *t, uint32_t index);
/* The low 64 bits of case `outcome` (from 1) of a switch, 0 if there is none. */
int site_table_case(const struct site_table *t, uint32_t decision, uint32_t outcome,
		    uint64_t *value);

/* Appends the framed table of a unit that is still in normal form (the frame starts
 * and ends on a multiple of 8 bytes from where the buffer's contents began). */
int site_table_write(struct unit *u, struct buf *out);

#endif
