/* rt_null.c: the runtime's interface (rt.h, node.h) for a variant without labels.
 *
 * The path variant links the same wrappers and bodies of libc functions as the
 * trace variant, so that both make the same decisions; here every label is 0 and
 * every statement about labels is a no-op.
 */
#include "hooks.h"
#include "node.h"

__thread struct rt_tls __muster_tls __attribute__((tls_model("initial-exec"))) RT_EXPORT;
__thread uint32_t rt_first_thread __attribute__((tls_model("initial-exec")));

int rt_active(void)
{
	return 0;
}

void rt_enter(const void *fn, label *args, int n)
{
	(void)fn;
	for (int i = 0; i < n; i++)
		args[i] = 0;
}

uint64_t rt_source_size(unsigned source)
{
	struct rt_state *s = RT_STATE;

	return s->tracing && source < s->header->source_count ? s->header->sources[source].size : 0;
}

int rt_source_of_fd(int fd)
{
	(void)fd;
	return -1;
}

int rt_source_of_inode(uint64_t dev, uint64_t ino)
{
	(void)dev, (void)ino;
	return -1;
}

int rt_object_find(const void *p, struct rt_object *o)
{
	(void)p, (void)o;
	return 0;
}

/* X(declaration): functions that return no label, and those that return nothing. */
#define LABELS(X)                                                                                  \
	X(rt_binary(enum muster_op op, unsigned w, label a, label b, uint64_t va, uint64_t vb))    \
	X(rt_extract(label a, unsigned low, unsigned width))                                       \
	X(rt_zext(label a, unsigned width))                                                        \
	X(rt_sext(label a, unsigned width))                                                        \
	X(rt_input(unsigned source, uint64_t offset))                                              \
	X(rt_input_past(unsigned source, uint64_t beyond))                                         \
	X(rt_ite(label c, label a, label b, unsigned w, uint64_t va, uint64_t vb, int truth))      \
	X(rt_length(unsigned source))                                                              \
	X(rt_load(const void *p, unsigned size))                                                   \
	X(rt_stale(label a, uint64_t site, int in_register))                                       \
	X(rt_const(unsigned width, uint64_t low, uint64_t high))                                   \
	X(rt_unary(unsigned op, unsigned width, label a))                                          \
	X(rt_concat(label high, label low))                                                        \
	X(rt_load_cells(uint64_t addr, unsigned size, uint64_t site))

#define NOTHING(X)                                                                                 \
	X(rt_return(const void *fn, label result))                                                 \
	X(rt_left(int fd, const void *from, size_t n))                                             \
	X(rt_left_label(int fd, label l))                                                          \
	X(rt_leaves_changed(int fd))                                                               \
	X(rt_returned(int fd))                                                                     \
	X(rt_returned_inode(uint64_t dev, uint64_t ino))                                           \
	X(rt_shared(int fd, int writable))                                                         \
	X(rt_calls_resumed(uint32_t floor))                                                        \
	X(rt_lost(enum muster_loss what))                                                          \
	X(rt_span(label address, label size, const void *p, size_t n))                             \
	X(rt_there(label address, label size, const void *p, size_t n))                            \
	X(rt_moved(const void *p, size_t n))                                                       \
	X(rt_fix_size(const void *p))                                                              \
	X(rt_given(label condition))                                                               \
	X(rt_access(label a, const void *p, size_t n, enum muster_reason why))                     \
	X(rt_bound(label condition))                                                               \
	X(rt_check(enum muster_checker checker, label condition))                                  \
	X(rt_check_string(const char *to, const char *from))                                       \
	X(rt_check_size(label size))                                                               \
	X(rt_check_free(label address, const void *p))                                             \
	X(rt_check_read(const void *p, uint64_t n, label want, label length, uint64_t at))         \
	X(rt_concrete(label a, enum muster_reason why))                                            \
	X(rt_event(enum muster_event_kind kind, unsigned arg, label a))                            \
	X(rt_event_at(unsigned kind, unsigned arg, uint64_t site, label a))                        \
	X(rt_concrete_at(label a, enum muster_reason why, uint64_t site))                          \
	X(rt_bound_at(label condition, uint64_t site))                                             \
	X(rt_check_at(enum muster_checker checker, label condition, uint64_t site))                \
	X(rt_clear(const void *p, size_t n))                                                       \
	X(rt_forget(const void *p, size_t n))                                                      \
	X(rt_gone(const void *p, size_t n))                                                        \
	X(rt_before_move(const void *p, size_t n))                                                 \
	X(rt_copy(void *to, const void *from, size_t n))                                           \
	X(rt_label_input(void *p, unsigned source, uint64_t offset, size_t n))                     \
	X(rt_store(void *p, unsigned size, label a))                                               \
	X(rt_concrete_range(const void *p, size_t n, enum muster_reason why))                      \
	X(rt_sized_add(const void *p, uint64_t size, label bytes))                                 \
	X(rt_object_add(const void *p, size_t size))                                               \
	X(rt_given_back(const void *p, uint64_t size))                                             \
	X(rt_full(unsigned table))

#pragma clang diagnostic ignored "-Wunused-parameter"

#define X(...)                                                                                     \
	label __VA_ARGS__                                                                          \
	{                                                                                          \
		return 0;                                                                          \
	}
LABELS(X)
#undef X
#define X(...)                                                                                     \
	void __VA_ARGS__                                                                           \
	{                                                                                          \
	}
NOTHING(X)
#undef X

int rt_output(const char *p, label a)
{
	return 1;
}

int rt_at_most(label size, uint64_t limit)
{
	return 1;
}

int rt_fits(const void *p, size_t n)
{
	return 1;
}

int rt_any(const void *p, size_t n)
{
	return 0;
}

uint32_t rt_calls_interrupted(void)
{
	return 0;
}

uint64_t rt_object_remove(const void *p)
{
	return 0;
}

uint64_t rt_value(label a)
{
	return 0;
}

unsigned rt_width(label a)
{
	return 0;
}
