/* option.c: options by table. One row says everything about an option, so help
 * and parser cannot disagree. */
#include "base/option.h"
#include "base/config.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void option_help(const struct option_spec *spec)
{
	printf("usage: muster %s %s\n\n%s\n", spec->command, spec->usage, spec->about);
	if (spec->rows && spec->rows->kind != OPTION_KIND_END)
		printf("\n");
	for (const struct option_row *r = spec->rows; r && r->kind != OPTION_KIND_END; r++) {
		char left[64], letter[8] = "    ";

		if (!r->help)
			continue;
		if (r->letter)
			snprintf(letter, sizeof letter, "-%c, ", r->letter);
		snprintf(left, sizeof left, "%s--%s%s%s", letter, r->name, r->value ? " " : "",
			 r->value ? r->value : "");
		printf("  %-26s %s\n", left, r->help);
	}
}

/* The rows for scripts that make completions and manual pages: name, letter, value and help, with tabs between. */
static void print_table(const struct option_spec *spec)
{
	for (const struct option_row *r = spec->rows; r && r->kind != OPTION_KIND_END; r++)
		if (r->help)
			printf("%s\t%.1s\t%s\t%s\n", r->name, r->letter ? &r->letter : "", r->value ? r->value : "", r->help);
}

/* The file of options, if there is one. */
static struct {
	const char *path;
	enum option_section (*check)(const char *section);
	const char *const *typed_only;
	int done;
	uint32_t line; /* that is being read: messages name it; 0: none */
	struct config file; /* values point into it */
} config;

void option_usage(const struct option_spec *spec, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "muster %s: ", spec->command);
	if (config.line)
		fprintf(stderr, "%s:%u: ", config.path, config.line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\ntry 'muster %s --help'\n", spec->command);
	exit(EXIT_USAGE);
}

int option_number(const char *s, uint64_t *out)
{
	char *end;
	uint64_t n, scale = 1;

	errno = 0;
	n = strtoull(s, &end, 0);
	if (*end == 'k' || *end == 'K')
		scale = 1ull << 10, end++;
	else if (*end == 'M')
		scale = 1ull << 20, end++;
	else if (*end == 'G')
		scale = 1ull << 30, end++;
	if (s[0] < '0' || s[0] > '9' || *end || errno || __builtin_mul_overflow(n, scale, &n))
		return -1;
	*out = n;
	return 0;
}

static uint64_t number(const struct option_spec *spec, const struct option_row *r, const char *s)
{
	uint64_t n;

	if (option_number(s, &n))
		option_usage(spec, "--%s wants a number, not '%s'", r->name, s);
	return n;
}

static double real(const struct option_spec *spec, const struct option_row *r, const char *s)
{
	char *end;
	double d = strtod(s, &end);

	if (!*s || *end || !(d >= 0))
		option_usage(spec, "--%s wants a number that is not negative, not '%s'", r->name, s);
	return d;
}

static void store(const struct option_spec *spec, const struct option_row *r, const char *value)
{
	struct option_list *list;

	switch (r->kind) {
	case OPTION_KIND_STR:
		*(const char **)r->target = value;
		break;
	case OPTION_KIND_U64:
		*(uint64_t *)r->target = number(spec, r, value);
		break;
	case OPTION_KIND_DOUBLE:
		*(double *)r->target = real(spec, r, value);
		break;
	case OPTION_KIND_LIST:
		list = r->target;
		list->data = mem_realloc(list->data, list->size + 1, sizeof *list->data);
		list->data[list->size++] = value;
		break;
	default:
		BUG("option --%s has no kind", r->name);
	}
}

static const struct option_row *find_long(const struct option_spec *spec, const char *name,
					  size_t n)
{
	for (const struct option_row *r = spec->rows; r && r->kind != OPTION_KIND_END; r++)
		if (strlen(r->name) == n && !memcmp(r->name, name, n))
			return r;
	return NULL;
}

static const struct option_row *find_letter(const struct option_spec *spec, char c)
{
	for (const struct option_row *r = spec->rows; r && r->kind != OPTION_KIND_END; r++)
		if (r->letter == c)
			return r;
	return NULL;
}

/* Letters to put in, leave out, replace or exchange with their neighbour (Damerau), or more than
 * limit: the recursion ends there, so long names cost no more than short ones. */
static unsigned distance(const char *a, const char *b, unsigned limit)
{
	unsigned best, d;

	while (*a && *a == *b)
		a++, b++;
	if (!*a && !*b)
		return 0;
	if (!limit)
		return 1;
	best = limit;
	if (*a && (d = distance(a + 1, b, limit - 1)) < best)
		best = d;
	if (*b && (d = distance(a, b + 1, limit - 1)) < best)
		best = d;
	if (*a && *b && (d = distance(a + 1, b + 1, limit - 1)) < best)
		best = d;
	if (*a && *b && a[0] == b[1] && a[1] == b[0] && (d = distance(a + 2, b + 2, limit - 1)) < best)
		best = d;
	return best + 1;
}

void option_near(struct option_near *near, const char *name)
{
	unsigned limit = near->distance < 3 ? near->distance : 3;
	unsigned d = distance(near->typed, name, limit);

	if (d > limit || (near->name && d >= near->distance))
		return;
	near->name = name;
	near->distance = d;
}

static void unknown_option(const struct option_spec *spec, const char *typed, size_t n)
{
	char *name = mem_printf("%.*s", (int)n, typed);
	struct option_near near = OPTION_NEAR(name);

	for (const struct option_row *r = spec->rows; r && r->kind != OPTION_KIND_END; r++)
		if (r->help)
			option_near(&near, r->name);
	if (near.name)
		option_usage(spec, "unknown option '--%s'; is it '--%s'?", name, near.name);
	option_usage(spec, "unknown option '--%s'", name);
}

/* One argument that starts with --; returns how many arguments it took. */
static int parse_long(const struct option_spec *spec, int left, char **argv)
{
	const char *name = argv[0] + 2, *equals = strchr(name, '=');
	size_t n = equals ? (size_t)(equals - name) : strlen(name);
	const struct option_row *r = find_long(spec, name, n);
	int negative = 0;

	if (!r && n == 4 && !memcmp(name, "help", 4)) {
		option_help(spec);
		exit(EXIT_OK);
	}
	if (!r && !strcmp(argv[0], OPTION_CHECK))
		exit(EXIT_OK);
	if (!r && !strcmp(name, "option-table")) {
		print_table(spec);
		exit(EXIT_OK);
	}
	if (!r && n > 3 && !memcmp(name, "no-", 3)) {
		r = find_long(spec, name + 3, n - 3);
		if (r && r->kind != OPTION_KIND_FLAG)
			r = NULL;
		negative = 1;
	}
	if (!r)
		unknown_option(spec, name, n);
	if (r->kind == OPTION_KIND_FLAG) {
		if (equals)
			option_usage(spec, "--%s takes no value", r->name);
		*(int *)r->target = !negative;
		return 1;
	}
	if (!equals && left < 2)
		option_usage(spec, "--%s wants %s", r->name, r->value);
	store(spec, r, equals ? equals + 1 : argv[1]);
	return equals ? 1 : 2;
}

/* One argument of letters. */
static int parse_letters(const struct option_spec *spec, int left, char **argv)
{
	for (const char *p = argv[0] + 1; *p; p++) {
		const struct option_row *r = find_letter(spec, *p);

		if (!r && *p == 'h') {
			option_help(spec);
			exit(EXIT_OK);
		}
		if (!r)
			option_usage(spec, "unknown option '-%c'", *p);
		if (r->kind == OPTION_KIND_FLAG) {
			*(int *)r->target = 1;
			continue;
		}
		if (p[1]) {
			store(spec, r, p + 1);
			return 1;
		}
		if (left < 2)
			option_usage(spec, "-%c wants %s", *p, r->value);
		store(spec, r, argv[1]);
		return 2;
	}
	return 1;
}

/* --------------------------------------------------------- a file of options */

void option_config(const char *path, enum option_section (*check)(const char *section), const char *const *typed_only)
{
	config.path = path;
	config.check = check;
	config.typed_only = typed_only;
	config.done = 0;
}

static void set_flag(const struct option_spec *spec, const struct option_row *r, const struct config_line *l)
{
	static const char *const words[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};

	for (int i = 0; i < 8; i++)
		if (!strcmp(l->value, words[i])) {
			*(int *)r->target = i & 1;
			return;
		}
	option_usage(spec, "%s is yes or no, not '%s'", l->name, l->value);
}

static void apply(const struct option_spec *spec, const struct config_line *l)
{
	const struct option_row *r = find_long(spec, l->name, strlen(l->name));
	struct option_near near = OPTION_NEAR(l->name);

	for (const char *const *t = config.typed_only; t && *t; t++)
		if (!strcmp(*t, l->name))
			option_usage(spec, "--%s is given on the command line only: whoever starts muster decides it, not a file", l->name);
	if (!r || !r->help) {
		for (r = spec->rows; r && r->kind != OPTION_KIND_END; r++)
			if (r->help)
				option_near(&near, r->name);
		option_usage(spec, "[%s] has no option '%s'%s%s%s", l->section, l->name, near.name ? "; is it '" : "", near.name ? near.name : "", near.name ? "'?" : "");
	}
	if (r->kind == OPTION_KIND_FLAG)
		set_flag(spec, r, l);
	else if (!*l->value)
		option_usage(spec, "%s wants %s", l->name, r->value);
	else
		store(spec, r, l->value);
}

static int asks_for_words(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h") || !strcmp(argv[i], "--option-table"))
			return 1;
	return 0;
}

/* A section of another command: that command says what is wrong in it, in a process of its own, which reads the file anew. */
static void check_section(const struct option_spec *spec, const char *section)
{
	config.done = 0;
	enum option_section what = config.check(section);

	config.done = 1;
	switch (what) {
	case OPTION_SECTION_RIGHT: break;
	case OPTION_SECTION_WRONG: exit(EXIT_USAGE); /* it was said */
	case OPTION_SECTION_CLOSED: option_usage(spec, "'muster %s' takes its options from the command line only", section);
	case OPTION_SECTION_UNKNOWN: option_usage(spec, "there is no command '%s'; 'muster --help' lists them", section);
	}
}

static int is_first(const struct config_line *lines, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(lines[k].section, lines[i].section))
			return 0;
	return 1;
}

/* Once in a process: commands come here again after each operand. alone: the other sections are somebody else's matter. */
static void read_config(const struct option_spec *spec, int alone)
{
	config.done = 1;
	config.line = 0;
	config.file = (struct config){0};
	if (!file_exists(config.path))
		return;
	if (config_read(&config.file, config.path))
		option_usage(spec, "%s", error_text());
	const struct config_line *l = config.file.lines.data;

	for (size_t i = 0; i < config.file.lines.size; i++) {
		int own = !strcmp(l[i].section, spec->command);
		config.line = l[i].line;
		if (own && l[i].name)
			apply(spec, &l[i]);
		else if (!own && !alone && is_first(l, i))
			check_section(spec, l[i].section);
	}
	config.line = 0;
}

int option_parse(const struct option_spec *spec, int argc, char **argv)
{
	int i = 1;

	if (config.path && !config.done && !asks_for_words(argc, argv))
		read_config(spec, argc == 2 && !strcmp(argv[1], OPTION_CHECK));
	while (i < argc && argv[i][0] == '-' && argv[i][1]) {
		if (!strcmp(argv[i], "--"))
			return i + 1;
		if (argv[i][1] == '-')
			i += parse_long(spec, argc - i, argv + i);
		else
			i += parse_letters(spec, argc - i, argv + i);
	}
	return i;
}
