/* columns_words.c: what is in the rows of columns.h, in words; for tables and for JSON alike. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "narrate/columns_priv.h"

/* Whether the thread waits in the middle of what it does there: it was left, or in the futex behind it, which a short table
 * does not show. */
static bool is_waiting(const struct play *play, size_t event, bool with_futexes)
{
	const uint32_t thread = play->events[event].thread;
	size_t last = event, next = event + 1;
	if (!play->has_switches || play->events[event].kind == HEDDLE_EVENT_THREAD_END ||
	    (!with_futexes && play->left[event] & PLAY_ABLE))
		return false;
	for (; next < play->count; next++) {
		if (play->events[next].thread != thread)
			continue;
		if (!with_futexes || play->events[next].kind != HEDDLE_EVENT_FUTEX)
			break;
		last = next;
	}
	if (next == play->count && play->result.outcome == HEDDLE_OUTCOME_DEADLOCK)
		return true;
	return (play->left[last] & (PLAY_LEFT | PLAY_ABLE)) == PLAY_LEFT;
}

void rows_tell_what(struct buf *out, const struct rows *self, const struct row *row)
{
	const struct play *play = self->play;
	if (row->kind == ROW_EXTRA) {
		buf_add_string(out, row->mark->what);
		return;
	}
	if (row->kind == ROW_FOLD) {
		deeds_fold_what(out, play->deeds, &play->events[row->event], row->count);
		return;
	}
	deeds_describe_what(out, play->deeds, &play->events[row->event]);
	if (is_waiting(play, row->event, self->ask->rows_most))
		buf_add_string(out, ", waits");
	if (play->left[row->event] & PLAY_NEVER)
		buf_add_string(out, ", not done");
}

const char *rows_place(const struct rows *self, const struct row *row, uint32_t *line)
{
	struct deeds *deeds = self->play->deeds;
	const struct event *event = &self->play->events[row->event];
	if (row->kind == ROW_EXTRA || (row->mark && row->mark->file && !deeds_own_place(deeds, event, line))) {
		*line = row->mark->line;
		return row->mark->file;
	}
	return deeds_place(deeds, event, line);
}

void rows_name_thread(struct buf *out, const struct rows *self, struct unwinder *unwinder, struct symbols *symbols,
		      uint32_t index)
{
	const struct report_thread *thread = report_thread(&self->play->report, index);
	for (size_t i = 0; i < self->ask->name_count; i++)
		if (self->ask->names[i].thread == index && self->ask->names[i].name) {
			text_terminal(out, self->ask->names[i].name);
			return;
		}
	if (thread && thread->name[0])
		text_terminal(out, thread->name);
	else if (thread)
		stack_tell_start(out, unwinder, symbols, thread);
}
