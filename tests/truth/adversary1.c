/* adversary1.c: functions that were written to be called verified wrongly. Each bad_* has a call within the printed scope with undefined behaviour that the
 * scope does not leave out; an ok_* has none. One line each: what it tries is in its name. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int bad_vla_index(unsigned char n, unsigned char i) { int a[n + 1]; memset(a, 0, sizeof a); return a[i & 127]; }
int bad_vla_zero(unsigned char n) { int a[n & 3]; a[0] = 1; return a[0]; }
int bad_vla_two(unsigned char n, unsigned char m) { char a[(n & 3) + 1][(m & 3) + 1]; memset(a, 0, sizeof a); return a[1][(m & 3)]; }
struct flex { unsigned char n; int v[]; };
int bad_flex(unsigned char n) { struct flex *f = malloc(sizeof *f + (n & 7) * sizeof(int)); if (!f) return 0; f->n = n & 7; f->v[f->n] = 1; free(f); return 0; }
int ok_flex(unsigned char n) { struct flex *f = malloc(sizeof *f + ((n & 7) + 1) * sizeof(int)); if (!f) return 0; f->n = n & 7; f->v[f->n] = 1; free(f); return 0; }
union fu { float f; int i; unsigned char b[4]; };
int bad_pun_float(unsigned char e) { union fu u; u.i = e << 23; return (int)u.f; }
int bad_float_int(float f) { return (int)f; }
unsigned char bad_float_uchar(unsigned short x) { return (unsigned char)((double)x / 2 - 3); }
int bad_double_nan(unsigned char x) { double d = x == 9 ? NAN : x; return (int)d; }
long bad_float_long(unsigned char x) { return (long)ldexp(1.0, x); }
int bad_restrict_copy(unsigned char n) { char b[8] = "abcdefg"; memcpy(b + (n & 3), b, 3); return b[4]; }
int bad_atomic_div(unsigned char x) { _Atomic int a = x; atomic_fetch_sub(&a, 5); return 100 / a; }
int bad_atomic_index(unsigned char x) { static _Atomic unsigned char k; k = x; int t[200] = {0}; return t[k]; }
static jmp_buf env;
static void jump(int x) { if (x == 3) longjmp(env, 1); }
int bad_setjmp(unsigned char x) { int a[2] = {1, 2}; if (setjmp(env)) return a[x]; jump(x); return 0; }
int bad_compound(unsigned char x) { int *p; { p = (int[]){1, 2, 3}; } return p[x & 3]; }
int bad_compound_dead(unsigned char x) { int *p = NULL; if (x > 3) { p = &(int){7}; } return *p; }
struct bits { unsigned a : 3, b : 5; signed c : 4; };
int bad_bits_index(unsigned char x) { struct bits s = {0}; s.b = x; int t[31] = {0}; return t[s.b]; }
int bad_bits_signed(unsigned char x) { struct bits s = {0}; s.c = (int)(x & 7) - 4; int t[4] = {0}; return t[s.c]; }
int bad_kr(a, b) unsigned char a; int b; { int t[10] = {0}; return t[a & 15] + b / 1; }
int bad_strcpy_bound(const char *s) { char b[8]; strcpy(b, s); return b[0]; }
int bad_strncpy_noend(const char *s) { char b[4]; strncpy(b, s, 4); return (int)strlen(b); }
int bad_strncat(const char *s) { char b[6] = "ab"; strncat(b, s, 4); return b[0]; }
int bad_sprintf(unsigned short x) { char b[5]; sprintf(b, "%u", x); return b[0]; }
int bad_snprintf_use(unsigned short x) { char b[4]; int n = snprintf(b, sizeof b, "%u", x); return b[n]; }
int bad_memchr(unsigned char c) { char b[4] = "abc"; char *p = memchr(b, c, 4); return p[0]; }
int bad_strchr(const char *s) { return strchr(s, ':')[1]; }
int bad_strtok(void) { char b[] = ",,,"; return strtok(b, ",")[0]; }
int bad_memcmp_len(unsigned char n) { char a[4] = {0}, b[8] = {0}; return memcmp(a, b, n & 7); }
int bad_memmove(unsigned char n) { char a[8] = {0}; memmove(a + 2, a, n & 7); return a[3]; }
static int sum(int n, ...) { va_list l; va_start(l, n); int s = 0; for (int i = 0; i < n; i++) s += va_arg(l, int); va_end(l); int t[5] = {0}; return t[s]; }
int bad_varargs(unsigned char x) { return sum(2, x & 3, 2); }
int bad_static_state(unsigned char x) { static int calls; int t[3] = {0}; calls += x & 3; return t[calls]; }
int bad_realloc(unsigned char n) { int *p = malloc(4 * sizeof *p); if (!p) return 0; int *q = realloc(p, ((n & 7) + 1) * sizeof *p); if (!q) { free(p); return 0; } q[3] = 1; free(q); return 0; }
int bad_realloc_old(unsigned char n) { char *p = malloc(4); if (!p) return 0; p[0] = 1; char *q = realloc(p, n * 100 + 8); if (!q) { free(p); return 0; } int r = p[0]; free(q); return r; }
int bad_realloc_zero(unsigned char n) { char *p = malloc(4); if (!p) return 0; char *q = realloc(p, n & 3); if (!q) { free(p); return 1; } free(q); return 0; }
int glob = 5;
int bad_alias(int *p, unsigned char x) { glob = 5; *p = x; return 100 / glob; }
int gtab[4];
int bad_alias_array(int *p) { gtab[0] = 1; p[1] = 9; return gtab[gtab[1] & 7]; }
int bad_shift_neg(signed char x) { return 1 << (x + 5); }
int bad_shift_wide(unsigned char x) { return (int)(1u << x); }
int bad_shl_sign(unsigned char x) { return (int)x << 24; }
int bad_min_div(signed char a) { int v = a == -7 ? INT_MIN : a; return v / -1; }
int bad_min_mod(signed char a) { long v = a == -7 ? LONG_MIN : a; return (int)(v % -1); }
int bad_abs(signed char a) { return abs(a == 3 ? INT_MIN : a); }
int bad_negate(signed char a) { int v = a == 3 ? INT_MIN : a; return -v; }
int bad_mul(short a, short b) { return (unsigned short)a * (unsigned short)b; }
int bad_ptr_add(unsigned char n) { char a[10]; char *p = a + n; return p <= a + 10; }
int bad_null_add(unsigned char *p, unsigned char n) { return p + n != NULL; }
int bad_bool(unsigned char x) { _Bool b; memcpy(&b, &x, 1); return b ? 1 : 2; }
enum small { A, B };
int bad_align(unsigned char k) { char b[16] = {0}; return *(int *)(b + (k & 3)); }
int bad_free_stack(unsigned char x) { int v = x; if (x == 200) free(&v); return v; }
int bad_free_inner(unsigned char x) { char *p = malloc(8); if (!p) return 0; free(p + (x == 9)); return 0; }
int bad_double_free(unsigned char x) { char *p = malloc(8); free(p); if (x == 9) free(p); return 0; }
int bad_uaf(unsigned char x) { char *p = malloc(8); if (!p) return 0; p[0] = x; free(p); return x == 9 ? p[0] : 0; }
int bad_scope(unsigned char x) { int *p = NULL; for (int i = 0; i < 2; i++) { int k = x; p = &k; } return *p; }
int *leak_local(unsigned char x) { int v = x; int *p = &v; return p; }
int bad_returned_local(unsigned char x) { return *leak_local(x); }
int bad_unreachable(unsigned char x) { switch (x & 3) { case 0: return 1; case 1: return 2; case 2: return 3; } __builtin_unreachable(); }
int bad_clz(unsigned char x) { return __builtin_clz(x); }
int bad_ctz(unsigned short x) { return __builtin_ctz(x & 0xff00); }
int bad_recursion(unsigned char x) { int t[8] = {0}; return x > 7 ? bad_recursion((unsigned char)(x - 1)) : t[x + (x == 7)]; }
int bad_goto(unsigned char x) { int i = 0, t[4] = {0}; again: t[i] = 1; if (i++ < x) goto again; return t[0]; }
int bad_string_lit(unsigned char x) { char *s = "abc"; if (x == 77) s[0] = 'z'; return s[0]; }
int bad_const_obj(unsigned char x) { static const int c = 3; if (x == 77) *(int *)&c = 4; return c; }
int bad_ptrdiff(unsigned char x) { int a[4], b[4]; int *p = x == 3 ? b : a; return (int)(p - a); }
int bad_qsort(unsigned char n) { int a[4] = {4, 3, 2, 1}; qsort(a, n & 7, sizeof *a, (int (*)(const void *, const void *))0); return a[0]; }
int bad_wide(unsigned char x) { int a[3] = {0}; unsigned long long i = x; i -= 1; return a[i & 0xff]; }
int bad_int128(unsigned char x) { __int128 v = x; v -= 1; int a[256] = {0}; return a[(int)v]; }
int bad_ternary(unsigned char x, int *p) { return (x ? *p : 0) + x; }
int bad_comma(unsigned char x) { int t[2] = {0}, i; return i = x & 1, i++, t[i]; }
int bad_env(void) { return getenv("MUSTER_SURELY_NOT")[0]; }
int bad_fgets(void) { char b[4]; b[0] = 1; if (!fgets(b, 8, stdin)) return 0; return b[0]; }
int bad_alloca(unsigned char n) { char *p = __builtin_alloca((n & 15) + 1); p[n & 31] = 1; return p[0]; }
int bad_nested_struct(unsigned char x) { struct { struct { int a[2]; int b; } in[2]; } s = {0}; return s.in[1].a[(x & 3)]; }
int bad_2d(unsigned char i, unsigned char j) { int a[3][3] = {0}; return a[i & 1][j & 3]; }
int bad_flexptr(struct flex *f) { return f ? f->v[f->n & 1 ? 40 : 0] : 0; }
int ok_bits(unsigned char x) { struct bits s = {0}; s.b = x; int t[32] = {0}; return t[s.b]; }
int ok_shift(unsigned char x) { return (int)(1u << (x & 31)); }
int ok_realloc(unsigned char n) { int *p = malloc(4 * sizeof *p); if (!p) return 0; int *q = realloc(p, ((n & 7) + 4) * sizeof *p); if (!q) { free(p); return 0; } q[3] = 1; free(q); return 0; }
int ok_2d(unsigned char i, unsigned char j) { int a[3][3] = {0}; return a[i % 3][j % 3]; }
int ok_alias(int *p, unsigned char x) { glob = 5; if (!p) return 0; *p = x | 1; return 100 / glob; }
