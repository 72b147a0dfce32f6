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

void file_lock_after(struct operation *operation)
{
	note_locked(operation, LOCK_RECURSIVE);
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
