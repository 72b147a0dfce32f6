/* fake_detect.c: stands in for src/detect where a part of the world is tested alone: it is off. */
#include "detect/detect.h"

struct detect detect;

void detect_acquire(const volatile void *object)
{
	(void)object;
}

void detect_joined(const volatile void *thread)
{
	(void)thread;
}

void detect_release(const volatile void *object)
{
	(void)object;
}

void detect_release_more(const volatile void *object)
{
	(void)object;
}

void detect_locked(const volatile void *lock, enum detect_lock mode, bool is_try, uintptr_t code)
{
	(void)lock;
	(void)mode;
	(void)is_try;
	(void)code;
}

void detect_unlocked(const volatile void *lock)
{
	(void)lock;
}

void detect_wait(const volatile void *mutex)
{
	(void)mutex;
}

void detect_waited(const volatile void *mutex)
{
	(void)mutex;
}

void detect_barrier_made(const volatile void *barrier, uint32_t count)
{
	(void)barrier;
	(void)count;
}

struct round *detect_barrier_reached(const volatile void *barrier)
{
	(void)barrier;
	return NULL;
}

void detect_barrier_left(const volatile void *barrier, struct round *round)
{
	(void)barrier;
	(void)round;
}

void detect_forget(const volatile void *object)
{
	(void)object;
}

void detect_cancelled(struct thread *thread)
{
	(void)thread;
}

void detect_memory_new(const volatile void *start, size_t size_bytes)
{
	(void)start;
	(void)size_bytes;
}

void detect_memory_freed(const volatile void *start, size_t size_bytes, uintptr_t code)
{
	(void)start;
	(void)size_bytes;
	(void)code;
}

void detect_heap_called(void)
{
}

void detect_block_made(const void *block, uintptr_t code)
{
	(void)block;
	(void)code;
}
