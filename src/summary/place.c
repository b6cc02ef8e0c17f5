/* place.c: names of places, made and taken apart. The format is in place.h; a name that does not follow it is no place, and nothing is guessed. */
#include "summary/place.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

expr_t place_variable(struct exprs *p, unsigned width, enum place_type type, uint64_t size, int after, const char *path, const char *text)
{
	struct buf name = BUF_EMPTY;

	buf_addc(&name, (char)type);
	if (type == PLACE_POINTER)
		buf_addf(&name, "%llu", (unsigned long long)size);
	buf_addf(&name, ":%s%s|%s", after ? ">" : "", path, text);
	expr_t e = expr_named(p, width, buf_str(&name));
	buf_release(&name);
	return e;
}

int place_parse(const char *name, struct place *out)
{
	static const char letters[] = {
#define X(n, letter) letter,
	    PLACE_TYPES(X)
#undef X
	    0};
	const char *bar;
	char *end;

	memset(out, 0, sizeof *out);
	if (!*name || !strchr(letters, *name))
		return 0;
	out->type = (enum place_type)*name++;
	if (isdigit((unsigned char)*name)) {
		out->size = strtoull(name, &end, 10);
		name = end;
	}
	if (*name++ != ':')
		return 0;
	if (*name == '>') {
		out->after = 1;
		name++;
	}
	bar = strchr(name, '|');
	if (!bar)
		return 0;
	out->path = name;
	out->path_size = (size_t)(bar - name);
	out->text = bar + 1;
	return 1;
}

int place_of(const struct exprs *p, expr_t variable, struct place *out)
{
	return expr_get(p, variable)->op == EXPR_OP_NAMED && place_parse(expr_name(p, variable), out);
}

void place_text(const struct place *pl, struct buf *out)
{
	const char *around = pl->type == PLACE_LENGTH ? "len(" : pl->type == PLACE_FLOAT ? "bits(" : pl->type == PLACE_FAILURE ? "fails(\"" : "";

	if (pl->after && pl->type != PLACE_FAILURE && strcmp(pl->text, "result") && strncmp(pl->text, "result.", 7) && strncmp(pl->text, "result[", 7))
		buf_addf(out, "%safter(%s)%s", around, pl->text, *around ? ")" : "");
	else
		buf_addf(out, "%s%s%s", around, pl->text, pl->type == PLACE_FAILURE ? "\")" : *around ? ")" : "");
}
