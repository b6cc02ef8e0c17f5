/* open.c: a unit through libclang's parser: flags, errors, the life of a front. What is in the unit
 * is read by declare.c.
 */
#include "front/front.h"

#include "base/error.h"
#include "base/file.h"
#include "base/proc.h"
#include "front/reader.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
	MESSAGES = 10,	 /* of clang's errors, at most */
	STACK = 1 << 30, /* of the thread that parses */
};

/* ----------------------------------------------------------------- helpers */
const char *reader_string(struct reader *r, CXString s)
{
	const char *text = r->c->getCString(s), *copy;

	copy = text && *text ? arena_strdup(&r->f->arena, text) : "";
	r->c->disposeString(s);
	return copy;
}

const char *reader_name(struct reader *r, CXCursor c)
{
	return reader_string(r, r->c->getCursorSpelling(c));
}

static const char *pretty(struct reader *r, CXCursor c, unsigned terse)
{
	CXPrintingPolicy policy = r->c->getCursorPrintingPolicy(c);
	const char *text;

	r->c->PrintingPolicy_setProperty(policy, CXPrintingPolicy_TerseOutput, terse);
	r->c->PrintingPolicy_setProperty(policy, CXPrintingPolicy_SuppressInitializers, terse);
	text = reader_string(r, r->c->getCursorPrettyPrinted(c, policy));
	r->c->PrintingPolicy_dispose(policy);
	return text;
}

const char *reader_pretty(struct reader *r, CXCursor c)
{
	return pretty(r, c, 1);
}

const char *reader_body(struct reader *r, CXCursor c)
{
	return pretty(r, c, 0);
}

int reader_says_weak(const char *text)
{
	return strstr(text, "((weak") || strstr(text, "[gnu::weak");
}

/* After the word and the blanks around it; NULL: something else is there. */
static const char *behind_word(const char *s, const char *end, const char *word)
{
	size_t n = strlen(word);

	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	if ((size_t)(end - s) <= n || memcmp(s, word, n))
		return NULL;
	for (s += n; s < end && (*s == ' ' || *s == '\t');)
		s++;
	return s;
}

void reader_pragma_weak(const char *text, size_t size, void (*each)(void *ctx, const char *name, size_t size_of_name), void *ctx)
{
	const char *end = text + size, *next;

	for (const char *line = text; line < end; line = next) {
		const char *s = behind_word(line, end, "#"), *name;

		next = memchr(line, '\n', (size_t)(end - line));
		next = next ? next + 1 : end;
		s = s ? behind_word(s, end, "pragma") : NULL;
		name = s = s ? behind_word(s, end, "weak") : NULL;
		while (s && s < next && (isalnum((unsigned char)*s) || *s == '_' || *s == '$'))
			s++;
		if (s > name)
			each(ctx, name, (size_t)(s - name));
	}
}

uint32_t reader_line(struct reader *r, CXSourceLocation at, const char **file)
{
	CXString name;
	unsigned line = 0;

	r->c->getPresumedLocation(at, &name, &line, NULL);
	if (!file) {
		r->c->disposeString(name);
		return line;
	}
	*file = reader_string(r, name);
	if (!strncmp(*file, "./", 2)) /* of an include: the user did not type it */
		*file += 2;
	return line;
}

/* ----------------------------------------------------------------- parsing */
/* One call of libclang's parser. */
struct parse {
	const struct clang *c;
	CXIndex index;
	const char *path;
	VEC(const char *) flags;
	enum CXErrorCode code;
	CXTranslationUnit unit;
};

/* clang's errors, each as FILE:LINE:COLUMN: error: WORDS. Their number. */
static unsigned errors(struct reader *r, struct buf *words)
{
	unsigned n = r->c->getNumDiagnostics(r->unit), found = 0;

	for (unsigned i = 0; i < n; i++) {
		CXDiagnostic d = r->c->getDiagnostic(r->unit, i);

		if (r->c->getDiagnosticSeverity(d) >= CXDiagnostic_Error && found++ < MESSAGES) {
			CXString file, text = r->c->getDiagnosticSpelling(d);
			unsigned line = 0, column = 0;

			r->c->getPresumedLocation(r->c->getDiagnosticLocation(d), &file, &line,
						  &column);
			if (words->size)
				buf_adds(words, "\n");
			if (line)
				buf_addf(words, "%s:%u:%u: ", r->c->getCString(file), line, column);
			buf_addf(words, "error: %s", r->c->getCString(text));
			r->c->disposeString(file);
			r->c->disposeString(text);
		}
		r->c->disposeDiagnostic(d);
	}
	if (found > MESSAGES)
		buf_addf(words, "\nand %u more errors", found - MESSAGES);
	return found;
}

/* libclang gave no unit and no words: wrong flags, mostly. The compiler itself can say. */
static int ask_compiler(const char *path, const char *const *argv, int argc)
{
	struct proc_opts o = {.capture_err = 1, .null_input = 1};
	struct proc_result result = {0};
	VEC(char *) args = {0};
	int status;

	vec_push(&args, "clang-19");
	for (int i = 0; i < argc; i++)
		vec_push(&args, (char *)argv[i]);
	vec_push(&args, "-fsyntax-only");
	vec_push(&args, (char *)path);
	vec_push(&args, NULL);
	status = proc_run(args.data, &o, &result);
	vec_release(&args);
	if (!status && result.status && result.err.size) {
		if (result.err.data[result.err.size - 1] == '\n')
			result.err.size--;
		error_set("%s", buf_str(&result.err));
	} else {
		error_set("%s: libclang cannot read it, but clang-19 has no complaint", path);
	}
	proc_release(&result);
	return -1;
}

/* The flags without those that make the compiler write lists of headers. */
static void copy_flags(struct parse *p, const char *const *argv, int argc)
{
	for (int i = 0; i < argc; i++) {
		const char *a = argv[i];

		if (!strncmp(a, "-Wp,-M", 6))
			continue;
		if (!strncmp(a, "-M", 2) && a[2] && strchr("FTQJ", a[2])) {
			i += !a[3]; /* its value is a word of its own */
			continue;
		}
		if (!strncmp(a, "-M", 2) && (!a[2] || strchr("MDGPV", a[2])))
			continue;
		vec_push(&p->flags, a);
	}
}

static void *parse_here(void *data)
{
	struct parse *p = data;

	p->code = p->c->parseTranslationUnit2(p->index, p->path, p->flags.data, (int)p->flags.size,
					      NULL, 0, CXTranslationUnit_None, &p->unit);
	return NULL;
}

/* The compiler's stack grows with the depth of an expression or a chain of else-ifs; libclang's own
 * thread has 8 MB and takes the process with it. Only what is used of this one is ever backed by
 * memory. */
static void parse_on_large_stack(struct parse *p)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	setenv("LIBCLANG_NOTHREADS", "1", 1);
	if (pthread_attr_setstacksize(&attributes, STACK) ||
	    pthread_create(&thread, &attributes, parse_here, p))
		parse_here(p);
	else
		pthread_join(thread, NULL);
	unsetenv("LIBCLANG_NOTHREADS");
	pthread_attr_destroy(&attributes);
}

int reader_parse(struct reader *r, CXIndex index, const char *path, const char *const *argv,
		 int argc)
{
	struct parse p = {.c = r->c, .index = index, .path = path};
	struct buf words = {0};

	copy_flags(&p, argv, argc);
	r->c->toggleCrashRecovery(1);
	parse_on_large_stack(&p);
	/* What remains is ours: a crash in it should be seen as one. */
	r->c->toggleCrashRecovery(0);
	vec_release(&p.flags);
	r->unit = p.unit;
	if (p.code == CXError_Crashed)
		return error_set("%s: libclang crashed while reading it", path);
	if (p.code != CXError_Success || !r->unit)
		return ask_compiler(path, argv, argc);
	if (errors(r, &words)) {
		error_set("%s", buf_str(&words));
		buf_release(&words);
		return -1;
	}
	buf_release(&words);
	return 0;
}

static void reader_release(struct reader *r)
{
	buf_release(&r->text);
	map_release(&r->type_numbers);
	strmap_release(&r->type_spelled);
	map_release(&r->labels);
	map_release(&r->refined);
	map_release(&r->leaks);
	map_release(&r->asked);
	map_release(&r->walked);
	vec_release(&r->held);
	vec_release(&r->taken_for);
	vec_release(&r->flows);
	map_release(&r->conversion_pairs);
	map_release(&r->conversion_best);
	map_release(&r->larger);
	vec_release(&r->conversions);
	vec_release(&r->pending);
	vec_release(&r->stack);
	vec_release(&r->children);
	vec_release(&r->function_seen);
	vec_release(&r->global_seen);
	vec_release(&r->taken_seen);
	vec_release(&r->calls);
	vec_release(&r->takes);
	vec_release(&r->builtins);
	vec_release(&r->globals);
}

int front_ready(void)
{
	return clang_load() ? 0 : -1;
}

int front_open(struct front **f, const char *path, const char *const *argv, int argc)
{
	struct reader r = {.c = clang_load()};
	CXIndex index;
	int failed;

	*f = NULL;
	if (!r.c)
		return -1;
	if (!file_exists(path))
		return error_set("%s: no such file", path);
	if (file_is_dir(path))
		return error_set("%s: is a directory", path);
	r.f = mem_zalloc(sizeof *r.f);
	r.f->file = arena_strdup(&r.f->arena, path);
	index = r.c->createIndex(0, 0);
	failed = reader_parse(&r, index, path, argv, argc);
	if (!failed && file_is_regular(path) && file_read(path, &r.text))
		buf_clear(&r.text);
	if (!failed)
		reader_unit(&r);
	if (r.unit)
		r.c->disposeTranslationUnit(r.unit);
	r.c->disposeIndex(index);
	reader_release(&r);
	if (failed)
		front_close(r.f);
	else
		*f = r.f;
	return failed;
}

void front_close(struct front *f)
{
	if (!f)
		return;
	vec_release(&f->types);
	vec_release(&f->functions);
	vec_release(&f->globals);
	strmap_release(&f->function_numbers);
	strmap_release(&f->global_numbers);
	arena_release(&f->arena);
	free(f);
}
