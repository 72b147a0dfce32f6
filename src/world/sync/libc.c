/*
 * libc.c: functions of libc that order threads beside what they are for, and are no events: locks of a FILE, and what is
 * done at the exit, which is behind those that asked for it.
 */
#include "world/sync/sync_priv.h"

static char handlers; /* its address is all that counts */

void sync_exits(void)
{
	observe_acquire(&handlers);
}

void control_flockfile(FILE *file)
{
	interpose_real(flockfile)(file);
	observe_locked(file, LOCK_RECURSIVE, false, code_here());
}

int control_ftrylockfile(FILE *file)
{
	int result = interpose_real(ftrylockfile)(file);
	if (result == 0)
		observe_locked(file, LOCK_RECURSIVE, true, code_here());
	return result;
}

void control_funlockfile(FILE *file)
{
	observe_unlocked(file);
	interpose_real(funlockfile)(file);
}

int control___cxa_atexit(void (*function)(void *), void *argument, void *object)
{
	observe_release_more(&handlers);
	return interpose_real(__cxa_atexit)(function, argument, object);
}

int control___cxa_at_quick_exit(void (*function)(void *), void *object)
{
	observe_release_more(&handlers);
	return interpose_real(__cxa_at_quick_exit)(function, object);
}

int control_on_exit(void (*function)(int, void *), void *argument)
{
	observe_release_more(&handlers);
	return interpose_real(on_exit)(function, argument);
}

_Noreturn void control_exit(int status)
{
	sync_exits();
	interpose_real(exit)(status);
	__builtin_unreachable();
}

_Noreturn void control_quick_exit(int status)
{
	sync_exits();
	interpose_real(quick_exit)(status);
	__builtin_unreachable();
}
