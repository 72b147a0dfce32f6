/* columns_words.c: what is in the rows of columns.h, in words; for tables and for JSON alike. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "narrate/columns_priv.h"

/* Whether the thread waits in the middle of what it does there: it was left, or in the futex after it, which a short
 * table does not show. */
static bool is_waiting(const struct timeline *timeline, size_t event, bool with_futexes)
{
	const uint32_t thread = timeline->events[event].thread;
	size_t last = event, next = event + 1;
	if (!timeline->has_switches || timeline->events[event].kind == HEDDLE_EVENT_THREAD_END ||
	    (!with_futexes && timeline->left[event] & TIMELINE_ABLE))
		return false;
	for (; next < timeline->count; next++) {
		if (timeline->events[next].thread != thread)
			continue;
		if (!with_futexes || timeline->events[next].kind != HEDDLE_EVENT_FUTEX)
			break;
		last = next;
	}
	if (next == timeline->count && timeline->result.outcome == HEDDLE_OUTCOME_DEADLOCK)
		return true;
	return (timeline->left[last] & (TIMELINE_LEFT | TIMELINE_ABLE)) == TIMELINE_LEFT;
}

void rows_describe_event(struct buf *out, const struct rows *self, const struct row *row)
{
	const struct timeline *timeline = self->timeline;
	if (row->kind == ROW_EXTRA) {
		buf_add_string(out, row->mark->what);
		return;
	}
	if (row->kind == ROW_FOLD) {
		event_texts_fold_what(out, timeline->event_texts, &timeline->events[row->event], row->count);
		return;
	}
	event_texts_describe_what(out, timeline->event_texts, &timeline->events[row->event]);
	if (is_waiting(timeline, row->event, self->request->max_rows))
		buf_add_string(out, ", waits");
	if (timeline->left[row->event] & TIMELINE_NEVER)
		buf_add_string(out, ", not done");
}

const char *rows_place(const struct rows *self, const struct row *row, uint32_t *line)
{
	struct event_texts *event_texts = self->timeline->event_texts;
	const struct event *event = &self->timeline->events[row->event];
	if (row->kind == ROW_EXTRA ||
	    (row->mark && row->mark->file && !event_texts_own_place(event_texts, event, line))) {
		*line = row->mark->line;
		return row->mark->file;
	}
	return event_texts_place(event_texts, event, line);
}

void rows_name_thread(struct buf *out, const struct rows *self, struct unwinder *unwinder, struct symbols *symbols,
		      uint32_t index)
{
	const struct report_thread *thread = report_thread(&self->timeline->report, index);
	for (size_t i = 0; i < self->request->name_count; i++)
		if (self->request->names[i].thread == index && self->request->names[i].name) {
			text_terminal(out, self->request->names[i].name);
			return;
		}
	if (thread && thread->name[0])
		text_terminal(out, thread->name);
	else if (thread)
		stack_describe_start(out, unwinder, symbols, thread);
}
