/* reason.c: see reason.h. */
#include "judge/reason_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "judge/retrace.h"
#include "symbols/woven.h"
#include "trace/events.h"

/* Longer runs are not replayed for a reason, ... */
#define MAX_EVENTS 2000000u
/* ... and more threads are not followed. */
#define MAX_THREADS 4096u
#define QUIET_SECONDS 5u

static uint64_t line_of(struct reason_look *self, struct scene *scene, uint64_t site)
{
	struct scene_place at;
	scene_place(scene, site, &at);
	for (size_t i = 0; i < self->line_count; i++) {
		const struct reason_line *known = &self->lines[i];
		if (known->line == at.line && known->file && at.file && strcmp(known->file, at.file) == 0)
			return i + 1;
	}
	self->lines = mem_resize(self->lines, (self->line_count + 1) * sizeof *self->lines);
	self->lines[self->line_count++] =
		(struct reason_line){ .file = at.file ? mem_copy_string(at.file) : NULL,
				      .function = at.function ? mem_copy_string(at.function) : NULL,
				      .line = at.line };
	return self->line_count;
}

static bool is_write(enum report_access_kind kind)
{
	return kind == REPORT_WRITE || kind == REPORT_ATOMIC_WRITE;
}

/* The bits of the memory that a read of a site at the address uses. */
static uint64_t bits_of(const struct woven_site *site, uint64_t address, const struct report_race *race)
{
	const int64_t bytes = (int64_t)(race->address - address);
	if (!(site->record.flags & HEDDLE_SITE_BITS) || bytes <= -8 || bytes >= 8)
		return UINT64_MAX;
	return bytes < 0 ? site->bits << -8 * bytes : site->bits >> 8 * bytes;
}

bool reason_is_effect(const struct event *event)
{
	switch ((enum heddle_event_kind)event->kind) {
	case HEDDLE_EVENT_READ:
	case HEDDLE_EVENT_YIELD:
	case HEDDLE_EVENT_SLEEP:
	case HEDDLE_EVENT_MUTEX_LOCK:
	case HEDDLE_EVENT_MUTEX_TRYLOCK:
	case HEDDLE_EVENT_MUTEX_UNLOCK:
	case HEDDLE_EVENT_RWLOCK_READ_LOCK:
	case HEDDLE_EVENT_RWLOCK_WRITE_LOCK:
	case HEDDLE_EVENT_RWLOCK_UNLOCK:
	case HEDDLE_EVENT_SPIN_LOCK:
	case HEDDLE_EVENT_SPIN_UNLOCK:
	case HEDDLE_EVENT_FUTEX:
	case HEDDLE_EVENT_SKIPPED:
		return false;
	case HEDDLE_EVENT_SYSCALL:
		/* Asking whether descriptors are ready changes nothing; without any it is a sleep. */
		return event->object != SYS_sched_yield && event->object != SYS_nanosleep &&
		       event->object != SYS_clock_nanosleep && event->object != SYS_poll &&
		       event->object != SYS_ppoll && event->object != SYS_select && event->object != SYS_pselect6;
	case HEDDLE_EVENT_NONE:
	case HEDDLE_EVENT_WRITE:
	case HEDDLE_EVENT_ATOMIC:
	case HEDDLE_EVENT_THREAD_START:
	case HEDDLE_EVENT_THREAD_END:
	case HEDDLE_EVENT_THREAD_CREATE:
	case HEDDLE_EVENT_THREAD_JOIN:
	case HEDDLE_EVENT_THREAD_DETACH:
	case HEDDLE_EVENT_THREAD_CANCEL:
	case HEDDLE_EVENT_COND_WAIT:
	case HEDDLE_EVENT_COND_SIGNAL:
	case HEDDLE_EVENT_COND_BROADCAST:
	case HEDDLE_EVENT_BARRIER_WAIT:
	case HEDDLE_EVENT_SEM_WAIT:
	case HEDDLE_EVENT_SEM_POST:
	case HEDDLE_EVENT_ONCE:
	case HEDDLE_EVENT_SIGNAL:
	case HEDDLE_EVENT_COUNT:
		break;
	}
	return true;
}

/* A replay whose accesses are being joined with its events. */
struct joining {
	struct reason_look *look;
	struct scene *scene;
	struct events events;
	struct event next; /* the first event that was not counted */
	bool has_next;
	uint64_t effects[MAX_THREADS]; /* of each thread, up to there */
};

/* Counts events up to that number; touches after the last of them come after what that is asked for. Returns 0, or a negative errno. */
static int count_up_to(struct joining *self, uint64_t number)
{
	for (;;) {
		if (!self->has_next) {
			int code = events_next(&self->events, &self->next);
			if (code <= 0)
				return code;
			self->has_next = true;
		}
		if (self->next.number > number || (self->next.number == number && self->next.is_touch))
			return 0;
		self->has_next = false;
		if (self->next.is_expiry)
			continue;
		if (self->next.thread >= MAX_THREADS)
			return -E2BIG;
		self->effects[self->next.thread] += reason_is_effect(&self->next);
	}
}

static void add_access(struct joining *self, struct reason_access *access, const struct report_accessed *seen)
{
	struct scene *scene = self->scene;
	struct woven_site site = { .bits = UINT64_MAX };
	uint32_t index;
	const struct woven *woven = symbols_site(scene->symbols, seen->access.place, &index);
	if (!woven || !woven_site(woven, index, &site))
		site = (struct woven_site){ .bits = UINT64_MAX };
	*access = (struct reason_access){
		.thread = seen->access.thread,
		.place = line_of(self->look, scene, seen->access.place),
		.is_write = is_write(seen->access.kind),
		.before = seen->before,
		.after = seen->after,
		.bits = bits_of(&site, seen->address, &self->look->race),
		.is_computed = site.record.flags & HEDDLE_SITE_COMPUTED,
		.is_for_compute = site.record.flags & HEDDLE_SITE_ONLY_COMPUTED,
		.effects = self->effects[seen->access.thread],
		.lock_count = seen->lock_count,
	};
	memcpy(access->locks, seen->locks, sizeof access->locks);
	memcpy(access->is_shared, seen->is_shared, sizeof access->is_shared);
	struct reason_line *line = &self->look->lines[access->place - 1];
	line->is_read |= !access->is_write;
	line->is_read_more |= !access->is_write && !access->is_for_compute;
}

static int join(struct joining *self, const struct report *report, struct reason_access **accesses, size_t *count)
{
	int code = 0;
	*accesses = mem_alloc((report->accessed_count + 1) * sizeof **accesses);
	for (size_t i = 0; i < report->accessed_count && code == 0; i++) {
		const struct report_accessed *seen = &report->accessed[i];
		if (seen->access.thread >= MAX_THREADS)
			return -E2BIG;
		code = count_up_to(self, seen->event);
		if (code == 0)
			add_access(self, &(*accesses)[(*count)++], seen);
	}
	return code;
}

/* Both sides must have been seen, else it is not the memory of the race in this run. */
static bool has_sides(const struct reason_look *self, const struct reason_access *accesses, size_t count)
{
	for (int side = 0; side < 2; side++) {
		const struct reason_side *wanted = &self->facts.sides[side];
		bool is_seen = false;
		for (size_t i = 0; i < count && !is_seen; i++)
			is_seen = accesses[i].place == wanted->place && accesses[i].is_write == wanted->is_write;
		if (!is_seen)
			return false;
	}
	return true;
}

static void set_side(struct reason_look *self, struct scene *scene, int side, const struct report_access *access)
{
	self->facts.sides[side] = (struct reason_side){ .place = line_of(self, scene, access->place),
							.thread = access->thread,
							.is_write = is_write(access->kind) };
}

int reason_take(struct reason_look *self, struct scene *scene, const struct trace *now, struct err *err)
{
	const struct report_race *race = &self->race;
	const size_t run = self->facts.run_count;
	struct report report;
	size_t count = 0;
	struct joining *joining = mem_alloc(sizeof *joining);
	report_parse(&report, now->report.data ? now->report.data : "", now->report.size);
	scene_set(scene, &report);
	*joining = (struct joining){ .look = self,
				     .scene = scene,
				     .events = { .fd = now->log_fd,
						 .fd_bytes = now->log_bytes,
						 .tail = now->tail,
						 .tail_bytes = now->tail_bytes } };
	if (!self->line_count) {
		set_side(self, scene, 0, &race->earlier);
		set_side(self, scene, 1, &race->later);
	}
	int code = join(joining, &report, &self->accesses[run], &count);
	if (code < 0)
		err_set(err, -code, "the events of the replay cannot be read: %s", strerror(-code));
	else if (report.accessed_count == HEDDLE_ACCESSED)
		code = err_set(err, EFBIG, "the memory is accessed too often");
	else if (!has_sides(self, self->accesses[run], count))
		code = err_set(err, EINVAL, "the accesses were not seen again");
	if (code == 0)
		self->facts.runs[self->facts.run_count++] =
			(struct reason_run){ .accesses = self->accesses[run], .count = count };
	callers_release(&joining->events.callers);
	free(joining);
	report_release(&report);
	return code;
}

int reason_replay(struct reason_look *self, struct scene *scene, const char *path, double deadline, reason_taken *taken,
		  struct err *err)
{
	const struct heddle_watch watch = { .kind = HEDDLE_WATCH_MEMORY,
					    .size = (uint32_t)self->race.size,
					    .address = self->race.address };
	struct retrace again = {
		.flags = HEDDLE_CONTROL_DETECT,
		.is_detailed = true,
		.watches = &watch,
		.watch_count = 1,
		.quiet_seconds = QUIET_SECONDS,
		.deadline = deadline,
	};
	struct trace recorded;
	trace_init(&recorded);
	int code = trace_read(path, &recorded, err);
	if (code == 0 && recorded.result.event_count > MAX_EVENTS)
		code = err_set(err, EFBIG, "the run has %" PRIu64 " events", recorded.result.event_count);
	if (code == 0) {
		code = retrace(&again, &recorded, err);
		if (code == 0)
			code = taken(self, scene, &again.now, err);
		retrace_release(&again);
	}
	trace_free(&recorded);
	return code;
}

int reason_begin(struct reason_look *self, const struct report_race *race, struct err *err)
{
	*self = (struct reason_look){ .race = *race,
				      .facts.all_bits = race->size < 8 ? (1ul << 8 * race->size) - 1 : UINT64_MAX };
	if (!race->size || race->size > 8)
		return err_set(err, ENOTSUP, "the race is about %" PRIu64 " bytes", race->size);
	return 0;
}

int reason_look(struct reason_look *self, struct scene *scene, const struct report_race *race, const char *recorded,
		const char *other, double deadline, struct err *err)
{
	int code = reason_begin(self, race, err);
	if (code == 0)
		code = reason_replay(self, scene, recorded, deadline, reason_take, err);
	struct err missing = ERR_INIT;
	if (code == 0 && other)
		reason_replay(self, scene, other, deadline, reason_take, &missing);
	if (code == 0)
		self->reason = reason_of(&self->facts);
	return code;
}

void reason_look_release(struct reason_look *self)
{
	for (int i = 0; i < 2; i++)
		free(self->accesses[i]);
	for (size_t i = 0; i < self->line_count; i++) {
		free(self->lines[i].file);
		free(self->lines[i].function);
	}
	free(self->lines);
	*self = (struct reason_look){ 0 };
}
