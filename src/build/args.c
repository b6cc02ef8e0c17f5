/* args.c: classifies command-line words by two tables.
 *
 * The first lists options that may have their value in the next word; the longest
 * matching name wins. The second lists prefixes of options without a value.
 * Whatever matches neither and starts with '-' is ARG_OTHER and passed on as it is.
 */
#include "build/args.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"

#include <ctype.h>
#include <string.h>

/* X(name, class, joined): joined says that the value may follow in the same word. */
#define WITH_VALUE(X)                              \
	X("-o", ARG_OUTPUT, 1)                     \
	X("-x", ARG_LANG, 1)                       \
	X("--language", ARG_LANG, 0)               \
	X("-I", ARG_OTHER, 1)                      \
	X("-D", ARG_OTHER, 1)                      \
	X("-U", ARG_OTHER, 1)                      \
	X("-B", ARG_OTHER, 1)                      \
	X("-F", ARG_OTHER, 1)                      \
	X("-A", ARG_OTHER, 1)                      \
	X("-include", ARG_OTHER, 0)                \
	X("-imacros", ARG_OTHER, 0)                \
	X("-include-pch", ARG_OTHER, 0)            \
	X("-isystem", ARG_OTHER, 1)                \
	X("-iquote", ARG_OTHER, 1)                 \
	X("-idirafter", ARG_OTHER, 1)              \
	X("-iprefix", ARG_OTHER, 1)                \
	X("-iwithprefix", ARG_OTHER, 1)            \
	X("-iwithprefixbefore", ARG_OTHER, 1)      \
	X("-isysroot", ARG_OTHER, 1)               \
	X("-iwithsysroot", ARG_OTHER, 1)           \
	X("-ivfsoverlay", ARG_OTHER, 1)            \
	X("-working-directory", ARG_OTHER, 0)      \
	X("--sysroot", ARG_OTHER, 0)               \
	X("-target", ARG_OTHER, 0)                 \
	X("-arch", ARG_OTHER, 0)                   \
	X("-Xclang", ARG_OTHER, 0)                 \
	X("-Xpreprocessor", ARG_OTHER, 0)          \
	X("-Xassembler", ARG_OTHER, 0)             \
	X("-mllvm", ARG_OTHER, 0)                  \
	X("--param", ARG_OTHER, 0)                 \
	X("--config", ARG_OTHER, 0)                \
	X("-dumpdir", ARG_NOISE, 0)                \
	X("-dumpbase", ARG_NOISE, 0)               \
	X("-MF", ARG_DEPS, 1)                      \
	X("-MT", ARG_DEPS, 1)                      \
	X("-MQ", ARG_DEPS, 1)                      \
	X("-MJ", ARG_DEPS, 1)                      \
	X("-serialize-diagnostics", ARG_NOISE, 0)  \
	X("--serialize-diagnostics", ARG_NOISE, 0) \
	X("-Xlinker", ARG_LINKER, 0)               \
	X("-l", ARG_LIB, 1)                        \
	X("-L", ARG_LIBDIR, 1)                     \
	X("-T", ARG_LINK, 1)                       \
	X("-u", ARG_LINK, 1)                       \
	X("-e", ARG_LINK, 1)                       \
	X("-z", ARG_LINK, 1)                       \
	X("-rpath", ARG_LINK, 0)

/* X(text, whole, class): whole options, or any that start with the text. */
#define WITHOUT_VALUE(X)                               \
	X("-emit-llvm", 1, ARG_NOISE)                  \
	X("-undef", 1, ARG_OTHER)                      \
	X("-c", 1, ARG_STAGE)                          \
	X("-S", 1, ARG_STAGE)                          \
	X("-E", 1, ARG_STAGE)                          \
	X("-M", 1, ARG_STAGE)                          \
	X("-MM", 1, ARG_STAGE)                         \
	X("-fsyntax-only", 1, ARG_STAGE)               \
	X("--preprocess", 1, ARG_STAGE)                \
	X("--compile", 1, ARG_STAGE)                   \
	X("--assemble", 1, ARG_STAGE)                  \
	X("--analyze", 1, ARG_STAGE)                   \
	X("--precompile", 1, ARG_STAGE)                \
	X("-emit-ast", 1, ARG_STAGE)                   \
	X("-MD", 1, ARG_DEPS)                          \
	X("-MMD", 1, ARG_DEPS)                         \
	X("-MP", 1, ARG_DEPS)                          \
	X("-MG", 1, ARG_DEPS)                          \
	X("-MV", 1, ARG_DEPS)                          \
	X("-Wp,-MD", 0, ARG_DEPS)                      \
	X("-Wp,-MMD", 0, ARG_DEPS)                     \
	X("-Wp,", 0, ARG_OTHER)                        \
	X("-Wa,", 0, ARG_OTHER)                        \
	X("-W", 0, ARG_WARN)                           \
	X("-w", 1, ARG_WARN)                           \
	X("-pedantic", 0, ARG_WARN)                    \
	X("--pedantic", 0, ARG_WARN)                   \
	X("-O", 0, ARG_OPT)                            \
	X("-gcc-toolchain", 0, ARG_OTHER)              \
	X("-g", 0, ARG_DEBUG)                          \
	X("-fsanitize", 0, ARG_SANITIZE)               \
	X("-fno-sanitize", 0, ARG_SANITIZE)            \
	X("-fprofile", 0, ARG_SANITIZE)                \
	X("-fcoverage", 0, ARG_SANITIZE)               \
	X("-ftest-coverage", 1, ARG_SANITIZE)          \
	X("--coverage", 1, ARG_SANITIZE)               \
	X("-coverage", 1, ARG_SANITIZE)                \
	X("-pg", 1, ARG_SANITIZE)                      \
	X("-finstrument-functions", 0, ARG_SANITIZE)   \
	X("-fstack-protector", 0, ARG_SANITIZE)        \
	X("-fstack-clash-protection", 1, ARG_SANITIZE) \
	X("-fcf-protection", 0, ARG_SANITIZE)          \
	X("-fxray", 0, ARG_SANITIZE)                   \
	X("-fembed-bitcode", 0, ARG_SANITIZE)          \
	X("-flto", 0, ARG_LTO)                         \
	X("-ffat-lto-objects", 1, ARG_LTO)             \
	X("-fno-lto", 1, ARG_LTO)                      \
	X("-fwhole-program-vtables", 1, ARG_LTO)       \
	X("-shared", 1, ARG_LINK)                      \
	X("--shared", 1, ARG_LINK)                     \
	X("-r", 1, ARG_LINK)                           \
	X("-s", 1, ARG_LINK)                           \
	X("-pie", 1, ARG_LINK)                         \
	X("-no-pie", 1, ARG_LINK)                      \
	X("-static-pie", 1, ARG_LINK)                  \
	X("-static-libgcc", 1, ARG_LINK)               \
	X("-rdynamic", 1, ARG_LINK)                    \
	X("-nostdlib", 1, ARG_LINK)                    \
	X("-nodefaultlibs", 1, ARG_LINK)               \
	X("-nostartfiles", 1, ARG_LINK)                \
	X("-nolibc", 1, ARG_LINK)                      \
	X("-fuse-ld", 0, ARG_LINK)                     \
	X("--ld-path", 0, ARG_LINK)                    \
	X("-v", 1, ARG_NOISE)                          \
	X("--verbose", 1, ARG_NOISE)                   \
	X("-pipe", 1, ARG_NOISE)                       \
	X("-save-temps", 0, ARG_NOISE)                 \
	X("--save-temps", 0, ARG_NOISE)                \
	X("-ftime-", 0, ARG_NOISE)                     \
	X("-fproc-stat-report", 0, ARG_NOISE)          \
	X("-fdiagnostics", 0, ARG_NOISE)               \
	X("-fcolor-diagnostics", 1, ARG_NOISE)         \
	X("-fstack-usage", 1, ARG_NOISE)               \
	X("-fsave-optimization-record", 0, ARG_NOISE)  \
	X("-R", 0, ARG_NOISE)                          \
	X("-H", 1, ARG_NOISE)                          \
	X("-P", 1, ARG_NOISE)                          \
	X("-C", 1, ARG_NOISE)                          \
	X("-CC", 1, ARG_NOISE)

struct with_value {
	const char *name;
	enum arg_class class;
	int joined;
};
static const struct with_value with_value[] = {
#define X(name, class, joined) {name, class, joined},
    WITH_VALUE(X)
#undef X
};

static const struct {
	const char *text;
	int whole;
	enum arg_class class;
} without_value[] = {
#define X(text, whole, class) {text, whole, class},
    WITHOUT_VALUE(X)
#undef X
};

/* Options after which there is nothing to compile, whatever else is said. */
static int is_info(const char *w)
{
	static const char *const whole[] = {"-###", "-cc1", "-cc1as", "--version", "--help", "-V"};

	for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
		if (!strcmp(w, whole[i]))
			return 1;
	return !strncmp(w, "-print-", 7) || !strncmp(w, "--print-", 8) ||
	       (!strncmp(w, "-dump", 5) && strcmp(w, "-dumpdir") && strcmp(w, "-dumpbase"));
}

/* Splits a response file as GNU tools do: blanks separate, quotes and backslash protect. */
static void split_words(struct args *a, const char *s, size_t n, struct words *out)
{
	struct buf word = BUF_EMPTY;
	int open = 0;
	char quote = 0;

	for (size_t i = 0; i <= n; i++) {
		char c = i < n ? s[i] : ' ';

		if (!quote && isspace((unsigned char)c)) {
			if (open)
				vec_push(out, arena_strndup(&a->arena, buf_str(&word), word.size));
			buf_clear(&word);
			open = 0;
			continue;
		}
		open = 1;
		if (c == '\\' && quote != '\'' && i + 1 < n)
			buf_addc(&word, s[++i]);
		else if (quote ? c == quote : c == '"' || c == '\'')
			quote = quote ? 0 : c;
		else
			buf_addc(&word, c);
	}
	buf_release(&word);
}

#define RESPONSE_DEPTH 16

static int expand(struct args *a, const char *word, struct words *out, int depth)
{
	struct buf text = BUF_EMPTY;
	struct words inner = {0};
	int e = 0;

	/* A name with @ that is no file stands for itself. */
	if (word[0] != '@' || depth == RESPONSE_DEPTH || !file_exists(word + 1)) {
		vec_push(out, word);
		return 0;
	}
	e = file_read(word + 1, &text);
	if (!e)
		split_words(a, text.data, text.size, &inner);
	for (size_t i = 0; i < inner.size && !e; i++)
		e = expand(a, inner.data[i], out, depth + 1);
	vec_release(&inner);
	buf_release(&text);
	return e;
}

static const struct with_value *find_with_value(const char *w, const char **value)
{
	const struct with_value *best = NULL;
	size_t best_size = 0;

	for (size_t i = 0; i < sizeof with_value / sizeof with_value[0]; i++) {
		const struct with_value *o = &with_value[i];
		size_t n = strlen(o->name);

		if (strncmp(w, o->name, n) || n < best_size || (w[n] && !o->joined))
			continue;
		best = o;
		best_size = n;
	}
	if (best)
		*value = w[best_size] ? w + best_size : NULL;
	return best;
}

static int find_without_value(const char *w, enum arg_class *class)
{
	for (size_t i = 0; i < sizeof without_value / sizeof without_value[0]; i++)
		if (without_value[i].whole
			? !strcmp(w, without_value[i].text)
			: !strncmp(w, without_value[i].text, strlen(without_value[i].text)))
			return *class = without_value[i].class, 1;
	return 0;
}

static const char *language_of(const char *file, const char *lang)
{
	static const char *const by_suffix[][2] = {
	    {".c", "c"},
	    {".i", "cpp-output"},
	    {".h", "c-header"},
	    {".s", "assembler"},
	    {".S", "assembler-with-cpp"},
	    {".sx", "assembler-with-cpp"},
	    {".cc", "c++"},
	    {".cpp", "c++"},
	    {".cxx", "c++"},
	    {".C", "c++"},
	    {".c++", "c++"},
	    {".ii", "c++-cpp-output"},
	    {".m", "objective-c"},
	    {".mm", "objective-c++"},
	    {".ll", "ir"},
	    {".bc", "ir"},
	};
	const char *dot = strrchr(file_base(file), '.');

	if (lang)
		return lang;
	for (size_t i = 0; dot && i < sizeof by_suffix / sizeof by_suffix[0]; i++)
		if (!strcmp(dot, by_suffix[i][0]))
			return by_suffix[i][1];
	return NULL;
}

/* -Wl,-r and the like change what is linked just as -r does. */
static void note_link_word(struct args *a, const char *w)
{
	if (!strcmp(w, "-shared") || !strcmp(w, "--shared") || !strcmp(w, "-Bshareable"))
		a->shared = 1;
	if (!strcmp(w, "-r") || !strcmp(w, "--relocatable") || !strcmp(w, "-i"))
		a->relocatable = 1;
}

/* A word that is no value of another: takes it, and its value from *next if it wants one. */
static void classify(struct args *a, const char *w, const char *const *next, size_t left, int *used)
{
	const struct with_value *o;
	struct arg g = {.class = ARG_OTHER, .text = w};

	*used = 0;
	o = find_without_value(w, &g.class) ? NULL : find_with_value(w, &g.value);
	if (o) {
		g.class = o->class;
		g.text = o->name;
		if (!g.value && left) {
			g.value = next[0];
			g.separate = 1;
			*used = 1;
		}
	}
	if (!strncmp(w, "-Wl,", 4)) {
		g.class = ARG_LINKER;
		g.text = "-Wl,";
		g.value = w + 4;
	}
	if (g.class == ARG_LINK || g.class == ARG_LINKER)
		note_link_word(a, g.class == ARG_LINK ? w : g.value ? g.value : "");
	if (g.class == ARG_OUTPUT)
		a->output = g.value;
	if (!strncmp(w, "--output=", 9)) {
		g.class = ARG_OUTPUT;
		a->output = w + 9;
	}
	if (g.class == ARG_LTO)
		a->lto = strcmp(w, "-fno-lto") != 0;
	if (!strcmp(w, "-emit-llvm"))
		a->emit_llvm = 1;
	vec_push(&a->list, g);
}

static void note_stage(struct args *a, const struct arg *g)
{
	enum stage s = STAGE_PREPROCESS;

	if (g->class != ARG_STAGE)
		return;
	if (!strcmp(g->text, "-c") || !strcmp(g->text, "--compile"))
		s = STAGE_COMPILE;
	if (a->stage == STAGE_LINK || s < a->stage)
		a->stage = s;
}

int args_parse(struct args *a, int argc, char **argv)
{
	struct words words = {0};
	const char *lang = NULL;
	int e = 0, info = 0, only_inputs = 0;

	*a = (struct args){.stage = STAGE_LINK};
	for (int i = 1; i < argc && !e; i++)
		e = expand(a, argv[i], &words, 0);
	for (size_t i = 0; i < words.size && !e; i++) {
		const char *w = words.data[i];
		int used;

		if (!strcmp(w, "--") && !only_inputs) {
			only_inputs = 1;
			continue;
		}
		if (w[0] != '-' || !w[1] || only_inputs) {
			vec_push(&a->list, (struct arg){.class = ARG_INPUT,
							.text = w,
							.lang = language_of(w, lang)});
			a->inputs++;
			if (vec_last(&a->list).lang && strstr(vec_last(&a->list).lang, "header"))
				a->stage = STAGE_PREPROCESS;
			continue;
		}
		info |= is_info(w);
		classify(a, w, words.data + i + 1, words.size - i - 1, &used);
		i += used;
		note_stage(a, &vec_last(&a->list));
		if (vec_last(&a->list).class == ARG_LANG)
			lang = vec_last(&a->list).value;
		if (lang && !strcmp(lang, "none"))
			lang = NULL;
	}
	vec_release(&words);
	if (info || !a->inputs)
		a->stage = STAGE_INFO;
	return e;
}

void args_release(struct args *a)
{
	vec_release(&a->list);
	arena_release(&a->arena);
}

void args_words(const struct arg *g, struct words *out, struct arena *arena)
{
	size_t n = strlen(g->text);
	char *joined;

	if (!g->value || g->separate) {
		vec_push(out, g->text);
		if (g->value)
			vec_push(out, g->value);
		return;
	}
	joined = arena_alloc(arena, n + strlen(g->value) + 1);
	memcpy(joined, g->text, n);
	strcpy(joined + n, g->value);
	vec_push(out, joined);
}

int args_is_c(const struct arg *in)
{
	return in->class == ARG_INPUT && in->lang &&
	       (!strcmp(in->lang, "c") || !strcmp(in->lang, "cpp-output"));
}

char *args_object_name(const struct args *a, const struct arg *in)
{
	const char *base = file_base(in->text), *dot = strrchr(base, '.');

	if (a->output)
		return mem_strdup(a->output);
	if (!strcmp(base, "-"))
		return mem_strdup("-");
	return mem_printf("%.*s.o", (int)(dot && dot != base ? dot - base : (long)strlen(base)),
			  base);
}
