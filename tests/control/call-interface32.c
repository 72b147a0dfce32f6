/* The 32-bit interface has other numbers: 20 is getpid there and writev here. */
#include "check.h"

int main(void)
{
	long result;
	__asm__ volatile("int $0x80" : "=a"(result) : "0"(20L) : "memory");
	printf("%d\n", result == getpid());
	return 0;
}
/*
 * ends: refused
 * skip: native
 */
