/*
 * cond.c: condition variables. libc releases the mutex and takes it again by itself; when it has to wait for the
 * mutex, it uses a futex. A thread that is cancelled while it waits has the mutex again before its handlers run.
 */
#include "world/sync/sync_priv.h"

bool cond_wait_before(struct operation *operation)
{
	observe_wait(operation_second(operation));
	return false;
}

void cond_wait_after(struct operation *operation)
{
	observe_waited(operation_second(operation));
}
