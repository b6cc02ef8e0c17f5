/* extern.c: calls of functions that have no instrumented body.
 *
 * Such a function may read what its arguments say and point to, and its result
 * and effects then depend on the input in a way the trace cannot follow. So,
 * before the call, every label it may look at is given up by an event. What it
 * may look at is declared in a table for the functions that programs use most; for
 * any other it is every argument, the whole object behind each pointer, and the
 * objects that those point to, a few steps far.
 *
 * A row's effects, a letter for each argument (the last one repeats):
 *   v  a value that decides something        s  a string that is read
 *   o  a value or memory that is only output: it matters only if the result is used, or if it can be read back
 *   f  the stream it goes to                 d  the descriptor it goes to
 *   a  a va_list of such, behind its format
 *   r  memory that is read, as large as the object    w  memory that is written
 *   -  of no concern (a stream, a descriptor, a path that is not input)
 */
#include "hooks.h"
#include "node.h"

#include <string.h>

static const struct row {
	const char *name, *effects;
} rows[] = {
    {"printf", "o"}, {"fprintf", "fo"}, {"dprintf", "do"}, {"vprintf", "oa"}, {"vfprintf", "foa"}, {"vdprintf", "doa"},
    {"__printf_chk", "-o"}, {"__fprintf_chk", "f-o"}, {"__vprintf_chk", "-oa"}, {"__vfprintf_chk", "f-oa"},
    {"__dprintf_chk", "d-o"}, {"puts", "o"}, {"fputs", "o-"}, {"fputs_unlocked", "o-"}, {"putchar", "o"},
    {"putc", "o-"}, {"fputc", "o-"}, {"_IO_putc", "o-"}, {"putchar_unlocked", "o"}, {"putc_unlocked", "o-"},
    {"fputc_unlocked", "o-"}, {"fwrite", "ovv-"}, {"fwrite_unlocked", "ovv-"}, {"write", "-ov"}, {"perror", "o"},
    {"syslog", "o"}, {"fflush", "-"}, {"fclose", "-"}, {"close", "-"}, {"fileno", "-"}, {"feof", "-"},
    {"ferror", "-"}, {"clearerr", "-"}, {"exit", "v"}, {"_exit", "v"}, {"abort", "-"}, {"__assert_fail", "o"},
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
#define OBJECT_MAX (1u << 20) /* bytes behind one argument that are looked at */

static const char *effects_of(const char *name)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].effects;
	return NULL;
}

#define STEPS 3           /* pointers followed from an argument */
#define POINTERS (1u << 13) /* words of an object that are looked at as pointers */

static void give_up_object(const void *p, enum muster_reason why, unsigned steps, uint64_t *budget)
{
	struct rt_object o;
	if (!p || !rt_object_find(p, &o) || *budget == 0)
		return;
	uint64_t size = o.size < *budget ? o.size : *budget;
	rt_fix_size(p);
	*budget -= size;
	rt_concrete_range((const void *)o.base, size, why);
	if (steps == 0 || o.constant)
		return;
	/* What looks like a pointer to an object is one; to follow too many costs precision only. */
	const uint64_t *word = (const uint64_t *)((o.base + 7) & ~7ull);
	uint64_t n = (o.base + size - (uint64_t)word) / 8;
	for (uint64_t i = 0; i < n && i < POINTERS && o.size >= 8; i++)
		if (word[i] > 4096 && (word[i] < o.base || word[i] >= o.base + o.size))
			give_up_object((const void *)word[i], why, steps - 1, budget);
}

/* Up to and with the terminator: what follows is not read. Stops at memory that
 * is nobody's object, since only objects have labels worth the walk. */
static void give_up_string(const char *s, enum muster_reason why)
{
	struct rt_object o;
	if (!s)
		return;
	uint64_t room = 4096;
	if (rt_object_find(s, &o))
		room = o.base + o.size - (uint64_t)s;
	uint64_t n = strnlen(s, room);
	rt_concrete_range(s, n < room ? n + 1 : n, why);
}

/* A va_list of the psABI: six integer and eight vector registers, then the stack. */
struct list {
	uint32_t gp, fp;
	const char *overflow, *registers;
};

static void next_argument(struct list *va, char conversion, int is_long_double, enum muster_reason why)
{
	const char *at;
	if (strchr("aAeEfFgG", conversion)) { /* has no label; only its place counts */
		if (is_long_double)
			va->overflow = (const char *)(((uint64_t)va->overflow + 15) & ~15ull) + 16;
		else if (va->fp < 176)
			va->fp += 16;
		else
			va->overflow += 8;
		return;
	}
	if (va->gp < 48) {
		at = va->registers + va->gp;
		va->gp += 8;
	} else {
		at = va->overflow;
		va->overflow += 8;
	}
	rt_concrete_range(at, 8, why);
	if (conversion == 's')
		give_up_string(*(const char *const *)at, why);
}

/* What the conversions of the format take. */
static void give_up_list(const struct list *list, const char *format, enum muster_reason why)
{
	struct list va = *list;
	while ((format = strchr(format, '%')) != NULL) {
		int is_long_double = 0;
		for (format++; *format && strchr("0123456789-+ #'.$*hlqjztL", *format); format++) {
			is_long_double |= *format == 'L';
			if (*format == '*')
				next_argument(&va, '*', 0, why);
		}
		if (!*format)
			return;
		if (*format != '%' && *format != 'm')
			next_argument(&va, *format, is_long_double, why);
		format++;
	}
}

/* Nothing depends on what is written; but a pointer that the driver made may be null, or to characters without a 0. */
static void output_pointer(const char *p, label a, enum muster_reason why)
{
	struct rt_object o;
	if (!RT_STATE->driven || !a)
		return;
	rt_access(a, p, 0, why);
	if (p && rt_pin_object((uint64_t)p, &o) && !rt_pin_string((uint64_t)p))
		give_up_object(p, why, 0, &(uint64_t){OBJECT_MAX});
}

static void one_argument(char effect, char kind, uint64_t value, label a, int used, enum muster_reason why)
{
	const void *p = (const void *)value;
	uint64_t budget = OBJECT_MAX;
	if (effect == '-')
		return;
	if (effect == 'o') {
		if (!used) {
			if (kind == 'p') /* read it is, and may be null or without an end */
				output_pointer(p, a, why);
			return;
		}
		effect = kind == 'p' ? 's' : 'v';
	}
	rt_concrete(a, why);
	if (kind == 's' || (kind == 'p' && (effect == 'r' || effect == 'w' || effect == '*')))
		give_up_object(p, why, effect == '*' ? STEPS : 0, &budget);
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

void __muster_extern(const struct rt_extern *what, const uint64_t *values, const label *labels)
{
	if (!RT_ON() || what->count == 0)
		return;
	uint64_t kept = __muster_tls.site;
	enum muster_reason why = what->used & ASSEMBLY ? MUSTER_REASON_ASM : MUSTER_REASON_EXTERN;
	const char *effects = effects_at(what);
	int used = what->used & USED;
	__muster_tls.site = what->site;
	for (uint32_t i = 0; i < what->count; i++) {
		char effect = '*';
		if (effects)
			effect = i < strlen(effects) ? effects[i] : effects[strlen(effects) - 1];
		if (effect == 'f')
			used |= rt_stream_comes_back((const void *)values[i]);
		else if (effect == 'd')
			used |= rt_comes_back((int)values[i]);
		else if (effect != 'a')
			one_argument(effect, what->kinds[i], values[i], labels[i], used, why);
		else if (used)
			give_up_list((const struct list *)values[i], (const char *)values[i - 1], why);
	}
	__muster_tls.site = kept;
}
