/* formats.c: what several formats share. */
#include "report/formats.h"

#include <string.h>
#include <time.h>

enum verdict {
#define X(name, word) name,
	RESULT_VERDICTS(X)
#undef X
	    VERDICTS
};
const char *const formats_verdicts[VERDICTS + 1] = {
#define X(name, word) [VERDICTS - 1 - name] = word,
    RESULT_VERDICTS(X)
#undef X
};

const char *formats_path(const struct formats_input *in, const char *path)
{
	size_t n = strlen(in->base);

	while (n && in->base[n - 1] == '/')
		n--;
	if (strncmp(path, in->base, n) || path[n] != '/' || !path[n + 1])
		return path;
	for (path += n + 1; !strncmp(path, "./", 2) && path[2]; path += 2)
		;
	return path;
}

size_t formats_verdict_count(const struct result *r, const char *verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < r->functions.size; i++)
		n += !strcmp(r->functions.data[i].verdict, verdict);
	return n;
}

void formats_buckets(const struct result *r, struct map *out)
{
	for (size_t i = 0; i < r->bugs.size; i++)
		map_set(out, r->bugs.data[i].bucket, 1);
}

void formats_time(struct buf *out, int64_t seconds, const char *zone)
{
	time_t t = (time_t)seconds;
	struct tm tm;
	char text[32];

	if (gmtime_r(&t, &tm) && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm))
		buf_addf(out, "%s%s", text, zone);
}
