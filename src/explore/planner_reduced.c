/*
 * planner_reduced.c: as planner_dfs.c all schedules with at most a given number of preemptions, but of those that differ only in the
 * order of independent events not all: dynamic partial order reduction (Flanagan and Godefroid, POPL 2005) with a bound on
 * preemptions (Coons, Musuvathi, McKinley: Bounded Partial-Order Reduction, OOPSLA 2013). Stateless: a schedule is the list of the places where it
 * leaves the default, which never preempts (world/schedule/steered.c).
 *
 * A run reports the events that its threads stood before, in the order in which they were made, also those of a thread that runs alone. For each event, and each
 * other thread, the earlier events of that thread are looked for that are dependent and not ordered before it by others: there
 * the thread of the later event should have run first, so that is one more schedule, if that thread could run there, else one for each that could.
 * The same where the thread of the earlier event was switched to last: there it may cost no preemption. Without that the bound would cut off
 * schedules that are within it.
 *
 * What two events depend on is what detection knows: synchronisation of the same object, accesses to common bytes of which one writes. Accesses that
 * are no points (heddle/abi.h) have no races, so the points order them. Where an object is not known, events are dependent:
 * more schedules, but none too few. A lock and an unlock of the same mutex are dependent, but neither could come first.
 *
 * Invariants:
 *  1. A state is a choice of a run, with all choices before it; its path repeats. When a run shows that it does not, the search says
 *     that it is not complete.
 *  2. Each thread of a state is asked for at most once: what is asked is only added.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/err.h"
#include "base/mem.h"
#include "explore/planner_priv.h"
#include "heddle/events.h"

#define LEVELS 64u
#define MAX_STATES (1u << 21)
#define BLOCK 1024u
#define THREADS 64u
/* More events than this in one run would take too long to compare. */
#define MAX_EVENTS 8192u
/* In heddle_choice.when: the thread could not go on. */
#define WHEN_STUCK 2u
#define STRICT "; none of them ends sleeps or time-outs early: other strategies do"
#define PATIENT "; in none of them a thread that yields goes on before another one"

struct state {
	struct state *parent;
	struct state *children, *sibling; /* by via */
	uint64_t when, runnable, asked;   /* threads, as in heddle_choice.runnable */
	uint32_t thread, usual;           /* that ran; that the run without a step there chooses */
	uint32_t via;                     /* of the parent's threads: the one that was chosen to come here */
	uint32_t number;                  /* of the choice */
	uint32_t preemptions, step_count; /* up to it */
	bool is_free, is_yielding;
	bool waits_for_others; /* it yields because it was told to ... */
	bool sleeps;           /* ... for some time */
};

struct block {
	struct block *next;
	struct state states[BLOCK];
};

/* A schedule to be run: up to the state, and there that thread. Null: the one without steps. */
struct task {
	struct state *state;
	uint32_t next;
};

struct level {
	struct task *tasks;
	size_t count, room;
};

struct event {
	uint32_t thread; /* 0: nothing is made */
	uint32_t kind, access, size_bytes;
	uint64_t object;
	uint32_t place;  /* among those of its thread, from 1 */
	uint32_t before; /* number of the one of the same thread before it, plus 1 */
};

struct reduced {
	struct planner planner;
	const struct hints *hints;
	uint64_t seed, fillers;
	uint32_t bound, hot_count;
	struct level levels[LEVELS];
	struct block *blocks;
	size_t state_count;
	struct state *root; /* null: no run was seen */
	uint64_t tried, outstanding;
	bool is_begun, is_beyond, is_timed, is_patient, is_lost_room, is_lost_path, is_lost_run, is_lost_tail;
	struct heddle_step *steps;
	size_t step_room;
	/* Of the run that is looked at. */
	struct state **path;
	struct event *events;
	uint32_t (*clocks)[THREADS + 1]; /* behind each event: how many of each thread come before it */
	char reason[640];
};

struct ticket {
	struct task task;
	uint32_t hot_count;
	bool is_filler;
};

/* States and tasks. */

static struct state *new_state(struct reduced *self)
{
	size_t at = self->state_count % BLOCK;
	if (at == 0) {
		struct block *block = mem_alloc(sizeof *block);
		block->next = self->blocks;
		self->blocks = block;
	}
	self->state_count++;
	return &self->blocks->states[at];
}

static void forget(struct reduced *self)
{
	while (self->blocks) {
		struct block *next = self->blocks->next;
		free(self->blocks);
		self->blocks = next;
	}
	for (uint32_t i = 0; i < LEVELS; i++)
		self->levels[i].count = 0;
	self->state_count = 0;
	self->root = NULL;
	self->tried = self->outstanding = 0;
	self->is_beyond = self->is_timed = self->is_patient = false;
	self->is_lost_room = self->is_lost_path = self->is_lost_run = self->is_lost_tail = false;
}

static void push(struct reduced *self, struct task task, uint32_t preemptions)
{
	struct level *level = &self->levels[preemptions];
	if (level->count == level->room) {
		level->room = level->room ? 2 * level->room : 64;
		level->tasks = mem_resize(level->tasks, level->room * sizeof *level->tasks);
	}
	level->tasks[level->count++] = task;
}

static void begin(struct reduced *self)
{
	forget(self);
	self->hot_count = self->hints->hot_count;
	self->is_begun = true;
	push(self, (struct task){ 0 }, 0);
}

static bool pop(struct reduced *self, struct task *task)
{
	for (uint32_t i = 0; i < LEVELS; i++)
		if (self->levels[i].count) {
			*task = self->levels[i].tasks[--self->levels[i].count];
			return true;
		}
	return false;
}

static uint64_t bit(uint32_t thread)
{
	return thread >= 1 && thread <= THREADS ? 1ul << (thread - 1) : 0;
}

/* The preemptions with this choice. To let a thread go on that yields, since what it tried has failed, is as unusual. */
static uint32_t cost(const struct state *state, uint32_t next)
{
	if (state->is_free)
		return state->preemptions +
		       (state->is_yielding && next == state->thread && state->runnable != bit(next));
	return state->preemptions + (next != state->thread);
}

static void ask(struct reduced *self, struct state *state, uint32_t next)
{
	if (state->asked & bit(next) || !(state->runnable & bit(next)))
		return;
	if (state->waits_for_others && next == state->thread) {
		self->is_patient |= !state->sleeps;
		return;
	}
	if (cost(state, next) > self->bound) {
		self->is_beyond = true;
		return;
	}
	if (state->step_count + 1 >= HEDDLE_STEPS) {
		self->is_lost_room = true;
		return;
	}
	state->asked |= bit(next);
	push(self, (struct task){ state, next }, cost(state, next));
}

static void ask_all(struct reduced *self, struct state *state)
{
	for (uint32_t next = 1; next <= THREADS; next++)
		ask(self, state, next);
}

/* The thread should run before what was made at this state. */
static void ask_or_all(struct reduced *self, struct state *state, uint32_t thread)
{
	if (state->runnable & bit(thread))
		ask(self, state, thread);
	else
		ask_all(self, state);
}

/* Events. */

static bool is_access(const struct event *event)
{
	return heddle_event_is_access(event->kind);
}

/* The signal interrupts another thread wherever it is. */
static bool sends_signal(const struct event *event)
{
	if (event->kind != HEDDLE_EVENT_SYSCALL)
		return false;
	switch (event->object) {
	case SYS_kill:
	case SYS_tkill:
	case SYS_tgkill:
	case SYS_rt_sigqueueinfo:
	case SYS_rt_tgsigqueueinfo:
	case SYS_pidfd_send_signal:
		return true;
	default:
		return false;
	}
}

/* On what it depends is not known. */
static bool is_wide(const struct event *event)
{
	return event->kind == HEDDLE_EVENT_SIGNAL || event->kind == HEDDLE_EVENT_THREAD_CANCEL ||
	       event->kind == HEDDLE_EVENT_SKIPPED || sends_signal(event) ||
	       (event->kind == HEDDLE_EVENT_SYSCALL && event->object == SYS_exit_group);
}

/* What libc does for one thread alone. An address that it gets may differ, but nothing else. */
static bool is_own_call(uint64_t number)
{
	switch (number) {
	case SYS_mmap:
	case SYS_munmap:
	case SYS_mprotect:
	case SYS_madvise:
	case SYS_brk:
	case SYS_rt_sigprocmask:
	case SYS_set_robust_list:
	case SYS_rseq:
	case SYS_sched_yield:
	case SYS_gettid:
	case SYS_getpid:
	case SYS_exit:
	case SYS_clone:
	case SYS_clone3:
		return true;
	default:
		return false;
	}
}

/* It only says that a thread is somewhere. */
static bool is_mute(const struct event *event)
{
	return !event->thread || event->kind == HEDDLE_EVENT_NONE || event->kind == HEDDLE_EVENT_THREAD_START ||
	       event->kind == HEDDLE_EVENT_THREAD_END || event->kind == HEDDLE_EVENT_YIELD ||
	       event->kind == HEDDLE_EVENT_SLEEP || event->kind == HEDDLE_EVENT_THREAD_JOIN ||
	       (event->kind == HEDDLE_EVENT_SYSCALL && is_own_call(event->object));
}

static bool is_of_mutex(const struct event *event)
{
	return event->kind == HEDDLE_EVENT_MUTEX_LOCK || event->kind == HEDDLE_EVENT_MUTEX_TRYLOCK ||
	       event->kind == HEDDLE_EVENT_MUTEX_UNLOCK;
}

static bool overlap(const struct event *a, const struct event *b)
{
	if (!a->size_bytes || !b->size_bytes) /* a range, whose length is not known */
		return true;
	return a->object < b->object ? b->object - a->object < a->size_bytes : a->object - b->object < b->size_bytes;
}

static bool is_try_join(const struct event *event)
{
	return event->kind == HEDDLE_EVENT_THREAD_JOIN && event->access;
}

/* Whether it matters to a that b, the end of a thread, has come. Which thread a is about is not known. */
static bool needs_end(const struct event *a, const struct event *b)
{
	return b->kind == HEDDLE_EVENT_THREAD_END && (is_try_join(a) || sends_signal(a));
}

/* Whether swapping them may change what comes of it. */
static bool is_dependent(const struct event *a, const struct event *b)
{
	if (needs_end(a, b) || needs_end(b, a))
		return true;
	if (is_mute(a) || is_mute(b))
		return false;
	if (is_wide(a) || is_wide(b))
		return true;
	/* It looks at the memory, or wakes who does. Where libc waits for a thread so, its end is what changes it. */
	if (a->kind == HEDDLE_EVENT_FUTEX || b->kind == HEDDLE_EVENT_FUTEX)
		return (a->kind == b->kind || is_access(a) || is_access(b)) && overlap(a, b);
	if (is_access(a) && is_access(b))
		return (a->access | b->access) & HEDDLE_CHOICE_WRITES && overlap(a, b);
	/* What looks at a semaphore is an access; of other accesses the addresses are others. */
	if (is_access(a) || is_access(b))
		return a->object == b->object;
	/* The mutex that a wait gives back is not known. */
	if (a->kind == HEDDLE_EVENT_COND_WAIT || b->kind == HEDDLE_EVENT_COND_WAIT)
		return is_of_mutex(a) || is_of_mutex(b) || a->object == b->object;
	if (a->kind == HEDDLE_EVENT_SYSCALL || b->kind == HEDDLE_EVENT_SYSCALL ||
	    a->kind == HEDDLE_EVENT_THREAD_CREATE || b->kind == HEDDLE_EVENT_THREAD_CREATE)
		return a->kind == b->kind;
	if (a->kind == HEDDLE_EVENT_RWLOCK_READ_LOCK && b->kind == HEDDLE_EVENT_RWLOCK_READ_LOCK)
		return false;
	return a->object == b->object;
}

static bool is_unlock(uint32_t kind)
{
	return kind == HEDDLE_EVENT_MUTEX_UNLOCK || kind == HEDDLE_EVENT_SPIN_UNLOCK ||
	       kind == HEDDLE_EVENT_RWLOCK_UNLOCK;
}

static bool is_blocking_lock(uint32_t kind)
{
	return kind == HEDDLE_EVENT_MUTEX_LOCK || kind == HEDDLE_EVENT_SPIN_LOCK ||
	       kind == HEDDLE_EVENT_RWLOCK_READ_LOCK || kind == HEDDLE_EVENT_RWLOCK_WRITE_LOCK;
}

/* And whether they could be swapped. While a lock is held, a thread that wants it waits, whenever it begins to. */
static bool can_swap(const struct event *a, const struct event *b)
{
	if (!is_dependent(a, b))
		return false;
	return !(is_unlock(a->kind) && (is_unlock(b->kind) || is_blocking_lock(b->kind))) &&
	       !(is_unlock(b->kind) && is_blocking_lock(a->kind));
}

static struct event event_of(const struct heddle_choice *choice)
{
	return (struct event){
		.thread = choice->thread,
		.kind = choice->kind,
		.access = choice->access,
		.size_bytes = choice->kind == HEDDLE_EVENT_FUTEX ? sizeof(uint32_t) : choice->size_bytes,
		.object = choice->object,
	};
}

/* What is made behind each choice, and at events[count] on what the threads stand before at the end. Returns how many these are. */
static uint32_t list_events(struct reduced *self, const struct heddle_channel *channel, uint32_t count)
{
	struct event waiting[THREADS + 1] = { { 0 } };
	uint32_t last[THREADS + 1] = { 0 }, left = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct heddle_choice *choice = &channel->choices[i];
		const bool has_ended = choice->when & WHEN_STUCK && choice->kind == HEDDLE_EVENT_THREAD_END;
		waiting[choice->thread] = has_ended ? (struct event){ 0 } : event_of(choice);
		struct event *event = &self->events[i];
		*event = waiting[choice->next];
		event->thread = choice->next;
		event->before = last[choice->next];
		event->place = event->before ? self->events[event->before - 1].place + 1 : 1;
		last[choice->next] = i + 1;
		waiting[choice->next] = (struct event){ 0 };
	}
	/* Those that have not begun were not asked. */
	for (uint32_t thread = 1; thread <= THREADS; thread++)
		if (count && channel->choices[count - 1].runnable & bit(thread) && !last[thread])
			waiting[thread] = (struct event){ .thread = thread, .kind = HEDDLE_EVENT_THREAD_START };
	for (uint32_t thread = 1; thread <= THREADS; thread++)
		if (waiting[thread].thread) {
			waiting[thread].before = last[thread];
			self->events[count + left++] = waiting[thread];
		}
	return left;
}

/* Whether the event is ordered before what the thread of the other did before that. */
static bool is_before(const struct reduced *self, uint32_t earlier, const struct event *later)
{
	const struct event *event = &self->events[earlier];
	return later->before && self->clocks[later->before - 1][event->thread] >= event->place;
}

static void order(struct reduced *self, uint32_t number)
{
	const struct event *event = &self->events[number];
	uint32_t *clock = self->clocks[number];
	if (event->before)
		memcpy(clock, self->clocks[event->before - 1], sizeof self->clocks[0]);
	else
		memset(clock, 0, sizeof self->clocks[0]);
	for (uint32_t i = number; i > 0; i--) {
		const struct event *earlier = &self->events[i - 1];
		if (earlier->place <= clock[earlier->thread] || !is_dependent(earlier, event))
			continue;
		for (uint32_t thread = 1; thread <= THREADS; thread++)
			if (self->clocks[i - 1][thread] > clock[thread])
				clock[thread] = self->clocks[i - 1][thread];
	}
	clock[event->thread] = event->place;
}

static void swap(struct reduced *self, uint32_t earlier, uint32_t thread)
{
	uint32_t start = earlier;
	ask_or_all(self, self->path[earlier], thread);
	while (start > 0 && self->events[start - 1].thread == self->events[start].thread)
		start--;
	if (start != earlier)
		ask_or_all(self, self->path[start], thread);
}

/* limit: how many events come before it. */
static void find_swaps(struct reduced *self, const struct event *event, uint32_t limit, uint32_t last)
{
	uint64_t done = bit(event->thread);
	if (is_mute(event) && !is_try_join(event) && event->kind != HEDDLE_EVENT_THREAD_END && last == UINT32_MAX)
		return;
	for (uint32_t i = limit; i > 0; i--) {
		const struct event *earlier = &self->events[i - 1];
		/* What the last event of a run prevents is not known. */
		const bool is_last = i - 1 == last && earlier->thread != event->thread;
		if (done & bit(earlier->thread) || (!is_dependent(earlier, event) && !is_last))
			continue;
		if (i <= event->before) {
			done |= can_swap(earlier, event) || is_last ? bit(earlier->thread) : 0;
			if (is_before(self, i - 1, event))
				continue;
		}
		swap(self, i - 1, event->thread);
	}
}

static void analyse(struct reduced *self, const struct heddle_channel *channel, uint32_t count, bool is_deadlock)
{
	uint32_t left = list_events(self, channel, count);
	for (uint32_t i = 0; i < count; i++) {
		find_swaps(self, &self->events[i], i, UINT32_MAX);
		order(self, i);
		if (self->path[i]->is_yielding)
			ask_all(self, self->path[i]); /* Who yields may wait for any of them. */
	}
	for (uint32_t i = 0; i < left; i++)
		find_swaps(self, &self->events[count + i], count, is_deadlock ? UINT32_MAX : count - 1);
	/* The other way round: what ended the run, while threads could go on, could come before what others made. */
	for (uint32_t i = self->events[count - 1].before; i < count && left && !is_deadlock; i++)
		if (self->events[i].thread != self->events[count - 1].thread)
			swap(self, i, self->events[count - 1].thread);
}

/* Runs. */

static struct state *child_of(const struct state *parent, uint32_t via)
{
	struct state *child = parent->children;
	while (child && child->via != via)
		child = child->sibling;
	return child;
}

static bool is_same(const struct state *state, const struct heddle_choice *choice)
{
	return state->thread == choice->thread && state->when == choice->when && state->runnable == choice->runnable;
}

/* The states of the run into path. Returns false when it did not go the way that was asked for. */
static bool follow(struct reduced *self, const struct task *task, const struct heddle_channel *channel, uint32_t count)
{
	struct state *state = self->root, *parent = NULL;
	for (uint32_t i = 0; i < count; i++) {
		const struct heddle_choice *choice = &channel->choices[i];
		if (choice->thread < 1 || choice->thread > THREADS || choice->next < 1 || choice->next > THREADS)
			return false;
		if (state && !is_same(state, choice))
			return false;
		if (!state) {
			if (self->state_count == MAX_STATES) {
				self->is_lost_room = true;
				return false;
			}
			state = new_state(self);
			*state = (struct state){
				.parent = parent,
				.when = choice->when,
				.runnable = choice->runnable,
				.asked = bit(choice->next),
				.thread = choice->thread,
				.usual = choice->next,
				.via = parent ? channel->choices[i - 1].next : 0,
				.number = i,
				.is_free = choice->is_free,
				.is_yielding = choice->is_free && !(choice->when & WHEN_STUCK),
				.waits_for_others =
					choice->is_free && !(choice->when & WHEN_STUCK) &&
					(choice->kind == HEDDLE_EVENT_YIELD || choice->kind == HEDDLE_EVENT_SLEEP),
				.sleeps = choice->kind == HEDDLE_EVENT_SLEEP,
			};
			if (parent) {
				state->preemptions = cost(parent, state->via);
				state->step_count = parent->step_count + (state->via != parent->usual);
				state->sibling = parent->children;
				parent->children = state;
			} else {
				self->root = state;
			}
		}
		if (task->state == state && choice->next != task->next)
			return false;
		self->path[i] = parent = state;
		state = child_of(parent, choice->next);
	}
	return !task->state || (task->state->number < count && self->path[task->state->number] == task->state);
}

static void expand(struct reduced *self, const struct task *task, const struct heddle_channel *channel,
		   bool is_deadlock)
{
	uint32_t count = channel->choice_count;
	if (channel->lost_choices || count > MAX_EVENTS) {
		self->is_lost_room = true;
		return;
	}
	/* What the fair tail of a run does is no choice. */
	self->is_lost_tail |= channel->fair_from != 0;
	if (!follow(self, task, channel, count))
		self->is_lost_path |= !self->is_lost_room;
	else if (count)
		analyse(self, channel, count, is_deadlock);
}

/* Words. */

/* Whether there may be racy accesses that are no points. */
static bool is_full(const struct reduced *self)
{
	return self->hints->hot_count == HEDDLE_HOT_SITES;
}

static bool is_lost(const struct reduced *self)
{
	return self->is_lost_room || self->is_lost_path || self->is_lost_run || self->is_lost_tail || is_full(self);
}

static void note_all(struct reduced *self)
{
	const char *timing = self->is_timed ? STRICT : "", *patience = self->is_patient ? PATIENT : "";
	if (self->is_beyond)
		snprintf(self->reason, sizeof self->reason,
			 "all schedules with at most %u preemption%s at synchronisation and racy accesses were "
			 "covered: %lu %s run, the others "
			 "differ from them only in the order of events that Heddle sees to be independent%s%s",
			 self->bound, self->bound == 1 ? "" : "s", self->tried, self->tried == 1 ? "was" : "were",
			 timing, patience);
	else
		snprintf(self->reason, sizeof self->reason,
			 "all schedules that differ at synchronisation and racy accesses were covered: %lu %s run, "
			 "the others "
			 "differ from them only in the order of events that Heddle sees to be independent%s%s",
			 self->tried, self->tried == 1 ? "was" : "were", timing, patience);
}

static void note_incomplete(struct reduced *self, uint64_t left)
{
	char more[96] = "";
	const char *why =
		self->is_lost_room
			? "; there are more: a run had too many choices or threads; dfs-full keeps more choices"
		: self->is_lost_path ? "; there are more: a run did not repeat the schedule that it started with"
		: self->is_lost_run  ? "; there are more: a run did not end"
		: self->is_lost_tail ? "; there are more: in a run that was long all threads took turns in the end"
		: is_full(self)      ? "; there are more: racy accesses are at too many places"
				     : "";
	if (left)
		snprintf(more, sizeof more, "; at least %lu %s left", left, left == 1 ? "is" : "are");
	snprintf(self->reason, sizeof self->reason,
		 "the search is incomplete: %lu schedule%s with at most %u preemption%s %s tried%s%s%s%s", self->tried,
		 self->tried == 1 ? "" : "s", self->bound, self->bound == 1 ? "" : "s",
		 self->tried == 1 ? "was" : "were", more, why, self->is_timed ? STRICT : "",
		 self->is_patient ? PATIENT : "");
}

static const char *reduced_progress(struct planner *planner)
{
	struct reduced *self = (struct reduced *)planner;
	uint64_t left = self->outstanding;
	for (uint32_t i = 0; i < LEVELS; i++)
		left += self->levels[i].count;
	/* What racy accesses that are new lead to was not begun. */
	bool is_begun = self->is_begun && self->hot_count == self->hints->hot_count;
	if (left || is_lost(self) || !is_begun)
		note_incomplete(self, is_begun ? left : 0);
	else
		note_all(self);
	return self->reason;
}

/* Plans. */

static int compare_steps(const void *a, const void *b)
{
	const struct heddle_step *x = a, *y = b;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->when < y->when ? -1 : x->when > y->when;
}

static void put_steps(struct reduced *self, const struct task *task, struct plan *plan)
{
	const struct state *state = task->state;
	uint32_t count = state ? state->step_count + 1 : 0, next = task->next;
	if (count > self->step_room) {
		self->step_room = 2 * count;
		self->steps = mem_resize(self->steps, self->step_room * sizeof *self->steps);
	}
	plan->steps = self->steps;
	plan->step_count = count;
	for (; state; next = state->via, state = state->parent)
		if (next != state->usual)
			self->steps[--count] = (struct heddle_step){ state->thread, next, state->when };
	if (count)
		BUG("a schedule has %u steps less than its state", count);
	if (plan->step_count)
		qsort(self->steps, plan->step_count, sizeof *self->steps, compare_steps);
}

static bool reduced_next(struct planner *planner, struct plan *plan, const char **reason)
{
	struct reduced *self = (struct reduced *)planner;
	struct task task = { 0 };
	if (!self->is_begun || self->hot_count != self->hints->hot_count)
		begin(self);
	const bool is_filler = !pop(self, &task);
	if (is_filler && !self->outstanding) {
		*reason = reduced_progress(planner);
		return false;
	}
	if (is_filler) {
		/* With several jobs the last lessons may add schedules: until then, those of another kind. */
		*plan = (struct plan){ .strategy = HEDDLE_STRATEGY_RANDOM, .seed = self->seed + self->fillers++ };
		hints_give(self->hints, plan, self->hints->hot_count > 0);
	} else {
		*plan = (struct plan){
			.strategy = HEDDLE_STRATEGY_STEERED,
			.flags = HEDDLE_CONTROL_HOT | HEDDLE_CONTROL_CHOICES | HEDDLE_CONTROL_ALONE,
			.seed = self->seed,
			.hot = self->hints->hot,
			.hot_count = self->hints->hot_count,
		};
		put_steps(self, &task, plan);
		self->outstanding++;
	}
	struct ticket *ticket = mem_alloc(sizeof *ticket);
	*ticket = (struct ticket){ task, self->hot_count, is_filler };
	plan->extra = ticket;
	return true;
}

static void reduced_learn(struct planner *planner, const struct lesson *lesson)
{
	struct reduced *self = (struct reduced *)planner;
	struct ticket *ticket = lesson->plan->extra;
	if (!ticket)
		BUG("a lesson of a plan that is not this planner's");
	if (!ticket->is_filler && ticket->hot_count == self->hot_count && self->is_begun) {
		if (!self->outstanding)
			BUG("a schedule has ended that was not under way");
		self->outstanding--;
		self->tried++;
		self->is_timed |= lesson->channel && lesson->channel->timed_count;
		if (lesson->result)
			expand(self, &ticket->task, lesson->channel,
			       lesson->result->outcome == HEDDLE_OUTCOME_DEADLOCK);
		else
			self->is_lost_run = true;
	}
	free(ticket);
}

static void reduced_free(struct planner *planner)
{
	struct reduced *self = (struct reduced *)planner;
	forget(self);
	for (uint32_t i = 0; i < LEVELS; i++)
		free(self->levels[i].tasks);
	free(self->steps);
	free(self->path);
	free(self->events);
	free(self->clocks);
	free(self);
}

struct planner *planner_reduced_new(const struct hints *hints, uint64_t seed, uint32_t bound)
{
	struct reduced *self = mem_alloc(sizeof *self);
	self->planner = (struct planner){ reduced_next, reduced_learn, reduced_free, reduced_progress };
	self->hints = hints;
	self->seed = seed;
	self->bound = bound < LEVELS ? bound : LEVELS - 1;
	self->path = mem_alloc(MAX_EVENTS * sizeof *self->path);
	self->events = mem_alloc((MAX_EVENTS + THREADS) * sizeof *self->events);
	self->clocks = mem_alloc(MAX_EVENTS * sizeof *self->clocks);
	return &self->planner;
}
