/*
 * test_replays.c: replays of evidence, to reduce it: for the switches that its schedule has, and for what must run between
 * what, in words.
 */
#include <stdlib.h>
#include <unistd.h>

#include "cmd/between.h"
#include "cmd/test_priv.h"

void test_tell_between(struct finding *finding, const struct heddle_step *steps, size_t step_count)
{
	struct err ignored = ERR_INIT;
	struct control control;
	struct trace recorded;
	struct control_setup setup = {
		.flags = HEDDLE_CONTROL_DISCARD, .is_detailed = true, .is_replay = true, .is_unattended = true
	};
	trace_init(&recorded);
	control_init(&control);
	int code = trace_read(finding->trace, &recorded, &ignored);
	struct trace now = recorded;
	now.report = (struct buf){ 0 };
	now.log_fd = -1;
	if (code == 0) {
		now.log_fd = recorded.log_fd;
		code = control_start(&control, &now, &setup, &ignored);
		now.log_fd = -1;
	}
	if (code == 0)
		code = control_finish(&control, &now, &ignored);
	if (code == 0) {
		struct events *events = mem_alloc(sizeof *events);
		struct report report;
		events->fd = now.log_fd;
		events->fd_bytes = now.log_bytes;
		events->tail = now.tail;
		events->tail_bytes = now.tail_bytes;
		report_parse(&report, now.report.data, now.report.size);
		struct deeds *deeds = deeds_new(&report);
		between_describe(&finding->needs, steps, step_count, events, deeds);
		deeds_free(deeds);
		report_release(&report);
		free(events);
	}
	if (now.log_fd >= 0)
		close(now.log_fd);
	buf_release(&now.report);
	control_release(&control);
	trace_free(&recorded);
}

int test_find_steps(const struct test *test, const struct trace *recorded, struct steps *steps, struct err *err)
{
	struct control control;
	/* A store may come from elsewhere: what is run is what the user named. */
	struct trace now = test->trace;
	struct control_setup setup = { .flags = HEDDLE_CONTROL_DISCARD | HEDDLE_CONTROL_STEPS,
				       .is_replay = true,
				       .is_unattended = true };
	now.ask = recorded->ask;
	now.report = (struct buf){ 0 };
	now.log_fd = recorded->log_fd;
	now.log_bytes = recorded->log_bytes;
	int code = control_start(&control, &now, &setup, err);
	now.log_fd = -1;
	if (code == 0)
		code = control_finish(&control, &now, err);
	if (code == 0 && !steps_take(steps, control.channel))
		steps->count = 0;
	buf_release(&now.report);
	control_release(&control);
	return code;
}
