/* sync_thread.c: events of threads themselves, and their names, which the world keeps. */
#include <errno.h>
#include <string.h>

#include "world/sync_priv.h"

int control_pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
			   void *(*start)(void *), void *restrict argument)
{
	announce(HEDDLE_EVENT_THREAD_CREATE, object_of_code((uintptr_t)start));
	return interpose_real(pthread_create)(thread, attributes, start, argument);
}

int control_thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
	announce(HEDDLE_EVENT_THREAD_CREATE, object_of_code((uintptr_t)start));
	return interpose_real(thrd_create)(thread, start, argument);
}

static const volatile void *object_of(pthread_t thread)
{
	return (const volatile void *)(uintptr_t)thread;
}

/* Passes the result on. */
static inline int joined(int result, pthread_t thread)
{
	if (result == 0)
		detect_joined(object_of(thread));
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
	struct thread *cancelled = detect.is_on ? sync_thread(thread) : NULL;
	if (cancelled)
		detect_cancelled(cancelled);
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
