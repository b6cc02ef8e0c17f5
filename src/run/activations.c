/* activations.c: from the events of summary mode to activations. */
#include "run/activations.h"

#include "base/error.h"

#include <string.h>

int activations_read(struct activations *a, const struct trace *t, const struct calls *c, struct exprs *pool, uint64_t input_size)
{
	(void)t, (void)c, (void)pool, (void)input_size;
	memset(a, 0, sizeof *a);
	return error_set("activations of a trace are not read yet");
}

void activations_release(struct activations *a)
{
	for (size_t i = 0; i < a->list.size; i++) {
		struct activation *x = &a->list.data[i];
		vec_release(&x->inputs);
		vec_release(&x->steps);
		vec_release(&x->writes);
		vec_release(&x->results);
	}
	vec_release(&a->list);
	vec_release(&a->objects);
	memset(a, 0, sizeof *a);
}

const char *activation_mark_key(unsigned bit)
{
	static const char *const keys[] = {
#define X(name, key, words) key,
	    MUSTER_MARKS(X) ACTIVATION_MARKS(X)
#undef X
	};
	return bit < ACTIVATION_MARK_BITS ? keys[bit] : "unknown";
}

const char *activation_mark_words(unsigned bit)
{
	static const char *const words_of[] = {
#define X(name, key, words) words,
	    MUSTER_MARKS(X) ACTIVATION_MARKS(X)
#undef X
	};
	return bit < ACTIVATION_MARK_BITS ? words_of[bit] : "unknown";
}
