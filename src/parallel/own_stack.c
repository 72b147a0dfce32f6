/*
 * own_stack.c: see own_stack.h. glibc places a thread's control block at the upper end of its stack, and an area that cannot be read
 * below the lower end. One call reads a byte of each page from the control block down, and stops where it fails.
 */
#include "parallel/own_stack.h"

#include <sys/uio.h>

#include "rt/sys.h"

#define PAGE 4096ul
#define PAGES (OWN_STACK_BYTES / PAGE)

void own_stack_find(uintptr_t *start, size_t *size_bytes)
{
	uintptr_t self;
	unsigned char bytes[PAGES];
	struct iovec from[PAGES], to = { bytes, sizeof bytes };
	__asm__("movq %%fs:0, %0" : "=r"(self));
	uintptr_t top = self & -PAGE;
	for (size_t i = 0; i < PAGES; i++)
		from[i] = (struct iovec){ (void *)(top - i * PAGE), 1 };
	long got = sys_call(SYS_process_vm_readv, sys_pid(), (long)&to, 1, (long)from, PAGES, 0);
	size_t pages = got > 0 ? (size_t)got : 1;
	*start = top - (pages - 1) * PAGE;
	*size_bytes = self - *start;
}
