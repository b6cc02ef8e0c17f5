/* test_libc_length.c: what reads and seeks say about the length of the input is
 * exactly what they depend on.
 *
 * A random sequence of calls runs on a file of one length; each result has a value
 * and perhaps a label, an expression over the length; bounds and concretisations are
 * recorded. Then the same sequence runs on a file of another length. If everything
 * recorded is true of that length, each result must be what its expression gives
 * there, or what it was if it had none.
 */
#include "libc_native.h"

#include "libc/memory.c"
#include "libc/string.c"

#define __real___underflow __underflow
#define __real_ungetc ungetc
#define __real_fread fread
#define __real_fread_unlocked (fread_unlocked)
#define __real_lseek lseek
#define __real_fseeko fseeko
#define __real_ftello ftello
#define __real_rewind rewind
#define __real_fgetpos fgetpos
#define __real_fsetpos fsetpos
#define __real_fclose fclose
#define __real_freopen freopen
#define __real_fmemopen fmemopen
#define __real_read read
#define __real_pread pread
#define __real_readv readv
#define __real_preadv preadv
#define __real_close close
#define __real_dup dup
#define __real_dup2 dup2
#define __real_dup3 dup3
#define __real_stat stat
#define __real_fstat fstat
#define __real_lstat lstat
#define __real_fstatat fstatat
#define __real_statx statx
#include <fcntl.h>
#include <unistd.h>
#undef fread_unlocked
#include "reads_apart.h"
#include "io_position.c"
#define fill fill_stream
#include "stdio.c"
#undef fill
#undef X
#include "io.c"

/* ------------------------------------------------- a runtime of expressions */

#define NODES 20000
struct node {
	enum muster_op op; /* NONE: the length; INPUT: byte va; ITE: b or else c where a */
	label a, b, c;
	uint64_t va, vb, value;
};

#define FACTS 4000
#define RESULTS 6000
struct record {
	struct node nodes[NODES];
	label count;
	uint64_t length;
	struct {
		label l;
		uint64_t value;
	} facts[FACTS], results[RESULTS];
	int fact_count, result_count;
};

static struct record records[2], *now;
static struct {
	const void *at;
	label l;
} shadow[64];
static label argument_labels[8], returned;

/* What is read goes here, and each byte has a label. */
#define TARGET 300
static char target[TARGET];
static label target_labels[TARGET];

static uint64_t apply(enum muster_op op, uint64_t a, uint64_t b)
{
	switch (op) {
	case MUSTER_OP_ADD:
		return a + b;
	case MUSTER_OP_SUB:
		return a - b;
	case MUSTER_OP_MUL:
		return a * b;
	case MUSTER_OP_UDIV:
		return a / b;
	case MUSTER_OP_ULE:
		return a <= b;
	case MUSTER_OP_ULT:
		return a < b;
	case MUSTER_OP_SLE:
		return (int64_t)a <= (int64_t)b;
	case MUSTER_OP_EQ:
		return a == b;
	default:
		fail_msg("operator %d", (int)op);
		return 0;
	}
}

static label make(enum muster_op op, label a, label b, uint64_t va, uint64_t vb)
{
	for (label l = 1; l <= now->count; l++) {
		struct node *n = &now->nodes[l];
		if (n->op == op && n->a == a && n->b == b && (a || n->va == va) &&
		    (b || n->vb == vb))
			return l;
	}
	assert_true(now->count + 1 < NODES);
	label l = ++now->count;
	now->nodes[l] = (struct node){op, a, b, 0, va, vb, op ? apply(op, va, vb) : now->length};
	return l;
}

static char content[256];
static int undefined; /* the last evaluation needed a byte that is not there */

static uint64_t evaluate(const struct record *r, label l, uint64_t length)
{
	const struct node *n = &r->nodes[l];
	if (n->op == MUSTER_OP_NONE)
		return length;
	if (n->op == MUSTER_OP_INPUT) {
		undefined |= n->va >= length;
		return (unsigned char)content[n->va];
	}
	if (n->op == MUSTER_OP_ITE) {
		label side = evaluate(r, n->a, length) ? n->b : n->c;
		return side ? evaluate(r, side, length) : n->vb;
	}
	return apply(n->op, n->a ? evaluate(r, n->a, length) : n->va,
		     n->b ? evaluate(r, n->b, length) : n->vb);
}

label rt_binary(enum muster_op op, unsigned width, label a, label b, uint64_t va, uint64_t vb)
{
	assert_int_equal(width, 64);
	if (!a && !b)
		return 0;
	assert_true((!a || now->nodes[a].value == va) && (!b || now->nodes[b].value == vb));
	return make(op, a, b, va, vb);
}

label rt_length(unsigned source)
{
	assert_int_equal(source, 0);
	return make(MUSTER_OP_NONE, 0, 0, 0, 0);
}

static void fact(label l, uint64_t value)
{
	assert_true(now->fact_count < FACTS);
	now->facts[now->fact_count].l = l;
	now->facts[now->fact_count++].value = value;
}

void rt_bound(label condition)
{
	if (condition)
		fact(condition, now->nodes[condition].value);
}

void rt_concrete(label a, enum muster_reason why)
{
	(void)why;
	if (a)
		fact(a, now->nodes[a].value);
}

uint64_t rt_value(label a)
{
	return now->nodes[a].value;
}

void rt_enter(const void *fn, label *args, int n)
{
	(void)fn;
	for (int i = 0; i < n; i++)
		args[i] = argument_labels[i];
	memset(argument_labels, 0, sizeof argument_labels);
}

void rt_return(const void *fn, label result)
{
	(void)fn;
	returned = result;
}

int rt_active(void)
{
	return 1;
}

label rt_extract(label a, unsigned low, unsigned width)
{
	(void)a, (void)low, (void)width;
	return 0;
}

label rt_zext(label a, unsigned width)
{
	(void)a, (void)width;
	return 0;
}

static label *shadow_of(const void *p, int add)
{
	for (int i = 0; i < 64; i++)
		if (shadow[i].at == p)
			return &shadow[i].l;
	for (int i = 0; add && i < 64; i++)
		if (!shadow[i].at) {
			shadow[i].at = p;
			return &shadow[i].l;
		}
	return NULL;
}

label rt_load(const void *p, unsigned size)
{
	label *l = shadow_of(p, 0);
	uint64_t value = 0;
	if (size == 1)
		return target_labels[(const char *)p - target];
	memcpy(&value, p, size);
	return l && *l && now->nodes[*l].value == value ? *l : 0;
}

void rt_store(void *p, unsigned size, label a)
{
	uint64_t value = 0;
	memcpy(&value, p, size);
	assert_true(!a || now->nodes[a].value == value);
	if (size == 8)
		*shadow_of(p, 1) = a;
	else
		target_labels[(char *)p - target] = a;
}

void rt_clear(const void *p, size_t n)
{
	for (int i = 0; i < 64; i++)
		if (shadow[i].at >= p && (const char *)shadow[i].at < (const char *)p + n)
			shadow[i].l = 0;
}

static label inputs[sizeof content];

static label input(uint64_t offset)
{
	if (!inputs[offset]) {
		inputs[offset] = ++now->count;
		now->nodes[now->count] = (struct node){
		    .op = MUSTER_OP_INPUT, .va = offset, .value = (unsigned char)content[offset]};
	}
	return inputs[offset];
}

/* From a stream's buffer: the bytes are those of the input, in order of the positions. */
void rt_copy(void *to, const void *from, size_t n)
{
	(void)from;
	for (size_t i = 0; i < n; i++) {
		const char *found = memchr(content, ((char *)to)[i], sizeof content);
		target_labels[(char *)to + i - target] = input((uint64_t)(found - content));
	}
}

int rt_any(const void *p, size_t n)
{
	(void)p;
	return n > 0;
}

void rt_concrete_range(const void *p, size_t n, enum muster_reason why)
{
	(void)p, (void)n, (void)why;
}

static int input_fd;
static ino_t input_inode;

void rt_label_input(void *p, unsigned source, uint64_t offset, size_t n)
{
	(void)source;
	assert_true(offset + n <= now->length);
	assert_memory_equal(p, content + offset, n);
	for (size_t i = 0; i < n; i++)
		if ((char *)p + i >= target && (char *)p + i < target + TARGET)
			target_labels[(char *)p + i - target] = input(offset + i);
}

label rt_input(unsigned source, uint64_t offset)
{
	(void)source;
	return input(offset);
}

label rt_input_past(unsigned source, uint64_t beyond)
{
	(void)source;
	return beyond < 12 ? input(now->length + beyond) : 0;
}

label rt_ite(label cond, label a, label b, unsigned width, uint64_t va, uint64_t vb, int truth)
{
	(void)width, (void)va;
	assert_true(truth == 0 && now->nodes[cond].value == 0);
	now->nodes[++now->count] =
	    (struct node){.op = MUSTER_OP_ITE, .a = cond, .b = a, .c = b, .vb = vb, .value = vb};
	return now->count;
}

int rt_object_find(const void *p, struct rt_object *o)
{
	o->base = (uint64_t)target;
	o->size = TARGET;
	return (const char *)p >= target && (const char *)p <= target + TARGET;
}

int rt_source_of_fd(int fd)
{
	return fd == input_fd ? 0 : -1;
}

int rt_source_of_inode(uint64_t dev, uint64_t ino)
{
	(void)dev;
	return ino == input_inode ? 0 : -1;
}

uint64_t rt_source_size(unsigned source)
{
	(void)source;
	return now->length;
}

/* -------------------------------------------------------------- operations */

static void result(uint64_t value, label l)
{
	assert_true(!l || now->nodes[l].value == value);
	assert_true(now->result_count < RESULTS);
	now->results[now->result_count].value = value;
	now->results[now->result_count++].l = l;
}

/* All of the target, what was read and what was not. */
static void result_bytes(void)
{
	for (int i = 0; i < TARGET; i++)
		result((unsigned char)target[i], target_labels[i]);
}

static size_t known_size;
static label known_size_label;

static void ask_size(int fd)
{
	struct stat st;
	memset(&st, 0, sizeof st);
	if (chance(2)) {
		result((uint64_t)__wrap_fstat(fd, &st), 0);
		known_size = (size_t)st.st_size;
		known_size_label = rt_load(&st.st_size, 8);
	} else {
		struct statx sx;
		result((uint64_t)__wrap_statx(fd, "", AT_EMPTY_PATH, STATX_SIZE, &sx), 0);
		known_size = sx.stx_size;
		known_size_label = rt_load(&sx.stx_size, 8);
	}
	result(known_size, known_size_label);
	memset(shadow, 0, sizeof shadow);
}

/* A size to ask for: a number, or the input's length as it was told. */
static size_t chance_size(size_t max, int argument)
{
	size_t n = chance(max);
	if (chance(3) || !known_size_label)
		return n;
	argument_labels[argument] = known_size_label;
	return known_size;
}

static void on_descriptor(int fd)
{
	char *to = target;
	memset(target, 7, sizeof target);
	memset(target_labels, 0, sizeof target_labels);
	switch (chance(6)) {
	case 0:
	case 1: {
		ssize_t n = __wrap_read(fd, to, chance_size(20, 2));
		result((uint64_t)n, returned);
		result_bytes();
		break;
	}
	case 2: {
		off_t at = (off_t)chance(50);
		ssize_t n = __wrap_pread(fd, to, chance_size(20, 2), at);
		result((uint64_t)n, returned);
		result_bytes();
		break;
	}
	case 3: {
		struct iovec parts[2] = {{to, chance(10)}, {to + 50, chance(10)}};
		ssize_t n = __wrap_readv(fd, parts, 2);
		result((uint64_t)n, returned);
		break;
	}
	case 4: {
		int whence = (int)chance(3);
		off_t offset = (off_t)chance(20) * (whence == SEEK_END ? -1 : 1),
		      at = __wrap_lseek(fd, offset, whence);
		result((uint64_t)at, returned);
		break;
	}
	default:
		ask_size(fd);
	}
}

static void on_stream(FILE *fp)
{
	char *to = target;
	memset(target, 7, sizeof target);
	memset(target_labels, 0, sizeof target_labels);
	switch (chance(5)) {
	case 0:
	case 1: {
		size_t size = 1 + chance(3), n = chance_size(20, 2);
		size_t got = __wrap_fread(to, size, n, fp);
		result(got, returned);
		result_bytes();
		result((uint64_t) !!feof(fp), 0);
		break;
	}
	case 2: {
		int whence = (int)chance(3);
		long offset = (long)chance(20) * (whence == SEEK_END ? -1 : 1);
		result((uint64_t)__wrap_fseek(fp, offset, whence), 0);
	}
		/* fall through */
	case 3: {
		long at = __wrap_ftell(fp);
		result((uint64_t)at, returned);
		break;
	}
	default:
		if (chance(3) == 0)
			__wrap_rewind(fp);
	}
}

/* The calls of a seed, on a file of that length, into record k. */
static void run(int k, uint64_t seed, const char *path, uint64_t length)
{
	chance_state = seed;
	now = &records[k];
	now->count = 0;
	now->fact_count = now->result_count = 0;
	now->length = length;
	known_size_label = 0;
	memset(shadow, 0, sizeof shadow);
	memset(known, 0, sizeof known);
	memset(entries, 0, sizeof entries);
	memset(argument_labels, 0, sizeof argument_labels);
	memset(inputs, 0, sizeof inputs);
	assert_int_equal(truncate(path, 0), 0);
	int fd = open(path, O_RDWR);
	assert_int_equal(pwrite(fd, content, length, 0), length);
	struct stat st;
	fstat(fd, &st);
	input_inode = st.st_ino;
	input_fd = fd;
	if (chance(2)) {
		for (int i = 0; i < 12; i++)
			on_descriptor(fd);
		close(fd);
	} else {
		FILE *fp = fdopen(fd, "r");
		static char buffer[64];
		setvbuf(fp, buffer, _IOFBF, chance(2) ? 16 : 64);
		if (chance(2))
			ask_size(fd);
		for (int i = 0; i < 12; i++)
			on_stream(fp);
		fclose(fp);
	}
}

static void lengths(void **state)
{
	(void)state;
	char path[32];
	int fd = memfd_create("input", 0), same = 0, other = 0;
	uint64_t seeds = 12345;
	assert_true(fd >= 0);
	sprintf(path, "/proc/self/fd/%d", fd);
	for (size_t i = 0; i < sizeof content; i++)
		content[i] = (char)(i * 37 + 11);
	for (int round = 0; round < 3000; round++) {
		chance_state = seeds += 0x9e3779b97f4a7c15u;
		uint64_t a = chance(70), b = chance(3) ? chance(70) : a + chance(4);
		run(0, seeds, path, a);
		run(1, seeds, path, b);
		int holds = 1;
		for (int i = 0; i < records[0].fact_count && holds; i++)
			holds = evaluate(&records[0], records[0].facts[i].l, b) ==
				records[0].facts[i].value;
		if (!holds) {
			other++;
			continue;
		}
		same += a != b;
		assert_int_equal(records[0].result_count, records[1].result_count);
		for (int i = 0; i < records[0].result_count; i++) {
			label l = records[0].results[i].l;
			undefined = 0;
			uint64_t want =
			    l ? evaluate(&records[0], l, b) : records[0].results[i].value;
			if (want != records[1].results[i].value && !undefined)
				fail_msg("seed %lx lengths %lu %lu: result %d is %lu, expected %lu",
					 (unsigned long)seeds, (unsigned long)a, (unsigned long)b,
					 i, (unsigned long)records[1].results[i].value,
					 (unsigned long)want);
		}
	}
	print_message("%d pairs with the same path, %d with another\n", same, other);
	assert_true(same > 300 && other > 300);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lengths),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
