/* sync.c: see sync.h. What can be known about an object is in libc's own fields. */
#include "world/sync/sync.h"

#include "heddle/events.h"
#include "world/sync/sync_priv.h"

#define WORD(ID, word, named) [HEDDLE_OBJECT_##ID] = word,
static const char *const words[HEDDLE_OBJECT_COUNT] = { HEDDLE_OBJECTS(WORD) };

const char *sync_what(enum heddle_event_kind kind)
{
	return words[heddle_event_object(kind)];
}

/* libc writes the thread id that the world gave it. */
static uint32_t index_of_tid(int64_t tid)
{
	int64_t index = tid - WORLD_PID + 1;
	return index >= 1 && index <= (int64_t)world.last_index ? (uint32_t)index : 0;
}

uint32_t sync_owner(enum heddle_event_kind kind, const volatile void *object)
{
	const struct thread *joined;
	switch (heddle_event_object(kind)) {
	case HEDDLE_OBJECT_MUTEX:
		return index_of_tid(((const volatile pthread_mutex_t *)object)->__data.__owner);
	case HEDDLE_OBJECT_RWLOCK:
		return index_of_tid(((const volatile pthread_rwlock_t *)object)->__data.__cur_writer);
	case HEDDLE_OBJECT_SPIN:
		return spin_owner(object);
	case HEDDLE_OBJECT_THREAD:
		joined = kind == HEDDLE_EVENT_THREAD_JOIN ? sync_thread((pthread_t)(uintptr_t)object) : NULL;
		return joined ? joined->index : 0;
	case HEDDLE_OBJECT_NOTHING:
	case HEDDLE_OBJECT_MEMORY:
	case HEDDLE_OBJECT_ATOMIC:
	case HEDDLE_OBJECT_YIELD:
	case HEDDLE_OBJECT_SLEEP:
	case HEDDLE_OBJECT_CONDITION:
	case HEDDLE_OBJECT_BARRIER:
	case HEDDLE_OBJECT_SEMAPHORE:
	case HEDDLE_OBJECT_ONCE:
	case HEDDLE_OBJECT_FUTEX:
	case HEDDLE_OBJECT_SYSCALL:
	case HEDDLE_OBJECT_SIGNAL:
	case HEDDLE_OBJECT_SKIPPED:
	case HEDDLE_OBJECT_COUNT:
		break;
	}
	return 0;
}

/* How far from the object's address the words are that libc waits with at such an event. */
static size_t reach_of(enum heddle_event_kind kind)
{
	switch (heddle_event_object(kind)) {
	case HEDDLE_OBJECT_MUTEX:
		return sizeof(pthread_mutex_t);
	case HEDDLE_OBJECT_CONDITION:
		return sizeof(pthread_cond_t);
	case HEDDLE_OBJECT_RWLOCK:
		return sizeof(pthread_rwlock_t);
	case HEDDLE_OBJECT_BARRIER:
		return sizeof(pthread_barrier_t);
	case HEDDLE_OBJECT_SEMAPHORE:
		return sizeof(sem_t);
	case HEDDLE_OBJECT_ONCE:
		return sizeof(pthread_once_t);
	case HEDDLE_OBJECT_THREAD: /* more than the size of glibc's struct pthread, which it does not publish */
		return kind == HEDDLE_EVENT_THREAD_JOIN ? 4096 : 0;
	case HEDDLE_OBJECT_SPIN: /* waits without libc */
	case HEDDLE_OBJECT_NOTHING:
	case HEDDLE_OBJECT_MEMORY:
	case HEDDLE_OBJECT_ATOMIC:
	case HEDDLE_OBJECT_YIELD:
	case HEDDLE_OBJECT_SLEEP:
	case HEDDLE_OBJECT_FUTEX:
	case HEDDLE_OBJECT_SYSCALL:
	case HEDDLE_OBJECT_SIGNAL:
	case HEDDLE_OBJECT_SKIPPED:
	case HEDDLE_OBJECT_COUNT:
		break;
	}
	return 0;
}

struct sync_obstacle sync_obstacle(const struct thread *thread)
{
	enum heddle_event_kind kind = thread->kind;
	const volatile void *object = thread->object;
	uintptr_t distance = (uintptr_t)thread->wait.object - (uintptr_t)object;
	if (thread->wait.kind == WAIT_FUTEX && distance >= reach_of(kind)) {
		/* The word that a mutex waits with is its first, so the address of one is that of the other. */
		kind = kind == HEDDLE_EVENT_COND_WAIT ? HEDDLE_EVENT_MUTEX_LOCK : HEDDLE_EVENT_FUTEX;
		object = thread->wait.object;
	}
	return (struct sync_obstacle){ sync_what(kind), object, sync_owner(kind, object) };
}

/* glibc's pthread_t is the thread's fs base, and the first word there is its own address. */
struct thread *sync_thread(pthread_t handle)
{
	uintptr_t self;
	__asm__("mov %%fs:0, %0" : "=r"(self));
	if (self == handle)
		return world.current;
	for (uint32_t i = 0; i < world.live_count; i++)
		if (world.live[i]->fs_base == handle && world.live[i] != world.current)
			return world.live[i];
	/* The last one that had it and has ended. */
	struct thread *ended = NULL;
	for (uint32_t i = 1; i <= world.place_count; i++) {
		struct thread *thread = &world.threads[i];
		if (thread->fs_base == handle && thread->state == THREAD_ENDED &&
		    (!ended || thread->index > ended->index))
			ended = thread;
	}
	return ended;
}
