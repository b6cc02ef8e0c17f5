/* checks.c: active checking as users meet it: the table of checkers, figures.
 *
 * What a checker is called and looks for comes from the table of ir/checker.h; this file adds nothing but words. A figure that was
 * not measured (a rate of nothing) is shown as "-", and null in JSON.
 */
#include "report/checks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const combines[COMBINE_COUNT] = {
#define X(name, word) word,
    SEARCH_COMBINES(X)
#undef X
};

const char *check_combine_word(int combine)
{
	return combines[combine];
}

void check_option_word(struct buf *out, checker_set set, const char *kind)
{
	const char *between = "--check ";
	for (unsigned i = 1; i < MUSTER_CHECK_COUNT && kind; i++)
		if (checker_get(i)->test == CHECKER_OWN && !strcmp(checker_get(i)->name, kind)) {
			buf_addf(out, "--check %s ", kind); /* it is named: then its own test is run */
			return;
		}
	if (set == checker_default())
		return;
	if (!set || set == checker_all()) {
		buf_adds(out, set ? "--check all " : "--check none ");
		return;
	}
	for (unsigned i = 1; i < MUSTER_CHECK_COUNT; i++)
		if (set & CHECKER_BIT(i)) {
			buf_addf(out, "%s%s", between, checker_get(i)->name);
			between = ",";
		}
	buf_addc(out, ' ');
}

void check_names_json(struct json *j, checker_set set)
{
	json_array_open(j);
	for (unsigned i = 1; i < MUSTER_CHECK_COUNT; i++)
		if (set & CHECKER_BIT(i))
			json_str(j, checker_get(i)->name);
	json_array_close(j);
}

/* ------------------------------------------------------------------- table */

#define ASAN "AddressSanitizer"
#define UBSAN "UndefinedBehaviorSanitizer"
#define OWN "the check itself, in a fresh traced run"
#define PROBE "muster's own test in the build with sanitizers"

/* What a violation is confirmed by, and the flag that makes it look. */
static const struct {
	const char *by, *flag;
} tests[MUSTER_CHECK_COUNT] = {
    [MUSTER_CHECK_DIVIDE] = {UBSAN, "integer-divide-by-zero"},
    [MUSTER_CHECK_NULL] = {ASAN ", " UBSAN, "null"},
    [MUSTER_CHECK_NONNULL] = {UBSAN, "nonnull-attribute,returns-nonnull-attribute"},
    [MUSTER_CHECK_ARRAY_UNDER] = {ASAN ", " UBSAN, "address,bounds"},
    [MUSTER_CHECK_ARRAY_OVER] = {ASAN ", " UBSAN, "address,bounds"},
    [MUSTER_CHECK_SUB_OBJECT] = {OWN, NULL},
    [MUSTER_CHECK_RANGE] = {ASAN, "address"},
    [MUSTER_CHECK_INT_UNDER] = {UBSAN, "signed-integer-overflow"},
    [MUSTER_CHECK_INT_OVER] = {UBSAN, "signed-integer-overflow"},
    [MUSTER_CHECK_UINT_UNDER] = {UBSAN, "unsigned-integer-overflow"},
    [MUSTER_CHECK_UINT_OVER] = {UBSAN, "unsigned-integer-overflow"},
    [MUSTER_CHECK_CONVERT_LOW] = {UBSAN, "implicit-conversion"},
    [MUSTER_CHECK_CONVERT_HIGH] = {UBSAN, "implicit-conversion"},
    [MUSTER_CHECK_STACK] = {ASAN, "address"},
    [MUSTER_CHECK_ALLOC] = {OWN, NULL},
    [MUSTER_CHECK_SHIFT] = {UBSAN, "shift"},
    [MUSTER_CHECK_USE_FREED] = {ASAN, "address"},
    [MUSTER_CHECK_BAD_FREE] = {ASAN, "address"},
    [MUSTER_CHECK_ASSERT] = {"the program's end, " UBSAN, "unreachable"},
    [MUSTER_CHECK_REFINE] = {"the refinement's own test", NULL},
    [MUSTER_CHECK_OTHER] = {UBSAN, "undefined"},
    [MUSTER_CHECK_RETURN] = {PROBE, NULL},
    [MUSTER_CHECK_FORMAT] = {PROBE, NULL},
    [MUSTER_CHECK_PAIR] = {PROBE, NULL},
};

void checks_print(void)
{
	printf("%-18s %-3s  %-79s %s\n", "checker", "", "what it looks for", "confirmed by");
	for (unsigned i = 1; i < MUSTER_CHECK_COUNT; i++) {
		const struct checker *c = checker_get(i);
		printf("%-18s %-3s  %-79s %s%s\n", c->name, c->on ? "on" : "off", c->text, tests[i].flag ? "-fsanitize=" : "",
		       tests[i].flag ? tests[i].flag : tests[i].by);
	}
	printf("\n'on' is the default. --check all, none, NAME,NAME or -NAME,+NAME chooses others, in muster fuzz and muster test.\n");
}

void checks_print_json(void)
{
	struct buf out = {0};
	struct json j;
	json_begin(&j, &out);
	j.indent = 1;
	json_object_open(&j);
	json_key(&j, "command"), json_str(&j, "show");
	json_key(&j, "status"), json_str(&j, "complete");
	json_key(&j, "checkers"), json_array_open(&j);
	for (unsigned i = 1; i < MUSTER_CHECK_COUNT; i++) {
		const struct checker *c = checker_get(i);
		json_object_open(&j);
		json_key(&j, "name"), json_str(&j, c->name);
		json_key(&j, "default"), json_bool(&j, c->on);
		json_key(&j, "text"), json_str(&j, c->text);
		json_key(&j, "confirmed_by"), json_str(&j, tests[i].by);
		json_key(&j, "flags"), json_str(&j, tests[i].flag);
		json_key(&j, "kinds"), json_array_open(&j);
		for (const char *const *k = c->kinds; k && *k; k++)
			json_str(&j, *k);
		json_array_close(&j);
		json_object_close(&j);
	}
	json_array_close(&j);
	json_object_close(&j);
	fwrite(out.data, 1, out.size, stdout);
	putchar('\n');
	buf_release(&out);
}

/* ----------------------------------------------------------------- figures */

static uint64_t count(const struct result *r, const char *key)
{
	return result_figure(r, key)->count;
}

static void print_real(const char *fmt, double x)
{
	if (isnan(x))
		printf("-");
	else
		printf(fmt, x);
}

void checks_stats_print(const struct result *r)
{
	struct result_checker sum = {0};
	uint64_t branches = count(r, "branch_tests"), checks = count(r, "check_tests");
	printf("%-20s %9s %9s %9s %8s\n", "checker", "injected", "solved", "failed", "yield");
	for (size_t i = 0; i < r->checkers.size; i++) {
		const struct result_checker *c = &r->checkers.data[i];
		if (!c->injected)
			continue;
		printf("%-20s %9" PRIu64 " %9" PRIu64 " %9" PRIu64, c->name, c->injected, c->solved, c->failed);
		if (c->solved)
			printf(" %6.1f %%\n", 100 * ((double)c->failed / (double)c->solved));
		else
			printf(" %8s\n", "-");
		sum.injected += c->injected, sum.solved += c->solved, sum.failed += c->failed;
	}
	printf("%-20s %9" PRIu64 " %9" PRIu64 " %9" PRIu64 "\n", "all that were asked", sum.injected, sum.solved, sum.failed);
	printf("combined  %s: %" PRIu64 " goals in %" PRIu64 " bundles, %" PRIu64 " queries\n", r->combine, count(r, "bundle_goals"), count(r, "bundles"),
	       count(r, "bundle_calls"));
	printf("tests     %" PRIu64 " distinct inputs solved for branches, %" PRIu64 " more for checks", branches, checks);
	print_real(" (%.1f times as many in all)", branches ? (double)(branches + checks) / (double)branches : NAN);
	printf("\ncaches    local ");
	print_real("%.1f %%", result_figure(r, "local_hit_rate")->real);
	printf(", global ");
	print_real("%.1f %%", result_figure(r, "global_hit_rate")->real);
	printf(" of %" PRIu64 " queries\nlists     ", count(r, "queries"));
	print_real("%.1f constraints on average", result_figure(r, "mean_list_before")->real);
	printf(", ");
	print_real("%.1f", result_figure(r, "mean_list_after")->real);
	printf(" after elimination of those that share no input\n");
}
