/* whole_units.h: C texts as a whole program. */
#ifndef TESTS_WHOLE_UNITS_H
#define TESTS_WHOLE_UNITS_H

#include "bitcode.h"
#include "ir/whole.h"

static inline void add_text(struct whole *w, const char *name, const char *text, uint32_t image, const char *extra)
{
	struct buf b = {0};
	struct whole_source s = {.name = name, .image = image};

	compile_with(text, extra, &b);
	s.bitcode = b.data;
	s.size = b.size;
	s.hash = hash128(b.data, b.size);
	if (whole_add(w, &s))
		fail_msg("%s", error_text());
	buf_release(&b);
}

/* texts: one a unit, named a.c, b.c ...; NULL at the end. */
static inline struct whole *join_texts(const char *const *texts)
{
	struct whole *w = whole_new();
	char name[] = "a.c";

	for (; *texts; texts++, name[0]++)
		add_text(w, name, *texts, 0, "-Xclang -disable-lifetime-markers");
	assert_int_equal(whole_join(w), 0);
	return w;
}
#define JOIN(...) join_texts((const char *const[]){__VA_ARGS__, NULL})

static inline const struct whole_symbol *symbol(const struct whole *w, const char *name)
{
	uint32_t at = whole_find_any(w, name);

	if (at == CODE_NONE)
		fail_msg("no symbol %s", name);
	return &w->symbols.data[at];
}

static inline int same_digest(const struct whole_symbol *a, const struct whole_symbol *b)
{
	return a->digest.a == b->digest.a && a->digest.b == b->digest.b;
}

/* Does a call of it get to the other, in one step? */
static inline int calls(const struct whole *w, const char *caller, const char *callee)
{
	const struct whole_symbol *s = symbol(w, caller);
	uint32_t to = whole_find_any(w, callee);

	for (uint32_t k = 0; k < s->callees; k++)
		if (w->callees.data[s->first_callee + k] == to)
			return 1;
	return 0;
}

#endif
