/* narrate.c: see narrate.h. */
#include "narrate/narrate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "base/text.h"
#include "narrate/advice.h"
#include "narrate/between.h"
#include "narrate/columns.h"
#include "symbols/line.h"

#define INDENT 2u
#define MAX_SITES 32u
#define MAX_EARLY 3u      /* waits that are named */
#define EVENTS_BACK 1000u /* events at the end of a run that are looked through for a place */

void narrator_init(struct narrator *self, int fd, const char *color, const char *program)
{
	layout_init(&self->layout, fd, color);
	quotes_init(&self->quotes, program);
}

void narrator_release(struct narrator *self)
{
	quotes_release(&self->quotes);
}

static void meaning_of_race(struct buf *out, const struct finding *finding)
{
	static const char *const does[REPORT_ACCESS_COUNT] = {
		[REPORT_READ] = "reads",           [REPORT_WRITE] = "writes", [REPORT_ATOMIC_READ] = "reads",
		[REPORT_ATOMIC_WRITE] = "writes",  [REPORT_FREE] = "frees",   [REPORT_REALLOC] = "resizes",
		[REPORT_ALLOCATION] = "allocates",
	};
	const struct report_access *later = &finding->evidence.race.later, *earlier = &finding->evidence.race.earlier;
	if (earlier->kind == REPORT_ALLOCATION) {
		buf_format(out,
			   "thread %" PRIu32 " %s a block that thread %" PRIu32
			   " allocated, and nothing orders the two: on real hardware thread %" PRIu32
			   " may see the previous contents of the memory",
			   later->thread, does[later->kind], earlier->thread, later->thread);
		return;
	}
	buf_format(out,
		   "thread %" PRIu32 " %s what thread %" PRIu32
		   " %s, and nothing orders the two: either may come first",
		   later->thread, does[later->kind], earlier->thread, does[earlier->kind]);
}

static void meaning_of_free(struct buf *out, const struct finding *finding)
{
	const struct report_memory *memory = &finding->evidence.memory;
	const struct finding_act *freed = finding_act(finding, FINDING_FREED, 0);
	const char *does = memory->access.kind == REPORT_REALLOC ? "resizes" : "frees";
	uint32_t thread = memory->access.thread;
	if (memory->state == REPORT_FREED && freed && freed->by != thread)
		buf_format(out, "thread %" PRIu32 " %s memory that thread %" PRIu32 " has freed", thread, does,
			   freed->by);
	else if (memory->state == REPORT_FREED && freed)
		buf_format(out, "thread %" PRIu32 " %s memory that it has freed itself", thread, does);
	else if (memory->state == REPORT_INSIDE || memory->state == REPORT_BEYOND)
		buf_format(out,
			   "thread %" PRIu32 " %s a pointer that is %" PRIu64
			   " byte%s past the one that the allocation returned",
			   thread, does, memory->address - memory->start,
			   memory->address - memory->start == 1 ? "" : "s");
}

static void meaning_of_memory(struct buf *out, const struct finding *finding)
{
	const struct finding_act *freed = finding_act(finding, FINDING_FREED, 0);
	uint32_t thread = finding->evidence.memory.access.thread;
	if (finding->evidence.memory.state == REPORT_FREED && freed && freed->by != thread)
		buf_format(out, "thread %" PRIu32 " uses memory that thread %" PRIu32 " has freed", thread, freed->by);
	else if (finding->evidence.memory.state == REPORT_FREED && freed)
		buf_format(out, "thread %" PRIu32 " uses memory that it has freed itself", thread);
}

/* What the kind of a finding means here, in a sentence; nothing where the summary has said it all. */
static void narrate_meaning(struct buf *out, const struct finding *finding)
{
	if (finding->evidence.origin == FINDING_OF_RACE)
		meaning_of_race(out, finding);
	else if (finding_is_bad_free(finding))
		meaning_of_free(out, finding);
	else if (finding->evidence.origin == FINDING_OF_MEMORY)
		meaning_of_memory(out, finding);
	else if (finding->identity.kind == FINDING_LOCK_ORDER)
		buf_add_string(out, "if each thread holds its first lock when it requests its second, all of them wait "
				    "forever");
}

void narrate_head(struct buf *out, const struct narrator *self, const char *id, const struct finding *finding,
		  const char *summary, const char *state)
{
	struct buf line = { 0 }, meaning = { 0 };
	buf_format(&line, "%s%s%s%s", id ? id : "", id ? " " : "", summary, state ? state : "");
	layout_fold(out, &self->layout, LAYOUT_HEAD, 0, line.data);
	if (finding)
		narrate_meaning(&meaning, finding);
	if (meaning.size)
		layout_fold(out, &self->layout, LAYOUT_PLAIN, INDENT, meaning.data);
	buf_release(&line);
	buf_release(&meaning);
}

/* Places in the order in which they are reported, each with the block of lines that it belongs to: a line without
 * leading spaces, and those after it that have some. */
struct quoted_place {
	struct quote quote;
	const char *head; /* how the block begins */
	uint32_t thread;
	bool is_done;
};

static bool is_head(const char *line, const struct quoted_place *place)
{
	size_t size = strlen(place->head);
	char *end;
	if (strncmp(line, place->head, size) != 0)
		return false;
	unsigned long thread = strtoul(line + size, &end, 10);
	return thread == place->thread && end != line + size && (*end == ' ' || *end == '\n') &&
	       strncmp(end, " was created", 12) != 0;
}

static bool begins_place(const char *line, const struct quoted_place *places, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_head(line, &places[i]))
			return true;
	return false;
}

/* A place is quoted at the end of its block, or together with a later one near it. */
static void quote_block(struct buf *out, struct narrator *self, const char *line, struct quoted_place *places,
			size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct quote near[MAX_SITES];
		size_t near_count = 0;
		bool is_later = false;
		if (places[i].is_done || !is_head(line, &places[i]))
			continue;
		for (size_t k = i + 1; k < count; k++)
			is_later = is_later || quotes_is_near(&places[i].quote, &places[k].quote);
		if (is_later)
			continue;
		for (size_t k = 0; k <= i; k++)
			if (!places[k].is_done && quotes_is_near(&places[i].quote, &places[k].quote)) {
				near[near_count++] = places[k].quote;
				places[k].is_done = true;
			}
		quotes_add(out, &self->quotes, &self->layout, 2 * INDENT, near, near_count);
		places[i].is_done = true;
	}
}

static size_t collect_places(struct quoted_place places[MAX_SITES], const struct finding_site *sites, size_t site_count,
			     const struct finding_act *freed)
{
	size_t count = 0;
	for (size_t i = 0; i < site_count && count + 1 < MAX_SITES; i++)
		if (sites[i].file && sites[i].line && !sites[i].is_beside)
			places[count++] = (struct quoted_place){
				.quote = { sites[i].file, line_number(sites[i].line), sites[i].column, sites[i].code },
				.head = "thread ",
				.thread = sites[i].thread,
			};
	if (freed && freed->file && freed->line)
		places[count++] = (struct quoted_place){
			.quote = { freed->file, line_number(freed->line), 0, freed->code },
			.head = "freed by thread ",
			.thread = freed->by,
		};
	return count;
}

void narrate_sources(struct buf *out, struct narrator *self, const struct finding_site *sites, size_t site_count)
{
	struct quoted_place places[MAX_SITES];
	size_t count = collect_places(places, sites, site_count, NULL);
	for (size_t i = 0; i < count; i++)
		places[i].thread = 0;
	quote_block(out, self, "thread 0 ", places, count);
	quotes_add_notes(out, &self->quotes, &self->layout, 2 * INDENT);
}

void narrate_details(struct buf *out, struct narrator *self, const char *details, const struct finding_site *sites,
		     size_t site_count, const struct finding_act *freed)
{
	struct quoted_place places[MAX_SITES];
	size_t count = collect_places(places, sites, site_count, freed);
	const char *head = "";
	for (const char *at = details; at && *at;) {
		size_t size = strcspn(at, "\n");
		char *line = mem_format("%.*s", (int)size, at);
		if (*at != ' ')
			head = at;
		layout_fold(out, &self->layout, begins_place(line, places, count) ? LAYOUT_TITLE : LAYOUT_PLAIN, INDENT,
			    line);
		free(line);
		at += size + (at[size] == '\n');
		if (*at != ' ')
			quote_block(out, self, head, places, count);
	}
	quotes_add_notes(out, &self->quotes, &self->layout, 2 * INDENT);
}

static void add_mark(struct narrate_marks *self, struct columns_mark mark)
{
	if (self->count < NARRATE_MAX_MARKS && (mark.event || mark.what))
		self->items[self->count++] = mark;
}

/* Null: the site is an event itself, or not known. */
static const char *free_words(const struct finding *finding, const struct finding_site *site)
{
	if (!site->event || !site->access)
		return NULL;
	if (finding_is_bad_free(finding) && report_is_freed_again(&finding->evidence.memory))
		return finding->evidence.memory.access.kind == REPORT_REALLOC ? "resize it" : "free it again";
	return strcmp(site->access, "free") == 0         ? "free it"
	       : strcmp(site->access, "realloc") == 0    ? "resize it"
	       : strcmp(site->access, "allocation") == 0 ? "allocate it"
							 : NULL;
}

/* The place after which the thread did, at a line, something that is not an event, when `count` events had happened in
 * all. It may have made accesses that are not events since the last one: which of them came before it is not known, but
 * most code goes from line to line. */
static uint64_t place_of_event_text(const struct timeline *timeline, uint32_t thread, uint64_t count, const char *file,
				    uint32_t line, bool is_made)
{
	uint64_t place = timeline_event_of(timeline, thread, count);
	for (size_t i = place; i < timeline->count && timeline->events[i].number <= count; i++) {
		const struct event *event = &timeline->events[i];
		uint32_t there;
		if (!event->is_touch || event->thread != thread || event->number != count)
			continue;
		const char *its_file = event_texts_place(timeline->event_texts, event, &there);
		if (!file || !its_file || strcmp(file, its_file) != 0 || line_number(there) > line_number(line))
			break;
		/* A thread that allocates a block stores its address after that. */
		if (is_made && line_number(there) == line_number(line) && event->kind == HEDDLE_EVENT_WRITE)
			break;
		place = i + 1;
	}
	return place;
}

static void mark_sites(struct narrate_marks *self, const struct finding *finding, const struct timeline *timeline)
{
	for (size_t i = 0; i < finding->evidence.site_count && self->name_count < NARRATE_MAX_MARKS; i++) {
		const struct finding_site *site = &finding->evidence.sites[i];
		uint64_t event = site->event ? timeline_event_of(timeline, site->thread, site->event) : 0;
		struct columns_mark mark = {
			.event = event, .line = site->line, .file = site->file, .site = (uint32_t)i + 1
		};
		const char *words = free_words(finding, site);
		if (words)
			mark = (struct columns_mark){ .event = place_of_event_text(timeline, site->thread, site->event,
										   site->file, site->line, false),
						      .what = words,
						      .thread = site->thread,
						      .line = site->line,
						      .file = site->file,
						      .site = (uint32_t)i + 1 };
		if (!site->is_beside)
			add_mark(self, mark);
		self->names[self->name_count++] = (struct columns_name){ site->thread, site->thread_name };
	}
	const bool is_made =
		finding->evidence.origin == FINDING_OF_RACE && finding->evidence.race.earlier.kind == REPORT_ALLOCATION;
	for (size_t i = 0; i < finding->evidence.act_count; i++) {
		const struct finding_act *act = &finding->evidence.acts[i];
		if (act->kind == FINDING_ALLOCATED && is_made) /* that is a site */
			continue;
		if (act->kind != FINDING_CREATED && self->name_count < NARRATE_MAX_MARKS)
			self->names[self->name_count++] = (struct columns_name){ act->by, act->by_name };
		if (act->kind != FINDING_CREATED)
			add_mark(self, (struct columns_mark){
					       .event = place_of_event_text(timeline, act->by, act->event, act->file,
									    act->line, act->kind != FINDING_FREED),
					       .what = act->kind == FINDING_FREED ? "free it" : "allocate it",
					       .thread = act->by,
					       .line = act->line,
					       .file = act->file,
					       .act = act->kind == FINDING_FREED ? "freed" : "allocated",
				       });
	}
}

static bool is_wanted(const struct timeline *timeline, size_t event, const struct finding *finding)
{
	uint32_t line;
	const char *file = event_texts_place(timeline->event_texts, &timeline->events[event], &line);
	for (size_t i = 0; i < finding->evidence.site_count; i++)
		if (file && finding->evidence.sites[i].file && line == finding->evidence.sites[i].line &&
		    strcmp(file, finding->evidence.sites[i].file) == 0)
			return true;
	return false;
}

/* The last event of a thread; where the finding's place is known, the last one there. */
static void mark_last(struct narrate_marks *self, const struct timeline *timeline, const struct finding *finding,
		      uint32_t thread)
{
	size_t last = SIZE_MAX;
	for (size_t i = timeline->count; i-- > 0;) {
		const struct event *event = &timeline->events[i];
		if (event->thread != thread || event->kind == HEDDLE_EVENT_FUTEX)
			continue;
		if (last == SIZE_MAX && event->kind != HEDDLE_EVENT_SYSCALL)
			last = i;
		if (is_wanted(timeline, i, finding)) {
			last = i;
			break;
		}
		if (last != SIZE_MAX && timeline->count - i > EVENTS_BACK)
			break;
	}
	if (last != SIZE_MAX)
		add_mark(self, (struct columns_mark){ .event = last + 1 });
}

/* How the run ended says which threads matter. */
static void mark_end(struct narrate_marks *self, const struct timeline *timeline, const struct finding *finding)
{
	const struct report_thread *first = report_cycle(&timeline->report), *at = first;
	bool is_deadlock = finding->identity.kind == FINDING_DEADLOCK;
	if (is_deadlock && first)
		do {
			mark_last(self, timeline, finding, at->index);
			at = report_thread(&timeline->report, at->owner);
		} while (at != first);
	for (size_t i = 0; i < timeline->report.thread_count && !(is_deadlock && first); i++) {
		const struct report_thread *thread = &timeline->report.threads[i];
		if (is_deadlock ? thread->waits != NULL : strcmp(thread->state, "running") == 0)
			mark_last(self, timeline, finding, thread->index);
	}
}

/* What advice speaks of. */
static void mark_crossings(struct narrate_marks *self, const struct timeline *timeline)
{
	struct advice_crossing crossings[ADVICE_CROSSINGS];
	const size_t count = advice_crossings(crossings, timeline);
	for (size_t i = 0; i < count; i++) {
		add_mark(self, (struct columns_mark){ .event = crossings[i].first + 1 });
		add_mark(self, (struct columns_mark){ .event = crossings[i].other + 1 });
		add_mark(self, (struct columns_mark){ .event = crossings[i].second + 1 });
	}
}

static void mark_waits(struct narrate_marks *self, const struct timeline *timeline)
{
	size_t events[ADVICE_WAIT_EVENTS];
	const size_t count = advice_wait_events(events, timeline);
	for (size_t i = 0; i < count; i++)
		add_mark(self, (struct columns_mark){ .event = events[i] + 1 });
}

void narrate_add_marks(struct narrate_marks *marks, const struct finding *finding, const struct timeline *timeline)
{
	bool is_end = finding->evidence.origin == FINDING_OF_END && finding->identity.kind != FINDING_DATA_RACE &&
		      finding->identity.kind != FINDING_LOCK_ORDER;
	mark_sites(marks, finding, timeline);
	if (is_end)
		mark_end(marks, timeline, finding);
	if (is_end && finding->identity.kind != FINDING_DEADLOCK)
		mark_crossings(marks, timeline);
	else if (is_end)
		mark_waits(marks, timeline);
}

/* What a failure needs is found by reducing it. A race is not reduced: whether it needs what ends early in its schedule is not known. */
static void narrate_early(struct buf *out, const struct narrator *self, const struct finding *finding,
			  const struct timeline *timeline)
{
	struct buf line = { 0 };
	uint64_t last = 0;
	size_t count = 0;
	for (size_t i = 0; i < finding->evidence.site_count; i++)
		last = finding->evidence.sites[i].event > last ? finding->evidence.sites[i].event : last;
	for (size_t i = 0; finding->identity.kind == FINDING_DATA_RACE && i < timeline->expiry_count; i++) {
		const struct event *expiry = &timeline->expiries[i];
		if (expiry->number >= last || count++ >= MAX_EARLY)
			continue;
		const uint64_t before = timeline_event_of(timeline, expiry->thread, expiry->number);
		buf_add_string(&line, count == 1 ? "before it, in this schedule, " : ", ");
		between_add_wait(&line, expiry, before ? &timeline->events[before - 1] : NULL, timeline->event_texts);
	}
	if (count > MAX_EARLY)
		buf_format(&line, ", and %zu more", count - MAX_EARLY);
	if (count) {
		buf_format(&line, " end%s early, while other threads can run: --timing strict prevents this",
			   count == 1 ? "s" : "");
		layout_fold(out, &self->layout, LAYOUT_PLAIN, INDENT, line.data);
	}
	buf_release(&line);
}

void narrate_threads(struct buf *out, const struct narrator *self, const struct finding *finding,
		     const struct timeline *timeline, size_t max_rows)
{
	narrate_early(out, self, finding, timeline);
	struct narrate_marks marks = { .count = 0 };
	narrate_add_marks(&marks, finding, timeline);
	const struct columns_request request = {
		.marks = marks.items,
		.mark_count = marks.count,
		.max_rows = max_rows,
		.title = "the threads",
		.indent = INDENT,
		.names = marks.names,
		.name_count = marks.name_count,
	};
	columns_add(out, timeline, &request, &self->layout);
}

void narrate_advice(struct buf *out, const struct narrator *self, const struct finding *finding,
		    const struct timeline *timeline, const struct findings *others)
{
	struct strings advice = { 0 };
	advice_collect(&advice, finding, timeline, others);
	if (advice.count) {
		buf_format(out, "%*s", (int)INDENT, "");
		layout_add(out, &self->layout, LAYOUT_TITLE, "what to try:");
		buf_add_string(out, "\n");
	}
	for (size_t i = 0; i < advice.count; i++) {
		char *line = mem_format("- %s", advice.items[i]);
		layout_fold(out, &self->layout, LAYOUT_PLAIN, 2 * INDENT, line);
		free(line);
	}
	strings_release(&advice);
}

void narrate_replay(struct buf *out, const struct narrator *self, const char *store, const char *trace)
{
	struct buf command = { 0 };
	proc_quote(&command, store ? (char *[]){ "heddle", "replay", "--store", (char *)store, (char *)trace, NULL }
				   : (char *[]){ "heddle", "replay", (char *)trace, NULL });
	char *shown = text_terminal_copy(command.data);
	/* It is never folded: it is there to be copied. */
	buf_format(out, "%*sreplay: ", (int)INDENT, "");
	layout_add(out, &self->layout, LAYOUT_TITLE, shown);
	buf_add_string(out, "\n");
	free(shown);
	buf_release(&command);
}
