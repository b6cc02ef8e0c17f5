/* stdio.c: reading from streams, on the buffer fields of glibc's FILE.
 *
 * Programs read those fields themselves (getc_unlocked is a macro), so the fields
 * are the interface: bytes between _IO_read_ptr and _IO_read_end are there to be
 * read and carry their labels, and _IO_read_end carries a label when a refill met
 * the end of an input, since it would stand elsewhere for another length. A test
 * `read_ptr < read_end` is then a decision about the length. All that touches the
 * file is in rt_stream_fill, which is not instrumented (runtime/stream.c); so is
 * fread, as it moves blocks.
 *
 * Bytes are counted by concrete counters, never by the difference of the two
 * pointers, or the length would be fixed where it need not be.
 */
#include "libc.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/single_threaded.h>

#undef getc
#undef getchar

/* _IO_ERR_SEEN and _IO_EOF_SEEN come from the public header. */

static void stream_lock(FILE *fp)
{
	if (!__libc_single_threaded)
		flockfile(fp);
}

static void stream_unlock(FILE *fp)
{
	if (!__libc_single_threaded)
		funlockfile(fp);
}

int BODY(__underflow)(FILE *fp)
{
	if (rt_stream_fill(fp) == 0)
		return EOF;
	return (unsigned char)*fp->_IO_read_ptr;
}

int BODY(__uflow)(FILE *fp)
{
	if (rt_stream_fill(fp) == 0)
		return EOF;
	return (unsigned char)*fp->_IO_read_ptr++;
}

static int read_char(FILE *fp)
{
	if (fp->_IO_read_ptr >= fp->_IO_read_end)
		return BODY(__uflow)(fp);
	return (unsigned char)*fp->_IO_read_ptr++;
}

int BODY(fgetc)(FILE *fp)
{
	stream_lock(fp);
	int c = read_char(fp);
	stream_unlock(fp);
	return c;
}

int BODY(getc)(FILE *fp)
{
	return BODY(fgetc)(fp);
}

int BODY(_IO_getc)(FILE *fp)
{
	return BODY(fgetc)(fp);
}

int BODY(getchar)(void)
{
	return BODY(fgetc)(stdin);
}

int BODY(fgetc_unlocked)(FILE *fp)
{
	return read_char(fp);
}

int BODY(getc_unlocked)(FILE *fp)
{
	return read_char(fp);
}

int BODY(getchar_unlocked)(void)
{
	return read_char(stdin);
}

int BODY(getw)(FILE *fp)
{
	int word = 0;
	for (unsigned i = 0; i < sizeof word; i++) {
		int c = BODY(fgetc)(fp);
		if (c == EOF)
			return EOF;
		((unsigned char *)&word)[i] = (unsigned char)c;
	}
	return word;
}

int BODY(ungetc)(int c, FILE *fp)
{
	if (c == EOF)
		return EOF;
	stream_lock(fp);
	int result = (unsigned char)c;
	if (fp->_IO_read_ptr > fp->_IO_read_base &&
	    (unsigned char)fp->_IO_read_ptr[-1] == (unsigned char)c) {
		fp->_IO_read_ptr--;
		fp->_flags &= ~_IO_EOF_SEEN;
	} else if (rt_stream_pushback(c, fp) == EOF) {
		result = EOF;
	}
	stream_unlock(fp);
	return result;
}

/* How many bytes of the buffer, at most max, come before and with the delimiter;
 * *found says whether it is among them. 0 if the buffer is empty. */
static size_t buffered_until(FILE *fp, int delimiter, size_t max, int *found)
{
	const char *s = fp->_IO_read_ptr;
	size_t n = rt_skip_bytes(s, delimiter, (size_t)(fp->_IO_read_end - s));
	if (n > max)
		n = max;
	for (*found = 0; n < max && s + n < fp->_IO_read_end;)
		if (s[n++] == (char)delimiter) {
			*found = 1;
			break;
		}
	return n;
}

/* Up to max bytes, ending with a line's end; *failed says whether there was an error.
 * One that was there before is none of this call's. */
static size_t read_part(char *to, size_t max, FILE *fp, int *failed)
{
	int old_error = fp->_flags & _IO_ERR_SEEN, found = 0;
	size_t count = 0;

	fp->_flags &= ~_IO_ERR_SEEN;
	while (count < max && !found) {
		size_t n = buffered_until(fp, '\n', max - count, &found);
		if (n == 0 && BODY(__underflow)(fp) == EOF)
			break;
		BODY(memcpy)(to + count, fp->_IO_read_ptr, n);
		fp->_IO_read_ptr += n;
		count += n;
	}
	*failed = (fp->_flags & _IO_ERR_SEEN) && errno != EAGAIN;
	fp->_flags |= old_error;
	return count;
}

char *BODY(fgets_unlocked)(char *to, int size, FILE *fp)
{
	int failed;
	if (size <= 0)
		return NULL;
	if (size == 1) {
		to[0] = '\0';
		return to;
	}
	size_t count = read_part(to, (size_t)size - 1, fp, &failed);
	if (count == 0 || failed)
		return NULL;
	to[count] = '\0';
	return to;
}

char *BODY(fgets)(char *to, int size, FILE *fp)
{
	stream_lock(fp);
	char *result = BODY(fgets_unlocked)(to, size, fp);
	stream_unlock(fp);
	return result;
}

/* Only a line that does not fit ends the process, not a size that is too large. */
char *BODY(__fgets_unlocked_chk)(char *to, size_t room, int size, FILE *fp)
{
	int failed;
	if (size <= 0)
		return NULL;
	size_t max = (size_t)size - 1 < room ? (size_t)size - 1 : room;
	size_t count = read_part(to, max, fp, &failed);
	if (count == 0 || failed)
		return NULL;
	if (count >= room)
		__chk_fail();
	to[count] = '\0';
	return to;
}

char *BODY(__fgets_chk)(char *to, size_t room, int size, FILE *fp)
{
	stream_lock(fp);
	char *result = BODY(__fgets_unlocked_chk)(to, room, size, fp);
	stream_unlock(fp);
	return result;
}

char *BODY(gets)(char *to)
{
	size_t n = 0;
	int c;
	while ((c = read_char(stdin)) != EOF && c != '\n')
		to[n++] = (char)c;
	if (c == EOF && n == 0)
		return NULL;
	to[n] = '\0';
	return to;
}

char *BODY(__gets_chk)(char *to, size_t room)
{
	size_t n = 0;
	int c;
	while ((c = read_char(stdin)) != EOF && c != '\n') {
		if (n + 1 >= room)
			__chk_fail();
		to[n++] = (char)c;
	}
	if (c == EOF && n == 0)
		return NULL;
	to[n] = '\0';
	return to;
}

/* Room for n bytes at *line; its size stands in *size. */
static int line_reserve(char **line, size_t *size, size_t n)
{
	if (n <= *size)
		return 0;
	size_t room = n < 2 * *size ? 2 * *size : n;
	char *larger = realloc(*line, room);
	if (!larger)
		return -1;
	*line = larger;
	*size = room;
	return 0;
}

static ssize_t read_line(char **line, size_t *size, int delimiter, FILE *fp)
{
	size_t count = 0;
	int found = 0;

	if (!*line || *size == 0) {
		char *first = realloc(*line, 120);
		if (!first)
			return -1;
		*line = first;
		*size = 120;
	}
	while (!found) {
		size_t n = buffered_until(fp, delimiter, SSIZE_MAX - count, &found);
		if (n == 0 && BODY(__underflow)(fp) == EOF)
			break;
		if (count + n >= SSIZE_MAX) {
			errno = EOVERFLOW;
			return -1;
		}
		if (line_reserve(line, size, count + n + 1) < 0)
			return -1;
		BODY(memcpy)(*line + count, fp->_IO_read_ptr, n);
		fp->_IO_read_ptr += n;
		count += n;
	}
	if (count == 0)
		return -1;
	(*line)[count] = '\0';
	return (ssize_t)count;
}

ssize_t BODY(getdelim)(char **line, size_t *size, int delimiter, FILE *fp)
{
	if (!line || !size) {
		errno = EINVAL;
		return -1;
	}
	stream_lock(fp);
	ssize_t n = read_line(line, size, delimiter, fp);
	stream_unlock(fp);
	return n;
}

ssize_t BODY(__getdelim)(char **line, size_t *size, int delimiter, FILE *fp)
{
	return BODY(getdelim)(line, size, delimiter, fp);
}

ssize_t BODY(getline)(char **line, size_t *size, FILE *fp)
{
	return BODY(getdelim)(line, size, '\n', fp);
}
