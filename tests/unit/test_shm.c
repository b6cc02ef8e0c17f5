/* test_shm.c: the shared mapping: layout, sources, reuse, and a target that
 * writes over everything. */
#include "base/error.h"
#include "base/file.h"
#include "run/shm.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct shm s;

static int setup(void **unused)
{
	struct shm_options o = {.nodes = 100000, .events = 50000, .input_limit = 1 << 20};

	(void)unused;
	return shm_init(&s, &o);
}

static int teardown(void **unused)
{
	(void)unused;
	shm_release(&s);
	return 0;
}

static uint64_t blocks_of_file(void)
{
	struct stat st;

	assert_int_equal(fstat(s.fd, &st), 0);
	return (uint64_t)st.st_blocks * 512;
}

static void test_layout(void **unused)
{
	const struct muster_header *h = s.header;

	(void)unused;
	assert_int_equal(h->magic, MUSTER_ABI_MAGIC);
	assert_int_equal(h->version, MUSTER_ABI_VERSION);
	assert_int_equal(h->node_count, 1);
	assert_int_equal(h->node_offset % 4096, 0);
	assert_int_equal(h->event_offset % 4096, 0);
	assert_int_equal(h->slot_offset % 4096, 0);
	assert_int_equal(h->block_offset % 4096, 0);
	assert_int_equal(h->data_offset % 4096, 0);
	assert_int_equal(h->slot_count & (h->slot_count - 1), 0);
	assert_true(h->slot_count >= MUSTER_SLOTS * h->node_capacity);
	/* The FULL event stands behind the last. */
	assert_true(h->event_offset + (h->event_capacity + 1) * sizeof(struct muster_event) <=
		    h->node_offset);
	assert_true(h->node_offset + h->node_capacity * sizeof(struct muster_node) <= h->list_offset);
	assert_true(h->list_offset + h->node_capacity * sizeof(uint32_t) <= h->slot_offset);
	assert_true(h->slot_offset + h->slot_count * 4 <= h->map_size);
	/* A huge page of a table has nothing of another one, and is one for the engine, too. */
	assert_int_equal(((uint64_t)s.base | h->event_offset | h->node_offset | h->list_offset | h->slot_offset) % MUSTER_HUGE, 0);
	assert_true(blocks_of_file() < 1 << 20); /* sparse */
}

static void test_default_is_sparse(void **unused)
{
	struct shm big;
	struct stat st;

	(void)unused;
	assert_int_equal(shm_init(&big, NULL), 0);
	assert_int_equal(big.node_capacity, 1ull << 26);
	assert_int_equal(fstat(big.fd, &st), 0);
	assert_true(st.st_blocks * 512 < 1 << 20);
	shm_release(&big);
}

static void test_sources(void **unused)
{
	char *name = file_temp("input");
	int fd = open(name, O_RDWR | O_CREAT, 0600);
	struct stat st;

	(void)unused;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "12345", 5), 5);
	fstat(fd, &st);
	shm_reset(&s, 0);
	assert_int_equal(shm_add_file(&s, "in", name), 0);
	assert_int_equal(shm_add_fd(&s, "again", fd), 1);
	assert_int_equal(shm_add_memory(&s, "m", "abc", 3), 2);
	assert_int_equal(shm_add_arg(&s, 2, "-x"), 3);
	assert_int_equal(shm_add_env(&s, "HOME", "/home/me"), 4);
	shm_set_object_source(&s, 2);
	assert_int_equal(s.header->source_count, 5);
	assert_int_equal(s.header->sources[0].ino, st.st_ino);
	assert_int_equal(s.header->sources[1].dev, st.st_dev);
	assert_int_equal(s.header->sources[0].size, 5);
	assert_memory_equal(s.base + s.header->data_offset, "abc", 3);
	assert_string_equal(s.header->sources[3].name, "argv[2]");
	assert_string_equal(s.header->sources[4].name, "env.HOME");
	assert_int_equal(s.header->object_source, 2);
	for (int i = 1; i < 5; i++)
		assert_true(s.header->sources[i].blocks > s.header->sources[i - 1].blocks);
	close(fd);
	unlink(name);
	assert_int_equal(shm_add_file(&s, "in", name), -1);
	assert_non_null(strstr(error_text(), name));
	free(name);
	assert_int_equal(shm_add_file(&s, "in", file_temp_dir()), -1);
	assert_non_null(strstr(error_text(), "regular file"));
}

static void test_limits(void **unused)
{
	char *name = file_temp("input");
	int fd = open(name, O_RDWR | O_CREAT, 0600);

	(void)unused;
	assert_int_equal(ftruncate(fd, 2ll << 30), 0);
	shm_reset(&s, 0);
	assert_int_equal(shm_add_file(&s, "in", name), -1);
	assert_non_null(strstr(error_text(), "2147483648"));
	assert_non_null(strstr(error_text(), "1048576"));
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	assert_int_equal(shm_add_file(&s, "in", name), 0);
	close(fd);
	unlink(name);
	free(name);
	for (int i = 1; i < MUSTER_MAX_SOURCES; i++)
		assert_int_equal(shm_add_arg(&s, i, ""), i);
	assert_int_equal(shm_add_arg(&s, 99, ""), -1);
}

/* What a run wrote must not be seen by the next one. */
static void test_reuse(void **unused)
{
	uint32_t *blocks = (uint32_t *)(s.base + s.block_offset);
	struct shm_counts c;

	(void)unused;
	shm_reset(&s, 0);
	assert_int_equal(shm_add_memory(&s, "m", NULL, 0), 0);
	for (uint64_t i = 0; i < s.block_count; i++)
		blocks[i] = 7;
	s.header->state = MUSTER_STATE_RUNNING;
	s.header->node_count = 5000;
	s.header->event_count = 3000;
	s.header->object_count = 3;
	strcpy(s.header->message, "words");
	shm_counts(&s, &c);
	assert_int_equal(c.state, MUSTER_STATE_RUNNING);
	assert_int_equal(c.nodes, 5000);
	assert_int_equal(c.events, 3000);
	assert_int_equal(c.scribbled, 0);
	assert_string_equal(c.message, "words");
	shm_reset(&s, MUSTER_FLAG_FORKSERVER);
	for (uint64_t i = 0; i < s.block_count; i++)
		assert_int_equal(blocks[i], 0);
	assert_int_equal(s.header->flags, MUSTER_FLAG_FORKSERVER);
	assert_int_equal(s.header->populate_nodes, 5000);
	assert_int_equal(s.header->populate_events, 3000);
	assert_int_equal(s.header->node_count, 1);
	assert_int_equal(s.header->event_count, 0);
	assert_int_equal(s.header->object_count, 0);
	assert_int_equal(s.header->message[0], 0);
	assert_int_equal(s.header->source_count, 0);
}

static void test_scribbled(void **unused)
{
	(void)unused;
	srandom(1);
	for (int round = 0; round < 2000; round++) {
		struct muster_source src;
		struct shm_counts c;

		shm_reset(&s, 0);
		assert_int_equal(shm_add_memory(&s, "m", "abc", 3), 0);
		for (size_t i = 0; i < sizeof *s.header; i += 4)
			if (random() % 4 || !round)
				*(uint32_t *)(s.base + i) = round ? (uint32_t)random() * 3u : ~0u;
		shm_counts(&s, &c);
		assert_true(c.nodes >= 1 && c.nodes <= s.node_capacity);
		assert_true(c.events <= s.event_capacity + 1);
		assert_true(c.objects <= MUSTER_MAX_OBJECTS && c.caps <= MUSTER_MAX_CAPS);
		assert_int_equal(c.scribbled, 1);
		assert_int_equal(c.message[sizeof c.message - 1], 0);
		shm_source(&s, 0, &src);
		assert_int_equal(src.size, 3);
		assert_string_equal(src.name, "m");
	}
	shm_reset(&s, 0);
	test_layout(NULL);
}

static void test_cannot_shrink(void **unused)
{
	(void)unused;
	assert_int_equal(ftruncate(s.fd, 0), -1);
	assert_int_equal(ftruncate(s.fd, (off_t)s.map_size * 2), -1);
}

static void test_gives_memory_back(void **unused)
{
	struct shm big;
	struct shm_counts c;
	struct stat st;

	(void)unused;
	assert_int_equal(shm_init(&big, NULL), 0);
	for (uint64_t i = 0; i < 200 << 20; i += 4096)
		big.base[big.node_offset + i] = 1;
	big.header->node_count = (200 << 20) / sizeof(struct muster_node);
	shm_counts(&big, &c);
	shm_reset(&big, 0);
	fstat(big.fd, &st);
	assert_true(st.st_blocks * 512 < 150 << 20);
	assert_true(big.header->populate_nodes * sizeof(struct muster_node) <= 128 << 20);
	shm_release(&big);
}

static int in_limits(int what, rlim_t value)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		struct rlimit r = {value, value};
		struct shm other;

		setrlimit((__rlimit_resource_t)what, &r);
		if (!shm_init(&other, NULL))
			_exit(1);
		_exit(strstr(error_text(),
			     what == RLIMIT_AS ? "ulimit -v unlimited" : "ulimit -f unlimited")
			  ? 0
			  : 2);
	}
	waitpid(pid, &status, 0);
	return status;
}

static void test_ulimit(void **unused)
{
	(void)unused;
	assert_int_equal(in_limits(RLIMIT_AS, 4ull << 30), 0);
	assert_int_equal(in_limits(RLIMIT_FSIZE, 1 << 20), 0);
}

static void test_options(void **unused)
{
	struct shm_options o = {.nodes = 1ull << 40};
	struct shm other;

	(void)unused;
	assert_int_equal(shm_init(&other, &o), -1);
	assert_non_null(strstr(error_text(), "nodes"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_layout),
	    cmocka_unit_test(test_default_is_sparse),
	    cmocka_unit_test(test_sources),
	    cmocka_unit_test(test_limits),
	    cmocka_unit_test(test_reuse),
	    cmocka_unit_test(test_scribbled),
	    cmocka_unit_test(test_cannot_shrink),
	    cmocka_unit_test(test_ulimit),
	    cmocka_unit_test(test_gives_memory_back),
	    cmocka_unit_test(test_options),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
