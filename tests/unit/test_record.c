/* test_record.c: command lines, frames and closures, whole and damaged. */
#include "base/buf.h"
#include "base/elf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/proc.h"
#include "build/args.h"
#include "build/closure.h"
#include "build/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void parse(struct args *a, const char *line)
{
	static char text[4096];
	char *argv[64] = {"cc"};
	int argc = 1;

	strcpy(text, line);
	for (char *w = strtok(text, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	assert_int_equal(args_parse(a, argc, argv), 0);
}

static const struct arg *nth_input(const struct args *a, int n)
{
	for (size_t i = 0; i < a->list.size; i++)
		if (a->list.data[i].class == ARG_INPUT && !n--)
			return &a->list.data[i];
	return NULL;
}

static void command_lines_are_understood(void **state)
{
	static const struct {
		const char *line;
		enum stage stage;
		int inputs;
		const char *output;
	} cases[] = {
	    {"-c a.c", STAGE_COMPILE, 1, NULL},
	    {"-c a.c -o x.o -I inc -D X -isystem sys", STAGE_COMPILE, 1, "x.o"},
	    {"a.c b.o -lm -ox", STAGE_LINK, 2, "x"},
	    {"-S a.c", STAGE_PREPROCESS, 1, NULL},
	    {"-c -E a.c", STAGE_PREPROCESS, 1, NULL},
	    {"-M a.c", STAGE_PREPROCESS, 1, NULL},
	    {"-MD -MF x.d -c a.c", STAGE_COMPILE, 1, NULL},
	    {"--version", STAGE_INFO, 0, NULL},
	    {"-v", STAGE_INFO, 0, NULL},
	    {"-### a.c", STAGE_INFO, 1, NULL},
	    {"-Xlinker -o -Xlinker y a.o", STAGE_LINK, 1, NULL},
	    {"-include a.h -c b.c", STAGE_COMPILE, 1, NULL},
	    {"-T script a.o", STAGE_LINK, 1, NULL},
	    {"x.h", STAGE_PREPROCESS, 1, NULL},
	    {"-undef -c a.c", STAGE_COMPILE, 1, NULL},
	    {"-c -- -a.c", STAGE_COMPILE, 1, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct args a;

		parse(&a, cases[i].line);
		if (a.stage != cases[i].stage || a.inputs != cases[i].inputs)
			fail_msg("'%s': stage %d, %d inputs", cases[i].line, a.stage, a.inputs);
		if (cases[i].output)
			assert_string_equal(a.output, cases[i].output);
		args_release(&a);
	}
}

static void languages_are_known(void **state)
{
	struct args a;

	(void)state;
	parse(&a, "a.c -x c b.txt -x none c.S d.o e.cc f.i");
	assert_true(args_is_c(nth_input(&a, 0)));
	assert_true(args_is_c(nth_input(&a, 1)));
	assert_false(args_is_c(nth_input(&a, 2)));
	assert_string_equal(nth_input(&a, 2)->lang, "assembler-with-cpp");
	assert_null(nth_input(&a, 3)->lang);
	assert_false(args_is_c(nth_input(&a, 4)));
	assert_true(args_is_c(nth_input(&a, 5)));
	args_release(&a);
}

/* An object with two frames, as ld -r would leave it. */
static void make_object(struct buf *object, struct buf *frames)
{
	static char *const cc[] = {"clang-19", "-c", "-x", "c", "/dev/null", "-o", "-", NULL};
	struct proc_opts opts = {.capture_out = 1};
	struct proc_result r;
	struct buf payload = BUF_EMPTY;

	assert_int_equal(proc_run(cc, &opts, &r), 0);
	assert_int_equal(r.status, 0);
	*object = r.out;
	for (int i = 0; i < 2; i++) {
		buf_clear(&payload);
		record_string(&payload, TAG_NAME, i ? "two.c" : "one.c");
		record_hash(&payload, TAG_HASH, (struct hash128){1, i});
		assert_int_equal(
		    record_packed(&payload, TAG_SOURCE, "aaaaaaaaaaaaaaaaaaaaaaaa", 24), 0);
		record_frame(frames, RECORD_UNIT, &payload);
		buf_adds(frames, i ? "" : "padding");
	}
	buf_release(&payload);
}

static void frames_are_found(void **state)
{
	struct buf object = BUF_EMPTY, frames = BUF_EMPTY, text = BUF_EMPTY;
	struct record_list l;
	struct record_value v;

	(void)state;
	make_object(&object, &frames);
	assert_int_equal(elf_add_section(&object, RECORD_SECTION, frames.data, frames.size, 1), 0);
	assert_int_equal(record_read(object.data, object.size, &l), 0);
	assert_int_equal(l.frames.size, 2);
	assert_int_equal(l.damaged, 0);
	assert_true(record_find(l.frames.data[1].payload, l.frames.data[1].size, TAG_NAME, &v));
	assert_memory_equal(v.data, "two.c", 5);
	assert_true(record_find(l.frames.data[0].payload, l.frames.data[0].size, TAG_SOURCE, &v));
	assert_int_equal(record_unpack(&v, &text), 0);
	assert_int_equal(text.size, 24);
	record_list_release(&l);
	buf_release(&object);
	buf_release(&frames);
	buf_release(&text);
}

/* Whatever byte is changed: no frame is believed that is not as it was written. */
static void damage_is_noticed(void **state)
{
	struct buf object = BUF_EMPTY, frames = BUF_EMPTY, whole = BUF_EMPTY;
	struct record_list l;

	(void)state;
	make_object(&object, &frames);
	for (size_t i = 0; i < frames.size; i++) {
		buf_clear(&whole);
		buf_add(&whole, object.data, object.size);
		frames.data[i] ^= 0x40;
		assert_int_equal(
		    elf_add_section(&whole, RECORD_SECTION, frames.data, frames.size, 1), 0);
		frames.data[i] ^= 0x40;
		assert_int_equal(record_read(whole.data, whole.size, &l), 0);
		assert_true(l.frames.size <= 2);
		for (size_t k = 0; k < l.frames.size; k++) {
			const struct record *r = &l.frames.data[k];
			struct hash128 h = hash128(r->payload, r->size);

			assert_true(hash_equal(h, r->id));
		}
		record_list_release(&l);
	}
	for (size_t n = 0; n < frames.size; n += 3) {
		buf_clear(&whole);
		buf_add(&whole, object.data, object.size);
		assert_int_equal(elf_add_section(&whole, RECORD_SECTION, frames.data, n, 1), 0);
		assert_int_equal(record_read(whole.data, whole.size, &l), 0);
		assert_true(l.frames.size < 2);
		record_list_release(&l);
	}
	buf_release(&object);
	buf_release(&frames);
	buf_release(&whole);
}

static void closures_survive_writing(void **state)
{
	struct closure c = {.output = "/x/prog", .dir = "/x", .flags = CLOSURE_SHARED}, d;
	struct closure_item item = {.kind = ITEM_ARCHIVE, .text = "/x/lib.a", .why = "because"};
	struct closure_member m = {.name = "member.o", .blob = {7, 8}};
	struct buf frames = BUF_EMPTY, blob = BUF_EMPTY;
	struct record r;

	(void)state;
	vec_push(&c.items,
		 (struct closure_item){.kind = ITEM_LINKER, .text = "-soname", .value = "lib.so"});
	vec_push(&m.units, (struct hash128){1, 2});
	vec_push(&item.members, m);
	vec_push(&c.items, item);
	vec_push(&c.blobs, (struct closure_blob){{7, 8}, "contents", 8});
	closure_write(&c, &frames);
	r = (struct record){
	    .kind = RECORD_LINK, .payload = frames.data + 48, .size = frames.size - 48};
	assert_int_equal(closure_read(&d, &r), 0);
	assert_string_equal(d.output, "/x/prog");
	assert_int_equal(d.flags, CLOSURE_SHARED);
	assert_int_equal(d.items.size, 2);
	assert_string_equal(d.items.data[0].value, "lib.so");
	assert_string_equal(d.items.data[1].members.data[0].name, "member.o");
	assert_true(
	    hash_equal(d.items.data[1].members.data[0].units.data[0], (struct hash128){1, 2}));
	assert_int_equal(closure_blob(&d, (struct hash128){7, 8}, &blob), 0);
	assert_string_equal(buf_str(&blob), "contents");
	assert_int_equal(closure_blob(&d, (struct hash128){7, 9}, &blob), -1);
	closure_release(&d);
	/* A field that says it is longer than the payload. */
	r.size -= 4;
	assert_int_equal(closure_read(&d, &r), -1);
	closure_release(&c);
	buf_release(&frames);
	buf_release(&blob);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(command_lines_are_understood),
	    cmocka_unit_test(languages_are_known),
	    cmocka_unit_test(frames_are_found),
	    cmocka_unit_test(damage_is_noticed),
	    cmocka_unit_test(closures_survive_writing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
