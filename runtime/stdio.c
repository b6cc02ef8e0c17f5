/* stdio.c: what the stream bodies (libc/stdio.c) need from the file below, and the
 * stream functions that move blocks or positions.
 *
 * One function brings new bytes: fill(), which lets libc refill the buffer and then
 * labels what came. If the refill met the end of the input, the address of the
 * buffer's end would be another for another length: the shadow of _IO_read_end
 * says so. When everything up to there was taken, _IO_read_ptr carries the same
 * label, and comparing the two is no decision.
 *
 * libc refills inside its seeks too, unseen. After a seek the buffer is therefore
 * emptied, with libc's own idea of the position kept right, so that the next byte
 * comes through fill(). All streams are treated the same, whether they read an input
 * or not, so that every variant makes the same decisions.
 */
#include "io.h"
#include "libc/libc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Bits of _flags, as every glibc has had them. */
#define FLAG_USER_BUFFER 0x0001
#define FLAG_NO_READS 0x0004
#define FLAG_IN_BACKUP 0x0100

int __real___underflow(FILE *fp);
int __real_ungetc(int c, FILE *fp);
off_t __real_lseek(int fd, off_t offset, int whence);
int __real_fseeko(FILE *fp, off_t offset, int whence);
off_t __real_ftello(FILE *fp);
void __real_rewind(FILE *fp);
int __real_fgetpos(FILE *fp, fpos_t *p);
int __real_fsetpos(FILE *fp, const fpos_t *p);
int __real_fclose(FILE *fp);
FILE *__real_freopen(const char *path, const char *mode, FILE *fp);
FILE *__real_fmemopen(void *p, size_t n, const char *mode);

/* ----------------------------------------------------------------- refill */

/* The label of the bytes between the pointers, given that of the count. */
static void label_end(FILE *fp, label count)
{
	uint64_t n = (uint64_t)(fp->_IO_read_end - fp->_IO_read_ptr);
	label end =
	    count ? rt_binary(MUSTER_OP_ADD, 64, count, 0, n, (uint64_t)fp->_IO_read_ptr) : 0;
	rt_store(&fp->_IO_read_ptr, sizeof fp->_IO_read_ptr, 0);
	rt_store(&fp->_IO_read_end, sizeof fp->_IO_read_end, end);
}

/* Leaves the backup area that ungetc made: the labels of the buffer's own pointers
 * were kept in the save fields. */
static size_t leave_backup(FILE *fp)
{
	label end = rt_load(&fp->_IO_save_end, sizeof fp->_IO_save_end);
	int got = __real___underflow(fp);
	rt_store(&fp->_IO_save_end, sizeof fp->_IO_save_end, 0);
	rt_store(&fp->_IO_read_ptr, sizeof fp->_IO_read_ptr, 0);
	rt_store(&fp->_IO_read_end, sizeof fp->_IO_read_end,
		 end && rt_value(end) == (uint64_t)fp->_IO_read_end ? end : 0);
	return got == EOF ? 0 : (size_t)(fp->_IO_read_end - fp->_IO_read_ptr);
}

/* Streams that read memory: libc copies from there unseen. */
#define MEMORY_STREAMS 64
static struct memory_stream {
	FILE *fp;
	const char *base;
	size_t size;
} memory_streams[MEMORY_STREAMS];

static struct memory_stream *find_memory(const FILE *fp)
{
	for (int i = 0; i < MEMORY_STREAMS; i++)
		if (memory_streams[i].fp == fp)
			return &memory_streams[i];
	return NULL;
}

/* n bytes stand in the buffer; they were at `at` of the memory. */
static void label_memory(FILE *fp, const struct memory_stream *m, off_t at, size_t n)
{
	if (at >= 0 && (size_t)at <= m->size && n <= m->size - (size_t)at)
		rt_copy(fp->_IO_read_ptr, m->base + at, n);
	else
		rt_clear(fp->_IO_read_ptr, n);
}

/* Refills an empty buffer. Gives the bytes that are in it then, and their label. */
static size_t fill(FILE *fp, label *count)
{
	struct io_position p;
	*count = 0;
	if (fp->_flags & FLAG_IN_BACKUP) {
		size_t left = (size_t)(fp->_IO_save_end - fp->_IO_save_base);
		if (left > 0 && fp->_IO_read_ptr >= fp->_IO_read_end)
			return leave_backup(fp);
	}
	if (fp->_flags & _IO_EOF_SEEN) /* stays so, nothing is read */
		return __real___underflow(fp) == EOF
			   ? 0
			   : (size_t)(fp->_IO_read_end - fp->_IO_read_ptr);
	struct memory_stream *memory = fp->_fileno < 0 ? find_memory(fp) : NULL;
	off_t memory_at = memory ? __real_ftello(fp) : 0;
	rt_returned(fp->_fileno);
	int known = rt_io_position_get(fp->_fileno, &p);
	uint64_t at = known ? p.at : 0;
	int got = __real___underflow(fp);
	size_t n = got == EOF ? 0 : (size_t)(fp->_IO_read_end - fp->_IO_read_ptr);
	if (known && !(fp->_flags & _IO_ERR_SEEN)) {
		size_t room = (size_t)(fp->_IO_buf_end - fp->_IO_buf_base);
		*count = rt_io_account(&p, room, 0, n);
		if (n > 0)
			rt_label_input(fp->_IO_read_ptr, (unsigned)p.source, at, n);
		rt_io_position_set(fp->_fileno, &p);
	} else if (memory) {
		label_memory(fp, memory, memory_at, n);
	} else {
		rt_clear(fp->_IO_read_ptr, n);
	}
	label_end(fp, *count);
	return n;
}

RT_HIDDEN size_t rt_stream_fill(FILE *fp)
{
	label a[1], count;
	rt_enter(rt_stream_fill, a, 1);
	size_t n = fill(fp, &count);
	rt_return(rt_stream_fill, count);
	return n;
}

RT_HIDDEN int rt_stream_pushback(int c, FILE *fp)
{
	label a[2];
	rt_enter(rt_stream_pushback, a, 2);
	char *end_before = fp->_IO_read_end;
	label end = rt_load(&fp->_IO_read_end, sizeof fp->_IO_read_end);
	label ptr = rt_load(&fp->_IO_read_ptr, sizeof fp->_IO_read_ptr);
	rt_concrete(ptr, MUSTER_REASON_OFFSET); /* where it stands is kept aside by libc */
	int result = __real_ungetc(c, fp);
	if (result != EOF) {
		rt_store(&fp->_IO_read_ptr, sizeof fp->_IO_read_ptr, 0);
		if (fp->_IO_read_end != end_before) { /* in the backup area now */
			rt_store(&fp->_IO_read_end, sizeof fp->_IO_read_end, 0);
			rt_store(&fp->_IO_save_end, sizeof fp->_IO_save_end,
				 fp->_IO_save_end == end_before ? end : 0);
		}
		rt_store(fp->_IO_read_ptr, 1, a[0] ? rt_extract(a[0], 0, 8) : 0);
	}
	rt_return(rt_stream_pushback,
		  a[0] && result != EOF ? rt_zext(rt_extract(a[0], 0, 8), 32) : 0);
	return result;
}

/* ------------------------------------------------------------------ fread */

struct block {
	char *to;
	size_t got, want;
	label got_label, want_label;
};

/* What is still missing, and its label. */
static label missing(const struct block *b)
{
	return b->want_label ? rt_binary(MUSTER_OP_SUB, 64, b->want_label, 0, b->want, b->got) : 0;
}

/* The label of the number of bytes that the buffer has. Where the buffer ends with
 * the input that is the length less the stream's position, written so that equal
 * numbers have equal labels. */
static label available(FILE *fp)
{
	struct io_position p;
	label end = rt_load(&fp->_IO_read_end, sizeof fp->_IO_read_end);
	label ptr = rt_load(&fp->_IO_read_ptr, sizeof fp->_IO_read_ptr);
	uint64_t have = (uint64_t)(fp->_IO_read_end - fp->_IO_read_ptr);
	if (end == ptr)
		return 0;
	if (!ptr && rt_io_position_get(fp->_fileno, &p) && p.at >= have &&
	    p.label == rt_length((unsigned)p.source))
		return p.at == have ? p.label
				    : rt_binary(MUSTER_OP_SUB, 64, p.label, 0, p.at, p.at - have);
	return rt_binary(MUSTER_OP_SUB, 64, end, ptr, (uint64_t)fp->_IO_read_end,
			 (uint64_t)fp->_IO_read_ptr);
}

static void move_pointer(FILE *fp, char *to, label l)
{
	fp->_IO_read_ptr = to;
	rt_store(&fp->_IO_read_ptr, sizeof fp->_IO_read_ptr, l);
}

/* Takes what the buffer has, at most what is missing. */
static void take(struct block *b, FILE *fp)
{
	size_t have = (size_t)(fp->_IO_read_end - fp->_IO_read_ptr), need = b->want - b->got;
	label have_label = available(fp), need_label = missing(b);
	label end = rt_load(&fp->_IO_read_end, sizeof fp->_IO_read_end);
	char *from = fp->_IO_read_ptr, *to = b->to + b->got;
	size_t n = have < need ? have : need;

	memcpy(to, from, n);
	rt_copy(to, from, n);
	if (have < need) { /* all of it; and the end of the input, if there is a label */
		rt_bound(rt_binary(MUSTER_OP_ULT, 64, have_label, need_label, have, need));
		if (have_label)
			b->got_label = rt_binary(MUSTER_OP_ADD, 64, have_label, 0, have, b->got);
		move_pointer(fp, from + n, end);
	} else if (need_label && need_label == have_label) {
		move_pointer(fp, from + n, end);
	} else {
		label moved = rt_load(&fp->_IO_read_ptr, sizeof fp->_IO_read_ptr);
		rt_bound(rt_binary(MUSTER_OP_ULE, 64, need_label, have_label, need, have));
		if (need_label || moved)
			moved =
			    rt_binary(MUSTER_OP_ADD, 64, moved, need_label, (uint64_t)from, need);
		move_pointer(fp, from + n, moved);
	}
	b->got += n;
}

static void read_block(struct block *b, FILE *fp)
{
	while (b->got < b->want) {
		if (fp->_IO_read_ptr >= fp->_IO_read_end) {
			label count;
			label have = available(fp);
			if (have) /* empty, and it could have had something */
				rt_bound(rt_binary(MUSTER_OP_EQ, 64, have, 0, 0, 0));
			size_t n = fill(fp, &count);
			if (count) /* the result has no label then, so both outcomes are said */
				rt_bound(rt_binary(MUSTER_OP_EQ, 64, count, 0, n, 0));
			if (n == 0)
				return;
		}
		take(b, fp);
	}
}

/* Where the stream is in its source, and the label of the source's length. */
static label position_of(FILE *fp, struct io_position *p)
{
	uint64_t have = (uint64_t)(fp->_IO_read_end - fp->_IO_read_ptr);
	if (fp->_flags & FLAG_IN_BACKUP || !rt_io_position_get(fp->_fileno, p) || p->at < have)
		return 0;
	p->at -= have;
	if (have)
		p->label = 0;
	return rt_io_end(p);
}

static size_t do_fread(const void *fn, void *to, size_t size, size_t n, FILE *fp, const label *a,
		       int locked)
{
	label result = 0;
	rt_concrete(a[0], MUSTER_REASON_STORE);
	rt_concrete(a[1], MUSTER_REASON_SIZE);
	struct block b = {.to = to, .want = size * n};
	if (a[2] && size)
		b.want_label = size == 1 ? a[2] : rt_binary(MUSTER_OP_MUL, 64, a[2], 0, n, size);
	if (b.want_label || !rt_fits(to, b.want)) {
		struct io_position p;
		label length = position_of(fp, &p);
		rt_check_read(to, b.want, b.want_label, length, length ? p.at : 0);
	}
	if (b.want_label) /* nothing to do for no bytes */
		rt_bound(rt_binary(MUSTER_OP_EQ, 64, b.want_label, 0, b.want, 0));
	if (locked)
		flockfile(fp);
	read_block(&b, fp);
	if (locked)
		funlockfile(fp);
	int source = b.got_label && b.got < b.want ? rt_source_of_fd(fp->_fileno) : -1;
	if (source >= 0)
		rt_io_past(source, b.to + b.got, b.want_label ? SIZE_MAX : b.want - b.got, 1);
	else if (b.want_label && b.got == b.want && (source = rt_source_of_fd(fp->_fileno)) >= 0)
		rt_io_more(source, (uint64_t)__real_ftello(fp), b.to + b.got, b.want_label, b.want);
	size_t count = b.want == 0 ? 0 : b.got == b.want ? n : b.got / size;
	if (b.want && b.got == b.want)
		result = a[2];
	else if (b.want && b.got_label)
		result = size == 1 ? b.got_label
				   : rt_binary(MUSTER_OP_UDIV, 64, b.got_label, 0, b.got, size);
	rt_return(fn, result);
	return count;
}

RT_EXPORT size_t __wrap_fread(void *to, size_t size, size_t n, FILE *fp)
{
	label a[4];
	rt_enter(__wrap_fread, a, 4);
	return do_fread(__wrap_fread, to, size, n, fp, a, 1);
}

RT_EXPORT size_t __wrap_fread_unlocked(void *to, size_t size, size_t n, FILE *fp)
{
	label a[4];
	rt_enter(__wrap_fread_unlocked, a, 4);
	return do_fread(__wrap_fread_unlocked, to, size, n, fp, a, 0);
}

static void check_block(size_t room, size_t size, size_t n)
{
	size_t bytes;
	if (__builtin_mul_overflow(size, n, &bytes) || bytes > room)
		__chk_fail();
}

RT_EXPORT size_t __wrap___fread_chk(void *to, size_t room, size_t size, size_t n, FILE *fp)
{
	label a[5];
	rt_enter(__wrap___fread_chk, a, 5);
	check_block(room, size, n);
	return do_fread(__wrap___fread_chk, to, size, n, fp, (label[]){a[0], a[2], a[3]}, 1);
}

RT_EXPORT size_t __wrap___fread_unlocked_chk(void *to, size_t room, size_t size, size_t n, FILE *fp)
{
	label a[5];
	rt_enter(__wrap___fread_unlocked_chk, a, 5);
	check_block(room, size, n);
	return do_fread(__wrap___fread_unlocked_chk, to, size, n, fp, (label[]){a[0], a[2], a[3]},
			0);
}

/* --------------------------------------------------------------- position */

/* After libc moved the stream to `at`: no byte in the buffer, and the file below at
 * the same place. */
static void empty_buffer(FILE *fp, off_t at)
{
	rt_store(&fp->_IO_read_ptr, sizeof fp->_IO_read_ptr, 0);
	rt_store(&fp->_IO_read_end, sizeof fp->_IO_read_end, 0);
	struct memory_stream *memory = fp->_fileno < 0 ? find_memory(fp) : NULL;
	if (memory) { /* cannot be emptied, but what libc read is known */
		char *ptr = fp->_IO_read_ptr;
		fp->_IO_read_ptr = fp->_IO_read_base;
		label_memory(fp, memory, at - (ptr - fp->_IO_read_base),
			     (size_t)(fp->_IO_read_end - fp->_IO_read_base));
		fp->_IO_read_ptr = ptr;
		return;
	}
	if (fp->_flags & (FLAG_IN_BACKUP | FLAG_NO_READS) || fp->_IO_write_ptr > fp->_IO_write_base)
		return;
	if (__real_lseek(fp->_fileno, at, SEEK_SET) != at)
		return;
	fp->_offset = at;
	fp->_IO_read_base = fp->_IO_read_ptr = fp->_IO_read_end = fp->_IO_buf_base;
}

/* The stream's own position: the file's, less what the buffer still has. */
static int stream_position(FILE *fp, off_t at, struct io_position *p)
{
	if (!rt_io_position_get(fp->_fileno, p))
		return 0;
	int backup = fp->_flags & FLAG_IN_BACKUP;
	label end = backup ? rt_load(&fp->_IO_save_end, sizeof fp->_IO_save_end)
			   : rt_load(&fp->_IO_read_end, sizeof fp->_IO_read_end);
	label ptr = backup ? 0 : rt_load(&fp->_IO_read_ptr, sizeof fp->_IO_read_ptr);
	uint64_t left = p->at - (uint64_t)at;
	if (ptr && end && ptr != end)
		p->label =
		    rt_binary(MUSTER_OP_SUB, 64, p->label,
			      rt_binary(MUSTER_OP_SUB, 64, end, ptr, (uint64_t)fp->_IO_read_end,
					(uint64_t)fp->_IO_read_ptr),
			      p->at, left);
	else if (end != ptr)
		p->label = 0; /* a number of bytes after the start of the buffer */
	else if (p->label && left)
		p->label = rt_binary(MUSTER_OP_SUB, 64, p->label, 0, p->at, left);
	p->at = (uint64_t)at;
	return 1;
}

static int do_fseek(const void *fn, FILE *fp, off_t offset, int whence, const label *a)
{
	struct io_position p;
	rt_concrete(a[2], MUSTER_REASON_OFFSET);
	int known = stream_position(fp, __real_ftello(fp), &p);
	if (!known)
		rt_concrete(a[1], MUSTER_REASON_OFFSET);
	int result = __real_fseeko(fp, offset, whence);
	off_t at = result == 0 ? __real_ftello(fp) : -1;
	if (known)
		rt_io_seek(&p, offset, a[1], whence, at);
	if (at >= 0) {
		empty_buffer(fp, at);
		if (known)
			rt_io_position_set(fp->_fileno, &p);
	}
	rt_return(fn, 0);
	return result;
}

static off_t do_ftell(const void *fn, FILE *fp)
{
	struct io_position p = {0};
	off_t at = __real_ftello(fp);
	if (at >= 0)
		stream_position(fp, at, &p);
	rt_return(fn, p.label);
	return at;
}

/* long and off_t are the same type here, so the names differ in nothing else. */
#define SEEKS(X) X(fseek) X(fseeko) X(fseeko64)
#define X(name)                                                         \
	RT_EXPORT int __wrap_##name(FILE *fp, off_t offset, int whence) \
	{                                                               \
		label a[3];                                             \
		rt_enter(__wrap_##name, a, 3);                          \
		return do_fseek(__wrap_##name, fp, offset, whence, a);  \
	}
SEEKS(X)
#undef X

#define TELLS(X) X(ftell) X(ftello) X(ftello64)
#define X(name)                                     \
	RT_EXPORT off_t __wrap_##name(FILE *fp)     \
	{                                           \
		label a[1];                         \
		rt_enter(__wrap_##name, a, 1);      \
		return do_ftell(__wrap_##name, fp); \
	}
TELLS(X)
#undef X

RT_EXPORT void __wrap_rewind(FILE *fp)
{
	struct io_position p;
	label a[1];
	rt_enter(__wrap_rewind, a, 1);
	__real_rewind(fp);
	empty_buffer(fp, 0);
	if (rt_io_position_get(fp->_fileno, &p)) {
		p.label = 0;
		rt_io_position_set(fp->_fileno, &p);
	}
}

static int do_fgetpos(FILE *fp, fpos_t *to)
{
	struct io_position p;
	int result = __real_fgetpos(fp, to);
	if (result == 0) {
		rt_clear(to, sizeof *to);
		if (rt_active() && stream_position(fp, to->__pos, &p))
			rt_store(&to->__pos, sizeof to->__pos, p.label);
	}
	return result;
}

RT_EXPORT int __wrap_fgetpos(FILE *fp, fpos_t *to)
{
	rt_enter(__wrap_fgetpos, NULL, 0);
	return do_fgetpos(fp, to);
}

RT_EXPORT int __wrap_fgetpos64(FILE *fp, fpos_t *to)
{
	rt_enter(__wrap_fgetpos64, NULL, 0);
	return do_fgetpos(fp, to);
}

static int do_fsetpos(FILE *fp, const fpos_t *to)
{
	struct io_position p;
	label where = rt_load(&to->__pos, sizeof to->__pos);
	int result = __real_fsetpos(fp, to);
	if (result == 0)
		empty_buffer(fp, to->__pos);
	if (result == 0 && rt_io_position_get(fp->_fileno, &p)) {
		p.at = (uint64_t)to->__pos;
		p.label = where;
		rt_io_position_set(fp->_fileno, &p);
	} else {
		rt_concrete(where, MUSTER_REASON_OFFSET);
	}
	return result;
}

RT_EXPORT int __wrap_fsetpos(FILE *fp, const fpos_t *to)
{
	rt_enter(__wrap_fsetpos, NULL, 0);
	return do_fsetpos(fp, to);
}

RT_EXPORT int __wrap_fsetpos64(FILE *fp, const fpos_t *to)
{
	rt_enter(__wrap_fsetpos64, NULL, 0);
	return do_fsetpos(fp, to);
}

/* ------------------------------------------------- a stream's begin and end */

RT_EXPORT FILE *__wrap_fmemopen(void *p, size_t n, const char *mode)
{
	label a[3];
	rt_enter(__wrap_fmemopen, a, 3);
	rt_concrete(a[0], MUSTER_REASON_ADDRESS);
	rt_concrete(a[1], MUSTER_REASON_SIZE);
	FILE *fp = __real_fmemopen(p, n, mode);
	if (fp && p && rt_active()) {
		struct memory_stream *m = find_memory(fp);
		if (!m)
			m = find_memory(NULL);
		if (m)
			*m = (struct memory_stream){fp, p, n};
		else /* one too many: its bytes are fixed */
			rt_concrete_range(p, n, MUSTER_REASON_EXTERN);
	}
	rt_return(__wrap_fmemopen, 0);
	return fp;
}

/* libc frees stream and buffer itself, and they may become anything else. */
static void forget(FILE *fp)
{
	if (fp->_IO_buf_base && !(fp->_flags & FLAG_USER_BUFFER))
		rt_clear(fp->_IO_buf_base, (size_t)(fp->_IO_buf_end - fp->_IO_buf_base));
	rt_clear(fp, sizeof *fp);
	rt_io_position_forget(fp->_fileno);
	struct memory_stream *memory = find_memory(fp);
	if (memory)
		memory->fp = NULL;
}

RT_EXPORT int __wrap_fclose(FILE *fp)
{
	rt_enter(__wrap_fclose, NULL, 0);
	forget(fp);
	return __real_fclose(fp);
}

static FILE *do_freopen(const char *path, const char *mode, FILE *fp)
{
	forget(fp);
	return __real_freopen(path, mode, fp);
}

RT_EXPORT FILE *__wrap_freopen(const char *path, const char *mode, FILE *fp)
{
	rt_enter(__wrap_freopen, NULL, 0);
	return do_freopen(path, mode, fp);
}

RT_EXPORT FILE *__wrap_freopen64(const char *path, const char *mode, FILE *fp)
{
	rt_enter(__wrap_freopen64, NULL, 0);
	return do_freopen(path, mode, fp);
}
