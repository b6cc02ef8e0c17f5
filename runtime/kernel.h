/* kernel.h: system calls of the drivers, which are linked with the program.
 *
 * libc's names are wrapped in the traced variant, and so is its syscall(): a program that uses it reads data unseen, which the trace
 * says (unseen.c). The drivers' own calls must go past all of this. Results and errno are those of syscall().
 */
#ifndef MUSTER_RT_KERNEL_H
#define MUSTER_RT_KERNEL_H

#include <errno.h>
#include <stdarg.h>

/* Parameters beyond those that a call has are not looked at, as in libc's. */
static inline __attribute__((unused)) long __muster_kernel(long number, ...)
{
	long a[6], result;
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	register long r10 __asm__("r10") = a[3], r8 __asm__("r8") = a[4], r9 __asm__("r9") = a[5];
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	if ((unsigned long)result > -4096UL) {
		errno = (int)-result;
		return -1;
	}
	return result;
}
#define syscall __muster_kernel

#endif
