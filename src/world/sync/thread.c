/* thread.c: threads themselves, and their names, which the world keeps. */
#include <errno.h>
#include <string.h>

#include "world/kernel/landing.h"
#include "world/memory/heap.h"
#include "world/sync/sync_priv.h"

/* The program may have taken away the right to read its block: then there are none. */
static __attribute__((noinline)) bool read_words(const struct heap_block *block, uintptr_t *words)
{
	struct thread *self = world.current;
	struct landing *outer = self->landing, landing;
	const char *end = (const char *)block->start + block->size;
	bool is_unreadable = landing_prepare(&landing);
	if (!is_unreadable) {
		self->landing = &landing;
		memcpy(&words[0], block->start, sizeof words[0]);
		memcpy(&words[1], end - 2 * sizeof words[0], 2 * sizeof words[0]);
	}
	self->landing = outer;
	return !is_unreadable;
}

static struct beginning beginning_of(uintptr_t start, const void *argument, uintptr_t code)
{
	struct beginning began = { .start = start, .code = code };
	struct heap_block block;
	if (heap_find(argument, &block) && block.state == HEAP_LIVE && block.start == argument &&
	    block.size >= 2 * sizeof began.words[0])
		began.has_words = read_words(&block, began.words);
	return began;
}

_Static_assert(sizeof(struct beginning) <= (OPERATION_OWN - 2) * sizeof(uint64_t), "one is kept in an operation");

/* What is made by this thread until create_after is that thread. A signal handler may do so in between. */
bool create_before(struct operation *operation)
{
	unsigned start = operation->row->object;
	if (!world.is_on)
		return false;
	memcpy(operation->own, &world.current->creates, sizeof world.current->creates);
	world.current->creates = beginning_of(operation->arguments[start],
					      (const void *)operation->arguments[start + 1], operation->code);
	return false;
}

void create_after(struct operation *operation)
{
	if (world.is_on)
		memcpy(&world.current->creates, operation->own, sizeof world.current->creates);
}

/* object: the pthread_t. */
void joined(const struct operation_row *row, const volatile void *object, uintptr_t code)
{
	(void)row;
	(void)code;
	observe_joined((uintptr_t)object);
}

bool cancel_before(struct operation *operation)
{
	struct thread *cancelled = observe_is_on() ? sync_thread((pthread_t)operation->arguments[0]) : NULL;
	if (cancelled)
		observe_cancelled(cancelled->track);
	return false;
}

static int set_name(pthread_t thread, const char *name)
{
	size_t size = 0;
	while (name[size])
		if (++size == NAME_ROOM)
			return ERANGE;
	struct thread *named = sync_thread(thread);
	if (!named)
		return ESRCH;
	memcpy(named->name, name, size + 1);
	named->is_named = true;
	return 0;
}

static int get_name(pthread_t thread, char *to, size_t size_bytes)
{
	if (size_bytes < NAME_ROOM)
		return ERANGE;
	const struct thread *named = sync_thread(thread);
	if (!named)
		return ESRCH;
	memcpy(to, named->name, NAME_ROOM);
	return 0;
}

/* libc asks the kernel through files in /proc named after the thread id, which the kernel does not know. */
bool set_name_before(struct operation *operation)
{
	if (!world.is_on)
		return false;
	operation->result =
		(uint64_t)set_name((pthread_t)operation->arguments[0], (const char *)operation->arguments[1]);
	return true;
}

bool get_name_before(struct operation *operation)
{
	if (!world.is_on)
		return false;
	operation->result = (uint64_t)get_name((pthread_t)operation->arguments[0], (char *)operation->arguments[1],
					       operation->arguments[2]);
	return true;
}
