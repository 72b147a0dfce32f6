/* violations.c: see violations.h. */
#include "narrate/violations.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/text.h"
#include "judge/store_use.h"
#include "judge/violation_stack.h"
#include "narrate/finding_json.h"
#include "narrate/training.h"
#include "symbols/describe.h"
#include "symbols/line.h"

#define MAX_PAIRS_SHOWN 20u
#define MAX_MISSING_SHOWN 8u

static void add_reasons(struct buf *out, const struct violation_tally *all)
{
	for (int end = HEDDLE_VIOLATION_RESOLVED; end < HEDDLE_VIOLATION_ENDS; end++)
		if (all->ends[end] && violation_ends[end].reason)
			buf_format(out, "  %s: %s\n", violation_ends[end].words, violation_ends[end].reason);
	if (all->unfinished)
		buf_format(out, "  %s: %s\n", violation_unfinished.words, violation_unfinished.reason);
}

static void add_findings(struct buf *out, const struct findings *findings)
{
	for (size_t i = 0; i < findings->count && i < MAX_PAIRS_SHOWN; i++) {
		const struct finding *finding = findings->items[i];
		const char *line = finding->presentation.details.data;
		buf_add_string(out, "  ");
		if (finding->identity.number)
			buf_format(out, "H%" PRIu64 " ", finding->identity.number);
		buf_format(out, "%s\n", finding->presentation.summary.data);
		while (line && *line) {
			size_t size = strcspn(line, "\n");
			buf_format(out, "    %.*s\n", (int)size, line);
			line += size + (line[size] == '\n');
		}
	}
	if (findings->count > MAX_PAIRS_SHOWN)
		buf_format(out, "  and %zu more pairs; --json and heddle list list all\n",
			   findings->count - MAX_PAIRS_SHOWN);
}

void violations_text(struct buf *out, const struct guard_plan *plan, const struct guard_log *log,
		     const struct findings *findings)
{
	struct violation_tally all = violation_tally_all(log);
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
		violation_tally_describe(out, &all);
	}
	if (log->pair_count) {
		add_findings(out, findings);
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
	json_open_object(out, key);
	learned_place_json(out, plan->places[number]);
	json_close_object(out);
}

/* The sum of the others is the first. */
static void json_tally(struct json_writer *out, const char *seen, const struct violation_tally *tally)
{
	json_add_number(out, seen, tally->seen);
	for (int end = HEDDLE_VIOLATION_RESOLVED; end < HEDDLE_VIOLATION_ENDS; end++)
		json_add_number(out, violation_ends[end].key, tally->ends[end]);
	json_add_number(out, "unfinished", tally->unfinished);
	json_add_number(out, "stalled_us", tally->stalled_us);
}

static void json_pair(struct json_writer *out, const struct guard_plan *plan, const struct heddle_guard_pair *pair)
{
	struct violation_tally tally = violation_tally_of(pair);
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
	json_add_string(out, "end", violation_ends[one->end].words);
	json_add_number(out, "stalled_us", one->stalled_us);
	json_add_number(out, "process", one->pid);
	json_add_number(out, "thread", one->tid);
	json_add_format(out, "address", "0x%" PRIx64, one->address);
	json_add_number(out, "time_ns", one->time_ns);
	json_callers(out, stacks, one);
	json_close_object(out);
}

static void json_findings(struct json_writer *out, const struct violations_about *about)
{
	json_line(out);
	json_open_array(out, "findings");
	for (size_t i = 0; i < about->findings->count; i++)
		finding_json(out, about->findings->items[i], NULL, store_option(about->store));
	json_close_array(out);
}

void violations_json(struct buf *out, const struct violations_about *about)
{
	const struct guard_plan *plan = about->plan;
	const struct guard_log *log = about->log;
	struct json_writer writer, *json = &writer;
	struct violation_tally all = violation_tally_all(log);
	struct violation_stacks *stacks = violation_stacks_new(log);
	json_begin_report(json, out);
	json_add_string(json, "program", about->path);
	json_add_vector(json, "arguments", about->program);
	json_add_bool(json, "guarded", true);
	json_add_number(json, "schedules", 1);
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
	training_json(json, about->learned);
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
	json_findings(json, about);
	json_end_file(json);
	violation_stacks_free(stacks);
}
