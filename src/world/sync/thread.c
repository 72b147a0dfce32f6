/* thread.c: events of threads themselves, and their names, which the world keeps. */
#include <errno.h>
#include <string.h>

#include "world/kernel/landing.h"
#include "world/memory/heap.h"
#include "world/sync/sync_priv.h"

/* The program may have taken away the right to read its block: then there are none. */
static __attribute__((noinline)) bool read_words(const struct heap_block *block, uintptr_t *words)
{
	struct thread *self = world.current;
	struct landing *outer = self->landing, landing;
	const char *end = (const char *)block->start + block->size;
	bool is_unreadable = landing_prepare(&landing);
	if (!is_unreadable) {
		self->landing = &landing;
		memcpy(&words[0], block->start, sizeof words[0]);
		memcpy(&words[1], end - 2 * sizeof words[0], 2 * sizeof words[0]);
	}
	self->landing = outer;
	return !is_unreadable;
}

static struct beginning beginning_of(uintptr_t start, const void *argument, uintptr_t code)
{
	struct beginning began = { .start = start, .code = code };
	struct heap_block block;
	if (heap_find(argument, &block) && block.state == HEAP_LIVE && block.start == argument &&
	    block.size >= 2 * sizeof began.words[0])
		began.has_words = read_words(&block, began.words);
	return began;
}

/* Call create between these two: what is made meanwhile by this thread is that thread. A signal handler may do so in between. */
static struct beginning before_create(uintptr_t start, const void *argument, uintptr_t code)
{
	struct beginning outer = { 0 };
	if (world.is_on) {
		outer = world.current->creates;
		world.current->creates = beginning_of(start, argument, code);
	}
	return outer;
}

static int after_create(int result, const struct beginning *outer)
{
	if (world.is_on)
		world.current->creates = *outer;
	return result;
}

int control_pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
			   void *(*start)(void *), void *restrict argument)
{
	announce(HEDDLE_EVENT_THREAD_CREATE, object_of_code((uintptr_t)start));
	struct beginning outer = before_create((uintptr_t)start, argument, code_here());
	return after_create(interpose_real(pthread_create)(thread, attributes, start, argument), &outer);
}

int control_thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
	announce(HEDDLE_EVENT_THREAD_CREATE, object_of_code((uintptr_t)start));
	struct beginning outer = before_create((uintptr_t)start, argument, code_here());
	return after_create(interpose_real(thrd_create)(thread, start, argument), &outer);
}

static const volatile void *object_of(pthread_t thread)
{
	return (const volatile void *)(uintptr_t)thread;
}

/* Passes the result on. */
static inline int joined(int result, pthread_t thread)
{
	if (result == 0)
		observe_joined(thread);
	return result;
}

int control_pthread_join(pthread_t thread, void **result)
{
	announce(HEDDLE_EVENT_THREAD_JOIN, object_of(thread));
	return joined(interpose_real(pthread_join)(thread, result), thread);
}

int control_thrd_join(thrd_t thread, int *result)
{
	announce(HEDDLE_EVENT_THREAD_JOIN, object_of(thread));
	return joined(interpose_real(thrd_join)(thread, result), thread);
}

int control_pthread_tryjoin_np(pthread_t thread, void **result)
{
	bool is_again = announce_try(HEDDLE_EVENT_THREAD_JOIN, object_of(thread));
	int code = after_try(is_again, interpose_real(pthread_tryjoin_np)(thread, result), EBUSY);
	return joined(code, thread);
}

int control_pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until)
{
	announce(HEDDLE_EVENT_THREAD_JOIN, object_of(thread));
	return joined(interpose_real(pthread_timedjoin_np)(thread, result, until), thread);
}

int control_pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct timespec *until)
{
	announce(HEDDLE_EVENT_THREAD_JOIN, object_of(thread));
	return joined(interpose_real(pthread_clockjoin_np)(thread, result, clock, until), thread);
}

int control_pthread_detach(pthread_t thread)
{
	announce(HEDDLE_EVENT_THREAD_DETACH, object_of(thread));
	return interpose_real(pthread_detach)(thread);
}

int control_thrd_detach(thrd_t thread)
{
	announce(HEDDLE_EVENT_THREAD_DETACH, object_of(thread));
	return interpose_real(thrd_detach)(thread);
}

_Noreturn void control_pthread_exit(void *result)
{
	announce(HEDDLE_EVENT_THREAD_END, NULL);
	interpose_real(pthread_exit)(result);
	__builtin_unreachable();
}

_Noreturn void control_thrd_exit(int result)
{
	announce(HEDDLE_EVENT_THREAD_END, NULL);
	interpose_real(thrd_exit)(result);
	__builtin_unreachable();
}

int control_pthread_cancel(pthread_t thread)
{
	announce(HEDDLE_EVENT_THREAD_CANCEL, object_of(thread));
	struct thread *cancelled = observe_is_on() ? sync_thread(thread) : NULL;
	if (cancelled)
		observe_cancelled(cancelled->track);
	return interpose_real(pthread_cancel)(thread);
}

void control_pthread_testcancel(void)
{
	bool is_again = announce_try(HEDDLE_EVENT_THREAD_CANCEL, NULL);
	interpose_real(pthread_testcancel)();
	if (is_again)
		thread_yield();
}

/* libc asks the kernel through files in /proc named after the thread id, which the kernel does not know. */
int control_pthread_setname_np(pthread_t thread, const char *name)
{
	if (!world.is_on)
		return interpose_real(pthread_setname_np)(thread, name);
	size_t size = 0;
	while (name[size])
		if (++size == NAME_ROOM)
			return ERANGE;
	struct thread *named = sync_thread(thread);
	if (!named)
		return ESRCH;
	memcpy(named->name, name, size + 1);
	named->is_named = true;
	return 0;
}

int control_pthread_getname_np(pthread_t thread, char *to, size_t size_bytes)
{
	if (!world.is_on)
		return interpose_real(pthread_getname_np)(thread, to, size_bytes);
	if (size_bytes < NAME_ROOM)
		return ERANGE;
	const struct thread *named = sync_thread(thread);
	if (!named)
		return ESRCH;
	memcpy(to, named->name, NAME_ROOM);
	return 0;
}
