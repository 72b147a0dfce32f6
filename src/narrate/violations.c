/* violations.c: see violations.h. */
#include "narrate/violations.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/text.h"
#include "narrate/violation_stack.h"
#include "symbols/describe.h"
#include "symbols/line.h"

#define MAX_MEMBERS_SHOWN 4u
#define MAX_PAIRS_SHOWN 20u
#define MAX_CALLERS_SHOWN 4u
#define MAX_MISSING_SHOWN 8u

static void add_place(struct buf *out, const struct guard_plan *plan, uint32_t place)
{
	if (place == HEDDLE_GUARD_NIL)
		buf_add_string(out, "no other thread's access");
	else
		learned_place_describe(out, plan->places[place]);
}

static void add_set(struct buf *out, const struct guard_plan *plan, uint32_t place)
{
	uint32_t count = 0;
	for (uint32_t member = 0; member <= plan->content.settings.place_count; member++) {
		if (!guard_plan_allows(plan, place, member))
			continue;
		if (count++ < MAX_MEMBERS_SHOWN) {
			buf_add_string(out, count > 1 ? ", " : "");
			add_place(out, plan, member);
		}
	}
	if (count > MAX_MEMBERS_SHOWN)
		buf_format(out, ", and %" PRIu32 " more", count - MAX_MEMBERS_SHOWN);
	if (!count)
		buf_add_string(out, "accesses that are not known");
}

/* How the violations of a pair, or of all, ended. What has no end: the program ended first. */
struct tally {
	uint64_t seen, stalled_us, ends[HEDDLE_VIOLATION_ENDS], unfinished;
};

/* Those without a reason are always there, the others if there are any. */
static const struct {
	const char *words, *key, *reason;
} ends[HEDDLE_VIOLATION_ENDS] = {
	[HEDDLE_VIOLATION_RESOLVED] = { "resolved", "resolved", NULL },
	[HEDDLE_VIOLATION_UNRESOLVED] = { "unresolved", "unresolved", NULL },
	[HEDDLE_VIOLATION_LOGGED] = { "logged", "logged",
				      "no wait, because earlier ones of the pair did not help, or the pair is "
				      "frequent" },
	[HEDDLE_VIOLATION_SHARE] = { "share of time", "share_of_time",
				     "no wait or a shorter one, because the thread had waited for as "
				     "much of its time as it may" },
	[HEDDLE_VIOLATION_WAITED] = { "another waited", "another_waited",
				      "the wait was cut short, because another thread waited for a "
				      "lock that the waiting one held" },
};
static const char unfinished_words[] = "unfinished", unfinished_reason[] = "the program ended during the wait";

/* Of what another program wrote: counts that do not fit are no reason for one below zero. */
static struct tally tally_of(const struct heddle_guard_pair *pair)
{
	struct tally tally = { .seen = pair->seen, .stalled_us = pair->stalled_us };
	uint64_t ended = 0;
	for (int end = 0; end < HEDDLE_VIOLATION_ENDS; end++) {
		tally.ends[end] = pair->ends[end];
		ended += pair->ends[end];
	}
	tally.unfinished = tally.seen > ended ? tally.seen - ended : 0;
	return tally;
}

static struct tally tally_all(const struct guard_log *log)
{
	struct tally all = { .stalled_us = log->stalled_us };
	for (size_t i = 0; i < log->pair_count; i++) {
		struct tally one = tally_of(&log->pairs[i]);
		all.seen += one.seen;
		all.unfinished += one.unfinished;
		for (int end = 0; end < HEDDLE_VIOLATION_ENDS; end++)
			all.ends[end] += one.ends[end];
	}
	return all;
}

static void add_tally(struct buf *out, const struct tally *tally)
{
	for (int end = HEDDLE_VIOLATION_RESOLVED; end < HEDDLE_VIOLATION_ENDS; end++)
		if (tally->ends[end] || !ends[end].reason)
			buf_format(out, "%s %" PRIu64 ", ", ends[end].words, tally->ends[end]);
	if (tally->unfinished)
		buf_format(out, "%s %" PRIu64 ", ", unfinished_words, tally->unfinished);
	buf_format(out, "stalled %" PRIu64 ".%" PRIu64 " ms\n", tally->stalled_us / 1000, tally->stalled_us / 100 % 10);
}

static void add_reasons(struct buf *out, const struct tally *all)
{
	for (int end = HEDDLE_VIOLATION_RESOLVED; end < HEDDLE_VIOLATION_ENDS; end++)
		if (all->ends[end] && ends[end].reason)
			buf_format(out, "  %s: %s\n", ends[end].words, ends[end].reason);
	if (all->unfinished)
		buf_format(out, "  %s: %s\n", unfinished_words, unfinished_reason);
}

static void add_pair(struct buf *out, const struct guard_plan *plan, const struct heddle_guard_pair *pair)
{
	struct tally tally = tally_of(pair);
	buf_add_string(out, "  ");
	add_place(out, plan, pair->key >> 16);
	buf_add_string(out, " came after ");
	add_place(out, plan, pair->key & 0xffff);
	buf_add_string(out, "; in the training, after ");
	add_set(out, plan, pair->key >> 16);
	buf_format(out, "\n    seen %" PRIu64 ": ", tally.seen);
	add_tally(out, &tally);
}

/* Of the first violation of the pair that has a stack. */
static void add_callers(struct buf *out, struct violation_stacks *stacks, const struct guard_log *log,
			const struct heddle_guard_pair *pair)
{
	for (size_t i = 0; i < log->violation_count; i++) {
		const struct heddle_violation *one = &log->violations[i];
		if (one->place != pair->key >> 16 || one->previous != (pair->key & 0xffff) || !one->stack_bytes)
			continue;
		const struct stack_places *callers = violation_callers(stacks, one);
		for (size_t k = 0; k < callers->count && k < MAX_CALLERS_SHOWN; k++) {
			buf_add_string(out, "    called from ");
			violation_caller_describe(out, stacks, &callers->items[k]);
			buf_add_string(out, "\n");
		}
		return;
	}
}

/* What was prevented first, then what was not, then what was seen most. */
static int compare_pairs(const void *a, const void *b)
{
	const struct heddle_guard_pair *x = a, *y = b;
	for (int end = HEDDLE_VIOLATION_RESOLVED; end <= HEDDLE_VIOLATION_UNRESOLVED; end++)
		if (!x->ends[end] != !y->ends[end])
			return !x->ends[end] - !y->ends[end];
	return (x->seen < y->seen) - (x->seen > y->seen);
}

static void add_pairs(struct buf *out, const struct guard_plan *plan, const struct guard_log *log)
{
	struct violation_stacks *stacks = violation_stacks_new(log);
	struct heddle_guard_pair *pairs = mem_alloc(log->pair_count * sizeof *pairs);
	memcpy(pairs, log->pairs, log->pair_count * sizeof *pairs);
	qsort(pairs, log->pair_count, sizeof *pairs, compare_pairs);
	for (size_t i = 0; i < log->pair_count && i < MAX_PAIRS_SHOWN; i++) {
		add_pair(out, plan, &pairs[i]);
		add_callers(out, stacks, log, &pairs[i]);
	}
	if (log->pair_count > MAX_PAIRS_SHOWN)
		buf_format(out, "  and %zu more pairs; --json lists all\n", log->pair_count - MAX_PAIRS_SHOWN);
	free(pairs);
	violation_stacks_free(stacks);
}

void violations_text(struct buf *out, const struct guard_plan *plan, const struct guard_log *log)
{
	struct tally all = tally_all(log);
	buf_format(out, "heddle guard: guarded %" PRIu32 " places (%" PRIu32 " checked)",
		   plan->checked_count + plan->updated_count, plan->checked_count);
	if (!plan->content.settings.place_count)
		buf_add_string(out, ": in the training no two threads accessed the same memory\n");
	else if (!plan->content.site_count)
		buf_add_string(out, "; each may follow all others that access the same memory\n");
	else if (!log->attached_count)
		buf_add_string(out, "; but the program did not load any of the files that have them\n");
	else if (!log->pair_count)
		buf_add_string(out, "; no violation\n");
	else {
		buf_format(out, "; %" PRIu64 " violation%s of %zu pair%s: ", all.seen, all.seen == 1 ? "" : "s",
			   log->pair_count, log->pair_count == 1 ? "" : "s");
		add_tally(out, &all);
	}
	if (log->pair_count) {
		add_pairs(out, plan, log);
		add_reasons(out, &all);
		buf_add_string(out,
			       "  if these orders are correct, the training lacks them: train with this input, too\n");
	}
	if (log->lost_pairs)
		buf_format(out, "  %" PRIu64 " violations of more pairs are not listed\n", log->lost_pairs);
	if (log->damaged_count)
		buf_format(out, "  %" PRIu64 " entries of the log are not valid: the program has overwritten it\n",
			   log->damaged_count);
}

void violations_unmatched(struct buf *out, const struct guard_plan *plan)
{
	if (!plan->missing_count && !plan->absent.count)
		return;
	buf_format(out,
		   "heddle guard: the training data are of another build: %" PRIu32 " of %" PRIu32
		   " places %s not in this one",
		   plan->missing_count, plan->content.settings.place_count, plan->missing_count == 1 ? "is" : "are");
	for (uint32_t i = 0; i < plan->missing_count && i < MAX_MISSING_SHOWN; i++) {
		buf_add_string(out, i ? ", " : ": ");
		learned_place_describe(out, plan->missing[i]);
	}
	if (plan->missing_count > MAX_MISSING_SHOWN)
		buf_format(out, ", and %" PRIu32 " more", plan->missing_count - MAX_MISSING_SHOWN);
	for (size_t i = 0; i < plan->absent.count; i++) {
		buf_add_string(out, i ? ", " : "; missing: ");
		text_terminal(out, plan->absent.items[i]);
	}
	buf_add_string(out, "\n");
	if (plan->missing_count)
		buf_add_string(out, "heddle guard: these are not guarded; train again: heddle train\n");
}

static void json_place(struct json_writer *out, const char *key, const struct guard_plan *plan, uint32_t number)
{
	if (number == HEDDLE_GUARD_NIL) {
		json_add_null(out, key);
		return;
	}
	const struct learned_place *place = plan->places[number];
	json_open_object(out, key);
	json_add_string(out, "function", place->function);
	json_add_string(out, "file", place->file);
	line_add_json(out, place->line);
	json_add_number(out, "column", place->column);
	json_add_string(out, "access", heddle_access_names[place->access]);
	json_add_number(out, "size", place->size);
	json_add_string(out, "variable", place->variable);
	json_close_object(out);
}

/* The sum of the others is the first. */
static void json_tally(struct json_writer *out, const char *seen, const struct tally *tally)
{
	json_add_number(out, seen, tally->seen);
	for (int end = HEDDLE_VIOLATION_RESOLVED; end < HEDDLE_VIOLATION_ENDS; end++)
		json_add_number(out, ends[end].key, tally->ends[end]);
	json_add_number(out, "unfinished", tally->unfinished);
	json_add_number(out, "stalled_us", tally->stalled_us);
}

static void json_pair(struct json_writer *out, const struct guard_plan *plan, const struct heddle_guard_pair *pair)
{
	struct tally tally = tally_of(pair);
	uint32_t place = pair->key >> 16;
	json_line(out);
	json_open_object(out, NULL);
	json_place(out, "place", plan, place);
	json_place(out, "followed", plan, pair->key & 0xffff);
	json_open_array(out, "may_follow");
	for (uint32_t member = 0; member <= plan->content.settings.place_count; member++)
		if (guard_plan_allows(plan, place, member))
			json_place(out, NULL, plan, member);
	json_close_array(out);
	json_tally(out, "seen", &tally);
	json_close_object(out);
}

static void json_callers(struct json_writer *out, struct violation_stacks *stacks, const struct heddle_violation *one)
{
	const struct stack_places *callers = violation_callers(stacks, one);
	json_open_array(out, "callers");
	for (size_t i = 0; i < callers->count; i++) {
		const struct stack_place *place = &callers->items[i];
		json_open_object(out, NULL);
		json_add_string(out, "function", place->symbol.function);
		json_add_string(out, "file", place->symbol.file);
		line_add_json(out, place->symbol.line);
		json_close_object(out);
	}
	json_close_array(out);
}

static void json_violation(struct json_writer *out, const struct guard_plan *plan, struct violation_stacks *stacks,
			   const struct heddle_violation *one)
{
	json_line(out);
	json_open_object(out, NULL);
	json_place(out, "place", plan, one->place);
	json_place(out, "followed", plan, one->previous);
	json_add_string(out, "end", ends[one->end].words);
	json_add_number(out, "stalled_us", one->stalled_us);
	json_add_number(out, "process", one->pid);
	json_add_number(out, "thread", one->tid);
	json_add_format(out, "address", "0x%" PRIx64, one->address);
	json_add_number(out, "time_ns", one->time_ns);
	json_callers(out, stacks, one);
	json_close_object(out);
}

void violations_json(struct buf *out, const struct guard_plan *plan, const struct guard_log *log, char *const program[])
{
	struct json_writer writer, *json = &writer;
	struct tally all = tally_all(log);
	struct violation_stacks *stacks = violation_stacks_new(log);
	json_begin_report(json, out);
	json_add_vector(json, "program", program);
	json_add_number(json, "checked_places", plan->checked_count);
	json_add_number(json, "updated_places", plan->updated_count);
	json_add_number(json, "idle_places", plan->idle_count);
	json_add_number(json, "missing_places", plan->missing_count);
	json_add_strings(json, "missing_objects", &plan->absent);
	json_add_number(json, "processes", log->process_count);
	json_add_number(json, "guarded_objects", log->attached_count);
	json_add_number(json, "switched_functions", log->switched_count);
	json_add_number(json, "guarded_sites", log->guarded_count);
	json_tally(json, "violations_seen", &all);
	json_add_number(json, "lost_pairs", log->lost_pairs);
	json_add_number(json, "lost_violations", log->lost_violations);
	json_add_number(json, "damaged_entries", log->damaged_count);
	json_line(json);
	json_open_array(json, "pairs");
	for (size_t i = 0; i < log->pair_count; i++)
		json_pair(json, plan, &log->pairs[i]);
	json_close_array(json);
	json_line(json);
	json_open_array(json, "violations");
	for (size_t i = 0; i < log->violation_count; i++)
		json_violation(json, plan, stacks, &log->violations[i]);
	json_close_array(json);
	json_end_file(json);
	violation_stacks_free(stacks);
}
