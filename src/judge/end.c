/* end.c: schedules that ended badly: deadlocks, crashes, hangs, a status that is not 0. */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/word.h"
#include "judge/hang.h"
#include "judge/judge_priv.h"
#include "judge/outcome.h"
#include "symbols/woven.h"

#define TAIL_LINES 5u

static void add_threads(struct inspection *self, struct finding *finding, bool is_crash)
{
	struct scene *scene = &self->judge->scene;
	outcome_threads(&finding->presentation.details, self->report, scene->symbols, scene->unwinder, is_crash, "");
}

/* Where the last lines begin. */
static size_t tail_start(const struct buf *text)
{
	size_t start = text->size, lines = 0;
	if (start && text->data[start - 1] == '\n')
		start--;
	for (; start > 0; start--)
		if (text->data[start - 1] == '\n' && ++lines == TAIL_LINES)
			break;
	return start;
}

void judge_add_tail(struct buf *out, const struct buf *text)
{
	for (size_t at = tail_start(text); at < text->size;) {
		size_t size = strcspn(text->data + at, "\n");
		char *line = mem_format("%.*s", (int)size, text->data + at);
		buf_add_string(out, "  | ");
		text_terminal(out, line);
		buf_add_string(out, "\n");
		free(line);
		at += size + 1;
	}
}

void judge_add_written(struct inspection *self, struct finding *finding)
{
	const struct capture *capture = self->run->capture;
	if (!capture)
		return;
	const struct buf *kept = &capture->streams[capture->streams[1].kept.size ? 1 : 0].kept;
	if (!kept->size)
		return;
	buf_add_string(&finding->presentation.details, "last output on standard error:\n");
	judge_add_tail(&finding->presentation.details, kept);
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void judge_join(struct buf *out, struct strings *set)
{
	if (set->count)
		qsort(set->items, set->count, sizeof *set->items, compare_strings);
	for (size_t i = 0; i < set->count; i++)
		if (i == 0 || strcmp(set->items[i], set->items[i - 1]) != 0)
			buf_format(out, "%s%s", out->size ? "; " : "", set->items[i]);
}

/* What threads wait for and where; only where; and only for what. */
struct waits {
	struct strings all, places, locks;
};

static void add_wait(struct inspection *self, struct waits *waits, const struct report_thread *thread)
{
	struct scene_place place;
	struct buf key = { 0 }, where = { 0 }, lock = { 0 };
	scene_own_place(&self->judge->scene, thread, &place);
	scene_key(&where, &place);
	buf_format(&key, "%s at %s", thread->waits, where.data);
	strings_add(&waits->all, key.data);
	strings_add(&waits->places, where.data);
	symbols_describe_data(&lock, self->judge->scene.symbols, thread->object);
	strings_add(&waits->locks, lock.data);
	buf_release(&key);
	buf_release(&where);
	buf_release(&lock);
}

static void remember(struct strings *list, struct strings *set)
{
	struct buf joined = { 0 };
	judge_join(&joined, set);
	if (joined.data && !strings_has(list, joined.data))
		strings_add(list, joined.data);
	buf_release(&joined);
}

/* The threads of the cycle; all that wait when there is none. Others only wait because of these. */
static void deadlock_key(struct inspection *self, struct buf *key)
{
	const struct report_thread *first = report_cycle(self->report), *at = first;
	struct waits waits = { { 0 }, { 0 }, { 0 } };
	if (first)
		do {
			add_wait(self, &waits, at);
			at = report_thread(self->report, at->owner);
		} while (at != first);
	for (size_t i = 0; !first && i < self->report->thread_count; i++)
		if (self->report->threads[i].waits)
			add_wait(self, &waits, &self->report->threads[i]);
	judge_join(key, &waits.all);
	remember(first ? &self->judge->deadlocks : &self->judge->stuck, &waits.places);
	remember(first ? &self->judge->deadlock_locks : &self->judge->stuck_locks, &waits.locks);
	judge_show_orders(self->judge);
	strings_release(&waits.all);
	strings_release(&waits.places);
	strings_release(&waits.locks);
}

/* All are when there is no cycle. */
static bool is_in_cycle(const struct report *report, const struct report_thread *thread)
{
	const struct report_thread *first = report_cycle(report), *at = first;
	if (!first)
		return true;
	do {
		if (at == thread)
			return true;
		at = report_thread(report, at->owner);
	} while (at != first);
	return false;
}

static void add_waiting_sites(struct inspection *self, struct finding *finding)
{
	for (size_t i = 0; i < self->report->thread_count; i++) {
		const struct report_thread *thread = &self->report->threads[i];
		struct scene_place place;
		if (!thread->waits || !scene_own_place(&self->judge->scene, thread, &place))
			continue;
		scene_add_site(finding, &place, "wait", thread->index);
		finding->evidence.sites[finding->evidence.site_count - 1].is_beside =
			!is_in_cycle(self->report, thread);
	}
}

static void summarise_cycle(struct buf *out, const struct report *report, const struct report_thread *first)
{
	const struct report_thread *at = report_thread(report, first->owner);
	if (at == first) {
		buf_format(out, "deadlock: thread %" PRIu32 " waits for itself", first->index);
		return;
	}
	buf_format(out, "deadlock: threads %" PRIu32, first->index);
	for (; at != first; at = report_thread(report, at->owner))
		buf_format(out, "%s%" PRIu32, at->owner == first->index ? " and " : ", ", at->index);
	buf_add_string(out, " wait for each other");
}

static void judge_deadlock(struct inspection *self)
{
	struct buf key = { 0 };
	deadlock_key(self, &key);
	struct finding *finding = inspection_add(self, FINDING_DEADLOCK, &key);
	if (!finding)
		return;
	const struct report_thread *first = report_cycle(self->report);
	if (first)
		summarise_cycle(&finding->presentation.summary, self->report, first);
	else
		buf_add_string(&finding->presentation.summary, "deadlock: no thread can ever run again");
	add_threads(self, finding, false);
	add_waiting_sites(self, finding);
	if (self->judge->suppressions)
		judge_add_waits(self, finding);
}

/* The functions that threads began in, of those that were not waiting, or of the one that computes: where exactly they were cut
 * off says little. */
static void hang_key(struct inspection *self, struct buf *key, bool is_livelock)
{
	struct strings set = { 0 };
	for (size_t i = 0; i < self->report->thread_count; i++) {
		const struct report_thread *thread = &self->report->threads[i];
		struct stack_places places;
		if (is_livelock ? thread->waits != NULL : strcmp(thread->state, "running") != 0)
			continue;
		stack_of_thread(&places, self->judge->scene.unwinder, self->judge->scene.symbols, thread);
		for (size_t at = places.count; at-- > 0;)
			if (!places.items[at].is_library && places.items[at].symbol.function) {
				strings_add(&set, places.items[at].symbol.function);
				break;
			}
	}
	judge_join(key, &set);
	strings_release(&set);
}

/* The key of a finding: how it ended, and where threads were. */
static void end_key(struct inspection *self, struct buf *key)
{
	bool is_livelock = self->run->result.outcome == HEDDLE_OUTCOME_LIVELOCK;
	buf_add_string(key, is_livelock ? "livelock of " : "hang of ");
	hang_key(self, key, is_livelock);
}

bool judge_knows_hang(struct judge *judge, const struct campaign_run *run, const struct report *report)
{
	struct inspection self = { .judge = judge, .run = run, .report = report };
	struct buf key = { 0 };
	scene_set(&judge->scene, report);
	end_key(&self, &key);
	bool is_known = findings_get(&judge->findings, FINDING_HANG, key.data) != NULL;
	buf_release(&key);
	return is_known;
}

static void describe_hang(const struct inspection *self, struct buf *out)
{
	hang_describe(out, self->report, self->judge->scene.symbols, self->judge->scene.unwinder);
	buf_add_string(out, ", and no other thread can run");
}

static void judge_hang(struct inspection *self)
{
	const struct trace_result *result = &self->run->result;
	bool is_livelock = result->outcome == HEDDLE_OUTCOME_LIVELOCK;
	struct buf key = { 0 };
	if (!is_livelock && hang_may_wait(self->report, self->judge->scene.symbols, self->judge->scene.unwinder)) {
		self->judged->is_failure = false;
		self->judged->is_lost = true;
		return;
	}
	end_key(self, &key);
	struct finding *finding = inspection_add(self, FINDING_HANG, &key);
	if (!finding)
		return;
	finding->evidence.is_slow = !is_livelock;
	if (is_livelock)
		buf_format(&finding->presentation.summary, "livelock: still running after %" PRIu64 " events",
			   result->event_count);
	else
		describe_hang(self, &finding->presentation.summary);
	add_threads(self, finding, false);
}

/* The thread that a signal hit. */
static const struct report_thread *hit_thread(const struct report *report)
{
	for (size_t i = 0; i < report->thread_count; i++)
		if (strcmp(report->threads[i].state, "running") == 0)
			return &report->threads[i];
	return report->thread_count ? &report->threads[0] : NULL;
}

/* The text between begin and end in the first line on standard error that contains begin. Null when there is none;
 * caller frees. */
static char *find_words(const struct campaign_run *run, const char *begin, const char *end)
{
	const char *kept = run->capture ? run->capture->streams[1].kept.data : NULL;
	const char *at = kept ? strstr(kept, begin) : NULL;
	if (!at)
		return NULL;
	at += strlen(begin);
	const char *stop = strstr(at, end), *line_end = at + strcspn(at, "\n");
	if (!stop || stop > line_end)
		stop = line_end;
	return mem_format("%.*s", (int)(stop - at), at);
}

/* Classifies a crash, as far as the function that the program called last allows. */
struct crash {
	enum finding_kind kind;
	const char *what; /* for the key */
	struct buf words;
};

static void add_quoted(struct buf *out, const char *before, char *words, const char *after)
{
	buf_add_string(out, before);
	text_terminal(out, words);
	buf_add_string(out, after);
	free(words);
}

static bool is_exception(const char *function)
{
	static const char *const functions[] = { "__cxa_", "std::terminate", "std::rethrow", "_Unwind_" };
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (strncmp(function, functions[i], strlen(functions[i])) == 0)
			return true;
	return false;
}

static void classify_abort(struct inspection *self, struct crash *crash, const char *called)
{
	char *words;
	if ((words = find_words(self->run, "Assertion `", "' failed")) && strncmp(called, "__assert", 8) == 0) {
		crash->kind = FINDING_ASSERTION;
		crash->what = "assertion";
		add_quoted(&crash->words, "assertion `", words, "' failed");
		return;
	}
	free(words);
	words = find_words(self->run, "terminate called after throwing an instance of '", "'\n");
	if (words || is_exception(called)) {
		crash->what = "exception";
		if (words)
			add_quoted(&crash->words, "uncaught exception of type ", words, "");
		else
			buf_add_string(&crash->words, "std::terminate was called");
		return;
	}
	crash->kind = FINDING_ASSERTION;
	crash->what = "abort";
	buf_add_string(&crash->words, strncmp(called, "__assert", 8) == 0 ? "an assertion failed" : "abort was called");
}

/* Blocks that are not of our heap are libc's, which does not look at them: with what is none it aborts or faults. */
static bool is_freeing(const char *called)
{
	static const char *const functions[] = { "free", "realloc", "reallocarray", NULL };
	return word_is_among(called, functions) || word_begins_with(called, "operator delete");
}

static void classify(struct inspection *self, struct crash *crash, const char *called)
{
	int number = self->run->result.status;
	for (size_t i = 0; i < self->report->note_count; i++)
		if (strncmp(self->report->notes[i], "free of ", 8) == 0) {
			bool is_double = strstr(self->report->notes[i], "already freed");
			crash->kind = FINDING_MEMORY_ERROR;
			crash->what = is_double ? "double free" : "bad free";
			text_terminal(&crash->words, self->report->notes[i]);
			return;
		}
	if (is_freeing(called)) {
		crash->kind = FINDING_MEMORY_ERROR;
		crash->what = "bad free";
		text_terminal(&crash->words, called);
		buf_add_string(&crash->words, " of a pointer that was never allocated");
		return;
	}
	crash->kind = FINDING_CRASH;
	crash->what = strsignal(number);
	if (number == SIGABRT)
		classify_abort(self, crash, called);
	else
		buf_format(&crash->words, "crash: %s (signal %d)", strsignal(number), number);
}

/* Returns it when it is new. has_sibling: another one is at the same place, with other callers. Memory errors are known by the memory, whoever calls. */
static struct finding *see_crash(struct inspection *self, const struct crash *crash, const struct scene_place *place,
				 const struct stack_places *places, bool *has_sibling)
{
	struct findings *findings = &self->judge->findings;
	struct buf key = { 0 };
	buf_format(&key, "%s at ", crash->what);
	scene_key(&key, place);
	char *old_key = mem_copy_string(key.data), *any = mem_format("%s, whoever calls", key.data);
	bool has_callers = crash->kind != FINDING_MEMORY_ERROR && judge_callers_key(&key, places);
	struct finding *finding = inspection_add(self, crash->kind, &key);
	*has_sibling = findings_get(findings, crash->kind, any) != NULL;
	if (finding && !*has_sibling)
		findings_add_key(findings, finding, any);
	if (finding && has_callers) {
		judge_add_callers(finding, places);
		finding->identity.old_key = old_key;
		old_key = NULL;
	}
	free(old_key);
	free(any);
	return finding;
}

static void judge_crash(struct inspection *self)
{
	struct scene *scene = &self->judge->scene;
	const struct report_thread *thread = hit_thread(self->report);
	struct stack_places places = { .count = 0 };
	struct crash crash = { .kind = FINDING_CRASH };
	struct scene_place place = { .site = WOVEN_NONE };
	const char *called = "";
	bool has_sibling = false;
	if (thread) {
		stack_of_thread(&places, scene->unwinder, scene->symbols, thread);
		scene_own_place(scene, thread, &place);
	}
	if (places.count && places.items[0].is_library && places.items[0].symbol.function)
		called = places.items[0].symbol.function;
	classify(self, &crash, called);
	struct finding *finding = see_crash(self, &crash, &place, &places, &has_sibling);
	if (finding) {
		buf_add_string(&finding->presentation.summary, crash.words.data);
		if (thread && crash.kind == FINDING_CRASH)
			judge_describe_pointer(&finding->presentation.summary, self, thread, called);
		buf_add_string(&finding->presentation.summary, " at ");
		scene_describe_place(&finding->presentation.summary, &place);
		if (has_sibling)
			judge_describe_caller(finding);
		add_threads(self, finding, true);
		judge_add_written(self, finding);
		scene_add_site(finding, &place, crash.what, thread ? thread->index : 0);
	}
	buf_release(&crash.words);
}

static void judge_status(struct inspection *self)
{
	struct buf key = { 0 };
	int status = self->run->result.status & 255;
	if (judge_undefined(self))
		return;
	buf_format(&key, "%d", status);
	struct finding *finding = inspection_add(self, FINDING_BAD_EXIT, &key);
	if (!finding)
		return;
	buf_format(&finding->presentation.summary, "exit status %d", status);
	judge_add_written(self, finding);
}

void judge_end(struct inspection *self)
{
	const struct trace_result *result = &self->run->result;
	self->judged->is_failure = !self->judge->is_end_open;
	if (self->judge->is_end_open)
		return;
	switch ((enum heddle_outcome)result->outcome) {
	case HEDDLE_OUTCOME_EXIT:
		self->judged->is_failure = (result->status & 255) != 0 && !self->judge->is_checked;
		if (self->judged->is_failure)
			judge_status(self);
		return;
	case HEDDLE_OUTCOME_SIGNAL:
		if (!report_bad_free(self->report)) /* detection reports that */
			judge_crash(self);
		return;
	case HEDDLE_OUTCOME_DEADLOCK:
		judge_deadlock(self);
		return;
	case HEDDLE_OUTCOME_LIVELOCK:
	case HEDDLE_OUTCOME_HANG:
		judge_hang(self);
		return;
	case HEDDLE_OUTCOME_NONE:
	case HEDDLE_OUTCOME_DIVERGED:
	case HEDDLE_OUTCOME_REFUSED:
	case HEDDLE_OUTCOME_EXEC:
	case HEDDLE_OUTCOME_LOG_FAILED:
	case HEDDLE_OUTCOME_PREFIX:
	case HEDDLE_OUTCOME_UNANSWERED:
		break;
	}
	self->judged->is_failure = false;
	self->judged->is_lost = true;
}
