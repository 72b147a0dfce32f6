/* violation.c: see violation.h. */
#include "judge/violation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "judge/violation_stack.h"
#include "symbols/describe.h"

#define MAX_MEMBERS_SHOWN 4u
#define MAX_CALLERS_SHOWN 4u

const struct violation_end violation_ends[HEDDLE_VIOLATION_ENDS] = {
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
const struct violation_end violation_unfinished = { "unfinished", "unfinished", "the program ended during the wait" };

/* Of what another program wrote: counts that do not fit are no reason for one below zero. */
struct violation_tally violation_tally_of(const struct heddle_guard_pair *pair)
{
	struct violation_tally tally = { .seen = pair->seen, .stalled_us = pair->stalled_us };
	uint64_t ended = 0;
	for (int end = 0; end < HEDDLE_VIOLATION_ENDS; end++) {
		tally.ends[end] = pair->ends[end];
		ended += pair->ends[end];
	}
	tally.unfinished = tally.seen > ended ? tally.seen - ended : 0;
	return tally;
}

struct violation_tally violation_tally_all(const struct guard_log *log)
{
	struct violation_tally all = { .stalled_us = log->stalled_us };
	for (size_t i = 0; i < log->pair_count; i++) {
		struct violation_tally one = violation_tally_of(&log->pairs[i]);
		all.seen += one.seen;
		all.unfinished += one.unfinished;
		for (int end = 0; end < HEDDLE_VIOLATION_ENDS; end++)
			all.ends[end] += one.ends[end];
	}
	return all;
}

void violation_tally_describe(struct buf *out, const struct violation_tally *tally)
{
	for (int end = HEDDLE_VIOLATION_RESOLVED; end < HEDDLE_VIOLATION_ENDS; end++)
		if (tally->ends[end] || !violation_ends[end].reason)
			buf_format(out, "%s %" PRIu64 ", ", violation_ends[end].words, tally->ends[end]);
	if (tally->unfinished)
		buf_format(out, "%s %" PRIu64 ", ", violation_unfinished.words, tally->unfinished);
	buf_format(out, "stalled %" PRIu64 ".%" PRIu64 " ms\n", tally->stalled_us / 1000, tally->stalled_us / 100 % 10);
}

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

static void add_site(struct finding *finding, const struct learned_place *place)
{
	struct finding_site site = { .file = place->file,
				     .function = place->function,
				     .variable = place->variable,
				     .line = place->line,
				     .column = place->column,
				     .access = heddle_access_names[place->access],
				     .code = place->code[0] ? place->code : NULL };
	finding_add_site(finding, &site);
}

/* Of the first violation of the pair that has a stack. */
static void add_callers(struct finding *finding, struct violation_stacks *stacks, const struct guard_log *log,
			uint32_t place, uint32_t previous)
{
	struct buf *out = &finding->presentation.details;
	for (size_t i = 0; i < log->violation_count; i++) {
		const struct heddle_violation *one = &log->violations[i];
		if (one->place != place || one->previous != previous || !one->stack_bytes)
			continue;
		const struct stack_places *callers = violation_callers(stacks, one);
		for (size_t k = 0; k < callers->count; k++) {
			const struct stack_place *caller = &callers->items[k];
			const struct finding_caller kept = { .file = caller->symbol.file,
							     .function = caller->symbol.function,
							     .line = caller->symbol.line };
			finding_add_caller(finding, &kept);
			if (k >= MAX_CALLERS_SHOWN)
				continue;
			buf_add_string(out, "called from ");
			violation_caller_describe(out, stacks, caller);
			buf_add_string(out, "\n");
		}
		return;
	}
}

/* What makes it the same in another build: the keys of its places. */
static char *key_of(const struct guard_plan *plan, uint32_t place, uint32_t previous)
{
	char *one = learned_place_key(plan->places[place]);
	char *other =
		previous == HEDDLE_GUARD_NIL ? mem_copy_string("nothing") : learned_place_key(plan->places[previous]);
	char *key = mem_format("%s\nafter\n%s", one, other);
	free(other);
	free(one);
	return key;
}

static void add_finding(struct findings *findings, const struct guard_plan *plan, const struct guard_log *log,
			struct violation_stacks *stacks, const struct heddle_guard_pair *pair)
{
	const uint32_t place = pair->key >> 16, previous = pair->key & 0xffff;
	const struct violation_tally tally = violation_tally_of(pair);
	char *key = key_of(plan, place, previous);
	bool is_new;
	struct finding *finding = findings_see(findings, FINDING_INVARIANT_VIOLATION, key, 1, &is_new);
	struct buf *summary = &finding->presentation.summary, *details = &finding->presentation.details;
	free(key);
	if (!is_new)
		return;
	finding->evidence.seen = tally.seen;
	add_site(finding, plan->places[place]);
	if (previous != HEDDLE_GUARD_NIL)
		add_site(finding, plan->places[previous]);
	buf_add_string(summary, "invariant violation: ");
	add_place(summary, plan, place);
	buf_add_string(summary, " came after ");
	add_place(summary, plan, previous);
	buf_add_string(details, "in the training, after ");
	add_set(details, plan, place);
	buf_format(details, "\nseen %" PRIu64 ": ", tally.seen);
	violation_tally_describe(details, &tally);
	add_callers(finding, stacks, log, place, previous);
}

static int compare_pairs(const void *a, const void *b)
{
	const struct heddle_guard_pair *x = a, *y = b;
	for (int end = HEDDLE_VIOLATION_RESOLVED; end <= HEDDLE_VIOLATION_UNRESOLVED; end++)
		if (!x->ends[end] != !y->ends[end])
			return !x->ends[end] - !y->ends[end];
	if (x->seen != y->seen)
		return (x->seen < y->seen) - (x->seen > y->seen);
	return (x->key > y->key) - (x->key < y->key);
}

void judge_violations(struct findings *findings, const struct guard_plan *plan, const struct guard_log *log)
{
	struct violation_stacks *stacks = violation_stacks_new(log);
	struct heddle_guard_pair *pairs = mem_alloc((log->pair_count + 1) * sizeof *pairs);
	if (log->pair_count)
		memcpy(pairs, log->pairs, log->pair_count * sizeof *pairs);
	qsort(pairs, log->pair_count, sizeof *pairs, compare_pairs);
	for (size_t i = 0; i < log->pair_count; i++)
		add_finding(findings, plan, log, stacks, &pairs[i]);
	free(pairs);
	violation_stacks_free(stacks);
}
