/*
 * exception.c: C++ exceptions that several threads share through std::exception_ptr. The C++ library counts the
 * references by instructions of its own, and the thread that gives up the last one destroys the exception: what all
 * others did with it is ordered before that. An exception is identified by the heap block that it is in.
 */
#include "world/memory/heap.h"
#include "world/sync/sync_priv.h"

static const volatile void *block_of(const void *exception)
{
	struct heap_block block;
	return observe_is_on() && exception && heap_find(exception, &block) ? block.start : NULL;
}

/* The current thread gives it up, and may be the last. */
static void give_up(const volatile void *block)
{
	if (!block)
		return;
	observe_release_more(block);
	observe_acquire(block);
}

/* What is caught and not yet left, for each thread. Those nested deeper are not known. */
void catch_begin_after(struct operation *operation)
{
	struct thread *self = world.current;
	if (observe_is_on() && self->caught_count++ < MAX_CAUGHT)
		self->caught[self->caught_count - 1] = block_of((const void *)operation->result);
}

bool catch_end_before(struct operation *operation)
{
	struct thread *self = world.current;
	(void)operation;
	if (observe_is_on() && self->caught_count && --self->caught_count < MAX_CAUGHT)
		give_up(self->caught[self->caught_count]);
	return false;
}

bool exception_release_before(struct operation *operation)
{
	give_up(block_of(*(void *const *)operation->arguments[0]));
	return false;
}
