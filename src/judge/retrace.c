/* retrace.c: see retrace.h. */
#include "judge/retrace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "trace/report.h"

static int run(struct retrace *self, struct err *err)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	const struct control_setup setup = {
		.flags = HEDDLE_CONTROL_DISCARD | self->flags,
		.is_detailed = self->is_detailed,
		.is_replay = true,
		.is_unattended = true,
		.has_own_session = true,
		.has_streams = true,
		.streams = { nothing, nothing, nothing },
		.stop_after = self->stop_after,
		.watches = self->watches,
		.watch_count = self->watch_count,
		.race = self->race,
		.quiet_seconds = self->quiet_seconds,
	};
	int code = control_start(&self->control, &self->now, &setup, err);
	self->now.log_fd = -1;
	if (nothing >= 0)
		close(nothing);
	if (code == 0 && self->deadline > 0 && !control_wait(&self->control, self->deadline))
		return err_set(err, ETIME, "no time was left for the replay");
	return code == 0 ? control_finish(&self->control, &self->now, err) : code;
}

/* Why, in the words of the runtime; null: it did not say. */
static const char *reason(const struct report *report)
{
	static const char path[] = "the replay left the path of the trace: ";
	for (size_t i = 0; i < report->note_count; i++)
		if (strncmp(report->notes[i], path, sizeof path - 1) == 0)
			return report->notes[i] + sizeof path - 1;
	return report->note_count ? report->notes[0] : NULL;
}

static int differs(const struct retrace *self, const struct trace *recorded, struct err *err)
{
	struct report report;
	report_parse(&report, self->now.report.data ? self->now.report.data : "", self->now.report.size);
	char *why = reason(&report) ? text_terminal_copy(reason(&report))
		    : self->now.result.event_count == recorded->result.event_count
			    ? mem_format("its %" PRIu64 " events are not the recorded ones, or it ended otherwise",
					 self->now.result.event_count)
			    : mem_format("it ended after %" PRIu64 " events; the recording has %" PRIu64,
					 self->now.result.event_count, recorded->result.event_count);
	char *program = text_terminal_copy(recorded->program);
	err_set(err, EINVAL, "the replay of \"%s\" did not follow the recording: %s", program, why);
	free(program);
	free(why);
	report_release(&report);
	return -EINVAL;
}

/* What a run did that was ended from outside is known as far as its log goes. */
static bool is_followed(const struct trace_result *now, const struct trace_result *then)
{
	if (then->outcome == HEDDLE_OUTCOME_NONE)
		return now->event_count >= then->event_count;
	return now->outcome == HEDDLE_OUTCOME_PREFIX ||
	       (now->outcome == then->outcome && now->status == then->status && now->event_count == then->event_count &&
		now->event_hash == then->event_hash);
}

int retrace(struct retrace *self, const struct trace *recorded, struct err *err)
{
	self->now = self->start ? *self->start : *recorded;
	self->now.request = recorded->request;
	self->now.result = recorded->result;
	self->now.report = (struct buf){ 0 };
	self->now.log_fd = recorded->log_fd;
	self->now.log_bytes = recorded->log_bytes;
	control_init(&self->control);
	int code = run(self, err);
	if (code == 0 && !is_followed(&self->now.result, &recorded->result))
		code = differs(self, recorded, err);
	return code;
}

void retrace_release(struct retrace *self)
{
	if (self->now.log_fd >= 0)
		close(self->now.log_fd);
	self->now.log_fd = -1;
	buf_release(&self->now.report);
	control_release(&self->control);
}
