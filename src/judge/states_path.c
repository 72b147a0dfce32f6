/* states_path.c: whether one order of two accesses goes where the other was: see states.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "judge/retrace.h"
#include "judge/states.h"
#include "trace/events.h"

/* A longer run is not replayed for this. */
#define MAX_EVENTS 4000000u
#define QUIET_SECONDS 5u

static bool has(const uint64_t *addresses, size_t count, uint64_t address)
{
	for (size_t i = 0; i < count; i++)
		if (addresses[i] == address)
			return true;
	return false;
}

static bool has_all(const uint64_t *all, size_t all_count, const uint64_t *some, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!has(all, all_count, some[i]))
			return false;
	return true;
}

bool states_is_same_path(const struct report_state *recorded, const struct report_state *other)
{
	return !other->is_more &&
	       has_all(recorded->visited, recorded->visited_count, other->visited, other->visited_count) &&
	       has_all(recorded->touched, recorded->touched_count, other->touched, other->touched_count);
}

/* Removes it from those that were not seen yet. */
static void see(uint64_t *unseen, size_t *count, uint64_t address)
{
	for (size_t i = 0; i < *count; i++)
		if (unseen[i] == address) {
			unseen[i] = unseen[--*count];
			return;
		}
}

static int look_for(const struct trace *now, const struct report_state *other, struct err *err)
{
	struct events *events = mem_alloc(sizeof *events);
	uint64_t *visited = mem_alloc((other->visited_count + 1) * sizeof *visited),
		 *touched = mem_alloc((other->touched_count + 1) * sizeof *touched);
	size_t visited_count = other->visited_count, touched_count = other->touched_count;
	struct event event;
	int code = 0;
	*events = (struct events){
		.fd = now->log_fd, .fd_bytes = now->log_bytes, .tail = now->tail, .tail_bytes = now->tail_bytes
	};
	if (visited_count)
		memcpy(visited, other->visited, visited_count * sizeof *visited);
	if (touched_count)
		memcpy(touched, other->touched, touched_count * sizeof *touched);
	while ((visited_count || touched_count) && (code = events_next(events, &event)) > 0) {
		if (event.is_expiry)
			continue;
		see(visited, &visited_count, event.code);
		see(touched, &touched_count, event.object & -8ul);
	}
	if (visited_count || touched_count)
		code = code < 0 ? err_set(err, -code, "the events of a replay cannot be read") : 1;
	else
		code = 0;
	callers_release(&events->callers);
	free(events);
	free(visited);
	free(touched);
	return code;
}

int states_has_left(const char *path, const struct report_state *other, double deadline, struct err *err)
{
	struct trace recorded;
	struct retrace replay = { .is_detailed = true, .quiet_seconds = QUIET_SECONDS, .deadline = deadline };
	trace_init(&recorded);
	int code = trace_read(path, &recorded, err);
	if (code == 0 && recorded.result.event_count > MAX_EVENTS)
		code = err_set(err, EFBIG, "the run has too many events");
	const bool is_replayed = code == 0;
	if (is_replayed)
		code = retrace(&replay, &recorded, err);
	if (code == 0)
		code = look_for(&replay.now, other, err);
	if (is_replayed)
		retrace_release(&replay);
	trace_free(&recorded);
	return code;
}
