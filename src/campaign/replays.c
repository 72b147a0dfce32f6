/*
 * replays.c: replays of evidence: for the switches that its schedule has, for what must run between
 * what, in words, and for the threads of findings.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/time.h"
#include "campaign/test_priv.h"
#include "judge/retrace.h"
#include "narrate/between.h"

void test_describe_between(const struct test *test, struct finding *finding, const struct heddle_step *steps,
			   size_t step_count)
{
	struct err ignored = ERR_INIT;
	struct trace recorded;
	struct retrace replay = { .is_detailed = true, .deadline = test_keep_deadline(test) };
	trace_init(&recorded);
	if (trace_read(finding->evidence.trace, &recorded, &ignored) == 0) {
		if (retrace(&replay, &recorded, &ignored) == 0) {
			const struct trace *now = &replay.now;
			struct events *events = mem_alloc(sizeof *events);
			struct report report;
			*events = (struct events){ .fd = now->log_fd,
						   .fd_bytes = now->log_bytes,
						   .tail = now->tail,
						   .tail_bytes = now->tail_bytes };
			report_parse(&report, now->report.data ? now->report.data : "", now->report.size);
			struct event_texts *event_texts = event_texts_new(&report);
			between_describe(&finding->presentation.needs, steps, step_count, events, event_texts);
			event_texts_free(event_texts);
			report_release(&report);
			free(events);
		}
		retrace_release(&replay);
	}
	trace_free(&recorded);
}

int test_find_steps(const struct test *test, const struct trace *recorded, struct steps *steps, bool *is_all,
		    struct err *err)
{
	bool has_all = false;
	/* A store may come from elsewhere: what is run is what the user named. */
	struct retrace replay = { .start = &test->trace,
				  .flags = HEDDLE_CONTROL_STEPS,
				  .deadline = test_deadline(test) };
	int code = retrace(&replay, recorded, err);
	if (code == 0)
		has_all = steps_take(steps, replay.control.channel);
	if (is_all)
		*is_all = has_all;
	else if (!has_all)
		steps->count = 0;
	retrace_release(&replay);
	return code;
}

/* The event of the evidence that the finding is complete with; 0: its end. */
static uint64_t last_event(const struct finding *finding)
{
	uint64_t last = 0;
	if (finding->evidence.origin == FINDING_OF_END)
		return 0;
	for (size_t i = 0; i < finding->evidence.site_count; i++)
		last = finding->evidence.sites[i].event > last ? finding->evidence.sites[i].event : last;
	return last;
}

/* The last event of interest among the findings of the schedule that are to be shown, so that one replay is enough. */
static uint64_t last_event_of_all(const struct test *self, const struct finding *finding)
{
	uint64_t last = last_event(finding);
	for (size_t i = 0; last && i < self->unshown.count; i++) {
		const struct finding *other = self->unshown.items[i];
		uint64_t event = other->evidence.first == finding->evidence.first ? last_event(other) : 0;
		last = event > last && event <= TIMELINE_MAX_EVENTS ? event : last;
	}
	return last;
}

const struct timeline *test_find_timeline(struct test *self, const struct finding *finding, struct err *err)
{
	double began = time_now_seconds();
	const double deadline = self->is_searching ? test_deadline(self) : self->details_until;
	/* Of a long run the timeline is work even if it is there. */
	const bool is_present = self->timeline.count && (!test_is_timed(self) || began < deadline);
	if (!finding->evidence.trace || finding->evidence.is_slow)
		return NULL;
	if (!is_present && !test_may_replay(self, TEST_REPLAY_THREADS)) {
		test_note_unreplayed(self, finding);
		return NULL;
	}
	int code = timeline(&self->timeline, finding->evidence.trace, last_event_of_all(self, finding), deadline, err);
	if (code != 1 && code != -EFBIG)
		test_count_replays(self, TEST_REPLAY_THREADS, 1, self->timeline.count, began);
	if (code == -ETIME) {
		test_note_unreplayed(self, finding);
		*err = (struct err)ERR_INIT;
	}
	return code < 0 ? NULL : &self->timeline;
}

void test_release_timeline(struct test *self)
{
	timeline_release(&self->timeline);
}
