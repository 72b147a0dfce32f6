/*
 * cond.c: condition variables. libc gives the mutex back and takes it again by itself; when it has to wait for it, it is by a
 * futex. A thread that is cancelled while it waits has the mutex again before its handlers run.
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
