/*
 * libc.c: functions of libc that order threads as a side effect and are not events: locks of a FILE, and handlers
 * that run at exit, which are ordered after their registration.
 */
#include "world/sync/sync_priv.h"

static char handlers; /* its address is all that counts */

void sync_exits(void)
{
	observe_acquire(&handlers);
}

void file_locked(const struct operation_row *row, const volatile void *object, uintptr_t code)
{
	observe_locked(object, LOCK_RECURSIVE, row->is_try, code);
}

bool exit_handler_before(struct operation *operation)
{
	(void)operation;
	observe_release_more(&handlers);
	return false;
}

bool exit_before(struct operation *operation)
{
	(void)operation;
	sync_exits();
	return false;
}
