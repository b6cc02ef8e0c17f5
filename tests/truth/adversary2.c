/* adversary2.c: functions that were written to be called verified wrongly. Each bad_* has a call within the printed scope with undefined behaviour that the
 * scope does not leave out; an ok_* has none. One line each: what it tries is in its name. */
#include <ctype.h>
#include <limits.h>
#include <locale.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>
struct three { int a[3]; int tail; };
int bad_struct_overlap(unsigned char x) { struct three v[2] = {0}; struct three *p = v, *q = (struct three *)((char *)v + (x == 5 ? 4 : 16)); *p = *q; return p->tail; }
static jmp_buf gone;
static int setter(void) { return setjmp(gone); }
int bad_longjmp_gone(unsigned char x) { if (setter()) return 1; if (x == 9) longjmp(gone, 1); return 0; }
int bad_nonvolatile(unsigned char x) { jmp_buf e; int v = 1, t[4] = {0}; if (setjmp(e)) return t[v]; v = x; if (x > 3) longjmp(e, 1); return 0; }
int bad_strdup_off(unsigned char x) { char *p = strdup("abc"); if (!p) return 0; if (x == 3) p++; free(p); return 0; }
int bad_nonnull_zero(unsigned char n, const char *p) { char b[8] = {0}; memcpy(b, p, n & 1 ? 1 : 0); return b[0]; }
int bad_fclose_twice(unsigned char x) { FILE *f = tmpfile(); if (!f) return 0; fclose(f); if (x == 4) fclose(f); return 0; }
int bad_wcs(unsigned char n) { wchar_t w[4] = L"abc"; wchar_t d[3]; wcsncpy(d, w, n & 7); return d[0]; }
int bad_mbstowcs(const char *s) { wchar_t w[4]; return (int)mbstowcs(w, s, 8); }
int bad_strxfrm(const char *s) { char b[4]; return (int)strxfrm(b, s, 6); }
int bad_strftime(unsigned char n) { char b[4]; struct tm t = {0}; return (int)strftime(b, n & 7, "%H%M", &t); }
int bad_bsearch(unsigned char x) { int a[3] = {1, 2, 3}; int k = x; extern int ci(const void *, const void *); int *p = bsearch(&k, a, 3, sizeof *a, ci); return *p; }
int ci(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int bad_ci(void) { int a = INT_MIN, b = 1; return ci(&a, &b); }
int bad_atoi_index(const char *s) { int t[100] = {0}; int i = atoi(s); return i < 100 ? t[i] : 0; }
int bad_strtoul(const char *s) { int t[10] = {0}; unsigned long i = strtoul(s, NULL, 10); return i <= 10 ? t[i] : 0; }
int bad_sscanf(const char *s) { char b[4]; int n = 0; if (sscanf(s, "%s %d", b, &n) < 1) return 0; return n; }
int bad_sscanf_width(const char *s) { char b[4]; return sscanf(s, "%4s", b); }
int bad_scanset(const char *s) { char b[3]; return sscanf(s, "%3[a-z]", b); }
int bad_getline_like(const char *s) { char b[5], *d = b; while ((*d++ = *s++)) ; return (int)(d - b); }
int bad_toupper_tab(const char *s) { static const char t[128] = {0}; return s && *s ? t[(int)*s] : 0; }
int bad_ctype_neg(const char *s) { static int seen[256]; return s ? seen[*s + 0] : 0; }
int bad_div_char(const char *s) { return s && s[0] ? 100 / (s[0] - s[1]) : 0; }
int bad_loop_sum(unsigned char n) { int s = INT_MAX - 1000; for (int i = 0; i < n; i++) s += i; return s; }
int bad_fact(unsigned char n) { int r = 1; for (int i = 2; i <= (n & 15); i++) r *= i; return r; }
int bad_len_minus(const char *s) { return s ? s[strlen(s) - 1] : 0; }
int bad_trim(char *s) { if (!s) return 0; size_t n = strlen(s); while (s[n - 1] == ' ') n--; s[n] = 0; return (int)n; }
int bad_mid(int lo, int hi) { return (lo + hi) / 2; }
int bad_absdiff(int a, int b) { return a > b ? a - b : b - a; }
int bad_sign(int x) { return x < 0 ? -x : x; }
int bad_alloc_mul(unsigned short n) { int *p = malloc((unsigned short)(n * sizeof(int))); if (!p) return 0; if (n) p[n - 1] = 1; free(p); return 0; }
int bad_calloc_unchecked(unsigned char n) { int *p = calloc(n, sizeof *p); p[0] = 1; free(p); return 0; }
int bad_malloc_unchecked(unsigned char n) { char *p = malloc(n + 1u); p[0] = 1; free(p); return 0; }
struct list { struct list *next; int v; };
int bad_cycle(struct list *l) { int n = 0, t[4] = {0}; for (; l; l = l->next) t[n++] = l->v; return t[0]; }
int bad_remove(struct list *l) { for (struct list *p = l; p; p = p->next) free(p); return 0; }
int bad_second(struct list *l) { return l ? l->next->v : 0; }
int bad_swap(int *a, int *b) { int t[3] = {0}; *a ^= *b, *b ^= *a, *a ^= *b; return t[a == b ? 3 : 0]; }
int bad_overlap(char *a, char *b) { if (!a || !b) return 0; memcpy(a, b, 1); return 10 / (a - b ? 1 : 0); }
int bad_global_fn(void) { extern int (*hook)(int); return hook(3); }
int (*hook)(int);
char gbuf[4];
int bad_global_len(void) { return (int)strlen(gbuf); }
static int table[3] = {1, 2, 3};
static int *cursor = table;
int bad_cursor(unsigned char x) { cursor = table + (x & 3); return *cursor; }
int bad_static_ring(unsigned char x) { static unsigned head; static int ring[4]; head = (head + x) % 5; return ring[head]; }
int bad_long_path(unsigned char x) { unsigned h = x; for (int i = 0; i < 8; i++) h = h * 31 + 7; int t[97] = {0}; return t[h % 98]; }
int bad_hash(const char *s) { unsigned h = 5381; int t[64] = {0}; for (; s && *s; s++) h = h * 33 ^ (unsigned char)*s; return t[h & 127]; }
int bad_xor_key(unsigned short k) { return 1 / ((k ^ 0xbeef) != 0); }
int bad_mulmod(unsigned short k) { unsigned v = k * 40503u & 0xffff; return 1 / (int)(v != 12345 ? 1 : 0); }
int bad_float_cmp(unsigned char x) { float f = x / 10.0f; int t[3] = {0}; return t[f > 25.45f ? 3 : 0]; }
int bad_double_sum(unsigned char x) { double d = 0; for (int i = 0; i < x; i++) d += 0.1; return 1 / (d == 1.0 ? 1 : d > 25 ? 0 : 1); }
int bad_lround(double d) { int t[2] = {0}; return t[d > 1e300]; }
int bad_float_bits(float f) { uint32_t u; memcpy(&u, &f, 4); return 1 / (int)(u != 0x7fc00001 ? 1 : 0); }
int bad_minus_zero(double d) { return d == 0 ? 1 / (1 / d > 0 ? 1 : 0) : 0; }
typedef unsigned char v4 __attribute__((vector_size(4)));
int bad_vector(unsigned char x) { v4 v = {x, 1, 2, 3}; v = v + 1; int t[255] = {0}; return t[v[0]]; }
int bad_builtin_add(int a, int b) { int r; if (__builtin_add_overflow(a, b, &r)) return a + b; return r; }
int bad_stmt_expr(unsigned char x) { int t[4] = {0}; return t[({ int y = x & 3; y + 1; })]; }
int bad_case_range(unsigned char x) { int t[2] = {0}; switch (x) { case 10 ... 20: return t[x - 10]; default: return 0; } }
int bad_computed(unsigned char x) { static void *l[] = {&&a, &&b}; goto *l[x & 3]; a: return 1; b: return 2; }
int bad_local_label(unsigned char x) { int r = 0; { __label__ out; if (x == 5) goto out; r = 1; out:; } return 10 / r; }
int bad_cleanup(unsigned char x) { extern void cl(int *); __attribute__((cleanup(cl))) int v = x; return v; }
void cl(int *p) { int t[200] = {0}; t[*p] = 1; }
int bad_init_designated(unsigned char x) { int a[] = {[3] = 1, [1] = 2}; return a[x & 7]; }
int bad_sizeof_ptr(char *p) { char b[16]; if (!p) return 0; memset(b, 0, sizeof b); memcpy(b, p, sizeof b); return b[0]; }
int bad_neg_mod(signed char x) { int t[5] = {0}; return t[x % 5]; }
int bad_ushort_minus(unsigned short a) { int t[10] = {0}; if (a - 5 < 10) return t[a - 5]; return 0; }
int bad_u_minus(unsigned a) { int t[10] = {0}; if (a - 5 < 10) return t[a - 4]; return 0; }
int bad_char_shift(signed char c) { return (c + 128) << 24; }
int bad_bitint(unsigned char x) { _BitInt(5) v = (_BitInt(5))(x & 15); v = v + 1; int t[16] = {0}; return t[v]; }
int bad_ptr_cmp(unsigned char x) { int a, b; int *p = x & 1 ? &a : &b; return p < &b; }
int bad_argv(int argc, char **argv) { return argc > 1 ? argv[2][0] : 0; }
int bad_errno_str(int e) { char b[8]; strcpy(b, strerror(e)); return b[0]; }
int bad_ctime(long t) { time_t x = t; return ctime(&x)[0]; }
int bad_raise(unsigned char x) { if (x == 99) raise(SIGFPE); return 0; }
int bad_exit_in(unsigned char x) { if (x == 99) abort(); return 0; }
