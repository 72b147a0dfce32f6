/* second_pass.c: see second_pass.h. */
#include "judge/second_pass.h"

#include <stdlib.h>
#include <string.h>

#include "judge/retrace.h"

/* Events after the one of interest: what there is to report of an access comes with the next event, or with a free
 * before it. */
#define EVENTS_AFTER 2u

static uint32_t part_size(uint64_t size)
{
	return size < 8 ? (uint32_t)size : 8;
}

/* Watches that findings share are there once. Returns 1 + the number; 0: there is no room. */
static uint32_t add_watch(struct second_pass *self, const struct heddle_watch *watch)
{
	for (uint32_t i = 0; i < self->watch_count; i++)
		if (memcmp(&self->watches[i], watch, sizeof *watch) == 0)
			return i + 1;
	if (self->watch_count == HEDDLE_WATCHES)
		return 0;
	self->watches[self->watch_count] = *watch;
	return ++self->watch_count;
}

static void watch_for(struct second_pass *self, struct second_look *look, uint32_t what, struct heddle_watch watch)
{
	look->watches[what] = add_watch(self, &watch);
}

static void replay_until(struct second_pass *self, uint64_t event)
{
	if (event > self->last_event)
		self->last_event = event;
}

static void watch_race(struct second_pass *self, struct second_look *look, const struct report_race *race)
{
	if (race->later.kind == REPORT_FREE) {
		watch_for(self, look, SECOND_LATER,
			  (struct heddle_watch){
				  .kind = HEDDLE_WATCH_FREE, .number = race->event, .address = race->address });
		watch_for(self, look, SECOND_BEFORE,
			  (struct heddle_watch){ .kind = HEDDLE_WATCH_EVENT, .number = race->event });
	} else {
		watch_for(self, look, SECOND_LATER,
			  (struct heddle_watch){ .kind = HEDDLE_WATCH_EVENT,
						 .number = race->event,
						 .address = race->address,
						 .size = part_size(race->size),
						 .place = race->later.place });
	}
	if (race->earlier.kind == REPORT_ALLOCATION)
		watch_for(self, look, SECOND_EARLIER,
			  (struct heddle_watch){ .kind = HEDDLE_WATCH_HEAP, .number = race->epoch });
	else
		watch_for(self, look, SECOND_EARLIER,
			  (struct heddle_watch){ .kind = HEDDLE_WATCH_ACCESS,
						 .epoch = race->epoch,
						 .address = race->address,
						 .size = part_size(race->size),
						 .place = race->earlier.place });
	replay_until(self, race->event);
}

static void watch_memory(struct second_pass *self, struct second_look *look, const struct report_memory *memory)
{
	/* Several accesses may have one number: those that are not events. */
	const struct heddle_watch at_event = { .kind = HEDDLE_WATCH_EVENT,
					       .number = memory->event,
					       .place = report_is_bad_free(memory) ? 0 : memory->access.place };
	watch_for(self, look, report_is_bad_free(memory) ? SECOND_EARLIER : SECOND_LATER, at_event);
	if (report_is_bad_free(memory))
		watch_for(self, look, SECOND_LATER, (struct heddle_watch){ .kind = HEDDLE_WATCH_BAD_FREE });
	if (memory->made)
		watch_for(self, look, SECOND_MADE,
			  (struct heddle_watch){ .kind = HEDDLE_WATCH_HEAP, .number = memory->made });
	if (memory->freed)
		watch_for(self, look, SECOND_FREED,
			  (struct heddle_watch){ .kind = HEDDLE_WATCH_HEAP, .number = memory->freed });
	replay_until(self, memory->event);
}

static size_t order_count(const struct finding *finding)
{
	return finding->evidence.order_count < HEDDLE_LOCK_PAIRS ? finding->evidence.order_count : HEDDLE_LOCK_PAIRS;
}

static void watch_orders(struct second_pass *self, struct second_look *look, const struct finding *finding)
{
	for (size_t i = 0; i < order_count(finding); i++) {
		const struct finding_order *order = &finding->evidence.orders[i];
		watch_for(self, look, SECOND_TAKEN(i),
			  (struct heddle_watch){ .kind = HEDDLE_WATCH_LOCK,
						 .number = order->event,
						 .address = order->pair.second_lock });
		replay_until(self, order->event);
	}
}

/* The first thread has no creator. Returns whether it is asked for now. */
static bool watch_thread(struct second_pass *self, struct second_look *look, uint32_t index)
{
	if (index <= 1 || look->count == SECOND_ROOM)
		return false;
	for (uint32_t i = look->first_thread; i < look->count; i++)
		if (look->threads[i] == index)
			return false;
	watch_for(self, look, look->count, (struct heddle_watch){ .kind = HEDDLE_WATCH_THREAD, .number = index });
	look->threads[look->count++] = index;
	return true;
}

static void watch_origin_threads(struct second_pass *self, struct second_look *look, const struct finding *finding)
{
	if (finding->evidence.origin == FINDING_OF_MEMORY)
		watch_thread(self, look, finding->evidence.memory.access.thread);
	if (finding->evidence.origin == FINDING_OF_RACE) {
		watch_thread(self, look, finding->evidence.race.later.thread);
		watch_thread(self, look, finding->evidence.race.earlier.thread);
	}
	for (size_t i = 0; finding->evidence.origin == FINDING_OF_ORDERS && i < order_count(finding); i++)
		watch_thread(self, look, finding->evidence.orders[i].thread);
}

/* That a finding may ask for: both accesses, allocation, free and what is before it, and the creation of a thread for each. */
static uint32_t max_watch_count(const struct finding *finding)
{
	return finding->evidence.origin == FINDING_OF_ORDERS ? SECOND_ROOM : 2 * SECOND_THREADS;
}

static void watch_first(struct second_pass *self, struct second_look *look, const struct finding *finding)
{
	const bool is_orders = finding->evidence.origin == FINDING_OF_ORDERS;
	*look = (struct second_look){ .finding = finding, .report = &self->report };
	look->first_thread = look->count = is_orders ? SECOND_TAKEN(order_count(finding)) : SECOND_THREADS;
	if (finding->evidence.origin == FINDING_OF_RACE)
		watch_race(self, look, &finding->evidence.race);
	else if (finding->evidence.origin == FINDING_OF_MEMORY)
		watch_memory(self, look, &finding->evidence.memory);
	else if (is_orders)
		watch_orders(self, look, finding);
	watch_origin_threads(self, look, finding);
}

const struct report_watch *second_look_watch(const struct second_look *self, uint32_t what)
{
	return what < SECOND_ROOM && self->watches[what] ? report_watch(self->report, self->watches[what] - 1) : NULL;
}

static bool watch_held(struct second_pass *self, struct second_look *look)
{
	const struct finding *finding = look->finding;
	bool is_more = false;
	for (size_t i = 0; i < order_count(finding); i++) {
		const struct report_watch *taken = second_look_watch(look, SECOND_TAKEN(i));
		for (size_t j = 0; taken && j < taken->held_count; j++) {
			if (taken->held[j].lock != finding->evidence.orders[i].pair.first_lock)
				continue;
			watch_for(self, look, SECOND_HELD(i),
				  (struct heddle_watch){ .kind = HEDDLE_WATCH_LOCK,
							 .number = taken->held[j].event,
							 .address = taken->held[j].lock });
			is_more = true;
		}
	}
	return is_more;
}

/* Asks for what another replay can add to the results of the first. Returns whether there is anything. */
static bool watch_more(struct second_pass *self, struct second_look *look)
{
	if (look->finding->evidence.origin == FINDING_OF_ORDERS)
		return watch_held(self, look);
	bool is_more = false;
	const struct report_watch *later = second_look_watch(look, SECOND_LATER);
	const struct report_watch *freed = second_look_watch(look, SECOND_FREED);
	if (later && later->has_block && !look->watches[SECOND_MADE] && later->made) {
		watch_for(self, look, SECOND_MADE,
			  (struct heddle_watch){ .kind = HEDDLE_WATCH_HEAP, .number = later->made });
		is_more = true;
	}
	if (freed && freed->event) {
		watch_for(self, look, SECOND_BEFORE,
			  (struct heddle_watch){ .kind = HEDDLE_WATCH_EVENT, .number = freed->event });
		is_more = true;
	}
	for (uint32_t i = 0; i < look->first_thread; i++) {
		const struct report_watch *seen = second_look_watch(look, i);
		is_more |= seen && watch_thread(self, look, seen->thread.index);
	}
	return is_more;
}

/* Whether what was reported is there again: the thread makes the access when there were as many events. */
static bool is_seen_again(const struct second_look *look)
{
	const struct finding *finding = look->finding;
	const struct report_watch *later = second_look_watch(look, SECOND_LATER);
	switch (finding->evidence.origin) {
	case FINDING_OF_RACE:
		return later && later->thread.index == finding->evidence.race.later.thread;
	case FINDING_OF_MEMORY:
		return later && later->thread.index == finding->evidence.memory.access.thread;
	case FINDING_OF_ORDERS:
		return second_look_watch(look, SECOND_TAKEN(0));
	case FINDING_OF_END:
		break;
	}
	return false;
}

static int replay(struct second_pass *self, const struct trace *recorded, double deadline, struct err *err)
{
	struct retrace again = {
		.flags = HEDDLE_CONTROL_DETECT,
		.stop_after = self->last_event + EVENTS_AFTER,
		.watches = self->watches,
		.watch_count = self->watch_count,
		.deadline = deadline,
	};
	int code = retrace(&again, recorded, err);
	report_release(&self->report);
	report_parse(&self->report, again.now.report.data ? again.now.report.data : "", again.now.report.size);
	self->event_count += again.now.result.event_count;
	self->replay_count++;
	retrace_release(&again);
	return code;
}

int second_pass(struct second_pass *self, struct finding *const *findings, size_t count, double deadline,
		struct err *err)
{
	struct trace recorded;
	bool is_more = false;
	*self = (struct second_pass){ .looks = mem_alloc((count + 1) * sizeof *self->looks) };
	for (uint32_t room = HEDDLE_WATCHES; self->count < count && room >= max_watch_count(findings[self->count]);) {
		room -= max_watch_count(findings[self->count]);
		watch_first(self, &self->looks[self->count], findings[self->count]);
		self->count++;
	}
	trace_init(&recorded);
	int code = trace_read(findings[0]->evidence.trace, &recorded, err);
	if (code == 0)
		code = replay(self, &recorded, deadline, err);
	for (size_t i = 0; i < self->count && code == 0; i++)
		is_more |= watch_more(self, &self->looks[i]);
	if (code == 0 && is_more)
		code = replay(self, &recorded, deadline, err);
	for (size_t i = 0; i < self->count && code == 0; i++)
		self->looks[i].is_seen = is_seen_again(&self->looks[i]);
	trace_free(&recorded);
	return code;
}

void second_pass_release(struct second_pass *self)
{
	report_release(&self->report);
	free(self->looks);
	self->looks = NULL;
}
