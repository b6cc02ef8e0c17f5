/* tree.h: the syntax tree of a preprocessed unit as plain data, with the place of each node in the text.
 *
 *	struct tree *t;
 *	if (tree_open(&t, text, size, argv, argc)) ...   // clang's own messages are in error_text()
 *	for (uint32_t c = t->nodes.data[n].first; c; c = t->nodes.data[c].next) ...
 *	tree_close(t);
 *
 * Nodes and types are numbers; 0 is none. The text is preprocessed, so a node's [begin, end) is what was written, and
 * nothing stands there twice. Children are in order of the source, with one exception: those of a `for` are always
 * four (initial, condition, step, body), where an absent one is a node of kind TREE_ABSENT. Implicit conversions are nodes. The bodies of
 * functions in system headers are left out.
 */
#ifndef MUSTER_FRONT_TREE_H
#define MUSTER_FRONT_TREE_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

#include <stdint.h>

enum tree_kind {
	TREE_OTHER, /* anything else, with its children */
	TREE_UNIT,
	TREE_ABSENT,
	/* declarations */
	TREE_FUNCTION,	 /* parameters, annotations, then a body if it is a definition */
	TREE_PARAMETER,
	TREE_VARIABLE,	 /* `init` is its initialiser */
	TREE_FIELD,
	TREE_RECORD,	 /* struct or union */
	TREE_TYPEDEF,
	TREE_ENUMERATOR, /* `value` */
	TREE_ANNOTATION, /* name: the text of the attribute annotate */
	TREE_ATTRIBUTE,	 /* another one */
	/* statements */
	TREE_BLOCK,
	TREE_DECLARATION, /* a statement that declares */
	TREE_IF,
	TREE_WHILE,
	TREE_DO,
	TREE_FOR,
	TREE_SWITCH,
	TREE_CASE, /* default too: what it labels is the last child */
	TREE_LABEL,
	TREE_GOTO,
	TREE_BREAK,
	TREE_CONTINUE,
	TREE_RETURN,
	TREE_EMPTY,
	TREE_ASM,
	/* expressions */
	TREE_NAME,    /* `refers` to a declaration */
	TREE_NUMBER,  /* an integer or character: `value` */
	TREE_STRING,
	TREE_PAREN,
	TREE_CONVERT, /* implicit */
	TREE_CAST,
	TREE_UNARY,
	TREE_BINARY,
	TREE_ASSIGN,   /* = and the compound ones: op is what is applied, TREE_OP_NONE for = */
	TREE_CHOICE,   /* a ? b : c */
	TREE_CALL,     /* what is called, then the arguments */
	TREE_MEMBER,   /* `refers` to the field; arrow */
	TREE_INDEX,
	TREE_LIST,     /* { ... } of an initialiser */
	TREE_COMPOUND, /* (type){ ... } */
	TREE_BLOCK_EXPRESSION, /* ({ ... }) */
	TREE_SIZEOF,   /* and its like: not evaluated; `value` if it is a constant */
};

#define TREE_OPS(X)                                                                                              \
	X(NONE, "") X(MUL, "*") X(DIV, "/") X(REM, "%") X(ADD, "+") X(SUB, "-") X(SHL, "<<") X(SHR, ">>")        \
	X(LT, "<") X(GT, ">") X(LE, "<=") X(GE, ">=") X(EQ, "==") X(NE, "!=") X(AND, "&") X(XOR, "^") X(OR, "|") \
	X(ANDAND, "&&") X(OROR, "||") X(COMMA, ",") X(POSTINC, "++") X(POSTDEC, "--") X(PREINC, "++")            \
	X(PREDEC, "--") X(ADDRESS, "&") X(DEREF, "*") X(PLUS, "+") X(MINUS, "-") X(NOT, "~") X(LNOT, "!")        \
	X(EXTENSION, "__extension__") X(OTHER, "")

enum tree_op {
#define X(name, text) TREE_OP_##name,
	TREE_OPS(X)
#undef X
};

enum tree_type_kind {
	TREE_TYPE_OTHER,
	TREE_TYPE_VOID,
	TREE_TYPE_BOOL,
	TREE_TYPE_INT, /* characters and enums too */
	TREE_TYPE_FLOAT,
	TREE_TYPE_POINTER,
	TREE_TYPE_ARRAY,
	TREE_TYPE_FUNCTION,
	TREE_TYPE_RECORD,
};

struct tree_type {
	enum tree_type_kind kind;
	uint8_t bits;	/* of bool, int and pointer: of the object */
	uint8_t is_signed, is_volatile, is_const;
	uint8_t rank;	/* of an integer: 1 char, 2 short, 3 int, 4 long, 5 long long, 6 more; enums as their integer */
	uint32_t to;	/* of a pointer or array; of a function: its result */
	uint32_t record; /* the declaration (first one) of a struct or union; 0: not in the tree */
	uint64_t count; /* of an array; 0: not known */
	const char *name; /* as clang writes it, without qualifiers of its own; "" where it has no name */
	VEC(uint32_t) typedefs; /* declarations of the names it was written with, outermost first */
};

struct tree_node {
	uint8_t kind, op;
	uint8_t arrow;	    /* of a member */
	uint8_t defined;    /* of a function: it has a body; of a variable: storage is here */
	uint8_t is_static;  /* of a function or variable: internal linkage or static storage in a block */
	uint8_t is_weak;    /* of a function: another unit's may take its place; or it is called by other names */
	uint8_t is_global;  /* of a variable: lives as long as the program, and is not in a block */
	uint8_t is_extern;  /* of a variable: declared extern */
	uint8_t is_bits;    /* of a field: a bit-field */
	uint8_t is_cleaned; /* of a variable: a function is called with its address where its block ends */
	uint8_t in_system;  /* in a system header */
	uint8_t is_noreturn; /* of a function: it says so */
	uint8_t has_value;
	uint32_t type;
	uint32_t begin, end; /* in the text */
	uint32_t at;	     /* of a declaration: its name in the text */
	uint32_t parent, first, next;
	uint32_t refers; /* of a name or member: the declaration; the first of several */
	uint32_t canon;	 /* of a declaration: the first one of the same thing */
	uint32_t init;	 /* of a variable: its initialiser; 0: none */
	uint32_t line;	 /* as the author knows it */
	uint32_t end_line; /* of a block: of its } */
	const char *name, *file;
	const char *alias; /* of a declaration with attribute alias or ifunc: of what it is another name; NULL: none */
	uint64_t value;
};

struct tree {
	struct arena arena;
	const char *text;
	size_t size;
	VEC(struct tree_node) nodes; /* 1 is the unit */
	VEC(struct tree_type) types;
};

/* text belongs to the caller and outlives the tree. argv: compiler flags. -1 with clang's messages. */
int tree_open(struct tree **t, const char *text, size_t size, const char *const *argv, int argc);
void tree_close(struct tree *t); /* NULL is fine */

/* Calls f(ctx) on a thread whose stack does not end with a deep tree. */
void tree_with_stack(void (*f)(void *ctx), void *ctx);

/* The node without parentheses, implicit conversions and __extension__ around it. */
uint32_t tree_bare(const struct tree *t, uint32_t node);
const char *tree_op_text(enum tree_op op);

#endif
