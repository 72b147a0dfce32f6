/* timeline.c: see timeline.h. */
#include "narrate/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "heddle/events.h"
#include "judge/retrace.h"

#define MAX_PLACES 8000000u   /* with touches, of which the runtime writes fewer than that */
#define EVENTS_WHOLE 1000000u /* this many are kept whatever the event of interest is */
#define EVENTS_AFTER 200u     /* it, until the replay is cut off */
#define QUIET_SECONDS 5u
#define MAX_THREADS (1u << 22) /* what the world can number in such a run */

static int load(struct timeline *self, struct events *events, struct err *err)
{
	struct event event;
	size_t room = 0;
	int code;
	self->expiries = mem_alloc(TIMELINE_EXPIRIES * sizeof *self->expiries);
	while ((code = events_next(events, &event)) > 0 && event.number <= TIMELINE_MAX_EVENTS &&
	       self->count < MAX_PLACES) {
		if (event.thread > MAX_THREADS)
			return err_set(err, EINVAL, "the events written by the replay cannot be decoded");
		if (event.is_expiry) {
			if (self->expiry_count < TIMELINE_EXPIRIES)
				self->expiries[self->expiry_count++] = event;
			continue;
		}
		if (self->count == room) {
			room = room ? 2 * room : 1024;
			self->events = mem_resize(self->events, room * sizeof *self->events);
		}
		self->events[self->count++] = event;
	}
	if (code > 0)
		return err_set(err, EFBIG, "the run has more than %u events, too many to display", TIMELINE_MAX_EVENTS);
	if (code == -EINVAL)
		return err_set(err, EINVAL, "the events written by the replay cannot be decoded");
	if (code < 0)
		return err_set(err, -code, "cannot read the events written by the replay: %s", strerror(-code));
	return 0;
}

static uint32_t last_thread(const struct timeline *self)
{
	uint32_t most = 0;
	for (size_t i = 0; i < self->count; i++)
		most = self->events[i].thread > most ? self->events[i].thread : most;
	return most;
}

/* Where each thread is on its way through the events. */
struct progress {
	uint64_t own, futexes;
	size_t step; /* the next of its own, in the sorted list */
};

/* Steps are by thread, then as they come in it. */
static void find_first_steps(struct progress *threads, uint32_t most, const struct steps *steps)
{
	for (uint32_t i = 0; i <= most; i++)
		threads[i].step = SIZE_MAX;
	for (size_t i = steps->count; i-- > 0;)
		if (steps->items[i].thread <= most)
			threads[steps->items[i].thread].step = i;
}

static void count_event(struct progress *thread, const struct event *event)
{
	bool is_futex = event->kind == HEDDLE_EVENT_FUTEX;
	if (event->is_touch)
		return;
	thread->own += !is_futex;
	thread->futexes = is_futex ? thread->futexes + 1 : 0;
}

/* Whether the thread was left now; then the step is passed. */
static const struct heddle_step *take_step(struct progress *thread, uint32_t index, const struct steps *steps)
{
	const struct heddle_step *found = NULL;
	uint64_t now = thread->own * HEDDLE_WHEN + (thread->futexes < 255 ? thread->futexes : 255) * 4;
	while (thread->step < steps->count && steps->items[thread->step].thread == index &&
	       (steps->items[thread->step].when & ~3ull) <= now) {
		const struct heddle_step *step = &steps->items[thread->step++];
		found = (step->when & ~3ull) == now ? step : found;
	}
	return found;
}

/* Marks which switches were preemptions. */
static void mark_steps(struct timeline *self, struct steps *steps)
{
	uint32_t most = last_thread(self);
	struct progress *threads = mem_alloc((most + 1) * sizeof *threads);
	steps_sort(steps->items, steps->count);
	find_first_steps(threads, most, steps);
	for (size_t i = 0; i < self->count; i++) {
		uint32_t index = self->events[i].thread;
		count_event(&threads[index], &self->events[i]);
		const struct heddle_step *step = take_step(&threads[index], index, steps);
		if (!step || !step_is_preemption(step) || !(self->left[i] & TIMELINE_LEFT))
			continue;
		self->left[i] |= TIMELINE_ABLE;
		/* The yield itself is how the thread was left. */
		if (!(step->when & 1) && self->events[i].kind != HEDDLE_EVENT_FUTEX &&
		    self->events[i].kind != HEDDLE_EVENT_YIELD)
			self->left[i] |= TIMELINE_BEFORE;
	}
	free(threads);
}

static void mark_switches(struct timeline *self)
{
	for (size_t i = 0; i + 1 < self->count; i++)
		if (self->events[i].thread != self->events[i + 1].thread)
			self->left[i] = TIMELINE_LEFT;
}

static void add_item(struct timeline *self, size_t event, bool is_turn)
{
	if (!is_turn)
		self->done_at[event] = self->item_count;
	self->items[self->item_count++] = (struct timeline_item){ event, is_turn };
}

/* What a thread was left before comes just before its next event. last: the thread that ran at the end. */
static void put_in_order(struct timeline *self, uint32_t last)
{
	uint32_t most = last_thread(self);
	size_t *waiting = mem_alloc((most + 1) * sizeof *waiting); /* by thread: an event + 1 */
	self->items = mem_alloc((2 * self->count + 1) * sizeof *self->items);
	self->done_at = mem_alloc((self->count + 1) * sizeof *self->done_at);
	for (size_t i = 0; i < self->count; i++) {
		size_t *own = &waiting[self->events[i].thread];
		if (*own)
			add_item(self, *own - 1, false);
		*own = self->left[i] & TIMELINE_BEFORE ? i + 1 : 0;
		if (!*own)
			add_item(self, i, false);
		if (self->left[i] & TIMELINE_ABLE)
			add_item(self, i, true);
	}
	/* A thread without further events did it last, if ever. */
	for (uint32_t i = 0; i <= most; i++)
		if (waiting[i]) {
			self->left[waiting[i] - 1] |= i == last ? 0 : TIMELINE_NEVER;
			add_item(self, waiting[i] - 1, false);
		}
	free(waiting);
}

int timeline_take(struct timeline *self, const struct trace *now, const struct heddle_channel *channel, struct err *err)
{
	struct events *events = mem_alloc(sizeof *events);
	struct steps steps = { 0 };
	*self = (struct timeline){ .result = now->result };
	*events = (struct events){
		.fd = now->log_fd, .fd_bytes = now->log_bytes, .tail = now->tail, .tail_bytes = now->tail_bytes
	};
	report_parse(&self->report, now->report.data ? now->report.data : "", now->report.size);
	self->event_texts = event_texts_new(&self->report);
	int code = load(self, events, err);
	event_texts_take_callers(self->event_texts, &events->callers);
	event_texts_learn(self->event_texts, self->events, self->count);
	self->left = mem_alloc(self->count + 1);
	if (code == 0) {
		mark_switches(self);
		self->has_switches = steps_take(&steps, channel);
		uint32_t last = steps.count ? steps.items[steps.count - 1].next : 0;
		if (self->has_switches)
			mark_steps(self, &steps);
		put_in_order(self, last);
	}
	steps_release(&steps);
	free(events);
	return code;
}

static int run(struct timeline *self, const struct trace *recorded, uint64_t event, double deadline, struct err *err)
{
	struct retrace replay = {
		.flags = HEDDLE_CONTROL_STEPS,
		.is_detailed = true,
		.quiet_seconds = QUIET_SECONDS,
		.deadline = deadline,
	};
	const bool is_cut = event && recorded->result.event_count > EVENTS_WHOLE;
	if (is_cut)
		replay.stop_after = (event < EVENTS_WHOLE ? EVENTS_WHOLE : event) + EVENTS_AFTER;
	int code = retrace(&replay, recorded, err);
	if (code == 0)
		code = timeline_take(self, &replay.now, replay.control.channel, err);
	self->is_cut = replay.now.result.outcome == HEDDLE_OUTCOME_PREFIX;
	self->recorded = recorded->result;
	self->log_bytes = recorded->log_bytes;
	retrace_release(&replay);
	return code;
}

/* Whether that part of the recording is there. */
static bool has(const struct timeline *self, const struct trace *recorded, uint64_t event)
{
	const struct trace_result *one = &self->recorded, *other = &recorded->result;
	const bool is_same = one->event_count == other->event_count && one->event_hash == other->event_hash &&
			     one->output_hash == other->output_hash && one->outcome == other->outcome &&
			     one->status == other->status && self->log_bytes == recorded->log_bytes;
	return self->count && is_same && (!self->is_cut || (event && event <= timeline_last_number(self)));
}

/* The same for another name of the file: evidence that findings share need not be read for each of them. */
static bool has_file(const struct timeline *self, const struct stat *file, uint64_t event)
{
	return self->count && self->inode == file->st_ino && self->device == file->st_dev &&
	       (!self->is_cut || (event && event <= timeline_last_number(self)));
}

int timeline(struct timeline *self, const char *trace, uint64_t event, double deadline, struct err *err)
{
	struct trace recorded;
	struct stat file = { 0 };
	if (stat(trace, &file) == 0 && has_file(self, &file, event))
		return 1;
	trace_init(&recorded);
	int code = trace_read(trace, &recorded, err);
	const bool is_present = code == 0 && has(self, &recorded, event);
	uint64_t wanted = event ? event : recorded.result.event_count;
	if (code == 0 && !is_present && wanted > TIMELINE_MAX_EVENTS)
		code = err_set(err, EFBIG, "the run has %" PRIu64 " events up to that point, too many to display",
			       wanted);
	if (code == 0 && !is_present) {
		timeline_release(self);
		code = run(self, &recorded, event, deadline, err);
		self->device = file.st_dev;
		self->inode = file.st_ino;
	}
	trace_free(&recorded);
	return code == 0 ? is_present : code;
}

void timeline_release(struct timeline *self)
{
	if (self->event_texts)
		event_texts_free(self->event_texts);
	report_release(&self->report);
	free(self->events);
	free(self->expiries);
	free(self->left);
	free(self->items);
	free(self->done_at);
	*self = (struct timeline){ .count = 0 };
}

int timeline_held(const struct timeline *self, size_t event, uint64_t *locks, size_t room)
{
	size_t count = 0;
	for (size_t i = 0; i < event; i++) {
		const struct event *now = &self->events[i];
		if (now->thread != self->events[event].thread)
			continue;
		if (heddle_event_tries_lock(now->kind))
			return -1;
		if (heddle_event_takes_lock(now->kind)) {
			if (count == room)
				return -1;
			locks[count++] = now->object;
		}
		for (size_t k = count; heddle_event_releases_lock(now->kind) && k-- > 0;)
			if (locks[k] == now->object) {
				locks[k] = locks[--count];
				break;
			}
	}
	return (int)count;
}

size_t timeline_previous(const struct timeline *self, size_t event)
{
	for (size_t i = event; i-- > 0;)
		if (self->events[i].thread == self->events[event].thread && self->events[i].kind != HEDDLE_EVENT_FUTEX)
			return i;
	return SIZE_MAX;
}

size_t timeline_next(const struct timeline *self, size_t event)
{
	for (size_t i = event + 1; i < self->count; i++)
		if (self->events[i].thread == self->events[event].thread && self->events[i].kind != HEDDLE_EVENT_FUTEX)
			return i;
	return SIZE_MAX;
}

uint64_t timeline_event_of(const struct timeline *self, uint32_t thread, uint64_t count)
{
	for (size_t i = self->count; i > 0; i--)
		if (self->events[i - 1].thread == thread && !self->events[i - 1].is_touch &&
		    self->events[i - 1].number <= count)
			return i;
	return 0;
}

uint64_t timeline_last_number(const struct timeline *self)
{
	return self->count ? self->events[self->count - 1].number : 0;
}
