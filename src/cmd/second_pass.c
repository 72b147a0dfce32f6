/* second_pass.c: see second_pass.h. */
#include "cmd/second_pass.h"

#include <string.h>

#include "cmd/retrace.h"

/* Events behind the one of interest: what there is to report of an access comes with the next event, or with a free before it. */
#define EVENTS_AFTER 2u

struct watches {
	struct heddle_watch items[HEDDLE_WATCHES];
	uint64_t last_event;
};

static uint32_t part_size(uint64_t size)
{
	return size < 8 ? (uint32_t)size : 8;
}

static void watch_origin(struct watches *self, const struct finding *finding)
{
	for (size_t i = 0; finding->origin == FINDING_OF_ORDERS && i < finding->order_count; i++) {
		const struct finding_order *order = &finding->orders[i];
		self->items[SECOND_TAKEN(i)] = (struct heddle_watch){ .kind = HEDDLE_WATCH_LOCK,
								      .number = order->event,
								      .address = order->pair.second_lock };
		if (order->event > self->last_event)
			self->last_event = order->event;
	}
	if (finding->origin == FINDING_OF_RACE) {
		const struct report_race *race = &finding->race;
		self->items[SECOND_LATER] = (struct heddle_watch){ .kind = HEDDLE_WATCH_EVENT,
								   .number = race->event,
								   .address = race->address,
								   .size = part_size(race->size) };
		self->items[SECOND_EARLIER] = (struct heddle_watch){ .kind = HEDDLE_WATCH_ACCESS,
								     .epoch = race->epoch,
								     .address = race->address,
								     .size = part_size(race->size),
								     .place = race->earlier.place };
		if (race->earlier.kind == REPORT_ALLOCATION)
			self->items[SECOND_EARLIER] =
				(struct heddle_watch){ .kind = HEDDLE_WATCH_HEAP, .number = race->epoch };
		self->last_event = race->event;
	} else if (finding->origin == FINDING_OF_MEMORY) {
		const struct report_memory *memory = &finding->memory;
		const struct heddle_watch at_event = { .kind = HEDDLE_WATCH_EVENT, .number = memory->event };
		self->items[SECOND_LATER] = at_event;
		if (report_is_bad_free(memory)) {
			self->items[SECOND_LATER] = (struct heddle_watch){ .kind = HEDDLE_WATCH_BAD_FREE };
			self->items[SECOND_EARLIER] = at_event;
		}
		if (memory->made)
			self->items[SECOND_MADE] =
				(struct heddle_watch){ .kind = HEDDLE_WATCH_HEAP, .number = memory->made };
		if (memory->freed)
			self->items[SECOND_FREED] =
				(struct heddle_watch){ .kind = HEDDLE_WATCH_HEAP, .number = memory->freed };
		self->last_event = memory->event;
	}
}

/* The first thread was created by nobody. */
static bool watch_thread(struct second_pass *self, struct watches *watches, uint32_t index)
{
	if (index <= 1 || self->watch_count == HEDDLE_WATCHES)
		return false;
	for (uint32_t i = self->first_thread; i < self->watch_count; i++)
		if (self->threads[i] == index)
			return false;
	watches->items[self->watch_count] = (struct heddle_watch){ .kind = HEDDLE_WATCH_THREAD, .number = index };
	self->threads[self->watch_count++] = index;
	return true;
}

static void watch_origin_threads(struct second_pass *self, struct watches *watches, const struct finding *finding)
{
	if (finding->origin == FINDING_OF_MEMORY)
		watch_thread(self, watches, finding->memory.access.thread);
	if (finding->origin == FINDING_OF_RACE) {
		watch_thread(self, watches, finding->race.later.thread);
		watch_thread(self, watches, finding->race.earlier.thread);
	}
	for (size_t i = 0; finding->origin == FINDING_OF_ORDERS && i < finding->order_count; i++)
		watch_thread(self, watches, finding->orders[i].thread);
}

static bool watch_had(struct second_pass *self, struct watches *watches, const struct finding *finding)
{
	bool is_more = false;
	for (size_t i = 0; i < finding->order_count; i++) {
		const struct report_watch *taken = &self->report.watches[SECOND_TAKEN(i)];
		for (size_t j = 0; j < taken->held_count; j++) {
			if (taken->held[j].lock != finding->orders[i].pair.first_lock)
				continue;
			watches->items[SECOND_HAD(i)] = (struct heddle_watch){ .kind = HEDDLE_WATCH_LOCK,
									       .number = taken->held[j].event,
									       .address = taken->held[j].lock };
			is_more = true;
		}
	}
	return is_more;
}

/* What the first replay told that is worth another one. Returns whether there is something. */
static bool watch_more(struct second_pass *self, struct watches *watches)
{
	bool is_more = false;
	const struct report_watch *later = &self->report.watches[SECOND_LATER];
	const struct report_watch *freed = &self->report.watches[SECOND_FREED];
	if (later->has_block && !watches->items[SECOND_MADE].kind && later->made) {
		watches->items[SECOND_MADE] = (struct heddle_watch){ .kind = HEDDLE_WATCH_HEAP, .number = later->made };
		is_more = true;
	}
	if (freed->is_seen && freed->event) {
		watches->items[SECOND_BEFORE] =
			(struct heddle_watch){ .kind = HEDDLE_WATCH_EVENT, .number = freed->event };
		is_more = true;
	}
	for (uint32_t i = 0; i < self->first_thread; i++)
		if (self->report.watches[i].is_seen)
			is_more |= watch_thread(self, watches, self->report.watches[i].thread.index);
	return is_more;
}

static int replay(struct second_pass *self, const struct trace *recorded, const struct watches *watches,
		  struct err *err)
{
	struct retrace again = {
		.flags = HEDDLE_CONTROL_DETECT,
		.stop_after = watches->last_event + EVENTS_AFTER,
		.watches = watches->items,
		.watch_count = self->watch_count,
	};
	int code = retrace(&again, recorded, err);
	report_release(&self->report);
	report_parse(&self->report, again.now.report.data ? again.now.report.data : "", again.now.report.size);
	retrace_release(&again);
	return code;
}

int second_pass(struct second_pass *self, const struct finding *finding, struct err *err)
{
	struct trace recorded;
	struct watches watches = { .last_event = 0 };
	const bool is_orders = finding->origin == FINDING_OF_ORDERS;
	*self = (struct second_pass){ .first_thread = is_orders ? SECOND_TAKEN(finding->order_count) : SECOND_THREADS };
	self->watch_count = self->first_thread;
	trace_init(&recorded);
	watch_origin(&watches, finding);
	watch_origin_threads(self, &watches, finding);
	int code = trace_read(finding->trace, &recorded, err);
	if (code == 0)
		code = replay(self, &recorded, &watches, err);
	if (code == 0 && (is_orders ? watch_had(self, &watches, finding) : watch_more(self, &watches)))
		code = replay(self, &recorded, &watches, err);
	trace_free(&recorded);
	return code;
}

void second_pass_release(struct second_pass *self)
{
	report_release(&self->report);
}
