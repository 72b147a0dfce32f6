/* without.c: see without.h. */
#include "world/sync/without.h"

#include <string.h>

#include "world/kernel/landing.h"
#include "world/parts.h"
#include "world/sync/sync_priv.h"

#define MAX_ADDRESSES (2 * HEDDLE_SKIPS) /* an object may be loaded again, elsewhere */
#define MAX_TAKEN 1024u
#define MAX_ROUNDS 64u
#define MAX_DEPTH 16u
#define MAX_FRAME_BYTES (1ul << 20)
#define FRAME_AT 144u /* behind an operation, which operation_enter has on the stack, is its frame */

_Static_assert(sizeof(struct operation) == FRAME_AT, "the frame is right behind it");
_Static_assert(sizeof(pthread_mutex_t) <= (OPERATION_OWN - 2) * sizeof(uint64_t), "one is kept in an operation");

static struct address {
	uintptr_t code;
	uint32_t number; /* in options.without */
} addresses[MAX_ADDRESSES];
static uint32_t address_count;

/* Skipped locks that were not unlocked yet, by the order in which they were taken. */
static struct taken {
	const volatile void *object;
	uint32_t thread;      /* index */
	uint32_t real_inside; /* acquisitions by the same thread since, which are real */
} taken[MAX_TAKEN];
static uint32_t taken_count;

/* Barriers that skipped threads have reached. */
static struct arrival {
	const volatile void *barrier;
	uint32_t reached;
} arrivals[MAX_ROUNDS];

void without_attach(const struct object *object)
{
	for (uint32_t i = 0; i < options.without_count; i++) {
		const struct option_without *one = &options.without[i];
		if (memcmp(one->build, object->build->id, sizeof one->build) != 0)
			continue;
		if (address_count == MAX_ADDRESSES) {
			report_limit(
				"--without: too many files with skipped calls are loaded; calls are not skipped in",
				object->path);
			return;
		}
		addresses[address_count++] =
			(struct address){ (uintptr_t)object->header + (uintptr_t)(intptr_t)one->distance, i };
	}
}

/* The kind of a return address, and its number; 0: none of ours. */
static uint8_t find(uintptr_t code, uint32_t *number)
{
	for (uint32_t i = 0; i < address_count; i++)
		if (addresses[i].code == code) {
			*number = addresses[i].number;
			return options.without[*number].kind;
		}
	return 0;
}

/* The stack is the program's: read with a landing. */
static __attribute__((noinline)) bool comes_from_outer(const struct operation *operation, uint32_t *number)
{
	struct thread *self = world.current;
	struct landing *outer = self->landing, landing;
	volatile bool is_found = false;
	if (!landing_prepare(&landing)) {
		self->landing = &landing;
		const uintptr_t *frame = (const uintptr_t *)((const char *)operation + FRAME_AT);
		for (unsigned depth = 0; depth < MAX_DEPTH && !is_found; depth++) {
			uintptr_t here = (uintptr_t)frame, next = frame[0];
			if (next <= here || next - here >= MAX_FRAME_BYTES || next % sizeof next)
				break;
			frame = (const uintptr_t *)next;
			uint8_t kind = find(frame[1], number);
			is_found = kind == WITHOUT_OUTER;
			if (kind != WITHOUT_INNER)
				break;
		}
	}
	self->landing = outer;
	return is_found;
}

static bool is_named(const struct operation *operation, uint32_t *number)
{
	uint8_t kind = find(operation->code, number);
	return kind == WITHOUT_CALL || (kind == WITHOUT_INNER && comes_from_outer(operation, number));
}

static struct taken *find_taken(const volatile void *object)
{
	for (uint32_t i = taken_count; i-- > 0;)
		if (taken[i].object == object && taken[i].thread == world.current->index)
			return &taken[i];
	return NULL;
}

static bool is_lock(enum operation_kind kind)
{
	return kind == OPERATION_MUTEX_LOCK || kind == OPERATION_RWLOCK_READ_LOCK ||
	       kind == OPERATION_RWLOCK_WRITE_LOCK || kind == OPERATION_SPIN_LOCK;
}

static bool is_unlock(enum operation_kind kind)
{
	return kind == OPERATION_MUTEX_UNLOCK || kind == OPERATION_RWLOCK_UNLOCK || kind == OPERATION_SPIN_UNLOCK;
}

static bool is_skippable(enum operation_kind kind)
{
	return is_lock(kind) || is_unlock(kind) || kind == OPERATION_COND_WAIT || kind == OPERATION_COND_SIGNAL ||
	       kind == OPERATION_COND_BROADCAST || kind == OPERATION_BARRIER_WAIT || kind == OPERATION_SEM_WAIT ||
	       kind == OPERATION_SEM_POST || kind == OPERATION_THREAD_JOIN;
}

enum without_role without_role(const struct operation *operation)
{
	enum operation_kind kind = operation_kind(operation);
	uint32_t number;
	if (!is_skippable(kind))
		return WITHOUT_NOTHING;
	struct taken *mine =
		find_taken(kind == OPERATION_COND_WAIT ? operation_second(operation) : operation_object(operation));
	/* First, so that a pair of a lock and its unlock that are both named is balanced. */
	if (is_unlock(kind) && mine) {
		if (!mine->real_inside)
			return WITHOUT_MATCHING;
		mine->real_inside--;
		return WITHOUT_NOTHING;
	}
	if (is_named(operation, &number)) {
		if (!is_lock(kind) || taken_count < MAX_TAKEN)
			return WITHOUT_SKIPPED;
		report_limit("--without: too many skipped locks are held at once; a lock was not skipped", NULL);
	}
	if (kind == OPERATION_COND_WAIT && mine && !mine->real_inside)
		return WITHOUT_UNOWNED;
	return is_lock(kind) && mine ? WITHOUT_COUNTED : WITHOUT_NOTHING;
}

/* libc has the number of threads that a barrier waits for in its third word. One thread of each round gets that as the result. */
static uint64_t barrier_result(const volatile void *barrier)
{
	uint32_t count = ((const volatile uint32_t *)barrier)[2];
	struct arrival *arrival = &arrivals[((uintptr_t)barrier >> 3) % MAX_ROUNDS];
	if (arrival->barrier != barrier)
		*arrival = (struct arrival){ barrier, 0 };
	if (++arrival->reached < count)
		return 0;
	arrival->reached = 0;
	return (uint64_t)PTHREAD_BARRIER_SERIAL_THREAD;
}

/* The thread that is not waited for has no result. */
static void clear_joined(const struct operation *operation)
{
	bool is_c11 = operation->row->real == &interpose_reals[INTERPOSE_thrd_join].address;
	void *to = (void *)operation->arguments[1];
	if (to && is_c11)
		*(int *)to = 0;
	else if (to)
		*(void **)to = NULL;
}

void without_skip(struct operation *operation)
{
	enum operation_kind kind = operation_kind(operation);
	uint32_t number = 0;
	operation->result = 0;
	if (is_named(operation, &number))
		world.channel->skipped[number]++;
	if (is_lock(kind))
		taken[taken_count++] = (struct taken){ operation_object(operation), world.current->index, 0 };
	else if (kind == OPERATION_BARRIER_WAIT)
		operation->result = barrier_result(operation_object(operation));
	else if (kind == OPERATION_THREAD_JOIN)
		clear_joined(operation);
}

void without_match(struct operation *operation)
{
	uint32_t number, at = (uint32_t)(find_taken(operation_object(operation)) - taken);
	if (is_named(operation, &number))
		world.channel->skipped[number]++;
	memmove(&taken[at], &taken[at + 1], (--taken_count - at) * sizeof taken[0]);
	operation->result = 0;
}

/* libc's condition variables do not know their mutexes: any that the thread has will do, so it gets one of its own. */
void without_lend(struct operation *operation)
{
	pthread_mutex_t *own = (pthread_mutex_t *)operation->own;
	memset(own, 0, sizeof *own);
	interpose_real(pthread_mutex_lock)(own);
	operation->arguments[operation->row->second] = (uintptr_t)own;
}

void without_count(const struct operation *operation)
{
	struct taken *mine = find_taken(operation_object(operation));
	if (mine)
		mine->real_inside++;
}
