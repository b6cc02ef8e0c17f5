/* xml.c: XML 1.0 has no way to write most control characters, U+FFFE and U+FFFF, not even escaped. */
#include "report/xml.h"

#include "base/utf8.h"

#include <string.h>

static const char *escape(char c)
{
	switch (c) {
	case '&': return "&amp;";
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '"': return "&quot;";
	}
	return NULL;
}

static int can_hold(const char *s, size_t size)
{
	if (size == 1)
		return (unsigned char)*s >= ' ' || *s == '\t' || *s == '\n';
	return size > 0 && !(size == 3 && !memcmp(s, "\xef\xbf", 2) && (unsigned char)s[2] >= 0xbe);
}

void xml_text(struct buf *out, const char *s)
{
	size_t left = strlen(s);

	while (left) {
		size_t n = utf8_length(s, left);
		const char *name = escape(*s);

		if (name)
			buf_adds(out, name);
		else if (can_hold(s, n))
			buf_add(out, s, n);
		else
			buf_addc(out, '?');
		n += !n;
		s += n;
		left -= n;
	}
}

void xml_attribute(struct buf *out, const char *name, const char *value)
{
	buf_addf(out, " %s=\"", name);
	xml_text(out, value);
	buf_addc(out, '"');
}
