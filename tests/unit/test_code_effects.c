/* test_code_effects.c: what code_may_write denies, never happens.
 *
 * Random programs with aliases, escaping addresses and calls in cycles; before and after every statement they print what is in the cells they can
 * name (through printf, which writes none). A cell that changed across a statement must be one that an instruction of the statement's line may
 * write. Everything they do is defined: pointers to locals in globals are taken back before the function ends.
 */
#include "base/file.h"
#include "base/mem.h"
#include "bitcode.h"
#include "ir/code.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FUNCTIONS 4
#define STATEMENTS 12

static uint64_t state;
static unsigned roll(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

static const char *const cells[] = {"p->n", "p->m", "p->a[0]", "p->a[1]", "p->a[2]", "*q", "h0", "h1", "h2", "g0", "g1",
				    "gs.n", "gs.a[1]", "gt.n", "la", "lb", "lx[0]", "lx[1]", "lx[2]", "ls.n", "ls.a[1]"};
#define CELLS (sizeof cells / sizeof *cells)

static const char *const places[] = {"p->n", "p->m", "p->a[i % 3]", "p->a[1]", "*q", "h0", "h1", "h2", "g0", "g1", "gs.n", "gs.a[i % 3]", "gt.n",
				     "la", "lb", "lx[i % 3]", "lx[2]", "ls.n", "ls.a[1]", "*gp", "*xp", "*p->ip", "p->next->n", "p->next->next->a[1]", "*r", "s->n"};
static const char *const numbers[] = {"&la", "&lb", "&lx[1]", "q", "r", "&h2", "&h0", "&g1", "gp", "&p->a[2]", "&ls.n", "p->ip", "&gs.a[1]"};
static const char *const structs[] = {"p", "&ls", "&gs", "&gt", "s", "p->next"};
#define PICK(list) list[roll(sizeof list / sizeof *list)]

/* A program has some kinds of statements only, and takes few addresses: where everything escapes there is little to get wrong. */
static unsigned kinds;
static const char *number_list[3], *struct_list[2];

static void choose_kinds(void)
{
	kinds = 0xf000;
	for (unsigned k = 0; k < 3; k++) {
		kinds |= 1u << roll(12);
		number_list[k] = PICK(numbers);
	}
	kinds |= roll(3) ? 0x10 : 0;
	for (unsigned k = 0; k < 2; k++)
		struct_list[k] = PICK(structs);
}

static void add_statement(struct buf *out)
{
	static const char *const kept[] = {"&h0", "&g0", "&g1", "&gs.n"};
	unsigned kind = roll(14);

	switch (kinds >> kind & 1 ? kind : 13) {
	case 0:
		buf_addf(out, "gp = %s;", PICK(number_list)); /* all of them live as long as this function */
		break;
	case 1:
		buf_addf(out, "r = v %% 2 ? %s : %s;", PICK(number_list), PICK(number_list));
		break;
	case 2:
		buf_addf(out, "s = %s;", PICK(struct_list));
		break;
	case 3:
		buf_addf(out, "r = pick(%s, %s);", PICK(number_list), PICK(number_list));
		break;
	case 4:
		buf_addf(out, "f%u(%s, %s, v %% 7);", roll(FUNCTIONS), PICK(struct_list), PICK(number_list));
		break;
	case 7:
		buf_addf(out, "memcpy(lx, p->a, %s);", roll(2) ? "4" : "1 + v % 12");
		break;
	case 8:
		buf_addf(out, "*%s = *%s;", PICK(struct_list), roll(2) ? "p" : "&gt");
		break;
	case 9:
		buf_addf(out, "for (int j = 0; j < 3; j++) { lx[j] += v; %s ^= j * 77; }", PICK(places));
		break;
	case 5:
		buf_addf(out, "xp = %s;", PICK(number_list));
		break;
	case 6:
		buf_addf(out, "%s = (long)%s;", PICK(places), PICK(number_list));
		break;
	case 10:
		buf_addf(out, "p->ip = %s;", PICK(kept));
		break;
	case 11:
		buf_addf(out, "gf(%s, %s, v %% 5);", PICK(struct_list), PICK(number_list));
		break;
	default:
		buf_addf(out, "%s = rnd();", PICK(places));
		break;
	}
}

static void add_snapshot(struct buf *out, unsigned function, unsigned line)
{
	buf_addf(out, "printf(\"%u %u %%d", function, line);
	for (size_t k = 0; k < CELLS; k++)
		buf_adds(out, " %d");
	buf_adds(out, "\\n\", me");
	for (size_t k = 0; k < CELLS; k++)
		buf_addf(out, ", %s", cells[k]);
	buf_adds(out, ");\n");
}

/* One statement a line; the line before and the line after it print. */
static void add_function(struct buf *out, unsigned number, unsigned *line)
{
	buf_addf(out, "%svoid f%u(struct s *p, int *q, unsigned i) { if (fuel-- <= 0) return; const int me = ++act; unsigned v = rnd(); "
		      "int la = 1, lb = 2, lx[3] = {3}, *r = &lb; struct s ls = {5, 6, {7}, &gs, &g0}, *s = &gt;\n",
		 number % 2 ? "static " : "", number);
	++*line;
	for (unsigned k = 0; k < STATEMENTS; k++) {
		add_snapshot(out, number, *line + 1);
		add_statement(out);
		buf_adds(out, "\n");
		add_snapshot(out, number, *line + 1);
		*line += 3;
	}
	/* What outlives the function points to what does, again. */
	buf_adds(out, "gp = &g0; xp = &g1; p->next = &gs; gs.next = &gt; gt.next = &gs; p->ip = gs.ip = gt.ip = &h0; }\n");
	++*line;
}

static void make_program(struct buf *out)
{
	unsigned line = 9;

	choose_kinds();
	buf_adds(out, "#include <stdio.h>\n#include <string.h>\n"
		      "struct s { int n; short m; int a[3]; struct s *next; int *ip; };\n"
		      "static int h0, h1, h2, fuel = 60, act; int g0, g1; static struct s gs, gt; static int *gp = &h1; int *xp = &g0; static unsigned seed = 1;\n"
		      "static unsigned rnd(void) { seed = seed * 1103515245u + 12345; return seed >> 8; }\n"
		      "static int *pick(int *a, int *b) { return rnd() & 1 ? a : b; }\n"
		      "void f0(struct s *, int *, unsigned); static void f1(struct s *, int *, unsigned); void f2(struct s *, int *, unsigned); static void f3(struct s *, int *, unsigned);\n"
		      "static void (*gf)(struct s *, int *, unsigned) = f1;\n");
	for (unsigned k = 0; k < FUNCTIONS; k++)
		add_function(out, k, &line);
	buf_adds(out, "int main(void) { gs.next = &gt; gt.next = &gs; gs.ip = gt.ip = &h0; for (int k = 0; k < 8; k++) { fuel = 8; "
		      "if (k & 1) f0(&gs, &g0, k); else f2(&gt, &gs.a[1], k); } return 0; }\n");
}

/* May an instruction of the line write the cell of this name? A name that has no cell is not asked about. */
static int may_write(const struct code_function *f, unsigned line, const char *name)
{
	for (uint32_t k = 0; k < f->cell_count; k++) {
		if (!f->cells[k].name || strcmp(f->cells[k].name, name))
			continue;
		for (uint32_t v = f->first_instruction; v < f->first_instruction + f->instructions; v++)
			if (f->values[v].line == line && code_may_write(f, v, k))
				return 1;
		return 0;
	}
	return -1;
}

struct snapshot {
	int line, act, values[CELLS];
};

static int read_snapshot(const char **text, unsigned *function, struct snapshot *s)
{
	int used;

	if (sscanf(*text, "%u %d %d%n", function, &s->line, &s->act, &used) != 3)
		return 0;
	*text += used;
	for (size_t k = 0; k < CELLS; k++) {
		assert_int_equal(sscanf(*text, "%d%n", &s->values[k], &used), 1);
		*text += used;
	}
	return 1;
}

struct sums {
	unsigned changed, kept, denied, missing;
};

/* Pairs of snapshots: a call inside the statement prints its own between them, so pending ones are a stack. */
static void check_run(const struct code *c, const char *text, struct sums *sums)
{
	struct snapshot *stack = calloc(4096, sizeof *stack), now;
	size_t depth = 0;
	unsigned number;

	while (read_snapshot(&text, &number, &now)) {
		char name[16];
		const struct code_function *f;

		if (!depth || stack[depth - 1].act != now.act || stack[depth - 1].line != now.line) {
			assert_true(depth < 4096);
			stack[depth++] = now;
			continue;
		}
		depth--;
		snprintf(name, sizeof name, "f%u", number);
		f = code_find(c, name);
		for (size_t k = 0; k < CELLS; k++) {
			int may = may_write(f, (unsigned)now.line, cells[k]);

			sums->missing += may < 0;
			if (stack[depth].values[k] != now.values[k]) {
				sums->changed++;
				if (!may)
					fail_msg("%s, line %d: %s was %d and is %d", name, now.line, cells[k], stack[depth].values[k], now.values[k]);
			} else {
				sums->kept += may != 0;
				sums->denied += may == 0;
			}
		}
	}
	assert_int_equal(depth, 0);
	free(stack);
}

static void check_seed(const char *dir, uint64_t seed, const char *flags, struct sums *sums)
{
	struct buf text = {0}, bitcode = {0};
	char *source = mem_printf("%s/p.c", dir), *program = mem_printf("%s/p", dir);
	char *argv[] = {"clang-19", "-w", "-O0", "-o", program, source, NULL}, *run[] = {program, NULL};
	struct proc_opts o = {.capture_out = 1};
	struct proc_result r = {0};
	struct code *c;

	state = seed;
	make_program(&text);
	assert_int_equal(file_write_atomic(source, buf_str(&text), text.size), 0);
	compile_with(buf_str(&text), flags, &bitcode);
	c = code_load(bitcode.data, bitcode.size, 1);
	assert_non_null(c);
	assert_int_equal(proc_run(argv, &o, &r), 0);
	assert_int_equal(r.status, 0);
	proc_release(&r);
	assert_int_equal(proc_run(run, &o, &r), 0);
	assert_int_equal(r.status, 0);
	check_run(c, buf_str(&r.out), sums);
	proc_release(&r);
	code_free(c);
	buf_release(&text);
	buf_release(&bitcode);
	free(source);
	free(program);
}

/* MUSTER_SEEDS: how many programs; 6 in make check. */
static void test_denials(void **unused)
{
	const char *count = getenv("MUSTER_SEEDS"), *first = getenv("MUSTER_SEED");
	char dir[] = "/tmp/muster-effects-XXXXXX", *path;
	unsigned n = count ? (unsigned)atoi(count) : 6, from = first ? (unsigned)atoi(first) : 1;
	struct sums sums = {0};

	(void)unused;
	assert_non_null(mkdtemp(dir));
	for (unsigned i = from; i < from + n; i++) {
		print_message("seed %u\n", i);
		check_seed(dir, i * 7919u, i % 2 ? NULL : "-fsanitize=undefined,unsigned-integer-overflow,implicit-conversion -fsanitize-trap=all", &sums);
	}
	print_message("changed %u, may but did not %u, denied %u, without a cell %u\n", sums.changed, sums.kept, sums.denied, sums.missing);
	assert_true(sums.changed > 50 * n);
	assert_true(sums.denied > sums.kept / 2); /* it says something */
	path = mem_printf("%s/p.c", dir);
	unlink(path);
	path[strlen(path) - 2] = 0;
	unlink(path);
	free(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_denials)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
