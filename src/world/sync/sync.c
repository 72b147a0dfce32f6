/* sync.c: see sync.h. What can be known about an object is in libc's own fields. */
#include "world/sync/sync.h"

#include "world/sync/sync_priv.h"

static const char *const object_words[HEDDLE_EVENT_COUNT] = {
	[HEDDLE_EVENT_READ] = "memory",
	[HEDDLE_EVENT_WRITE] = "memory",
	[HEDDLE_EVENT_ATOMIC] = "atomic",
	[HEDDLE_EVENT_THREAD_START] = "thread",
	[HEDDLE_EVENT_THREAD_END] = "thread",
	[HEDDLE_EVENT_THREAD_CREATE] = "thread",
	[HEDDLE_EVENT_THREAD_JOIN] = "thread",
	[HEDDLE_EVENT_THREAD_DETACH] = "thread",
	[HEDDLE_EVENT_THREAD_CANCEL] = "thread",
	[HEDDLE_EVENT_YIELD] = "yield",
	[HEDDLE_EVENT_SLEEP] = "sleep",
	[HEDDLE_EVENT_MUTEX_LOCK] = "mutex",
	[HEDDLE_EVENT_MUTEX_TRYLOCK] = "mutex",
	[HEDDLE_EVENT_MUTEX_UNLOCK] = "mutex",
	[HEDDLE_EVENT_COND_WAIT] = "condition variable",
	[HEDDLE_EVENT_COND_SIGNAL] = "condition variable",
	[HEDDLE_EVENT_COND_BROADCAST] = "condition variable",
	[HEDDLE_EVENT_RWLOCK_READ_LOCK] = "read-write lock",
	[HEDDLE_EVENT_RWLOCK_WRITE_LOCK] = "read-write lock",
	[HEDDLE_EVENT_RWLOCK_UNLOCK] = "read-write lock",
	[HEDDLE_EVENT_SPIN_LOCK] = "spin lock",
	[HEDDLE_EVENT_SPIN_UNLOCK] = "spin lock",
	[HEDDLE_EVENT_BARRIER_WAIT] = "barrier",
	[HEDDLE_EVENT_SEM_WAIT] = "semaphore",
	[HEDDLE_EVENT_SEM_POST] = "semaphore",
	[HEDDLE_EVENT_ONCE] = "once",
	[HEDDLE_EVENT_FUTEX] = "futex",
	[HEDDLE_EVENT_SYSCALL] = "system call",
	[HEDDLE_EVENT_SIGNAL] = "signal",
	[HEDDLE_EVENT_SKIPPED] = "skipped call",
};

const char *sync_what(enum heddle_event_kind kind)
{
	return (unsigned)kind < HEDDLE_EVENT_COUNT && object_words[kind] ? object_words[kind] : "nothing";
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
	switch (kind) {
	case HEDDLE_EVENT_MUTEX_LOCK:
	case HEDDLE_EVENT_MUTEX_TRYLOCK:
	case HEDDLE_EVENT_MUTEX_UNLOCK:
		return index_of_tid(((const volatile pthread_mutex_t *)object)->__data.__owner);
	case HEDDLE_EVENT_RWLOCK_READ_LOCK:
	case HEDDLE_EVENT_RWLOCK_WRITE_LOCK:
	case HEDDLE_EVENT_RWLOCK_UNLOCK:
		return index_of_tid(((const volatile pthread_rwlock_t *)object)->__data.__cur_writer);
	case HEDDLE_EVENT_SPIN_LOCK:
	case HEDDLE_EVENT_SPIN_UNLOCK:
		return spin_owner(object);
	case HEDDLE_EVENT_THREAD_JOIN:
		joined = sync_thread((pthread_t)(uintptr_t)object);
		return joined ? joined->index : 0;
	default:
		return 0;
	}
}

/* How far from the object's address the words are that libc waits with at such an event. */
static size_t reach_of(enum heddle_event_kind kind)
{
	switch (kind) {
	case HEDDLE_EVENT_MUTEX_LOCK:
		return sizeof(pthread_mutex_t);
	case HEDDLE_EVENT_COND_WAIT:
	case HEDDLE_EVENT_COND_SIGNAL:
	case HEDDLE_EVENT_COND_BROADCAST:
		return sizeof(pthread_cond_t);
	case HEDDLE_EVENT_RWLOCK_READ_LOCK:
	case HEDDLE_EVENT_RWLOCK_WRITE_LOCK:
	case HEDDLE_EVENT_RWLOCK_UNLOCK:
		return sizeof(pthread_rwlock_t);
	case HEDDLE_EVENT_BARRIER_WAIT:
		return sizeof(pthread_barrier_t);
	case HEDDLE_EVENT_SEM_WAIT:
		return sizeof(sem_t);
	case HEDDLE_EVENT_ONCE:
		return sizeof(pthread_once_t);
	case HEDDLE_EVENT_THREAD_JOIN:
		return 4096; /* more than the size of glibc's struct pthread, which it does not publish */
	default:
		return 0;
	}
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
