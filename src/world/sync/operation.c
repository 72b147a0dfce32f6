/*
 * operation.c: control as a client of the entrance: one row says what control does with each kind of operation. No row calls the real
 * function; the entrance does, unless `before` has done the work.
 */
#include "world/parts.h"
#include "world/sync/sync_priv.h"
#include "world/sync/without.h"

enum {
	LOOK = 1, /* it queries something and never waits: whatever it returns, a loop of such calls waits for others */
	OWN = 2, /* `before` and `after` are for the world itself; those of the other rows are for the observer alone */
};

static const struct reaction {
	uint8_t event;     /* enum heddle_event_kind; NONE: it is no event */
	uint8_t try_event; /* the same for functions that do not wait; NONE: as event */
	uint8_t flags;
	bool (*before)(struct operation *operation);
	void (*after)(struct operation *operation);
	/* What the observer learns before, when it is about the object alone, and afterwards, when the function succeeded. */
	void (*tell)(const volatile void *object);
	void (*finish)(const struct operation_row *row, const volatile void *object, uintptr_t code);
} rows[OPERATION_KINDS] = {
	[OPERATION_THREAD_CREATE] = { .event = HEDDLE_EVENT_THREAD_CREATE,
				      .flags = OWN,
				      .before = create_before,
				      .after = create_after },
	[OPERATION_THREAD_JOIN] = { .event = HEDDLE_EVENT_THREAD_JOIN, .finish = joined },
	[OPERATION_THREAD_DETACH] = { .event = HEDDLE_EVENT_THREAD_DETACH },
	[OPERATION_THREAD_EXIT] = { .event = HEDDLE_EVENT_THREAD_END },
	[OPERATION_THREAD_CANCEL] = { .event = HEDDLE_EVENT_THREAD_CANCEL, .before = cancel_before },
	[OPERATION_THREAD_TEST_CANCEL] = { .event = HEDDLE_EVENT_THREAD_CANCEL, .flags = LOOK },
	[OPERATION_THREAD_SET_NAME] = { .flags = OWN, .before = set_name_before },
	[OPERATION_THREAD_GET_NAME] = { .flags = OWN, .before = get_name_before },
	[OPERATION_MUTEX_INIT] = { .tell = observe_forget },
	[OPERATION_MUTEX_LOCK] = { .event = HEDDLE_EVENT_MUTEX_LOCK,
				   .try_event = HEDDLE_EVENT_MUTEX_TRYLOCK,
				   .finish = mutex_locked },
	[OPERATION_MUTEX_UNLOCK] = { .event = HEDDLE_EVENT_MUTEX_UNLOCK, .tell = observe_unlocked },
	[OPERATION_COND_WAIT] = { .event = HEDDLE_EVENT_COND_WAIT,
				  .before = cond_wait_before,
				  .after = cond_wait_after },
	[OPERATION_COND_SIGNAL] = { .event = HEDDLE_EVENT_COND_SIGNAL },
	[OPERATION_COND_BROADCAST] = { .event = HEDDLE_EVENT_COND_BROADCAST },
	[OPERATION_RWLOCK_INIT] = { .tell = observe_forget },
	[OPERATION_RWLOCK_READ_LOCK] = { .event = HEDDLE_EVENT_RWLOCK_READ_LOCK, .finish = rwlock_read_locked },
	[OPERATION_RWLOCK_WRITE_LOCK] = { .event = HEDDLE_EVENT_RWLOCK_WRITE_LOCK, .finish = rwlock_write_locked },
	[OPERATION_RWLOCK_UNLOCK] = { .event = HEDDLE_EVENT_RWLOCK_UNLOCK, .tell = observe_unlocked },
	[OPERATION_SPIN_INIT] = { .flags = OWN, .after = spin_init_after, .tell = observe_forget },
	/* The event of a lock that waits is announced each time that it is tried. */
	[OPERATION_SPIN_LOCK] = { .try_event = HEDDLE_EVENT_SPIN_LOCK,
				  .flags = OWN,
				  .before = spin_lock_before,
				  .finish = spin_locked },
	[OPERATION_SPIN_UNLOCK] = { .event = HEDDLE_EVENT_SPIN_UNLOCK,
				    .flags = OWN,
				    .after = spin_unlock_after,
				    .tell = observe_unlocked },
	[OPERATION_BARRIER_INIT] = { .after = barrier_init_after },
	[OPERATION_BARRIER_WAIT] = { .event = HEDDLE_EVENT_BARRIER_WAIT,
				     .before = barrier_wait_before,
				     .after = barrier_wait_after },
	[OPERATION_SEM_INIT] = { .tell = observe_forget },
	[OPERATION_SEM_WAIT] = { .event = HEDDLE_EVENT_SEM_WAIT, .finish = acquired },
	[OPERATION_SEM_POST] = { .event = HEDDLE_EVENT_SEM_POST, .tell = observe_release_more },
	[OPERATION_SEM_VALUE] = { .event = HEDDLE_EVENT_ATOMIC, .flags = LOOK },
	[OPERATION_ONCE] = { .event = HEDDLE_EVENT_ONCE, .before = once_before, .after = once_after },
	[OPERATION_GUARD_ACQUIRE] = { .event = HEDDLE_EVENT_ONCE, .finish = acquired },
	[OPERATION_GUARD_RELEASE] = { .before = guard_release_before },
	[OPERATION_CATCH_BEGIN] = { .after = catch_begin_after },
	[OPERATION_CATCH_END] = { .before = catch_end_before },
	[OPERATION_EXCEPTION_RELEASE] = { .before = exception_release_before },
	[OPERATION_FILE_LOCK] = { .finish = file_locked },
	[OPERATION_FILE_UNLOCK] = { .tell = observe_unlocked },
	[OPERATION_EXIT_HANDLER] = { .before = exit_handler_before },
	[OPERATION_EXIT] = { .before = exit_before },
	[OPERATION_SPAWN] = { .flags = OWN, .before = spawn_before },
	[OPERATION_RANDOM] = { .flags = OWN, .before = random_before },
};

/* own[OWN_IS_AGAIN] and own[OWN_WITHOUT] are for sync_after; the others are those of the rows. */
enum { OWN_IS_AGAIN = OPERATION_OWN - 1, OWN_WITHOUT = OPERATION_OWN - 2 };

/*
 * Whether the thread did nothing but access memory since it last tried this object at this place: then it is in a
 * waiting loop, and when the try fails again the thread yields. Otherwise strategies that do not preempt would run
 * the loop forever.
 */
static bool tries_again(const struct operation *operation)
{
	if (!world.is_on)
		return false;
	struct thread *self = world.current;
	const volatile void *object = operation_object(operation);
	bool is_again = self->tried.object == object && self->tried.code == operation->code &&
			self->tried.call == self->call_count;
	self->tried.object = object;
	self->tried.code = operation->code;
	self->tried.call = self->call_count + 1;
	return is_again;
}

static bool has_after(enum operation_kind kind)
{
	return rows[kind].after || rows[kind].finish;
}

/* What is not for every operation. */
static __attribute__((noinline)) enum operation_next before_slowly(struct operation *operation, bool is_again)
{
	enum operation_kind kind = operation_kind(operation);
	bool is_wanted = observe_is_on() || rows[kind].flags & OWN;
	operation->own[OWN_IS_AGAIN] = is_again;
	if (observe_is_on() && rows[kind].tell)
		rows[kind].tell(operation_object(operation));
	if (is_wanted && rows[kind].before && rows[kind].before(operation))
		return OPERATION_DONE;
	return is_again || (is_wanted && has_after(kind)) ? OPERATION_CALL : OPERATION_CALL_ONLY;
}

static __attribute__((noinline)) enum operation_next before_try(struct operation *operation)
{
	enum operation_kind kind = operation_kind(operation);
	bool is_try = operation->row->is_try, is_again = false;
	uint8_t event = is_try && rows[kind].try_event ? rows[kind].try_event : rows[kind].event;
	if (event) {
		is_again = (is_try || rows[kind].flags & LOOK) && tries_again(operation);
		announce(operation, (enum heddle_event_kind)event);
	}
	return before_slowly(operation, is_again);
}

/* Whether all that is to be done for an operation is its event, and what the observer learns from the object. Where some are skipped, each
 * is looked at. */
static bool is_short(const struct operation_row *row, bool is_observed)
{
	enum operation_kind kind = (enum operation_kind)row->kind;
	return !options.without_count && !row->is_try && !rows[kind].flags &&
	       !(is_observed && (rows[kind].before || rows[kind].after));
}

void *sync_function(size_t index, bool is_observed)
{
	const struct operation_row *row = &operation_rows[index];
	enum operation_kind kind = (enum operation_kind)row->kind;
	bool is_finished = is_observed && rows[kind].finish;
	if (!is_short(row, is_observed))
		return operation_function(index);
	if (!rows[kind].event && !is_finished && !(is_observed && rows[kind].tell))
		return NULL;
	void *way = is_finished ? operation_followed(index) : operation_announced(index);
	return way ? way : operation_function(index);
}

void sync_announce(const struct operation_row *row, const volatile void *object, uintptr_t code)
{
	world_event((enum heddle_event_kind)rows[row->kind].event, object, code);
}

/* Not part of the function below, which has less to save without it. */
static __attribute__((noinline)) void announce_slowly(const struct reaction *reaction, const volatile void *object)
{
	world_slow();
	if (reaction->tell)
		reaction->tell(object);
}

void sync_announce_observed(const struct operation_row *row, const volatile void *object, uintptr_t code)
{
	const struct reaction *reaction = &rows[row->kind];
	__asm__("" : "+r"(reaction)); /* one address, not a table and an index, which would take more registers */
	if (reaction->event && world_count_event((enum heddle_event_kind)reaction->event, object, code))
		announce_slowly(reaction, object);
	else if (reaction->tell)
		reaction->tell(object);
}

void sync_finish(const struct operation_row *row, const volatile void *object, uintptr_t code)
{
	rows[row->kind].finish(row, object, code);
}

static enum operation_next before(struct operation *operation)
{
	enum operation_kind kind = operation_kind(operation);
	if (operation->row->is_try || rows[kind].flags)
		return before_try(operation);
	if (rows[kind].event)
		announce(operation, (enum heddle_event_kind)rows[kind].event);
	if (!observe_is_on())
		return OPERATION_CALL_ONLY;
	if (rows[kind].before || rows[kind].tell || !has_after(kind))
		return before_slowly(operation, false);
	operation->own[OWN_IS_AGAIN] = false;
	return OPERATION_CALL;
}

/* Some synchronisation is skipped. A loop of skipped waits yields, as one of failed tries does: strategies that do not preempt would run
 * it forever. */
static __attribute__((noinline)) enum operation_next before_without(struct operation *operation)
{
	enum without_role role = world.is_on ? without_role(operation) : WITHOUT_NOTHING;
	operation->own[OWN_WITHOUT] = role;
	operation->own[OWN_IS_AGAIN] = 0;
	switch (role) {
	case WITHOUT_SKIPPED: {
		bool is_again =
			rows[operation_kind(operation)].event == HEDDLE_EVENT_COND_WAIT && tries_again(operation);
		announce(operation, HEDDLE_EVENT_SKIPPED);
		without_skip(operation);
		if (is_again)
			thread_yield();
		return OPERATION_DONE;
	}
	case WITHOUT_MATCHING:
		announce(operation, HEDDLE_EVENT_SKIPPED);
		without_match(operation);
		return OPERATION_DONE;
	case WITHOUT_UNOWNED:
		announce(operation, HEDDLE_EVENT_COND_WAIT);
		without_lend(operation);
		return OPERATION_CALL;
	case WITHOUT_COUNTED: {
		enum operation_next next = before(operation);
		return next == OPERATION_CALL_ONLY ? OPERATION_CALL : next;
	}
	case WITHOUT_NOTHING:
		break;
	}
	return before(operation);
}

enum operation_next sync_before(struct operation *operation)
{
	return options.without_count ? before_without(operation) : before(operation);
}

void sync_after(struct operation *operation)
{
	enum operation_kind kind = operation_kind(operation);
	if (options.without_count) {
		enum without_role role = (enum without_role)operation->own[OWN_WITHOUT];
		if (role == WITHOUT_COUNTED && operation_succeeded(operation))
			without_count(operation);
		if (role != WITHOUT_COUNTED && role != WITHOUT_NOTHING)
			return;
	}
	bool is_look = rows[kind].flags & LOOK;
	if (operation->own[OWN_IS_AGAIN] && operation->end == OPERATION_RETURNED &&
	    (is_look || (int)operation->result == operation->row->busy))
		thread_yield();
	if (rows[kind].after)
		rows[kind].after(operation);
	if (rows[kind].finish && operation_succeeded(operation))
		rows[kind].finish(operation->row, operation_object(operation), operation->code);
}
