/* rwlock.c: read-write locks. */
#include "world/sync/sync_priv.h"

void rwlock_read_after(struct operation *operation)
{
	note_locked(operation, LOCK_SHARED);
}

void rwlock_write_after(struct operation *operation)
{
	note_locked(operation, LOCK_EXCLUSIVE);
}
