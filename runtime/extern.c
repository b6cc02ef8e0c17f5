/* extern.c: calls of functions that have no instrumented body.
 *
 * Such a function may read what its arguments say and point to, and its result
 * and effects then depend on the input as no trace can follow. So,
 * before the call, every label it may look at is given up by an event. What it
 * may look at is declared in a table for the functions that programs use most; for
 * any other it is every argument, the whole object that each pointer leads to, and the
 * objects that those point to, a few steps far.
 *
 * A row's effects, a letter for each argument (the last one repeats):
 *   v  a value that decides something        s  a string that is read
 *   o  a value or memory that is only output: it matters only if the result is used, or if it can be read back
 *   m  such a string that says how many there are, and what (a format)
 *   f  the stream it goes to                 d  the descriptor it goes to
 *   a  a va_list of such, after its format
 *   r  memory that is read, as large as the object    w  memory that is written
 *   -  of no concern (a stream, a descriptor, a path that is not input)
 *
 * In programs that the driver runs output is memory that must be there, too: that characters end before their object does
 * is a bound where it is not certain; a format is fixed; and where characters may have no end, so is what may limit them.
 */
#include "activation.h"
#include "node.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct row {
	const char *name, *effects;
} rows[] = {
    {"printf", "mo"}, {"fprintf", "fmo"}, {"dprintf", "dmo"}, {"vprintf", "ma"}, {"vfprintf", "fma"}, {"vdprintf", "dma"},
    {"__printf_chk", "-mo"}, {"__fprintf_chk", "f-mo"}, {"__vprintf_chk", "-ma"}, {"__vfprintf_chk", "f-ma"},
    {"__dprintf_chk", "d-mo"}, {"puts", "o"}, {"fputs", "o-"}, {"fputs_unlocked", "o-"}, {"putchar", "o"},
    {"putc", "o-"}, {"fputc", "o-"}, {"_IO_putc", "o-"}, {"putchar_unlocked", "o"}, {"putc_unlocked", "o-"},
    {"fputc_unlocked", "o-"}, {"fwrite", "ovv-"}, {"fwrite_unlocked", "ovv-"}, {"write", "-ov"}, {"perror", "o"},
    {"syslog", "o"}, {"fflush", "-"}, {"fclose", "-"}, {"close", "-"}, {"fileno", "-"}, {"feof", "-"},
    {"ferror", "-"}, {"clearerr", "-"}, {"exit", "v"}, {"_exit", "v"}, {"abort", "-"}, {"__assert_fail", "o"},
    {"longjmp", "rv"}, {"_longjmp", "rv"}, {"siglongjmp", "rv"}, {"__longjmp_chk", "rv"},
    {"__errno_location", "-"}, {"__ctype_b_loc", "-"}, {"__ctype_tolower_loc", "-"}, {"__ctype_toupper_loc", "-"},
    {"time", "w"}, {"clock", "-"}, {"getpid", "-"}, {"isatty", "v"}, {"fopen", "ss"}, {"fopen64", "ss"},
    {"open", "sv"}, {"open64", "sv"}, {"openat", "vsv"}, {"access", "sv"}, {"getenv", "s"}, {"unlink", "s"},
    {"fdopen", "vs"}, {"setvbuf", "-wvv"}, {"setbuf", "-w"}, {"strtod", "sw"}, {"strtof", "sw"}, {"strtold", "sw"},
    {"atof", "s"}, {"setlocale", "vs"}, {"signal", "v-"}, {"atexit", "-"}, {"pthread_mutex_lock", "-"},
    {"pthread_mutex_unlock", "-"}, {"pthread_self", "-"}, {"pthread_join", "vw"}, {"__stack_chk_fail", "-"},
    {"gettimeofday", "ww"}, {"clock_gettime", "vw"}, {"srand", "v"}, {"rand", "-"}, {"strerror", "v"},
    {"sysconf", "v"}, {"setjmp", "w"}, {"_setjmp", "w"}, {"__sigsetjmp", "wv"}, {"sigaction", "vrw"},
    {"sigemptyset", "w"}, {"usleep", "v"}, {"sleep", "v"}, {"_Unwind_Resume", "-"}, {"strftime", "wvsr"},
};

#define USED 1u
#define ASSEMBLY 2u
#define LABELLED_MAX 256      /* characters of which one has to be the end */
#define OBJECT_MAX (1u << 20) /* bytes behind one argument that are looked at */

static const char *effects_of(const char *name)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].effects;
	return NULL;
}

/* Where output goes that is given up only if the program reads it (unseen.c); -1: what is given up is given up now. */
static int leaving = -1;

static void give_up(label a, enum muster_reason why)
{
	if (leaving >= 0)
		rt_left_label(leaving, a);
	else
		rt_concrete(a, why);
}

static void give_up_range(const void *p, uint64_t n, enum muster_reason why)
{
	if (leaving >= 0)
		rt_left(leaving, p, n);
	else
		rt_concrete_range(p, n, why);
}

#define STEPS 3		    /* pointers followed from an argument */
#define POINTERS (1u << 13) /* words of an object that are looked at as pointers */
#define FURTHER_STEPS 8
#define FURTHER 64	    /* objects beyond that are looked at for labels, for one argument */

/* Words of an object that may be pointers out of it. */
static const uint64_t *words_of(const struct rt_object *o, uint64_t size, uint64_t *n)
{
	const uint64_t *word = (const uint64_t *)((o->base + 7) & ~7ull);
	*n = o->size >= 8 && o->base + size > (uint64_t)word ? (o->base + size - (uint64_t)word) / 8 : 0;
	return word;
}

static int leaves(const struct rt_object *o, uint64_t word)
{
	return word > 4096 && word < 1ull << 47 && (word < o->base || word >= o->base + o->size);
}

/* Beyond what is given up: labels there, or more objects than can be looked at, are a loss that the trace reports. */
static void look_further(const struct rt_object *from, uint64_t first, unsigned steps, unsigned *budget)
{
	struct rt_object o;
	uint64_t n;
	const uint64_t *word = words_of(from, from->size < OBJECT_MAX ? from->size : OBJECT_MAX, &n);
	if (from->size > OBJECT_MAX)
		rt_lost(MUSTER_LOST_REACH);
	for (uint64_t i = first; i < n; i++) {
		if (!leaves(from, word[i]) || !rt_object_find((const void *)word[i], &o) || o.constant)
			continue;
		if (*budget == 0 || steps == 0 || rt_any((const void *)o.base, o.size)) {
			rt_lost(MUSTER_LOST_REACH);
			return;
		}
		--*budget;
		look_further(&o, 0, steps - 1, budget);
	}
}

/* steps: pointers that are followed from there; -1: none, and the callee follows none either. */
static void give_up_object(const void *p, enum muster_reason why, int steps, uint64_t *budget)
{
	struct rt_object o;
	if (!p || !rt_object_find(p, &o))
		return;
	uint64_t size = o.size < *budget ? o.size : *budget, n;
	rt_fix_size(p);
	*budget -= size;
	give_up_range((const void *)o.base, size, why);
	if (size < o.size && rt_any((const void *)(o.base + size), o.size - size))
		rt_lost(MUSTER_LOST_REACH);
	if (o.constant || steps < 0)
		return;
	/* What looks like a pointer to an object is one; to follow too many costs precision only. */
	const uint64_t *word = words_of(&o, size, &n);
	uint64_t i = 0;
	for (; i < n && i < POINTERS && steps; i++)
		if (leaves(&o, word[i]))
			give_up_object((const void *)word[i], why, steps - 1, budget);
	look_further(&o, i, FURTHER_STEPS, &(unsigned){FURTHER});
}

/* Up to and with the terminator: what follows is not read. Stops at memory that
 * is no object, since only objects have labels worth the walk. */
static void give_up_string(const char *s, enum muster_reason why)
{
	struct rt_object o;
	if (!s)
		return;
	uint64_t room = 4096;
	if (rt_object_find(s, &o))
		room = o.base + o.size - (uint64_t)s;
	uint64_t n = strnlen(s, room);
	give_up_range(s, n < room ? n + 1 : n, why);
}

/* A va_list of the psABI: six integer and eight vector registers, then the stack. */
struct list {
	uint32_t gp, fp;
	const char *overflow, *registers;
};

/* Is it one of those that end in memory of their object, whatever the input? If not, a bound says that they do end. */
static int ends_for_sure(const char *p, const struct rt_object *o)
{
	label some = 0;
	int ended = 0;
	unsigned labelled = 0;
	for (const char *c = p; (uint64_t)c < o->base + o->size && labelled < LABELLED_MAX; c++) {
		label l = rt_any(c, 1) ? rt_load(c, 1) : 0;
		if (!l && !*c)
			return 1;
		if (!l)
			continue;
		label is = rt_binary(MUSTER_OP_EQ, 8, l, 0, (uint8_t)*c, 0);
		some = labelled++ ? rt_binary(MUSTER_OP_OR, 1, some, is, ended, !*c) : is;
		ended |= !*c;
	}
	if (labelled == LABELLED_MAX)
		rt_concrete_range(p, o->base + o->size - (uint64_t)p, MUSTER_REASON_EXTERN);
	else
		rt_bound(some);
	return 0;
}

int rt_output(const char *p, label a)
{
	struct rt_object o;
	if (!RT_ON() || !RT_STATE->driven)
		return 1;
	rt_access(a, p, 0, MUSTER_REASON_EXTERN);
	if (!p || !rt_object_find(p, &o))
		return 1;
	if (!rt_pin_object((uint64_t)p, &o))
		return ends_for_sure(p, &o);
	if (rt_pin_string((uint64_t)p))
		return 1;
	give_up_object(p, MUSTER_REASON_EXTERN, -1, &(uint64_t){OBJECT_MAX});
	return 0;
}

static const char *next_place(struct list *va, char conversion, int is_long_double)
{
	const char *at = NULL;
	if (strchr("aAeEfFgG", conversion)) { /* has no label; only its place counts */
		if (is_long_double)
			va->overflow = (const char *)(((uint64_t)va->overflow + 15) & ~15ull) + 16;
		else if (va->fp < 176)
			va->fp += 16;
		else
			va->overflow += 8;
	} else if (va->gp < 48) {
		at = va->registers + va->gp;
		va->gp += 8;
	} else {
		at = va->overflow;
		va->overflow += 8;
	}
	return at;
}

/* Only output: are its characters certain to end? Else 1, and it is given up. */
static int next_argument(struct list *va, char conversion, int is_long_double, int output, enum muster_reason why)
{
	const char *at = next_place(va, conversion, is_long_double);
	if (!at)
		return 1;
	if (output)
		return conversion != 's' || rt_output(*(const char *const *)at, rt_load(at, 8));
	give_up_range(at, 8, why);
	if (conversion == 's')
		give_up_string(*(const char *const *)at, why);
	return 1;
}

/* What the conversions of the format take. 0: only output, but some characters may have no end. */
static int give_up_list(const struct list *list, const char *format, int output, enum muster_reason why)
{
	struct list va = *list;
	int sure = 1;
	while ((format = strchr(format, '%')) != NULL) {
		int is_long_double = 0;
		for (format++; *format && strchr("0123456789-+ #'.$*hlqjztL", *format); format++) {
			is_long_double |= *format == 'L';
			if (*format == '*')
				sure &= next_argument(&va, '*', 0, output, why);
		}
		if (!*format)
			break;
		if (*format != '%' && *format != 'm')
			sure &= next_argument(&va, *format, is_long_double, output, why);
		format++;
	}
	return sure;
}

static void output_list(const struct list *list, const char *format, int used, enum muster_reason why)
{
	if (used || (RT_STATE->driven && !give_up_list(list, format, 1, why)))
		give_up_list(list, format, 0, why);
}

static void one_argument(char effect, char kind, uint64_t value, label a, int used, enum muster_reason why)
{
	const void *p = (const void *)value;
	uint64_t budget = OBJECT_MAX;
	if (effect == '-')
		return;
	if (effect == 'o' || effect == 'm') {
		if (!used && !(effect == 'm' && RT_STATE->driven))
			return;
		effect = kind == 'p' ? 's' : 'v';
	}
	give_up(a, why);
	if (kind == 's' || (kind == 'p' && (effect == 'r' || effect == 'w' || effect == '*')))
		give_up_object(p, why, effect == '*' ? STEPS : -1, &budget);
	else if (kind == 'p' && effect == 's')
		give_up_string(p, why);
}

/* The same, remembered by the call. */
static const char *effects_at(const struct rt_extern *what)
{
	static struct {
		const struct rt_extern *what;
		const char *effects;
	} recent[256];
	unsigned slot = (unsigned)((uint64_t)what >> 5) % 256;
	if (recent[slot].what != what) {
		recent[slot].what = what;
		recent[slot].effects = effects_of(what->name);
	}
	return recent[slot].effects;
}

static char effect_at(const char *effects, uint32_t i)
{
	size_t n = strlen(effects);
	return effects[i < n ? i : n - 1];
}

/* Do all characters that go to the output end for sure? */
static int output_ends(const struct rt_extern *what, const char *effects, const uint64_t *values, const label *labels)
{
	int sure = 1;
	for (uint32_t i = 0; i < what->count; i++)
		if (effect_at(effects, i) == 'o' && what->kinds[i] == 'p')
			sure &= rt_output((const char *)values[i], labels[i]);
	return sure;
}

/* Does the output go where the program may read it? */
static int to_be_read(const struct rt_extern *what, const char *effects, const uint64_t *values)
{
	for (uint32_t i = 0; i < what->count; i++) {
		char effect = effect_at(effects, i);
		if ((effect == 'f' && rt_stream_comes_back((const void *)values[i])) ||
		    (effect == 'd' && rt_comes_back((int)values[i])))
			return 1;
	}
	return 0;
}

/* The descriptor of the regular file that output goes to, or -1. */
static int output_file(const struct rt_extern *what, const char *effects, const uint64_t *values)
{
	int kept = errno, fd = STDOUT_FILENO;
	for (uint32_t i = 0; i < what->count; i++)
		if (effect_at(effects, i) == 'f')
			fd = fileno((FILE *)values[i]);
		else if (effect_at(effects, i) == 'd')
			fd = (int)values[i];
	errno = kept;
	return rt_leaves(fd) ? fd : -1;
}

static void arguments(const struct rt_extern *what, const char *effects, const uint64_t *values, const label *labels, int used,
		      enum muster_reason why)
{
	for (uint32_t i = 0; i < what->count; i++) {
		char effect = effects ? effect_at(effects, i) : '*';
		if (effect == 'f' || effect == 'd')
			continue;
		if (effect != 'a')
			one_argument(effect, what->kinds[i], values[i], labels[i], used, why);
		else
			output_list((const struct list *)values[i], (const char *)values[i - 1], used, why);
	}
}

void __muster_extern(const struct rt_extern *what, const uint64_t *values, const label *labels)
{
	ACTIVATION_DO(activation_extern(what));
	if (!RT_ON() || what->count == 0)
		return;
	uint64_t kept = __muster_tls.site;
	enum muster_reason why = what->used & ASSEMBLY ? MUSTER_REASON_ASM : MUSTER_REASON_EXTERN;
	const char *effects = effects_at(what);
	int used = what->used & USED;
	__muster_tls.site = what->site;
	if (effects && RT_STATE->driven && !used && !output_ends(what, effects, values, labels))
		used = strchr(effects, 'm') != NULL; /* a number may say how much of it is written */
	used |= effects && to_be_read(what, effects, values);
	arguments(what, effects, values, labels, used, why);
	if (effects && !used && strpbrk(effects, "om") && (leaving = output_file(what, effects, values)) >= 0) {
		arguments(what, effects, values, labels, 1, why);
		leaving = -1;
	}
	__muster_tls.site = kept;
}
