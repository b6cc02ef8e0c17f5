/* abi.h: what the runtime inside a target and the engine outside agree on.
 *
 * The runtime writes two append-only tables into one shared mapping: nodes (a
 * hash-consed expression DAG) and events (what the run did, in order). The
 * engine creates the mapping as a memfd, fills in the header, starts the target
 * with the descriptor's number in MUSTER_FD and reads the tables afterwards.
 * docs/trace-format.md explains each field; bump MUSTER_ABI_VERSION when one
 * changes its meaning.
 *
 * This header is read by the runtime, which knows nothing but libc: it includes
 * only <stdint.h>.
 */
#ifndef MUSTER_ABI_H
#define MUSTER_ABI_H

#include <stdint.h>

#define MUSTER_ABI_MAGIC 0x313072657473756dull /* the bytes "muster01" */
#define MUSTER_ABI_VERSION 8u

/* ------------------------------------------------------------------ labels
 * A label is the index of a node; 0 is "concrete". Labels have 28 bits, so a
 * shadow cell (one for each byte of memory) can say which byte of the node's
 * value stands there: cell = label | byte << 28. Storing and reloading a value
 * therefore makes no nodes. */
#define MUSTER_LABEL_BITS 28
#define MUSTER_LABEL_MASK 0x0fffffffu
#define MUSTER_CELL(label, byte) ((uint32_t)(label) | (uint32_t)(byte) << MUSTER_LABEL_BITS)
#define MUSTER_CELL_LABEL(cell) ((cell)&MUSTER_LABEL_MASK)
#define MUSTER_CELL_BYTE(cell) ((cell) >> MUSTER_LABEL_BITS)

/* ------------------------------------------------------------------- nodes
 * Operators. X(NAME, arity, text): arity counts labelled operands in a, b, c.
 * Binary operators may have one constant operand: its label is 0 and its value
 * stands in k. Where the operands are wider than 64 bits, or the operator has
 * three operands, constants are CONST nodes instead. Comparisons have width 1
 * and compare operands of the width of a labelled operand. */
#define MUSTER_OPS(X)                                                                              \
	X(NONE, 0, "none")                                                                         \
	X(INPUT, 0, "input")   /* byte k of source a; width 8 */                                    \
	X(LENGTH, 0, "length") /* length in bytes of source a; width 64 */                          \
	X(CONST, 0, "const")   /* value, and k as its high 64 bits */                               \
	X(ADD, 2, "+")                                                                             \
	X(SUB, 2, "-")                                                                             \
	X(MUL, 2, "*")                                                                             \
	X(UDIV, 2, "/u")                                                                           \
	X(SDIV, 2, "/")                                                                            \
	X(UREM, 2, "%u")                                                                           \
	X(SREM, 2, "%")                                                                            \
	X(AND, 2, "&")                                                                             \
	X(OR, 2, "|")                                                                              \
	X(XOR, 2, "^")                                                                             \
	X(SHL, 2, "<<")  /* an amount not below the width: the value is what the machine gave, */   \
	X(LSHR, 2, ">>u") /* recorded as a concretisation */                                       \
	X(ASHR, 2, ">>")                                                                           \
	X(EQ, 2, "==")                                                                             \
	X(NE, 2, "!=")                                                                             \
	X(ULT, 2, "<u")                                                                            \
	X(ULE, 2, "<=u")                                                                           \
	X(SLT, 2, "<")                                                                             \
	X(SLE, 2, "<=")                                                                            \
	X(SADDO, 2, "sadd_overflow") /* width 1: would the signed addition overflow? */             \
	X(UADDO, 2, "uadd_overflow")                                                               \
	X(SSUBO, 2, "ssub_overflow")                                                               \
	X(USUBO, 2, "usub_overflow")                                                               \
	X(SMULO, 2, "smul_overflow")                                                               \
	X(UMULO, 2, "umul_overflow")                                                               \
	X(EXTRACT, 1, "extract") /* bits k .. k+width-1 of a; if wider than 64 bits, the low ones */ \
	X(ZEXT, 1, "zext")                                                                         \
	X(SEXT, 1, "sext")                                                                         \
	X(CONCAT, 2, "concat") /* a is the high part, b the low; a constant is a CONST node */      \
	X(BYTES, 1, "bytes")   /* width/8 consecutive nodes of width 8 from a on, little endian */  \
	X(ITE, 3, "?:")        /* a has width 1 */                                                 \
	X(BSWAP, 1, "bswap")                                                                       \
	X(BITREVERSE, 1, "bitreverse")                                                             \
	X(CTPOP, 1, "popcount")                                                                    \
	X(CTLZ, 1, "clz") /* of 0: the width */                                                     \
	X(CTTZ, 1, "ctz") /* of 0: the width */                                                     \
	X(READ, 2, "read") /* width/8 bytes at byte offset a (64 bits wide) of the data at node b */ \
	X(DATA, 0, "data") /* k bytes of memory as they were; they follow in the next nodes' space: \
	                      the bytes, padded to 32, then, if aux is 1, a cell for each byte */ \
	X(LEAF, 1, "leaf") /* what an activation reads first: equal to a, what its caller has there (0: the value, a constant). See below */

/* A LEAF is an input of an activation of a function that the engine named (MUSTER_FLAG_SUMMARIES); no two are one node, whatever they are equal to. a: what it
 * is in the caller, older and of the same width, or 0; c: the number of the activation, from 1. aux 0: part of a parameter, k: parameter | part << 32. aux 1: memory
 * at address k; b: the label of that address as the activation computed it, or 0. At most 64 bits wide. For everybody who does not ask for
 * activations it is the same as a.
 * aux 2 and 3 (MUSTER_FLAG_OUTPUTS): an output of an activation that is over, as its caller sees it: memory at address k, or part k of the result. */

enum muster_op {
#define X(name, arity, text) MUSTER_OP_##name,
	MUSTER_OPS(X)
#undef X
	    MUSTER_OP_COUNT
};

/* One node, 32 bytes. Its value holds the low 64 bits it had in this run, masked to
 * its width; a node wider than 64 bits keeps the high part in k (its operands are
 * then always labels). Operands are older than the node: a, b, c < its index. Only ITE has a third; in all others c is the
 * runtime's own. */
struct muster_node {
	uint8_t op;
	uint8_t width;  /* of the result in bits, 1 to 128 */
	uint8_t flags;  /* MUSTER_NODE_* */
	uint8_t aux;
	uint32_t a, b, c;
	union {
		uint64_t value64; /* muster_value gives it */
		struct {
			uint32_t low, list; /* up to 32 bits wide: the value, and the runtime's own */
		};
	};
	uint64_t k;
};

/* The low 64 bits of a node's value. */
static inline uint64_t muster_value(const struct muster_node *n)
{
	return n->width <= 32 ? n->low : n->value64;
}

/* How the runtime finds a node again, and for nothing else: those whose newest operand is a node are a list, which
 * begins in that node's field list, or, where the value needs the room, in its word at list_offset, and goes on
 * in the field c of nodes that have no third operand. The
 * c of an INPUT is the label of its ZEXT to 32 bits. */
#define MUSTER_NODE_CONCRETISED 1u /* a concretisation event fixed this value already */
#define MUSTER_NODE_FOLLOWED 4u /* a LEAF that addresses of accesses were made from */
#define MUSTER_NODE_GONE 8u /* a LEAF of an activation that was closed before its call, concrete for all that are around it */
#define MUSTER_NODE_UNREAD 2u /* an INPUT whose byte was not read yet, or its ZEXT: the value means nothing */

/* ------------------------------------------------------------------ events
 * A site is (unit, index): the unit's 32-bit id and the ordinal of an
 * instruction in its normal form. The variant's site table, kept in the section
 * MUSTER_SITES_SECTION, maps it to function, file, line and column. */
#define MUSTER_EVENTS(X)                                                                           \
	X(NONE, "none")                                                                            \
	X(BRANCH, "branch")     /* label: the condition; arg: taken (1) or not */                   \
	X(SWITCH, "switch")     /* label: the value switched on; it had node value */               \
	X(CONCRETE, "concrete") /* label == its value from here on; arg: reason */                  \
	X(BOUND, "bound")       /* label (width 1) has value arg & 1: a table read's range, a short read; arg >> 1: checker */ \
	X(STALE, "stale")       /* label dropped: memory did not hold its value; arg: 1 if in a register */ \
	X(CALL, "call")         /* the function that (unit, index) is an instruction of is entered; arg: how many ARGUMENTs follow; more: calls that are open */ \
	X(ENTRY, "entry")       /* label: value number arg of those that a function or loop (its first instruction) is entered with */ \
	X(ALLOC, "alloc")       /* label of its size: the first heap block whose size has one and was not fixed */ \
	X(LOST, "lost")         /* data may have come without labels; arg: enum muster_loss. Once for each in a run */ \
	X(THREAD, "thread")     /* a thread was started; it runs concretely */                      \
	X(FORK, "fork")         /* a child was made; it runs concretely */                          \
	X(CAP, "cap")           /* the site reached its event cap: later events of it are dropped */ \
	X(FULL, "full")         /* a table is full: the trace ends here; arg: 0 nodes, 1 events */   \
	X(END, "end")           /* the run's end, where the runtime saw it; arg: enum muster_end */  \
	X(GIVEN, "given")       /* label (width 1) has value arg by agreement: never negated, no loss of precision */ \
	X(CALLER, "caller")     /* after a CALL: the call is at (unit, index). Missing where code without labels called */ \
	X(ARGUMENT, "argument") /* after a CALL: label of leaf arg of the arguments, which belongs to parameter `more`; 0: floating point */ \
	X(RESULT, "result")     /* before a RETURN: label of leaf arg of the result; 0: floating point */ \
	X(RETURN, "return")     /* the innermost open call of the function (unit, index) is over; arg: enum muster_left; more: as in its CALL */ \
	X(ACTIVATION, "activation") /* after a CALL and its ARGUMENTs: it is an activation with leaves; index: its number. Before a SEGMENT: one of a part of the call */ \
	X(BIND, "bind")         /* label: a LEAF that was made at (unit, index) */                  \
	X(OBJECT, "object")     /* unit, index: upper and lower half of the address where an object begins; label: its size, a CONST; arg: 1 constant, 2 allocated just now. Before what lies in it is reported */ \
	X(WRITE, "write")       /* before a RETURN (and its RESULTs): arg bytes at the address (unit, index) were written by the activation and hold label, a CONST if concrete */ \
	X(PLACE, "place")       /* after a WRITE: label of its address, as it was computed */       \
	X(MARK, "mark")         /* all open activations do not say everything from here on; arg: enum muster_mark */ \
	X(MEMORY, "memory")     /* memory of a driven call (muster/drive.h): label: a DATA; arg: enum muster_memory; index: its number; unit: 0 before the call, 1 after it */ \
	X(OUTPUT, "output")     /* after the RESULTs and before the RETURN: label: a LEAF that stands for what the activation returns or wrote */ \
	X(NAME, "name")         /* after the OBJECT of a variable: label: a DATA, its symbol; unit: the unit that defines it; arg: 1 static */ \
	X(SEGMENT, "segment")   /* arg: enum muster_cut; the segment begins or ends at (unit, index) */ \
	X(LIVE, "live")         /* before the SEGMENT that ends one, or after the one that begins it: label of value number `more` there, a CONST if concrete; arg: 1 or, at the end, 2: its address, of a variable in memory */

enum muster_event_kind {
#define X(name, text) MUSTER_EV_##name,
	MUSTER_EVENTS(X)
#undef X
	    MUSTER_EV_COUNT
};

/* How a segment begins or ends (SEGMENT). */
enum muster_cut {
	MUSTER_CUT_BEGINS, /* the activation whose event stands before is one of a segment */
	MUSTER_CUT_NEXT,   /* at the header of a loop, where the next one begins */
	MUSTER_CUT_RETURN, /* with the function: LIVE are parts of the result */
	MUSTER_CUT_LOST,   /* not by itself: the call was unwound, or lost */
};

/* What a bound or a check of the compiler stands for: X(NAME, key, on by default, what it looks for). Other inputs of the same
 * path that break it are asked for (src/ir/checker.h has the rest of each row). A bound with the checker NONE holds by the
 * path of the run (what a read found, how large an allocation may be) and breaking it is no defect. */
#define MUSTER_CHECKERS(X)                                                                                       \
	X(NONE, "none", 0, "nothing")                                                                            \
	X(DIVIDE, "divide", 1, "division by zero, or of the smallest number by -1")                              \
	X(NULL, "null", 1, "access through a null pointer")                                                      \
	X(NONNULL, "nonnull", 1, "null where an attribute promises that it is not")                              \
	X(ARRAY_UNDER, "array-underflow", 1, "access before the first byte of an object")                        \
	X(ARRAY_OVER, "array-overflow", 1, "access after the last byte of an object")                           \
	X(SUB_OBJECT, "sub-object", 0, "access that leaves a member of a structure, but not the object")         \
	X(RANGE, "range", 1, "memory functions that read or write more than an object has")                      \
	X(INT_UNDER, "int-underflow", 1, "signed result below the smallest number of its type")                  \
	X(INT_OVER, "int-overflow", 1, "signed result above the largest number of its type")                     \
	X(UINT_UNDER, "unsigned-underflow", 0, "unsigned result below zero")                                     \
	X(UINT_OVER, "unsigned-overflow", 0, "unsigned result above the largest number of its type")             \
	X(CONVERT_LOW, "convert-low", 0, "conversion of a number that is too small, where the result matters")   \
	X(CONVERT_HIGH, "convert-high", 0, "conversion of a number that is too large, where the result matters") \
	X(STACK, "stack-smash", 1, "write outside a local variable")                                             \
	X(ALLOC, "alloc-size", 0, "size of an allocation that wrapped, is negative or beyond all measure")       \
	X(SHIFT, "shift", 1, "shift by a negative amount, or by the width or more; signed bits shifted out")     \
	X(USE_FREED, "use-after-free", 1, "access to memory that was given back")                                \
	X(BAD_FREE, "bad-free", 1, "memory given back twice, or that was never allocated")                       \
	X(ASSERT, "assert", 1, "assertions, and code that promises not to be reached")                           \
	X(REFINE, "refine", 1, "values outside their refinement type")                                           \
	X(OTHER, "other", 1, "other undefined behaviour that the compiler can check")                            \
	X(RETURN, "return", 1, "use of a result that its function did not return")                               \
	X(FORMAT, "format", 1, "arguments of printf and its kin that do not fit their conversions")              \
	X(PAIR, "pointer-pair", 1, "difference or order of pointers to different objects")

enum muster_checker {
#define X(name, key, on, text) MUSTER_CHECK_##name,
	MUSTER_CHECKERS(X)
#undef X
	    MUSTER_CHECK_COUNT
};
/* Functions whose call is a defect, as the benchmarks of verifiers have them: X(NAME). A program that does not define them gets
 * muster's, which end it by abort. __VERIFIER_assert(0) is another, with an argument. */
#define MUSTER_ERROR_FUNCTIONS(X) X(__VERIFIER_error) X(reach_error) X(klee_abort)

#define MUSTER_BOUND_ARG(held, checker) ((held) | (checker) << 1)
#define MUSTER_BOUND_HELD(arg) ((arg) & 1)
#define MUSTER_BOUND_CHECKER(arg) ((arg) >> 1)

#define MUSTER_SITE_BITS 24 /* of an index: a unit may have 16 million instructions */
/* 16 bytes, so that none lies across two cache lines. */
struct muster_event {
	uint32_t label;
	uint32_t unit;
	uint32_t index;
	uint8_t kind;  /* enum muster_event_kind */
	uint8_t arg;
	uint16_t more; /* 0, unless the kind says otherwise */
};
_Static_assert(sizeof(struct muster_event) == 16, "the engine and the runtime step through the table by 16 bytes");
_Static_assert(sizeof(struct muster_node) == 32, "contents of DATA nodes are counted in 32 bytes");
#define MUSTER_FITS(field, count) \
	_Static_assert((count) - 1 <= (1ull << 8 * sizeof(((struct muster_event *)0)->field)) - 1, #count " is too large for " #field)
MUSTER_FITS(kind, MUSTER_EV_COUNT);
MUSTER_FITS(arg, 2 * MUSTER_CHECK_COUNT);

/* What a MEMORY event is about, and what its index counts. */
enum muster_memory {
	MUSTER_MEMORY_RESULT,	 /* 0 */
	MUSTER_MEMORY_PARAMETER, /* parameters, from 0; before the call only */
	MUSTER_MEMORY_GLOBAL,	 /* the function's globals, from 0 */
	MUSTER_MEMORY_OBJECT,	 /* its objects, by pools and numbers, from 0; those that were freed are left out */
	MUSTER_MEMORY_ADDRESS,	 /* 0: the address of each of its objects, 8 bytes each, and 8 zeros: there in every call that is reported */
};

/* How a call ended: X(NAME, key, words). */
#define MUSTER_LEFT(X)                                                                             \
	X(RETURNED, "returned", "it returned")                                                     \
	X(TAIL, "tail", "its last call took its place")                                            \
	X(UNWOUND, "unwound", "it was left by longjmp or by an exception")                         \
	X(LOST, "lost", "the stack of calls was lost: the program changed stacks, or it has more calls than are kept")

enum muster_left {
#define X(name, key, words) MUSTER_LEFT_##name,
	MUSTER_LEFT(X)
#undef X
	    MUSTER_LEFT_COUNT
};

/* Why the leaves and writes of an activation are not all there is: X(NAME, key, words). */
#define MUSTER_MARKS(X)                                                                                                    \
	X(NONE, "none", "nothing is missing")                                                                              \
	X(EXTERN, "extern", "it called a function without a body, or inline assembly: what that reads and writes is not recorded") \
	X(LIBC, "libc", "it called a function of libc whose reads and writes are not recorded")                           \
	X(PARAMETER, "parameter", "a parameter has no leaf: floating point, wider than 64 bits, variable, or beyond those that are recorded") \
	X(UNRECORDED, "unrecorded", "memory was written without a record")                                                \
	X(ROOM, "room", "it reads or writes more memory than is recorded")                                                \
	X(FREED, "freed", "it gave back memory that was there before it began")                                           \
	X(LARGE, "large", "it reads or writes more than a summary may say")

enum muster_mark {
#define X(name, key, words) MUSTER_MARK_##name,
	MUSTER_MARKS(X)
#undef X
	    MUSTER_MARK_COUNT
};
MUSTER_FITS(arg, MUSTER_MARK_COUNT);

/* Why a label was given up: X(NAME, key, sentence). */
#define MUSTER_REASONS(X)                                                                          \
	X(NONE, "none", "no reason")                                                               \
	X(FLOAT, "float", "floating point")                                                        \
	X(ASM, "asm", "inline assembly")                                                           \
	X(EXTERN, "extern", "function without a body")                                             \
	X(ADDRESS, "address", "address of a load, in an object beyond the table limit")            \
	X(STORE, "store-address", "address of a store")                                            \
	X(SIZE, "size", "size of a memory operation")                                              \
	X(TARGET, "target", "target of an indirect call or jump")                                  \
	X(WIDTH, "width", "integer wider than 128 bits")                                           \
	X(SHIFT, "shift", "shift amount out of range")                                             \
	X(OFFSET, "offset", "position in a file")                                                  \
	X(ALLOCATION, "allocation", "size of an allocation or of a stack array")                   \
	X(FORMAT, "format", "conversion that the format functions do not model")                   \
	X(INTRINSIC, "intrinsic", "compiler intrinsic without a model")                            \
	X(VARARG, "vararg", "argument passed where its label cannot follow")                       \
	X(ARGUMENT, "argument", "argument beyond the label slots")                                 \
	X(DIVISION, "division", "division whose result the machine does not define")               \
	X(ORDER, "order", "address of an object, used as a number: nothing is fixed")               \
	X(RETURNED, "returned", "data that came back through a file that the program wrote")

enum muster_reason {
#define X(name, key, text) MUSTER_REASON_##name,
	MUSTER_REASONS(X)
#undef X
	    MUSTER_REASON_COUNT
};
MUSTER_FITS(arg, MUSTER_REASON_COUNT);

/* How data of the input may come to the program without labels: X(NAME, key, words). */
#define MUSTER_LOSSES(X)                                                                           \
	X(SYSCALL, "syscall", "a raw system call: what it reads and writes has no labels")         \
	X(WIDE, "wide", "a wide-character function that reads a stream")                           \
	X(KERNEL, "kernel", "data that the kernel copies by itself")                               \
	X(STREAM, "stream", "a function of libc that reads a stream unseen")                       \
	X(SHARED, "shared", "a shared mapping: what is written there can be read elsewhere")       \
	X(FILE, "file", "more was written to files and read again than can be remembered")         \
	X(REACH, "reach", "a function without a body may read beyond what is looked at")           \
	X(READ, "read", "somebody else read from the input: code without labels")                  \
	X(SYMBOLIC, "symbolic", "a library linked with -Bsymbolic calls its own functions past the runtime") \
	X(ALIGNMENT, "alignment", "an alignment that this libc takes and other allocators refuse: what comes of it is not looked at") \
	X(PLACE, "place", "an answer of the allocator's own: whether a block stands where one was given back, or how much room a block has") \
	X(RESULTS, "results", "functions without a body were called more often than an input has results for them")

enum muster_loss {
#define X(name, key, text) MUSTER_LOST_##name,
	MUSTER_LOSSES(X)
#undef X
	    MUSTER_LOST_COUNT
};

/* How a run ended, as far as the runtime could see; the engine knows signals
 * and time limits from wait(). */
enum muster_end {
	MUSTER_END_NONE,   /* nothing was written: a signal, or _exit past the runtime */
	MUSTER_END_EXIT,   /* exit or return from main; label: the status */
	MUSTER_END_ABORT,
	MUSTER_END_EXEC,   /* the process became another program */
	MUSTER_END_ASSUME, /* an assumption did not hold: the path is none of the program's */
};

/* ------------------------------------------------------------------ header */
enum muster_source_kind {
	MUSTER_SOURCE_NONE,
	MUSTER_SOURCE_FILE,    /* the file with (dev, ino), wherever it is opened; standard input too */
	MUSTER_SOURCE_MEMORY,  /* harness data and objects: bytes in the mapping at data_offset */
	MUSTER_SOURCE_ARG,     /* argument number dev */
	MUSTER_SOURCE_ENV,     /* environment variable `name` */
};

#define MUSTER_MAX_SOURCES 32
struct muster_source {
	uint32_t kind;
	uint32_t blocks;       /* first entry of this source in the block table (runtime only) */
	uint64_t dev, ino;
	uint64_t size;         /* bytes there are to read: the length's value */
	uint64_t used;         /* one past the last byte that was labelled */
	uint32_t length_label; /* 0 until the length was asked for */
	uint32_t pad;
	char name[64];         /* "in", "argv[2]", "env.HOME": as conditions print it */
};

/* What an object marked in the program took from source `source`. */
#define MUSTER_MAX_OBJECTS 4096
struct muster_object {
	uint32_t source;
	uint32_t pad;
	uint64_t offset, size;
	char name[40];
};

/* A site whose events were thinned, and how many were left out. */
#define MUSTER_MAX_CAPS 1024
struct muster_cap {
	uint32_t unit, index;
	uint64_t dropped;
};

/* A function whose activations have leaves: its instructions are unit << 32 | index from first to end - 1. */
struct muster_function {
	uint64_t first, end;
};

/* What a segment begins with instead (the segments variant): a value of its cut or parameter, as hooks have them, or memory. */
struct muster_set {
	uint64_t address; /* 0: value `number` */
	uint64_t value;	  /* lowest byte first */
	uint32_t number;
	uint32_t bytes;
};
#define MUSTER_SETS 4096 /* of one run */

enum muster_flag {
	MUSTER_FLAG_ARGS = 1,       /* arguments other than argv[0] are input */
	MUSTER_FLAG_CALLS = 2,      /* events for calls and returns; the calls variant has them */
	MUSTER_FLAG_FORKSERVER = 8, /* serve runs on MUSTER_CONTROL_FD / MUSTER_STATUS_FD */
	MUSTER_FLAG_LOOP = 32,      /* a harness is called in a loop (muster/cov.h) */
	MUSTER_FLAG_ENTRIES = 64,   /* ENTRY events (ir/entry.h says of what) */
	MUSTER_FLAG_SUMMARIES = 128, /* leaves, bindings and writes of the functions at function_offset; with CALLS */
	MUSTER_FLAG_OUTPUTS = 512,  /* with SUMMARIES: what an activation wrote and returned are leaves for its caller */
	MUSTER_FLAG_COMPOSE = 1024, /* with OUTPUTS: each is an event; what parameters point to is an input, and an output whether it was written or not; pointers are none */
	MUSTER_FLAG_FEW = 4096,     /* with SUMMARIES: only what may become a summary: the first MUSTER_FEW calls of a function, until they are too large, have leaves; the others are part of their callers. No CALLERs and ARGUMENTs; calls that no activation is around are not told */
	MUSTER_FLAG_SEGMENTS = 2048, /* with SUMMARIES: activations are cut into segments at the headers of loops; the segments variant has them */
	MUSTER_FLAG_MEMORY = 256,   /* MEMORY events, where a driven function is called and where it returns */
	MUSTER_FLAG_PATH = 16,      /* every decision is to be an event: bodies pass over nothing */
};
#define MUSTER_FEW 64 /* as many as are looked at in one run (summary/gather.c) */
#define MUSTER_FEW_PARTS 2048 /* leaves of one activation, and granules of eight bytes that it wrote: a summary has no more (summary/called.c) */

enum muster_state {
	MUSTER_STATE_NEW,      /* the engine made the mapping */
	MUSTER_STATE_RUNNING,  /* the runtime took it over */
	MUSTER_STATE_FAILED,   /* the runtime could not start; message says why */
};

/* At the start of the mapping. The engine writes the first part before a run and
 * clears node_count (to 1: label 0 is no node), event_count and what follows. */
struct muster_header {
	uint64_t magic;
	uint32_t version;
	uint32_t flags;
	uint64_t map_size;
	uint64_t node_offset, node_capacity;   /* in bytes from the start; in nodes */
	uint64_t event_offset, event_capacity;
	uint64_t list_offset;                  /* a word for each node of more than 32 bits (runtime only) */
	uint64_t slot_offset, slot_count;      /* hash slots (runtime only); slot_count is a power of two */
	uint64_t block_offset, block_count;    /* input blocks: first label of each 4096 bytes */
	uint64_t data_offset, data_size;       /* bytes of MEMORY sources */
	uint64_t function_offset, function_count; /* struct muster_function, ascending */
	uint64_t set_offset;		       /* struct muster_set, for the segment that is activation set_activation (0: none is set). With its end the run ends */
	uint32_t set_count, set_activation;
	uint32_t table_limit;                  /* largest object read at a symbolic index */
	uint32_t site_cap;                     /* events a site may have; 0: no cap */
	uint32_t source_count;
	uint32_t object_source;                /* source that objects take their bytes from */
	uint64_t populate_nodes, populate_events; /* what the last run used: worth mapping at once */
	struct muster_source sources[MUSTER_MAX_SOURCES];

	/* Written by the runtime. */
	uint32_t state;                        /* enum muster_state */
	uint32_t pid;
	uint64_t node_count, event_count;
	uint64_t stale_count;
	uint64_t dropped;                      /* events lost to caps */
	uint32_t threads, forks;
	uint32_t object_count, cap_count;
	uint64_t object_used;                  /* bytes of object_source that objects took */
	uint64_t missing, not_missing;         /* a function that is not made was entered: its first site, and the complement of it; else both 0 */
	char message[256];
	struct muster_object objects[MUSTER_MAX_OBJECTS];
	struct muster_cap caps[MUSTER_MAX_CAPS];
};

#define MUSTER_SLOTS 4u    /* hash slots for each node */
#define MUSTER_BLOCK 4096u /* bytes of input that get their labels together */
#define MUSTER_HUGE (2ull << 20) /* bytes of a huge page: events, nodes and their lists begin at a multiple, and share none with others */

/* ------------------------------------------------------- process interface
 * MUSTER_FD names the mapping's descriptor; the runtime removes the variable. A
 * fork server (MUSTER_FLAG_FORKSERVER) first writes MUSTER_SERVER_HELLO to
 * MUSTER_STATUS_FD. Then, for each word of enum muster_serve that it reads from
 * MUSTER_CONTROL_FD, it forks; the child writes its pid (four bytes) to
 * MUSTER_CONTROL_FD, which is a socket, and becomes the target; the server waits and
 * writes a struct muster_served to MUSTER_STATUS_FD. The pid is for whoever asks: nobody has
 * to wake up for it. The server is the subreaper of its children; if any are left when the target has
 * ended, it says so and ends, so that they become the keeper's. It ends at the end of
 * MUSTER_CONTROL_FD. */
#define MUSTER_SERVER_HELLO 0x6d757366u
enum muster_serve {
	MUSTER_SERVE_RUN = 1,
	MUSTER_SERVE_DEATHSIG = 2, /* the child asks to be killed if the server dies */
};
struct muster_served {
	int32_t status;                    /* as wait() gives it */
	int32_t error;                     /* errno of the fork that failed, else 0 */
	uint32_t left;                     /* processes are left, and the server ends */
	uint32_t peak_kib;
	uint64_t user_us, system_us;
	uint64_t faults;
};
#define MUSTER_FD_ENV "MUSTER_FD"
#define MUSTER_BIND_ENV "LD_BIND_NOW=muster" /* set for a server, so that names are resolved once; taken away as well */
/* Where the san variant's sanitizers write their reports (runtime/report.c): a descriptor of muster's own, so that nothing a program prints is taken
 * for one. The first line says that they will. */
#define MUSTER_REPORT_ENV "MUSTER_REPORT"
#define MUSTER_REPORT_FD 197
/* Functions of a harness that state a contract where the function with it begins: this and a number. */
#define MUSTER_REQUIRES_FUNCTION "muster_requires_"
#define MUSTER_REPORT_HELLO "muster: reports of the sanitizers follow\n"
#define MUSTER_CONTROL_FD 198
#define MUSTER_STATUS_FD 199

/* ---------------------------------------------------------- address layout
 * See docs/trace-format.md for the ranges that are covered. */
#define MUSTER_SHADOW_MASK 0x7fffffffffffull
#define MUSTER_SHADOW_XOR 0x200000000000ull
#define MUSTER_SHADOW(addr) ((((uint64_t)(addr) << 2) & MUSTER_SHADOW_MASK) ^ MUSTER_SHADOW_XOR)
#define MUSTER_OBJECT_BASE 0x300000000000ull /* u32 for each 16 bytes: size of the object that starts there */
#define MUSTER_DIRTY_BASE 0x080000000000ull  /* u8 for each page of 4096: a label was ever stored there */
#define MUSTER_TABLE_BASE 0x100000000000ull  /* the shared mapping */
#define MUSTER_STATE_BASE 0x0f0000000000ull  /* the runtime's state, wiped in children */
#define MUSTER_ANY_LABEL MUSTER_STATE_BASE   /* u64: not zero once any memory held a label */

/* -------------------------------------------------- sections of a variant */
#define MUSTER_SITES_SECTION ".muster.sites"  /* framed site tables, not loaded */
#define MUSTER_FUNCTION_MAGIC 0x6d75737465726674ull /* stands before each instrumented function */

#endif
