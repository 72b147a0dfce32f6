/*
 * test_replays.c: replays of evidence, to reduce it: for the switches that its schedule has, and for what must run between
 * what, in words.
 */
#include <stdlib.h>

#include "cmd/between.h"
#include "cmd/retrace.h"
#include "cmd/test_priv.h"

void test_tell_between(const struct test *test, struct finding *finding, const struct heddle_step *steps,
		       size_t step_count)
{
	struct err ignored = ERR_INIT;
	struct trace recorded;
	struct retrace replay = { .is_detailed = true, .deadline = test_keep_deadline(test) };
	trace_init(&recorded);
	if (trace_read(finding->trace, &recorded, &ignored) == 0) {
		if (retrace(&replay, &recorded, &ignored) == 0) {
			const struct trace *now = &replay.now;
			struct events *events = mem_alloc(sizeof *events);
			struct report report;
			*events = (struct events){ .fd = now->log_fd,
						   .fd_bytes = now->log_bytes,
						   .tail = now->tail,
						   .tail_bytes = now->tail_bytes };
			report_parse(&report, now->report.data ? now->report.data : "", now->report.size);
			struct deeds *deeds = deeds_new(&report);
			between_describe(&finding->needs, steps, step_count, events, deeds);
			deeds_free(deeds);
			report_release(&report);
			free(events);
		}
		retrace_release(&replay);
	}
	trace_free(&recorded);
}

int test_find_steps(const struct test *test, const struct trace *recorded, struct steps *steps, struct err *err)
{
	/* A store may come from elsewhere: what is run is what the user named. */
	struct retrace replay = { .start = &test->trace,
				  .flags = HEDDLE_CONTROL_STEPS,
				  .deadline = test_keep_deadline(test) };
	int code = retrace(&replay, recorded, err);
	if (code == 0 && !steps_take(steps, replay.control.channel))
		steps->count = 0;
	retrace_release(&replay);
	return code;
}
