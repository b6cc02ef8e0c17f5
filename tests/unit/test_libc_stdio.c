/* test_libc_stdio.c: reading streams. The bodies and the wrappers below them work
 * on one stream, libc on another of the same file; a random sequence of operations
 * must give the same results, positions and flags on both.
 *
 * The file is an input here, so that the code for inputs runs: the runtime behind
 * it makes no nodes, but every label is a number that is not zero, with the value
 * it stands for.
 */
#include "libc_native.h"

#include "libc/memory.c"
#include "libc/string.c"
#include "libc/stdio.c"
#undef getc
#undef fread_unlocked
#include "libc/number.c"
#include "libc/scan.c"
#include "libc/scan_float.c"
#include "libc/scan_names.c"

/* The wrappers call libc as __real_NAME and are called as __wrap_NAME. */
#define __real___underflow __underflow
#define __real_ungetc ungetc
#define __real_fread fread
#define __real_fread_unlocked fread_unlocked
#define __real_lseek lseek
#define __real_fseeko fseeko
#define __real_ftello ftello
#define __real_rewind rewind
#define __real_fgetpos fgetpos
#define __real_fsetpos fsetpos
#define __real_fclose fclose
#define __real_freopen freopen
#define __real_fmemopen fmemopen
#include <unistd.h>
#include "reads_apart.h"
#include "io_position.c"
#define take take_bytes
#define fill fill_stream
#include "stdio.c"
#undef fill

/* ---------------------------------------------------- a runtime of values only
 * Label l has the value values[l]; only the fields of streams have shadows. */

#define LABELS 100000
static uint64_t values[LABELS];
static label label_count;
static int source_fd_dev;
static uint64_t source_size;
static label length_label;
static struct {
	const void *at;
	label l;
} shadow[64];

static label new_label(uint64_t value)
{
	if (label_count + 1 >= LABELS)
		label_count = 0;
	values[++label_count] = value;
	return label_count;
}

int rt_active(void)
{
	return 1;
}

void rt_enter(const void *fn, label *args, int n)
{
	(void)fn;
	memset(args, 0, (size_t)n * sizeof *args);
}

void rt_return(const void *fn, label result)
{
	(void)fn, (void)result;
}

/* Operands have the values that are said. */
label rt_binary(enum muster_op op, unsigned width, label a, label b, uint64_t va, uint64_t vb)
{
	(void)width;
	if (!a && !b)
		return 0;
	assert_true(!a || values[a] == va);
	assert_true(!b || values[b] == vb);
	switch (op) {
	case MUSTER_OP_ADD:
		return new_label(va + vb);
	case MUSTER_OP_SUB:
		return new_label(va - vb);
	case MUSTER_OP_MUL:
		return new_label(va * vb);
	case MUSTER_OP_UDIV:
		return new_label(va / vb);
	case MUSTER_OP_ULE:
		return new_label(va <= vb);
	case MUSTER_OP_ULT:
		return new_label(va < vb);
	case MUSTER_OP_SLE:
		return new_label((int64_t)va <= (int64_t)vb);
	case MUSTER_OP_EQ:
		return new_label(va == vb);
	default:
		fail_msg("operator %d", (int)op);
		return 0;
	}
}

label rt_extract(label a, unsigned low, unsigned width)
{
	return a ? new_label(values[a] >> low & ((1u << width) - 1)) : 0;
}

label rt_zext(label a, unsigned width)
{
	(void)width;
	return a;
}

label rt_ite(label cond, label a, label b, unsigned width, uint64_t va, uint64_t vb, int truth)
{
	(void)cond, (void)a, (void)b, (void)width, (void)va, (void)vb, (void)truth;
	return 0;
}

label rt_input(unsigned source, uint64_t offset)
{
	(void)source, (void)offset;
	return 0;
}

label rt_input_past(unsigned source, uint64_t beyond)
{
	(void)source, (void)beyond;
	return 0;
}

int rt_object_find(const void *p, struct rt_object *o)
{
	(void)p, (void)o;
	return 0;
}

label rt_length(unsigned source)
{
	(void)source;
	if (!length_label)
		length_label = new_label(source_size);
	return length_label;
}

uint64_t rt_value(label a)
{
	return values[a];
}

/* Bounds that hold by nature of the wrappers are true. */
void rt_bound(label condition)
{
	(void)condition;
}

void rt_concrete(label a, enum muster_reason why)
{
	(void)a, (void)why;
}

static label *shadow_of(const void *p, int make)
{
	for (int i = 0; i < 64; i++)
		if (shadow[i].at == p)
			return &shadow[i].l;
	for (int i = 0; make && i < 64; i++)
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
	memcpy(&value, p, size);
	return l && *l && values[*l] == value ? *l : 0;
}

void rt_store(void *p, unsigned size, label a)
{
	uint64_t value = 0;
	memcpy(&value, p, size);
	if (a)
		assert_true(values[a] == value);
	if (size == 8)
		*shadow_of(p, 1) = a;
}

void rt_clear(const void *p, size_t n)
{
	(void)p, (void)n;
}

void rt_copy(void *to, const void *from, size_t n)
{
	(void)to, (void)from, (void)n;
}

int rt_any(const void *p, size_t n)
{
	(void)p;
	return n > 0;
}

/* What is labelled as byte `offset` of the input is that byte. */
static const char *content;

void rt_label_input(void *p, unsigned source, uint64_t offset, size_t n)
{
	(void)source;
	assert_true(offset + n <= source_size);
	assert_memory_equal(p, content + offset, n);
}

int rt_source_of_fd(int fd)
{
	return fd == source_fd_dev ? 0 : -1;
}

uint64_t rt_source_size(unsigned source)
{
	(void)source;
	return source_size;
}

void rt_concrete_range(const void *p, size_t n, enum muster_reason why)
{
	(void)p, (void)n, (void)why;
}

size_t rt_scan_double(const char *text, int size, void *to)
{
	(void)text, (void)size, (void)to;
	return 0;
}

/* -------------------------------------------------------------- operations */

static void same_state(FILE *a, FILE *b, const char *after)
{
	if (ftello(a) != ftello(b) || !feof(a) != !feof(b) || !ferror(a) != !ferror(b))
		fail_msg("after %s: position %ld against %ld, end %d against %d", after,
			 (long)ftello(a), (long)ftello(b), feof(a), feof(b));
}

static void read_lines(FILE *a, FILE *b)
{
	char x[80], y[80];
	memset(x, '#', sizeof x);
	memset(y, '#', sizeof y);
	int n = (int)chance(40);
	char *p = chance(2) ? muster_fgets(x, n, a) : muster_fgets_unlocked(x, n, a),
	     *q = fgets(y, n, b);
	assert_int_equal(!p, !q);
	if (p)
		assert_memory_equal(x, y, sizeof x);
}

static void read_line_growing(FILE *a, FILE *b)
{
	char *x = NULL, *y = NULL;
	size_t m = 0, n = 0;
	int delimiter = chance(2) ? '\n' : 'b';
	if (chance(2)) {
		x = malloc(5), y = malloc(5);
		m = n = 5;
	}
	ssize_t i =
	    delimiter == '\n' ? muster_getline(&x, &m, a) : muster_getdelim(&x, &m, delimiter, a);
	ssize_t j = getdelim(&y, &n, delimiter, b);
	assert_int_equal(i, j);
	if (i >= 0)
		assert_memory_equal(x, y, (size_t)i + 1);
	free(x);
	free(y);
}

static void read_blocks(FILE *a, FILE *b)
{
	char x[400], y[400];
	size_t size = chance(5), n = chance(chance(4) ? 10 : 80);
	memset(x, '#', sizeof x);
	memset(y, '#', sizeof y);
	size_t i = chance(2) ? __wrap_fread(x, size, n, a) : __wrap_fread_unlocked(x, size, n, a);
	size_t j = fread(y, size, n, b);
	assert_int_equal(i, j);
	assert_memory_equal(x, y, sizeof x);
}

static void scan_both(FILE *a, FILE *b)
{
	char x[2][300], y[2][300];
	static const char *const formats[] = {"%d%9s", "%9s %c", "%[ab]%5[^\n]", " %*c%d",
					      "%3c%*s"};
	const char *format = formats[chance(5)];
	memset(x, 0, sizeof x);
	memset(y, 0, sizeof y);
	assert_int_equal(muster___isoc99_fscanf(a, format, x[0], x[1]),
			 fscanf(b, format, y[0], y[1]));
	assert_memory_equal(x, y, sizeof x);
}

static void seek_both(FILE *a, FILE *b)
{
	int whence = (int)chance(3);
	long offset = (long)chance(source_size + 5) * (whence == SEEK_SET ? 1 : -1) /
		      (whence == SEEK_CUR ? 3 : 1);
	if (whence == SEEK_CUR && chance(2))
		offset = -offset;
	assert_int_equal(__wrap_fseek(a, offset, whence), fseek(b, offset, whence));
	assert_int_equal(__wrap_ftell(a), ftell(b));
}

static void operate(FILE *a, FILE *b)
{
	static fpos_t kept_a, kept_b;
	static int kept;
	switch (chance(16)) {
	case 0:
		read_lines(a, b);
		same_state(a, b, "fgets");
		break;
	case 1:
		read_line_growing(a, b);
		same_state(a, b, "getdelim");
		break;
	case 2:
	case 3:
		read_blocks(a, b);
		same_state(a, b, "fread");
		break;
	case 4:
		scan_both(a, b);
		same_state(a, b, "fscanf");
		break;
	case 5:
		seek_both(a, b);
		same_state(a, b, "fseek");
		break;
	case 6: {
		int c = getc(b);
		assert_int_equal(muster_getc(a), c);
		if (chance(2))
			c = chance_char();
		assert_int_equal(muster_ungetc(c, a), ungetc(c, b));
		if (chance(3) == 0)
			assert_int_equal(muster_ungetc('u', a), ungetc('u', b));
		/* A position before the start is unspecified; the flag is not. */
		assert_int_equal(!feof(a), !feof(b));
		break;
	}
	case 7:
		if (chance(4) == 0) {
			__wrap_rewind(a);
			rewind(b);
			same_state(a, b, "rewind");
		}
		break;
	case 8:
		if (kept && chance(3) == 0) {
			assert_int_equal(__wrap_fsetpos(a, &kept_a), fsetpos(b, &kept_b));
			same_state(a, b, "fsetpos");
		} else if (chance(2)) {
			kept = 1;
			assert_int_equal(__wrap_fgetpos(a, &kept_a), fgetpos(b, &kept_b));
			kept_b = kept_a;
		}
		break;
	case 9:
		if (chance(3) == 0) {
			clearerr(a);
			clearerr(b);
		}
		break;
	case 10:
		assert_int_equal(muster_getw(a), getw(b));
		break;
	default:
		for (int i = (int)chance(9); i >= 0; i--)
			assert_int_equal(chance(2) ? muster_fgetc(a) : muster_getc_unlocked(a),
					 getc(b));
		same_state(a, b, "getc");
	}
}

static void sequences(void **state)
{
	(void)state;
	char path[32];
	int fd = memfd_create("input", 0);
	assert_true(fd >= 0);
	sprintf(path, "/proc/self/fd/%d", fd);
	for (int round = 0; round < 600; round++) {
		static char text[20000];
		size_t size = chance(3)	  ? chance(60)
			      : chance(2) ? chance(sizeof text)
					  : 4096 * chance(3);
		for (size_t i = 0; i < size; i++)
			text[i] = chance(12)  ? chance_char()
				  : chance(3) ? '\n'
					      : (char)('0' + chance(10));
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, text, size, 0), size);
		FILE *a = fopen(path, chance(4) ? "r" : "r+"), *b = fopen(path, "r");
		char buffers[2][32];
		if (chance(3) == 0) { /* small buffers, or none */
			size_t n = chance(32);
			setvbuf(a, buffers[0], n ? _IOFBF : _IONBF, n);
			setvbuf(b, buffers[1], n ? _IOFBF : _IONBF, n);
		}
		content = text;
		source_size = size;
		source_fd_dev = chance(4) ? fileno(a) : -2;
		length_label = 0;
		memset(shadow, 0, sizeof shadow);
		memset(known, 0, sizeof known);
		memset(entries, 0, sizeof entries);
		for (int i = 0; i < 60; i++)
			operate(a, b);
		__wrap_fclose(a);
		fclose(b);
	}
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sequences),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
