/* wrap_mem.c: functions that move or fill memory. The bytes go by libc's own
 * function and the labels go with them, so neither costs a loop in the target.
 *
 * Where a size or an address depends on the input, it is fixed by a concretisation:
 * which bytes were written is not something that an expression could say. The
 * fortified names end the process as libc does when the destination is too small.
 *
 * The linker does not wrap memcpy, memmove and memset: the code generator calls them
 * too, for copies whose labels were moved already. Calls in the program's source
 * come here by name. A program that has its own gets it, with the labels.
 */
#include "rt.h"

#include <string.h>

_Noreturn void __chk_fail(void);

/* Is it the program's own, which moves labels by itself? Then it takes over the arguments' labels.
 */
static int is_own(void (*fn)(void), const label *a)
{
	if (((const uint64_t *)fn)[-1] != MUSTER_FUNCTION_MAGIC)
		return 0;
	if (a[0] | a[1] | a[2])
		__muster_tls.owner = (uint64_t)fn;
	return 1;
}

/* Labels of (to, from, n). */
static void check_copy(const void *to, const void *from, size_t n, const label *a)
{
	rt_span(a[0], a[2], to, n);
	rt_span(a[1], a[2], from, n);
}

static void fix_copy(const void *to, const void *from, size_t n, const label *a)
{
	check_copy(to, from, n, a);
	rt_concrete(a[2], MUSTER_REASON_SIZE);
	rt_access(a[0], to, n, MUSTER_REASON_STORE);
	rt_access(a[1], from, n, MUSTER_REASON_ADDRESS);
}

static void *copy(void *to, const void *from, size_t n, const label *a)
{
	fix_copy(to, from, n, a);
	memmove(to, from, n);
	rt_copy(to, from, n);
	rt_moved(to, n);
	return to;
}

/* Labels of (p, c, n). */
static void *fill(void *p, int c, size_t n, const label *a)
{
	rt_span(a[0], a[2], p, n);
	rt_concrete(a[2], MUSTER_REASON_SIZE);
	rt_access(a[0], p, n, MUSTER_REASON_STORE);
	memset(p, c, n);
	label byte = a[1] ? rt_extract(a[1], 0, 8) : 0;
	if (byte)
		for (size_t i = 0; i < n; i++)
			rt_store((char *)p + i, 1, byte);
	else
		rt_clear(p, n);
	rt_moved(p, n);
	return p;
}

RT_EXPORT void *__wrap_memcpy(void *to, const void *from, size_t n)
{
	label a[3];
	rt_enter(__wrap_memcpy, a, 3);
	if (is_own((void (*)(void))memcpy, a))
		return memcpy(to, from, n);
	fix_copy(to, from, n, a);
	memcpy(to, from, n);
	rt_copy(to, from, n);
	rt_moved(to, n);
	return to;
}

RT_EXPORT void *__wrap_memmove(void *to, const void *from, size_t n)
{
	label a[3];
	rt_enter(__wrap_memmove, a, 3);
	if (is_own((void (*)(void))memmove, a))
		return memmove(to, from, n);
	return copy(to, from, n, a);
}

RT_EXPORT void *__wrap_mempcpy(void *to, const void *from, size_t n)
{
	label a[3];
	rt_enter(__wrap_mempcpy, a, 3);
	return (char *)copy(to, from, n, a) + n;
}

RT_EXPORT void *__wrap___mempcpy(void *to, const void *from, size_t n)
{
	label a[3];
	rt_enter(__wrap___mempcpy, a, 3);
	return (char *)copy(to, from, n, a) + n;
}

RT_EXPORT void __wrap_bcopy(const void *from, void *to, size_t n)
{
	label a[3];
	rt_enter(__wrap_bcopy, a, 3);
	label swapped[3] = {a[1], a[0], a[2]};
	copy(to, from, n, swapped);
}

RT_EXPORT void *__wrap_memset(void *p, int c, size_t n)
{
	label a[3];
	rt_enter(__wrap_memset, a, 3);
	if (is_own((void (*)(void))memset, a))
		return memset(p, c, n);
	return fill(p, c, n, a);
}

RT_EXPORT void __wrap_bzero(void *p, size_t n)
{
	label a[2];
	rt_enter(__wrap_bzero, a, 2);
	fill(p, 0, n, (label[]){a[0], 0, a[1]});
}

RT_EXPORT void __wrap_explicit_bzero(void *p, size_t n)
{
	label a[2];
	rt_enter(__wrap_explicit_bzero, a, 2);
	fill(p, 0, n, (label[]){a[0], 0, a[1]});
}

/* What bodies of string functions ask for (libc/copy.c). */
RT_HIDDEN void rt_string_fits(const char *to, const char *from);
RT_HIDDEN void rt_string_fits(const char *to, const char *from)
{
	label a[2];
	rt_enter(rt_string_fits, a, 2);
	rt_check_string(to, from);
}

/* ---------------------------------------------------------- fortified names */

static void check_room(size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
}

RT_EXPORT void *__wrap___memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
	label a[3];
	rt_enter(__wrap___memcpy_chk, a, 3);
	check_copy(to, from, n, a);
	rt_concrete(a[2], MUSTER_REASON_SIZE);
	check_room(n, room);
	return copy(to, from, n, a);
}

RT_EXPORT void *__wrap___memmove_chk(void *to, const void *from, size_t n, size_t room)
{
	label a[3];
	rt_enter(__wrap___memmove_chk, a, 3);
	check_copy(to, from, n, a);
	rt_concrete(a[2], MUSTER_REASON_SIZE);
	check_room(n, room);
	return copy(to, from, n, a);
}

RT_EXPORT void *__wrap___mempcpy_chk(void *to, const void *from, size_t n, size_t room)
{
	label a[3];
	rt_enter(__wrap___mempcpy_chk, a, 3);
	check_copy(to, from, n, a);
	rt_concrete(a[2], MUSTER_REASON_SIZE);
	check_room(n, room);
	return (char *)copy(to, from, n, a) + n;
}

RT_EXPORT void *__wrap___memset_chk(void *p, int c, size_t n, size_t room)
{
	label a[3];
	rt_enter(__wrap___memset_chk, a, 3);
	rt_span(a[0], a[2], p, n);
	rt_concrete(a[2], MUSTER_REASON_SIZE);
	check_room(n, room);
	return fill(p, c, n, a);
}

RT_EXPORT void __wrap___explicit_bzero_chk(void *p, size_t n, size_t room)
{
	label a[2];
	rt_enter(__wrap___explicit_bzero_chk, a, 2);
	rt_span(a[0], a[1], p, n);
	rt_concrete(a[1], MUSTER_REASON_SIZE);
	check_room(n, room);
	fill(p, 0, n, (label[]){a[0], 0, 0});
}
