/* kind.c: the names of --strategy. */
#include "search/kind.h"

#include "base/buf.h"
#include "base/error.h"

#include <string.h>

static const struct {
	const char *word;
	int calls, composes;
} kinds[KIND_COUNT] = {
#define X(name, word, calls, composes, words) {word, calls, composes},
    SEARCH_KINDS(X)
#undef X
};

const char *search_kind_word(enum search_kind k)
{
	return kinds[k].word;
}

int search_kind_calls(enum search_kind k)
{
	return kinds[k].calls;
}

int search_kind_composes(enum search_kind k)
{
	return kinds[k].composes;
}

int search_kind_parse(const char *word, enum search_kind *out)
{
	struct buf names = {0};
	for (unsigned i = 0; i < KIND_COUNT; i++) {
		if (!strcmp(word, kinds[i].word)) {
			*out = (enum search_kind)i;
			buf_release(&names);
			return 0;
		}
		buf_addf(&names, "%s%s", i ? ", " : "", kinds[i].word);
	}
	error_set("no strategy is called '%s': %s", word, buf_str(&names));
	buf_release(&names);
	return -1;
}
