/* wait.c: semaphores and barriers. */
#include "world/sync/sync_priv.h"

/* A thread that gets through is ordered after all that posted. */
void sem_wait_after(struct operation *operation)
{
	if (operation_succeeded(operation))
		observe_acquire(operation_object(operation));
}

void barrier_init_after(struct operation *operation)
{
	if (operation_succeeded(operation))
		observe_barrier_made(operation_object(operation), (uint32_t)operation->arguments[2]);
}

bool barrier_wait_before(struct operation *operation)
{
	operation->own[0] = (uintptr_t)observe_barrier_reached(operation_object(operation));
	return false;
}

void barrier_wait_after(struct operation *operation)
{
	observe_barrier_left(operation_object(operation), (struct round *)operation->own[0]);
}
