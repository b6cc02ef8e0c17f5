/* rt.h: what the parts of the runtime say to each other.
 *
 * The runtime lives in other people's programs: it depends on libc alone, starts
 * no thread, allocates nothing from the target's heap, keeps no descriptor open
 * but the two of the fork server, and never ends the target for reasons of its
 * own. Everything here is hidden except what instrumented code calls (__muster_*).
 *
 * Wrappers of libc functions come in two kinds. A *body* (runtime/libc/) is plain C that
 * goes through the same instrumentation as the target; its paths are ordinary
 * paths. A *wrapper* (runtime/io.c, runtime/heap.c, ...) is not instrumented: it
 * takes its arguments' labels with rt_enter, calls the real function, and says
 * what became of the labels. Both are named __wrap_NAME and reached through the
 * linker's --wrap=NAME; __real_NAME is libc's own.
 */
#ifndef MUSTER_RT_H
#define MUSTER_RT_H

#include "muster/abi.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef uint32_t label;

#define RT_HIDDEN __attribute__((visibility("hidden")))
#define RT_EXPORT __attribute__((visibility("default")))
#define RT_UNLIKELY(x) __builtin_expect(!!(x), 0)

#define RT_ARGS 32 /* arguments that can carry a label */
#define RT_RETS 8  /* leaves of a returned structure that can */

/* Labels of a call on their way. A caller with labelled arguments writes them and
 * sets owner to the callee's address; the callee takes them if owner is itself,
 * and clears owner. A callback from code without labels thus finds a foreign
 * owner and takes none. Results come back alike. */
struct rt_tls {
	uint64_t owner;
	label args[RT_ARGS];
	uint32_t any; /* of the labels on their way; 0: none, and a callee may take its fast copy */
	uint32_t tails; /* a call that had to be a tail call was made: who returns need not be who was called */
	uint64_t ret_owner;
	label ret[RT_RETS];
	uint64_t site; /* unit << 32 | index of the last call to another unit */
	uint64_t call_to, call_site; /* in the calls variant: callee of the last call, and where it stands */
	/* Varargs and byval structures: see vararg.c. */
	uint32_t extra_count;
	uint32_t extra_size; /* bytes of them on the stack */
	struct rt_extra {
		uint32_t offset; /* in the register save area (below 176) or past it in the overflow area */
		uint32_t size;
		label label;
	} extra[64];
	label place; /* in the calls variant: of the address of the next store */
};
extern __thread struct rt_tls __muster_tls __attribute__((tls_model("initial-exec")));

/* True in the first thread of a process that is being traced, while the tables
 * have room. Everything below may be called when it is false and then does
 * nothing (labels come out as 0), except rt_clear and rt_copy, which always keep
 * the shadow in step. */
RT_HIDDEN int rt_active(void);

/* A wrapper's first statement: the labels of its first n arguments (0 where the
 * caller had none), taken from the slots. fn is the wrapper itself. */
RT_HIDDEN void rt_enter(const void *fn, label *args, int n);
/* A wrapper's last: the label of its result. */
RT_HIDDEN void rt_return(const void *fn, label result);

/* Nodes. Values are masked to width. A label of 0 means the operand is the constant va (vb). */
RT_HIDDEN label rt_binary(enum muster_op op, unsigned width, label a, label b, uint64_t va, uint64_t vb);
RT_HIDDEN label rt_ite(label cond, label a, label b, unsigned width, uint64_t va, uint64_t vb, int truth);
RT_HIDDEN label rt_extract(label a, unsigned low, unsigned width);
RT_HIDDEN label rt_zext(label a, unsigned width);
RT_HIDDEN label rt_sext(label a, unsigned width);
RT_HIDDEN label rt_input(unsigned source, uint64_t offset);   /* byte of a source; 0 past the size limit */
RT_HIDDEN label rt_input_past(unsigned source, uint64_t beyond); /* byte that a longer input would have `beyond` after this one's end */
#define RT_PAST 256 /* how far beyond */
RT_HIDDEN label rt_length(unsigned source);                   /* 64 bits */
RT_HIDDEN uint64_t rt_value(label a);                         /* the value it has in this run */
RT_HIDDEN unsigned rt_width(label a);

/* Events, at the site in __muster_tls.site. */
RT_HIDDEN void rt_bound(label condition);                     /* width 1: holds as it is in this run */
RT_HIDDEN void rt_check(enum muster_checker checker, label condition); /* the same, and breaking it is a defect */
RT_HIDDEN void rt_check_size(label size);                     /* of an allocation: it did not wrap, and is no larger than one should be */
RT_HIDDEN int rt_at_most(label size, uint64_t limit);         /* whatever the input? */
RT_HIDDEN void rt_check_free(label address, const void *p);   /* what is given back is an object's first byte */
/* n bytes (label want; 0: a constant) are about to be read to p, from `at` of an input of that length (label). */
RT_HIDDEN void rt_check_read(const void *p, uint64_t n, label want, label length, uint64_t at);
RT_HIDDEN int rt_fits(const void *p, size_t n); /* have all inputs n bytes at p, as far as is known? */
RT_HIDDEN void rt_check_string(const char *to, const char *from); /* the string there fits after `to`; before its end is looked for */
RT_HIDDEN void rt_concrete(label a, enum muster_reason why);  /* a == its value from here on; 0 is ignored */
RT_HIDDEN void rt_given(label condition);                     /* width 1: the program assumes it */
/* n bytes at p are read or written through a pointer with this label: fixes where, for this reason. */
RT_HIDDEN void rt_access(label a, const void *p, size_t n, enum muster_reason why);
/* Before a size is fixed: that the n bytes at p lie in their object. */
RT_HIDDEN void rt_span(label address, label size, const void *p, size_t n);
RT_HIDDEN void rt_there(label address, label size, const void *p, size_t n); /* the same where nothing is fixed: n bytes are output */
RT_HIDDEN void rt_fix_size(const void *p); /* of the driver's object that p points into: how large it is, is looked at */
RT_HIDDEN void rt_moved(const void *p, size_t n); /* after rt_span, when n bytes stand at p */
/* Characters that are written, up to their end: where the driver built the input, bounds say that they are there. 0: that they end
 * is not certain. */
RT_HIDDEN int rt_output(const char *p, label a);
RT_HIDDEN void rt_event(enum muster_event_kind kind, unsigned arg, label a);

/* Memory. */
RT_HIDDEN void rt_clear(const void *p, size_t n);             /* n bytes are concrete now: they were written */
RT_HIDDEN void rt_forget(const void *p, size_t n);            /* the same where nothing was: the memory changed hands */
RT_HIDDEN void rt_before_move(const void *p, size_t n);       /* a block is about to be given back, and its contents to go elsewhere */
RT_HIDDEN void rt_gone(const void *p, size_t n);              /* an object of the driver's is given back */
RT_HIDDEN void rt_copy(void *to, const void *from, size_t n); /* labels move with the bytes; ranges may overlap */
RT_HIDDEN void rt_label_input(void *p, unsigned source, uint64_t offset, size_t n); /* p[i] is byte offset+i; where memory
                                                                                     differs from the source's value, concrete */
RT_HIDDEN label rt_load(const void *p, unsigned size);        /* 1 to 16 bytes, checked against memory */
RT_HIDDEN void rt_store(void *p, unsigned size, label a);     /* a has width 8*size, or is 0 */
RT_HIDDEN int rt_any(const void *p, size_t n);                /* is a byte of it labelled? */
RT_HIDDEN void rt_concrete_range(const void *p, size_t n, enum muster_reason why); /* each labelled byte, then clear */

/* The source that a descriptor reads from, by device and inode, or -1. Costs an fstat. */
RT_HIDDEN int rt_source_of_fd(int fd);
RT_HIDDEN int rt_source_of_inode(uint64_t dev, uint64_t ino);
RT_HIDDEN uint64_t rt_source_size(unsigned source);

/* Data that leave and come back, see unseen.c. The n bytes, or a value, go to a file that is open for writing alone. */
RT_HIDDEN void rt_left(int fd, const void *from, size_t n);
RT_HIDDEN void rt_left_label(int fd, label l);
RT_HIDDEN int rt_leaves(int fd);	/* is it such a file? */
RT_HIDDEN void rt_leaves_changed(int fd); /* the descriptor is another file's now */
/* Before the program reads, maps or measures a file: what it wrote there is fixed. */
RT_HIDDEN void rt_returned(int fd);
RT_HIDDEN void rt_returned_inode(uint64_t dev, uint64_t ino);
RT_HIDDEN void rt_shared(int fd, int writable); /* the file is mapped, and seen as it changes */
RT_HIDDEN void rt_lost(enum muster_loss what);	/* an event, once in a run */
RT_HIDDEN void rt_each_label(const void *p, size_t n, void (*f)(void *ctx, label l), void *ctx); /* of n bytes; runs of one are one */

/* May the program read what it writes there? See output.c. */
RT_HIDDEN int rt_comes_back(int fd);
RT_HIDDEN int rt_stream_comes_back(const void *stream); /* a FILE */

/* Objects: see heap.c. */
struct rt_object {
	uint64_t base, size;
	int constant;
};
RT_HIDDEN int rt_object_find(const void *p, struct rt_object *o); /* 0 if p lies in no known object */
RT_HIDDEN void rt_object_add(const void *p, size_t size);         /* heap or stack; p is 16-aligned */
RT_HIDDEN void rt_sized_add(const void *p, uint64_t size, label bytes); /* besides, where the size has a label: see sized.c */
RT_HIDDEN uint64_t rt_object_remove(const void *p);              /* its size, 0 if it was not known */
RT_HIDDEN void rt_given_back(const void *p, uint64_t size);      /* a block of the heap: see pair.c */

/* Around a signal handler: while it runs, no call that was open before is taken for over, whatever stack the handler has (calls.c). */
RT_HIDDEN uint32_t rt_calls_interrupted(void);
RT_HIDDEN void rt_calls_resumed(uint32_t floor);

/* Before any constructor: maps shadow and tables; serves forks if asked to. */
RT_HIDDEN void rt_forkserver(struct muster_header *h); /* returns in each child, to run the target */
RT_HIDDEN void rt_populate(struct muster_header *h);   /* maps what the last run used, in one go */
/* The descriptor named by MUSTER_FD, or -1; takes the variable out of envp. For start-up: libc's own
 * environ is not set yet when .preinit_array runs. */
RT_HIDDEN int rt_table_descriptor(char **envp);
RT_HIDDEN void rt_message(const char *text);           /* to standard error and header->message */

#endif
