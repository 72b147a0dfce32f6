/* reason_wait.c: see reason.h: the loop that orders the accesses of a race that has a single order. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "judge/reason_priv.h"

/* Rounds that show that a loop waits. */
#define ROUNDS_LEAST 8u

/* What the thread reads, again and again, while it does nothing that others can notice. */
struct spinning {
	struct {
		uint64_t site, address;
		size_t count;
	} reads[REASON_READS];
	size_t count;
	bool is_full;
};

static void add_read(struct spinning *self, const struct event *event)
{
	size_t i = 0;
	while (i < self->count && (self->reads[i].site != event->code || self->reads[i].address != event->object))
		i++;
	self->is_full |= i == REASON_READS;
	if (self->is_full)
		return;
	if (i == self->count) {
		self->reads[i].site = event->code;
		self->reads[i].address = event->object;
		self->reads[i].count = 0;
		self->count++;
	}
	self->reads[i].count++;
}

static size_t rounds_of(const struct spinning *self)
{
	size_t most = 0;
	for (size_t i = 0; i < self->count; i++)
		most = self->reads[i].count > most ? self->reads[i].count : most;
	return most;
}

/* The thread did something else. */
static void end(struct spinning *now, struct spinning *longest)
{
	if (rounds_of(now) > rounds_of(longest))
		*longest = *now;
	*now = (struct spinning){ .count = 0 };
}

/* Follows the thread through the events to its longest loop. Returns 0, or a negative errno. */
static int follow(struct spinning *longest, const struct trace *now, uint32_t thread)
{
	struct spinning spinning = { .count = 0 };
	struct event event;
	struct events *events = mem_alloc(sizeof *events);
	int code;
	*events = (struct events){
		.fd = now->log_fd, .fd_bytes = now->log_bytes, .tail = now->tail, .tail_bytes = now->tail_bytes
	};
	while ((code = events_next(events, &event)) > 0) {
		if (event.is_expiry || event.thread != thread)
			continue;
		if (reason_is_effect(&event))
			end(&spinning, longest);
		else if (event.kind == HEDDLE_EVENT_READ && !event.is_touch)
			add_read(&spinning, &event);
	}
	end(&spinning, longest);
	callers_release(&events->callers);
	free(events);
	return code;
}

/* Finds what the second thread of the race reads in its longest loop. */
static int find_loop(struct reason_look *self, struct scene *scene, const struct trace *now, struct err *err)
{
	struct spinning longest = { .count = 0 };
	struct report report;
	int code = follow(&longest, now, self->race.later.thread);
	if (code < 0)
		return err_set(err, -code, "the events of the replay cannot be read: %s", strerror(-code));
	report_parse(&report, now->report.data ? now->report.data : "", now->report.size);
	scene_set(scene, &report);
	report_release(&report);
	for (size_t i = 0; i < longest.count; i++) {
		struct scene_place place;
		scene_place(scene, longest.reads[i].site, &place);
		if (longest.reads[i].count < ROUNDS_LEAST || !place.size || place.size > 8)
			continue;
		const struct report_access read = { .thread = self->race.later.thread,
						    .kind = REPORT_READ,
						    .place = longest.reads[i].site };
		self->loops[self->loop_count++] = (struct report_race){
			.address = longest.reads[i].address, .size = place.size, .later = read, .earlier = read
		};
	}
	return 0;
}

/* Whether the thread that waits is the second of the race, and the one that was held lets it go on. */
static bool is_it(struct reason_look *self, const struct report_race *race)
{
	return reason_is_wait(&self->facts, self->facts.sides[0].place, 0, &self->reason) &&
	       self->reason.read->thread == race->later.thread && self->reason.write->thread == race->earlier.thread;
}

int reason_look_wait(struct reason_look *self, struct scene *scene, const struct report_race *race, const char *held,
		     double deadline, struct err *err)
{
	struct reason_look found;
	int code = reason_begin(&found, race, err);
	*self = (struct reason_look){ .facts.run_count = 0 };
	if (code == 0)
		code = reason_replay(&found, scene, held, deadline, find_loop, err);
	for (size_t i = 0; i < found.loop_count && code == 0; i++) {
		reason_look_release(self);
		code = reason_begin(self, &found.loops[i], err);
		if (code == 0)
			code = reason_replay(self, scene, held, deadline, reason_take, err);
		if (code == 0 && is_it(self, race))
			return 0;
	}
	self->reason = (struct reason){ .reason = REASON_NONE };
	return code;
}
