/*
 * fake_world.c: stands in for the world under src/rt/enter/interpose.c and the files of src/world/sync. Threads stay threads of the
 * kernel; each event is a line on descriptor 9, if that is open: kind, what it is about, and whether the code that called
 * is the program's. With HEDDLE=control the control functions are in, else the library does nothing.
 */
#include <errno.h>
#include <string.h>

#include "rt/message.h"
#include "rt/sys.h"
#include "rt/choose.h"
#include "rt/mode.h"
#include "world/functions.h"
#include "world/kernel/landing.h"
#include "world/memory/malloc.h"
#include "world/parts.h"
#include "world/kernel/process.h"
#include "world/kernel/share.h"
#include "world/sync/sync.h"
#include "world/schedule/strategy.h"

#define CODE_ROOM 0x100000ul

struct world world;
static struct thread threads[8];
static struct thread *by_index[THREADS_MAX + 1];
static struct thread *live[8];
static bool is_quiet;

const struct mode mode_pass = { .name = "pass" }, mode_operations = { .name = "operations" },
		  mode_control = { .name = "control",
				   .slot = slots_function,
				   .before = sync_before,
				   .after = sync_after,
				   .announce = sync_announce,
				   .finish = sync_finish };

void (*malloc_foreign_free)(void *block);
size_t (*malloc_foreign_usable)(void *block);

void ordered_free(const volatile void *start, size_t size_bytes, uintptr_t code)
{
	(void)start, (void)size_bytes, (void)code;
}

bool share_is_outside(const volatile void *address)
{
	(void)address;
	return false;
}

bool share_wait(bool is_outside)
{
	return is_outside;
}

void process_random(void *to, size_t size_bytes)
{
	memset(to, 7, size_bytes);
}

bool process_replay_spawn(int *result, int *child)
{
	(void)result;
	(void)child;
	return false;
}

void process_begin_spawn(void)
{
}

void process_end_spawn(int result, int child)
{
	(void)result;
	(void)child;
}

void world_slow(void)
{
	const struct thread *self = world.current;
	struct message message = { .size = 0 };
	if (is_quiet) {
		TALLY->countdown = INT64_MAX;
		return;
	}
	uintptr_t distance = self->code - (uintptr_t)world_real_main + CODE_ROOM;
	message_number(&message, self->kind);
	message_string(&message, " ");
	message_string(&message, sync_what(self->kind));
	message_string(&message, distance < 2 * CODE_ROOM ? "" : " called from elsewhere");
	message.text[message.size++] = '\n';
	sys_write(9, message.text, message.size);
}

enum wake thread_block(struct thread *self)
{
	(void)self;
	sys_yield();
	return WAKE_DONE;
}

void thread_wake(struct thread *thread, enum wake wake)
{
	thread->state = THREAD_RUNNABLE;
	thread->wake = wake;
}

void thread_yield(void)
{
	sys_yield();
}

/* Memory: libc's own. */
/* Nothing faults here. */
bool landing_prepare(struct landing *landing)
{
	(void)landing;
	return false;
}

bool heap_find(const void *at, struct heap_block *out)
{
	(void)at;
	(void)out;
	return false;
}

void report_limit(const char *text, const char *subject)
{
	(void)text;
	(void)subject;
}

void *control_malloc(size_t size)
{
	return interpose_real(malloc)(size);
}

void *control_calloc(size_t count, size_t size)
{
	return interpose_real(calloc)(count, size);
}

void *control_realloc(void *block, size_t size)
{
	return interpose_real(realloc)(block, size);
}

void *control_reallocarray(void *block, size_t count, size_t size)
{
	return interpose_real(reallocarray)(block, count, size);
}

void control_free(void *block)
{
	interpose_real(free)(block);
}

void *control_memalign(size_t alignment, size_t size)
{
	return interpose_real(memalign)(alignment, size);
}

void *control_aligned_alloc(size_t alignment, size_t size)
{
	return interpose_real(aligned_alloc)(alignment, size);
}

int control_posix_memalign(void **out, size_t alignment, size_t size)
{
	return interpose_real(posix_memalign)(out, alignment, size);
}

void *control_valloc(size_t size)
{
	return interpose_real(valloc)(size);
}

void *control_pvalloc(size_t size)
{
	return interpose_real(pvalloc)(size);
}

size_t control_malloc_usable_size(void *block)
{
	return interpose_real(malloc_usable_size)(block);
}

static void check(bool is_right, const char *what)
{
	struct message message;
	if (is_right)
		return;
	message_begin(&message);
	message_string(&message, "wrong: ");
	message_string(&message, what);
	message_end(&message);
}

/* An operation as the entrance makes it. */
static int call(size_t index, pthread_spinlock_t *lock)
{
	return ((int (*)(pthread_spinlock_t *, int))(uintptr_t)operation_function(index))(lock, 0);
}

/* What sync.h tells about objects, with threads that are not there. */
static void check_objects(void)
{
	static struct thread blocked;
	pthread_mutex_t mutex = { .__data = { .__owner = WORLD_PID + 2 } };
	pthread_rwlock_t rwlock = { .__data = { .__cur_writer = WORLD_PID + 1 } };
	pthread_spinlock_t spin;
	pthread_cond_t condition = { 0 };

	check(sync_owner(HEDDLE_EVENT_MUTEX_LOCK, &mutex) == 3, "owner of a mutex");
	check(sync_owner(HEDDLE_EVENT_RWLOCK_READ_LOCK, &rwlock) == 2, "writer of a read-write lock");
	mutex.__data.__owner = 77;
	check(sync_owner(HEDDLE_EVENT_MUTEX_LOCK, &mutex) == 0, "owner outside of the world");
	mutex.__data.__owner = WORLD_PID + 3;
	check(sync_owner(HEDDLE_EVENT_MUTEX_LOCK, &mutex) == 0, "owner that never was");
	check(sync_owner(HEDDLE_EVENT_SEM_WAIT, &mutex) == 0, "owner of a semaphore");

	is_quiet = true;
	call(INTERPOSE_pthread_spin_init, &spin);
	check(sync_owner(HEDDLE_EVENT_SPIN_LOCK, &spin) == 0, "owner of a free spin lock");
	call(INTERPOSE_pthread_spin_lock, &spin);
	check(sync_owner(HEDDLE_EVENT_SPIN_LOCK, &spin) == 1, "owner of a spin lock");
	check(call(INTERPOSE_pthread_spin_trylock, &spin) == EBUSY, "a spin lock that is taken");
	call(INTERPOSE_pthread_spin_unlock, &spin);
	check(sync_owner(HEDDLE_EVENT_SPIN_LOCK, &spin) == 0, "owner of a spin lock given back");
	is_quiet = false;

	threads[2] = (struct thread){ .index = 2, .fs_base = 0x1000, .state = THREAD_ENDED };
	threads[3] = (struct thread){ .index = 3, .fs_base = 0x1000, .state = THREAD_ENDED };
	check(sync_thread(0x1000) == &threads[3], "the youngest of those that ended");
	threads[2].state = THREAD_RUNNABLE;
	live[world.live_count++] = &threads[2];
	check(sync_owner(HEDDLE_EVENT_THREAD_JOIN, (void *)0x1000) == 2, "who is joined");
	world.live_count--;
	check(sync_owner(HEDDLE_EVENT_THREAD_JOIN, (void *)0x2000) == 0, "nobody is joined");

	mutex.__data.__owner = WORLD_PID + 1;
	blocked = (struct thread){ .kind = HEDDLE_EVENT_COND_WAIT,
				   .object = &condition,
				   .wait = { .kind = WAIT_FUTEX, .object = (char *)&condition + 40 } };
	check(strcmp(sync_obstacle(&blocked).what, "condition variable") == 0, "waits for a condition");
	blocked.wait.object = &mutex;
	struct sync_obstacle obstacle = sync_obstacle(&blocked);
	check(strcmp(obstacle.what, "mutex") == 0 && obstacle.object == &mutex && obstacle.owner == 2,
	      "waits for the mutex of a condition");

	blocked.kind = HEDDLE_EVENT_MUTEX_LOCK;
	blocked.object = &mutex;
	check(sync_obstacle(&blocked).owner == 2, "waits for a mutex");
	blocked.wait.object = &condition;
	check(strcmp(sync_obstacle(&blocked).what, "futex") == 0, "waits for something else than it said");

	for (int kind = 0; kind <= HEDDLE_EVENT_COUNT; kind++)
		check(sync_what((enum heddle_event_kind)kind)[0] != '\0', "a kind without a name");
}

static void check_lookup(void)
{
	struct lookup lookups[] = { { .name = "there_is_no_such_function" },
				    { .name = "environ" },
				    { .name = "getenv" } };
	lookup_next(lookups, 3);
	check(!lookups[0].address, "found what is not there");
	check(!lookups[1].address, "found data");
	check(lookups[2].address != NULL, "did not find getenv");
	for (size_t i = 0; i < INTERPOSE_COUNT; i++)
		check(interpose_reals[i].address != NULL, interpose_reals[i].name);
}

int world_main(int argc, char **argv, char **environment)
{
	check(choose_mode() == &mode_control, "control was not asked for");
	check(world_real_main != NULL && world_real_main != world_main, "main");
	check_lookup();
	check_objects();
	threads[2].fs_base = threads[3].fs_base = 0;
	world.decides_sync = sys_call(SYS_fcntl, 9, F_GETFD, 0, 0, 0, 0) >= 0;
	TALLY->countdown = INT64_MAX;
	return world_real_main(argc, argv, environment);
}

__attribute__((constructor)) static void start(void)
{
	if (choose_mode() != &mode_control)
		return;
	if (tally_start() < 0)
		sys_call(SYS_exit_group, 3, 0, 0, 0, 0, 0);
	world = (struct world){
		.threads = threads, .live = live, .live_count = 1, .by_index = by_index, .place_count = 3, .last_index = 3
	};
	for (uint32_t i = 1; i <= 3; i++)
		by_index[i] = &threads[i];
	world.current = live[0] = &threads[1];
	threads[1].index = 1;
	entrance_open(&mode_control);
	slots_take(true);
	world.is_on = true;
}
