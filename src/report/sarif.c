/* sarif.c: bugs as SARIF 2.1.0, for code scanning and editors.
 *
 * A kind of bug is a rule. Fingerprints are the buckets (report_bucket: kind, functions and lines within them), which stay when code around them moves. The
 * stack of a report is a code flow, from the outermost function to where it failed. Where an earlier version was searched, bugs are new, unchanged or absent beside it: absent ones were
 * not found again, which proves nothing.
 */
#include "report/formats.h"

#include "base/json.h"
#include "base/map.h"
#include "report/bug.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOT "SRCROOT"

static void uri(struct buf *out, const char *path)
{
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;
		if (isalnum(c) || strchr("/-._~", c))
			buf_addc(out, (char)c);
		else
			buf_addf(out, "%%%02X", c);
	}
}

static void json_message(struct json *j, const char *text)
{
	json_key(j, "message"), json_object_open(j);
	json_key(j, "text"), json_str(j, text);
	json_object_close(j);
}

/* file "": a place that is not known. */
static void json_location(struct json *j, const struct formats_input *in, const char *file, uint64_t line, const char *function)
{
	if (*file) {
		const char *path = formats_path(in, file);
		struct buf text = {0};

		if (*path == '/')
			buf_adds(&text, "file://");
		uri(&text, path);
		json_key(j, "physicalLocation"), json_object_open(j);
		json_key(j, "artifactLocation"), json_object_open(j);
		json_key(j, "uri"), json_str(j, buf_str(&text));
		if (*path != '/')
			json_key(j, "uriBaseId"), json_str(j, ROOT);
		json_object_close(j);
		if (line) {
			json_key(j, "region"), json_object_open(j);
			json_key(j, "startLine"), json_u64(j, line);
			json_object_close(j);
		}
		json_object_close(j);
		buf_release(&text);
	}
	if (*function) {
		json_key(j, "logicalLocations"), json_array_open(j);
		json_object_open(j);
		json_key(j, "name"), json_str(j, function);
		json_key(j, "kind"), json_str(j, "function");
		json_object_close(j);
		json_array_close(j);
	}
}

/* ------------------------------------------------------------ code flows */

struct frame {
	char *function, *file;
	unsigned long line;
};
typedef VEC(struct frame) frames;

/* "    #1 in parse /src/p.c:81:13" */
static int read_frame(const char *text, size_t size, struct frame *f)
{
	char *line = mem_strndup(text, size), *at = strstr(line, " in "), *end, *place;
	int found = 0;

	if (strspn(line, " ") && line[strspn(line, " ")] == '#' && at && (place = strstr(at + 4, " /"))) {
		*place++ = 0;
		end = strrchr(place, '/');
		end = end[1] == '<' ? NULL : strchr(end, ':');
		if (end && isdigit((unsigned char)end[1])) {
			*end = 0;
			*f = (struct frame){mem_strdup(at + 4), mem_strdup(place), strtoul(end + 1, NULL, 10)};
			found = 1;
		}
	}
	free(line);
	return found;
}

/* The first stack of the report, innermost first, up to muster's own functions that called the program's. */
static void read_stack(const char *report, frames *out)
{
	const char *next;

	for (; *report; report = next + (*next == '\n')) {
		struct frame f;
		next = report + strcspn(report, "\n");
		if (memmem(report, (size_t)(next - report), " in muster_thunk_", 17) || memmem(report, (size_t)(next - report), " in __muster_", 13))
			return;
		if (read_frame(report, (size_t)(next - report), &f))
			vec_push(out, f);
		else if (out->size)
			return;
	}
}

static void json_flow(struct json *j, const struct formats_input *in, const struct result_bug *b)
{
	frames list = {0};

	read_stack(b->report ? b->report : "", &list);
	if (list.size > 1) {
		json_key(j, "codeFlows"), json_array_open(j), json_object_open(j);
		json_key(j, "threadFlows"), json_array_open(j), json_object_open(j);
		json_key(j, "locations"), json_array_open(j);
		for (size_t i = list.size; i-- > 0;) {
			const struct frame *f = &list.data[i];
			json_object_open(j);
			json_key(j, "location"), json_object_open(j);
			json_location(j, in, f->file, f->line, f->function);
			json_message(j, i ? f->function : b->kind);
			json_object_close(j);
			json_object_close(j);
		}
		json_array_close(j);
		json_object_close(j), json_array_close(j);
		json_object_close(j), json_array_close(j);
	}
	for (size_t i = 0; i < list.size; i++) {
		free(list.data[i].function);
		free(list.data[i].file);
	}
	vec_release(&list);
}

/* ------------------------------------------------------------ results */

/* baseline: NULL if there is nothing to compare with. */
static void json_result(struct json *j, const struct formats_input *in, const struct result_bug *b, uint64_t rule, const char *baseline)
{
	struct buf text = {0};
	char hex[17];

	json_object_open(j);
	json_key(j, "ruleId"), json_str(j, b->kind);
	json_key(j, "ruleIndex"), json_u64(j, rule);
	json_key(j, "level"), json_str(j, b->confirmed ? "error" : "warning");
	if (baseline)
		json_key(j, "baselineState"), json_str(j, baseline);
	buf_addf(&text, "%s%s", b->confirmed ? "" : "Suspected: ", bug_description(b->kind, b->summary));
	if (b->replay)
		buf_addf(&text, "\nShown by: %s", b->replay);
	json_message(j, buf_str(&text));
	if (*b->file || *b->function) {
		json_key(j, "locations"), json_array_open(j), json_object_open(j);
		json_location(j, in, b->file, b->line, b->function);
		json_object_close(j), json_array_close(j);
	}
	snprintf(hex, sizeof hex, "%016llx", (unsigned long long)b->bucket);
	json_key(j, "partialFingerprints"), json_object_open(j);
	json_key(j, "musterBucket/v1"), json_str(j, hex);
	json_object_close(j);
	json_flow(j, in, b);
	json_key(j, "properties"), json_object_open(j);
	json_key(j, "confirmed"), json_bool(j, b->confirmed);
	json_key(j, "checker"), json_str(j, bug_checker(b->kind, b->summary));
	json_key(j, "replay"), json_str(j, b->replay);
	json_key(j, "tests"), json_u64(j, b->count);
	json_object_close(j);
	json_object_close(j);
	buf_release(&text);
}

/* Each kind once, in the order of the bugs. */
static void add_rules(struct json *j, const struct result *r, struct strmap *rules, uint64_t *count)
{
	for (size_t i = 0; i < r->bugs.size; i++) {
		const char *kind = r->bugs.data[i].kind;
		struct buf words = {0};
		if (strmap_get(rules, kind, NULL))
			continue;
		strmap_set(rules, kind, (*count)++);
		for (const char *s = kind; *s; s++)
			buf_addc(&words, *s == '-' ? ' ' : *s);
		json_object_open(j);
		json_key(j, "id"), json_str(j, kind);
		json_key(j, "shortDescription"), json_object_open(j);
		json_key(j, "text"), json_str(j, buf_str(&words));
		json_object_close(j);
		json_object_close(j);
		buf_release(&words);
	}
}

static void json_rules(struct json *j, const struct formats_input *in, struct strmap *rules)
{
	uint64_t count = 0;

	json_key(j, "rules"), json_array_open(j);
	add_rules(j, in->result, rules, &count);
	if (in->before)
		add_rules(j, in->before, rules, &count);
	json_array_close(j);
}

static void json_results(struct json *j, const struct formats_input *in, const struct strmap *rules)
{
	struct map now = {0}, before = {0}, unclear = {0};
	uint64_t rule;

	formats_buckets(in->result, &now);
	if (in->before)
		formats_buckets(in->before, &before);
	if (in->unclear)
		formats_buckets(in->unclear, &unclear);
	json_key(j, "results"), json_array_open(j);
	for (size_t i = 0; i < in->result->bugs.size; i++) {
		const struct result_bug *b = &in->result->bugs.data[i];
		if (strmap_get(rules, b->kind, &rule))
			json_result(j, in, b, rule, !in->before || map_get(&unclear, b->bucket, NULL) ? NULL : map_get(&before, b->bucket, NULL) ? "unchanged" : "new");
	}
	for (size_t i = 0; in->before && i < in->before->bugs.size; i++) {
		const struct result_bug *b = &in->before->bugs.data[i];
		if (!map_get(&now, b->bucket, NULL) && strmap_get(rules, b->kind, &rule))
			json_result(j, in, b, rule, "absent");
	}
	json_array_close(j);
	map_release(&now);
	map_release(&before);
	map_release(&unclear);
}

static void json_base(struct json *j, const struct formats_input *in)
{
	struct buf root = {0};

	buf_adds(&root, "file://");
	uri(&root, in->base);
	if (root.data[root.size - 1] != '/')
		buf_addc(&root, '/');
	json_key(j, "originalUriBaseIds"), json_object_open(j);
	json_key(j, ROOT), json_object_open(j);
	json_key(j, "uri"), json_str(j, buf_str(&root));
	json_object_close(j);
	json_object_close(j);
	buf_release(&root);
}

static void json_invocation(struct json *j, const struct formats_input *in)
{
	struct buf when = {0};

	json_key(j, "invocations"), json_array_open(j), json_object_open(j);
	json_key(j, "executionSuccessful"), json_bool(j, 1);
	if (in->time) {
		formats_time(&when, in->time, "Z");
		json_key(j, "endTimeUtc"), json_str(j, buf_str(&when));
	}
	json_object_close(j), json_array_close(j);
	buf_release(&when);
}

void formats_sarif(const struct formats_input *in, struct buf *out)
{
	struct strmap rules = {0};
	struct json json, *j = &json;

	json_begin(j, out);
	j->indent = 1;
	json_object_open(j);
	json_key(j, "$schema"), json_str(j, "https://json.schemastore.org/sarif-2.1.0.json");
	json_key(j, "version"), json_str(j, "2.1.0");
	json_key(j, "runs"), json_array_open(j), json_object_open(j);
	json_key(j, "tool"), json_object_open(j);
	json_key(j, "driver"), json_object_open(j);
	json_key(j, "name"), json_str(j, "muster");
	json_key(j, "version"), json_str(j, in->version);
	json_rules(j, in, &rules);
	json_object_close(j);
	json_object_close(j);
	json_invocation(j, in);
	json_base(j, in);
	json_results(j, in, &rules);
	json_object_close(j), json_array_close(j);
	json_object_close(j);
	buf_addc(out, '\n');
	strmap_release(&rules);
}
