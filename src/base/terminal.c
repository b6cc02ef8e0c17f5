/* terminal.c: streams that a terminal can be given.
 *
 * A stream with functions of its own (fopencookie) takes the place of stdout and stderr, so that nothing that prints has to think of it. Of
 * control characters only tabs and line ends get through, and whole sequences that choose a colour, which muster's own output has. */
#include "base/terminal.h"

#include "base/file.h"

#include <stdio.h>
#include <unistd.h>

#define COLOUR_MOST 12 /* bytes of a sequence like ESC [ 1 ; 3 1 m */

/* The size of the sequence of a colour that the text starts with; 0: it does not. */
static size_t colour(const char *p, size_t size)
{
	if (size < 3 || p[0] != '\033' || p[1] != '[')
		return 0;
	for (size_t i = 2; i < size && i < COLOUR_MOST; i++) {
		if (p[i] == 'm')
			return i + 1;
		if (p[i] != ';' && (p[i] < '0' || p[i] > '9'))
			return 0;
	}
	return 0;
}

/* The size of a control character that the text starts with. Those of ISO 6429 beyond ASCII, with two bytes in UTF-8, begin sequences too. */
static size_t control(const unsigned char *p, size_t size)
{
	if (p[0] == 0xc2 && size > 1 && p[1] >= 0x80 && p[1] < 0xa0)
		return 2;
	return (p[0] < 0x20 && p[0] != '\n' && p[0] != '\t') || p[0] == 0x7f;
}

void terminal_add(struct buf *out, const char *text, size_t size)
{
	for (size_t i = 0, n; i < size; i += n) {
		if ((n = colour(text + i, size - i))) {
			buf_add(out, text + i, n);
			continue;
		}
		n = control((const unsigned char *)text + i, size - i);
		for (size_t k = 0; k < n; k++)
			buf_addf(out, "\\x%02x", (unsigned char)text[i + k]);
		if (!n)
			buf_addc(out, text[i]), n = 1;
	}
}

static ssize_t write_guarded(void *cookie, const char *text, size_t size)
{
	struct buf b = BUF_EMPTY;
	int failed;

	terminal_add(&b, text, size);
	failed = file_write_all(*(const int *)cookie, b.data, b.size);
	buf_release(&b);
	return failed ? 0 : (ssize_t)size; /* 0 is the error of such a stream */
}

static FILE *guarded(const int *fd, int buffering, FILE *plain)
{
	FILE *f = isatty(*fd) ? fopencookie((void *)fd, "w", (cookie_io_functions_t){.write = write_guarded}) : NULL;

	if (!f)
		return plain;
	setvbuf(f, NULL, buffering, 0);
	return f;
}

void terminal_guard(void)
{
	static const int out = 1, err = 2;

	stdout = guarded(&out, _IOLBF, stdout);
	stderr = guarded(&err, _IONBF, stderr);
}
