/* wait.c: semaphores and barriers. */
#include "world/sync/sync_priv.h"

void acquired(const struct operation_row *row, const volatile void *object, uintptr_t code)
{
	(void)row;
	(void)code;
	observe_acquire(object);
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
