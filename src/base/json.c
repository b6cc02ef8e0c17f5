/* json.c: a writer of JSON text. Before each value, `value` writes the comma and
 * checks that a value may stand here: that check is the whole state machine. */
#include "base/json.h"
#include "base/error.h"
#include "base/utf8.h"

#include <math.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void json_begin(struct json *j, struct buf *out)
{
	*j = (struct json){.out = out};
}

static void new_line(struct json *j)
{
	if (j->indent)
		buf_addf(j->out, "\n%*s", j->depth * j->indent, "");
}

static void separate(struct json *j)
{
	if (!j->first[j->depth - 1])
		buf_addc(j->out, ',');
	j->first[j->depth - 1] = 0;
	new_line(j);
}

static void value(struct json *j)
{
	if (!j->depth)
		return;
	if (j->kind[j->depth - 1] == '{') {
		if (!j->have_key)
			BUG("a JSON object wants a key here");
		j->have_key = 0;
	} else {
		separate(j);
	}
}

static void open_level(struct json *j, char c)
{
	value(j);
	if (j->depth == JSON_DEPTH)
		BUG("JSON nested too deeply");
	buf_addc(j->out, c);
	j->kind[j->depth] = c;
	j->first[j->depth++] = 1;
}

static void close_level(struct json *j, char open, char c)
{
	int empty;

	if (!j->depth || j->kind[j->depth - 1] != open || j->have_key)
		BUG("JSON '%c' closes nothing", c);
	empty = j->first[--j->depth];
	if (!empty)
		new_line(j);
	buf_addc(j->out, c);
}

void json_object_open(struct json *j)
{
	open_level(j, '{');
}

void json_object_close(struct json *j)
{
	close_level(j, '{', '}');
}

void json_array_open(struct json *j)
{
	open_level(j, '[');
}

void json_array_close(struct json *j)
{
	close_level(j, '[', ']');
}

static void quote(struct buf *b, const char *s, size_t n)
{
	buf_addc(b, '"');
	for (size_t i = 0; i < n;) {
		unsigned char c = s[i];
		size_t len = utf8_length(s + i, n - i);

		if (c == '"' || c == '\\')
			buf_addf(b, "\\%c", c);
		else if (c == '\n')
			buf_adds(b, "\\n");
		else if (c == '\t')
			buf_adds(b, "\\t");
		else if (c < 0x20 || c == 0x7f)
			buf_addf(b, "\\u%04x", c);
		else if (len)
			buf_add(b, s + i, len);
		else
			buf_adds(b, "\\ufffd");
		i += len ? len : 1;
	}
	buf_addc(b, '"');
}

void json_key(struct json *j, const char *key)
{
	if (!j->depth || j->kind[j->depth - 1] != '{' || j->have_key)
		BUG("no JSON key may stand here: %s", key);
	separate(j);
	quote(j->out, key, strlen(key));
	buf_adds(j->out, j->indent ? ": " : ":");
	j->have_key = 1;
}

void json_strn(struct json *j, const char *s, size_t n)
{
	value(j);
	quote(j->out, s, n);
}

void json_str(struct json *j, const char *s)
{
	if (s)
		json_strn(j, s, strlen(s));
	else
		json_null(j);
}

void json_int(struct json *j, int64_t v)
{
	value(j);
	buf_addf(j->out, "%lld", (long long)v);
}

void json_u64(struct json *j, uint64_t v)
{
	value(j);
	buf_addf(j->out, "%llu", (unsigned long long)v);
}

void json_id(struct json *j, uint64_t id)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRIu64, id);
	json_str(j, id ? text : NULL);
}

void json_bool(struct json *j, int v)
{
	value(j);
	buf_adds(j->out, v ? "true" : "false");
}

void json_double(struct json *j, double v)
{
	value(j);
	if (isfinite(v))
		buf_addf(j->out, "%.9g", v);
	else
		buf_adds(j->out, "null");
}

void json_hex(struct json *j, uint64_t v)
{
	value(j);
	buf_addf(j->out, "\"0x%llx\"", (unsigned long long)v);
}

void json_null(struct json *j)
{
	value(j);
	buf_adds(j->out, "null");
}

void json_raw(struct json *j, const char *s, size_t n)
{
	value(j);
	buf_add(j->out, s, n);
}
