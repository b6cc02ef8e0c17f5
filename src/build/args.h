/* args.h: a compiler's command line, understood as far as the wrapper must.
 *
 * Words are grouped into arguments (an option with its value is one) and each
 * argument gets a class. Response files are expanded. Nothing here is rejected:
 * clang-19 itself judges the command line.
 */
#ifndef MUSTER_ARGS_H
#define MUSTER_ARGS_H

#include "base/arena.h"
#include "base/vec.h"

enum arg_class {
	ARG_INPUT,    /* a file, or "-" */
	ARG_OUTPUT,   /* -o FILE */
	ARG_LANG,     /* -x LANGUAGE */
	ARG_STAGE,    /* -c -S -E -M -MM -fsyntax-only ... */
	ARG_DEPS,     /* -MD -MF ...: what only the first of several passes may do */
	ARG_OPT,      /* -O... */
	ARG_DEBUG,    /* -g... */
	ARG_WARN,     /* -W..., -w, -pedantic... */
	ARG_SANITIZE, /* -fsanitize..., -fprofile..., --coverage, -pg ...: instrumentation of others
		       */
	ARG_LTO,      /* -flto... */
	ARG_LINKER,   /* -Wl,...  -Xlinker X: value has the words, separated by commas or alone */
	ARG_LIB,      /* -lNAME */
	ARG_LIBDIR,   /* -LDIR */
	ARG_LINK,     /* other options that matter to the linker only */
	ARG_NOISE,    /* changes what is printed or kept, not what is compiled */
	ARG_OTHER,
};

struct arg {
	enum arg_class class;
	const char *text;  /* the option's name, or the file */
	const char *value; /* of an option with one; NULL else */
	int separate;	   /* the value was a word of its own */
	const char *lang;  /* of ARG_INPUT: by -x or the file's name; NULL: the linker's business */
};

/* Words of a command line; a vector as of vec.h. */
struct words {
	const char **data;
	size_t size, cap;
};

enum stage {
	STAGE_INFO,	  /* no compilation to speak of: --version, -###, -cc1, no input ... */
	STAGE_PREPROCESS, /* -E, -M, -MM, -fsyntax-only, -S and whatever else makes no object */
	STAGE_COMPILE,	  /* -c */
	STAGE_LINK,
};

struct args {
	struct arena arena;
	VEC(struct arg) list;
	enum stage stage;
	const char *output; /* of -o, or NULL */
	int inputs;
	int lto; /* objects will hold optimiser's bitcode */
	int emit_llvm;
	int shared, relocatable;
};

/* argv[0] is not looked at. -1 with words if a response file cannot be read. */
int args_parse(struct args *a, int argc, char **argv);
void args_release(struct args *a);

/* The words the argument was made of. */
void args_words(const struct arg *g, struct words *out, struct arena *arena);
/* Is the input C source, preprocessed or not? */
int args_is_c(const struct arg *in);
/* Where -c leaves the object of an input; allocated. */
char *args_object_name(const struct args *a, const struct arg *in);

#endif
