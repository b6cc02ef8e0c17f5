/* doctor.c: muster doctor, which says what of a binary can be rebuilt and what
 * stands in the way, in words or as JSON. Exit code 0: variants can be made; 2: the
 * binary or the machine does not allow it. */
#include "base/error.h"
#include "base/json.h"
#include "base/option.h"
#include "build/cache.h"
#include "build/inspect.h"
#include "cmd/cmd.h"
#include "cmd/confine.h"
#include "front/front.h"

#include <inttypes.h>
#include <stdio.h>

static void print_cache(void)
{
	struct cache_size n;

	if (cache_measure(&n))
		return;
	printf("cache: %s, %" PRIu64 " MB", cache_dir(), n.bytes >> 20);
	if (n.limit)
		printf(" of %" PRIu64, n.limit >> 20);
	printf("\n");
}

static void json_cache(struct json *j)
{
	struct cache_size n;

	json_key(j, "cache");
	if (cache_measure(&n)) {
		json_null(j);
		return;
	}
	json_object_open(j);
	json_key(j, "directory"), json_str(j, cache_dir());
	json_key(j, "entries"), json_u64(j, n.entries);
	json_key(j, "bytes"), json_u64(j, n.bytes);
	json_key(j, "limit"), json_u64(j, n.limit);
	json_object_close(j);
}

static void print_words(const struct inspect *in, const char *binary, const char *sandbox)
{
	if (binary) {
		printf("%s: %zu unit%s with a record, %zu input%s without\n", binary,
		       in->units.size, in->units.size == 1 ? "" : "s", in->unrecorded.size,
		       in->unrecorded.size == 1 ? "" : "s");
		for (size_t i = 0; i < in->units.size; i++)
			printf("  unit    %s (%s)\n", in->units.data[i].name,
			       in->units.data[i].dir);
		for (size_t i = 0; i < in->unrecorded.size; i++)
			printf("  no record: %s: %s\n", in->unrecorded.data[i].name,
			       in->unrecorded.data[i].why);
		for (size_t i = 0; i < in->libraries.size; i++)
			printf("  library %s (of the project: gets variants)\n",
			       in->libraries.data[i]);
		for (size_t i = 0; i < in->foreign.size; i++)
			printf("  library %s (no record: runs as it is)\n", in->foreign.data[i]);
	}
	for (size_t i = 0; i < in->problems.size; i++) {
		const struct inspect_problem *p = &in->problems.data[i];

		printf("problem: %s%s%s%s\n", p->words, *p->remedy ? " (" : "", p->remedy,
		       *p->remedy ? ")" : "");
	}
	if (sandbox)
		printf("sandbox: %s\n", sandbox);
	print_cache();
	if (binary)
		printf("variants: %s\n", inspect_fatal(in) ? "cannot be made" : "can be made");
	else if (!in->problems.size)
		printf("nothing is wrong with this machine\n");
}

static void print_part(struct json *j, const struct inspect_part *p, int recorded)
{
	json_object_open(j);
	json_key(j, "image");
	json_str(j, p->image);
	json_key(j, "name");
	json_str(j, p->name);
	if (recorded) {
		json_key(j, "directory");
		json_str(j, p->dir);
		json_key(j, "bitcode_bytes");
		json_u64(j, p->bitcode);
		json_key(j, "source_bytes");
		json_u64(j, p->source);
	} else {
		json_key(j, "why");
		json_str(j, p->why);
	}
	json_object_close(j);
}

static void print_list(struct json *j, const char *key, const char *const *data, size_t size)
{
	json_key(j, key);
	json_array_open(j);
	for (size_t i = 0; i < size; i++)
		json_str(j, data[i]);
	json_array_close(j);
}

static void print_json(const struct inspect *in, const char *binary)
{
	struct buf out = BUF_EMPTY;
	struct json j;

	json_begin(&j, &out);
	j.indent = 2;
	json_object_open(&j);
	json_key(&j, "command");
	json_str(&j, "doctor");
	json_key(&j, "status");
	json_str(&j, "complete");
	confine_json(&j);
	json_key(&j, "binary");
	json_str(&j, binary);
	json_key(&j, "units");
	json_array_open(&j);
	for (size_t i = 0; i < in->units.size; i++)
		print_part(&j, &in->units.data[i], 1);
	json_array_close(&j);
	json_key(&j, "unrecorded");
	json_array_open(&j);
	for (size_t i = 0; i < in->unrecorded.size; i++)
		print_part(&j, &in->unrecorded.data[i], 0);
	json_array_close(&j);
	print_list(&j, "libraries", in->libraries.data, in->libraries.size);
	print_list(&j, "foreign_libraries", in->foreign.data, in->foreign.size);
	json_key(&j, "problems");
	json_array_open(&j);
	for (size_t i = 0; i < in->problems.size; i++) {
		json_object_open(&j);
		json_key(&j, "fatal");
		json_bool(&j, in->problems.data[i].fatal);
		json_key(&j, "words");
		json_str(&j, in->problems.data[i].words);
		json_key(&j, "remedy");
		json_str(&j, in->problems.data[i].remedy);
		json_object_close(&j);
	}
	json_array_close(&j);
	json_cache(&j);
	json_key(&j, "variants");
	json_bool(&j, binary && !inspect_fatal(in));
	json_object_close(&j);
	puts(buf_str(&out));
	buf_release(&out);
}

int cmd_doctor(int argc, char **argv)
{
	int as_json = 0;
	const struct option_row rows[] = {OPTION_FLAG("json", 'j', &as_json, "print JSON"),
					  OPTION_END};
	const struct option_spec spec = {
	    "doctor", "[--json] [BINARY]",
	    "Says which units of BINARY have a record, what has none, whether variants can be\n"
	    "made, what confines the runs of programs, where the cache is and how large, and what is wrong\nwith this machine.",
	    rows};
	struct inspect in;
	const char *binary, *sandbox;
	int i = option_parse(&spec, argc, argv), fatal;

	binary = i < argc ? argv[i] : NULL;
	if (i + 1 < argc)
		option_usage(&spec, "wants one binary at most");
	inspect_run(&in, binary);
	if (front_ready())
		inspect_problem(&in, 0, "libclang 19 is missing: 'muster test' cannot read source files",
				"apt-get install libclang1-19");
	sandbox = confine_try();
	if (!sandbox)
		inspect_problem(&in, 1, error_text(), "--sandbox off runs programs without a sandbox");
	if (as_json)
		print_json(&in, binary);
	else
		print_words(&in, binary, sandbox);
	fatal = inspect_fatal(&in);
	inspect_release(&in);
	return fatal ? EXIT_USAGE : EXIT_OK;
}
