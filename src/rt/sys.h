/*
 * sys.h: system calls without libc. The program may interpose open, write or mmap, libc's are cancellation points, and
 * both write errno; these do none of it. Each returns what the kernel returns: a result, or a negative errno. Safe in
 * a signal handler and before libc has started.
 */
#ifndef RT_SYS_H
#define RT_SYS_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>

static inline long sys_call(long number, long a, long b, long c, long d, long e, long f)
{
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

static inline bool sys_failed(long result)
{
	return (unsigned long)result > -4096ul;
}

static inline int sys_open(const char *path, int flags)
{
	return (int)sys_call(SYS_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, 0, 0, 0);
}

static inline void sys_close(int fd)
{
	sys_call(SYS_close, fd, 0, 0, 0, 0, 0);
}

static inline ssize_t sys_read(int fd, void *to, size_t size_bytes)
{
	return sys_call(SYS_read, fd, (long)to, (long)size_bytes, 0, 0, 0);
}

static inline ssize_t sys_write(int fd, const void *from, size_t size_bytes)
{
	return sys_call(SYS_write, fd, (long)from, (long)size_bytes, 0, 0, 0);
}

/* The mapping, or a negative errno: test with sys_failed. */
static inline long sys_mmap(size_t size_bytes, int protection, int flags, int fd, uint64_t offset)
{
	return sys_call(SYS_mmap, 0, (long)size_bytes, protection, flags, fd, (long)offset);
}

static inline void sys_munmap(void *at, size_t size_bytes)
{
	sys_call(SYS_munmap, (long)at, (long)size_bytes, 0, 0, 0, 0);
}

static inline int sys_mprotect(uintptr_t at, size_t size_bytes, int protection)
{
	return (int)sys_call(SYS_mprotect, (long)at, (long)size_bytes, protection, 0, 0, 0);
}

static inline int sys_madvise(void *at, size_t size_bytes, int advice)
{
	return (int)sys_call(SYS_madvise, (long)at, (long)size_bytes, advice, 0, 0, 0);
}

/* The size of the open file, or a negative errno. */
static inline int64_t sys_file_size(int fd)
{
	return sys_call(SYS_lseek, fd, 0, 2 /* SEEK_END */, 0, 0, 0);
}

static inline uint32_t sys_pid(void)
{
	return (uint32_t)sys_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static inline uint32_t sys_tid(void)
{
	return (uint32_t)sys_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

static inline void sys_yield(void)
{
	sys_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

#endif
