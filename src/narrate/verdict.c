/* verdict.c: see verdict.h. */
#include "narrate/verdict.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "symbols/line.h"

/* "queue.c:12 of thread 2"; just the thread when the place is not known. */
static void tell_access(struct buf *out, const struct finding *race, const struct report_access *access)
{
	const struct report_race *own = &race->evidence.race;
	/* Sites of the finding are known by the threads of its own instance. */
	const uint32_t known =
		access->place == own->earlier.place && access->place != own->later.place   ? own->earlier.thread
		: access->place == own->later.place && access->place != own->earlier.place ? own->later.thread
											   : 0;
	for (size_t i = 0; i < race->evidence.site_count; i++) {
		const struct finding_site *site = &race->evidence.sites[i];
		if ((known && site->thread != known) || !site->file || !site->line)
			continue;
		line_add(out, site->file, site->line);
		buf_add_string(out, " of ");
		break;
	}
	buf_format(out, "thread %" PRIu32, access->thread);
}

/* The access of the first comes before that of the second. */
static void tell_order(struct buf *out, const struct finding *race, const struct report_access *first,
		       const struct report_access *second)
{
	tell_access(out, race, first);
	buf_add_string(out, " comes before ");
	tell_access(out, race, second);
}

/* unanswered: why the first of the runs without an answer had none; null: not known. */
static void tell_class(struct buf *out, const struct finding *race, const struct report_race *pair,
		       const char *unanswered, const char *failure, bool is_other)
{
	const struct verdict *verdict = &race->evidence.verdict;
	const struct report_access *earlier = &pair->earlier, *later = &pair->later;
	switch (verdict->class) {
	case VERDICT_SPEC_VIOLATED:
		buf_format(out, "is harmful: %s, ", failure);
		if (verdict->is_both) {
			buf_add_string(out, "with the accesses in either order, so another access may be the cause");
			return;
		}
		buf_add_string(out, "only if ");
		tell_order(out, race, is_other ? later : earlier, is_other ? earlier : later);
		return;
	case VERDICT_OUTPUT_DIFFERS:
		buf_add_string(out, "changes the result: output or exit status differ if ");
		tell_order(out, race, later, earlier);
		return;
	case VERDICT_HARMLESS:
		buf_format(out, "is harmless in %zu runs", verdict->others + verdict->primaries);
		if (verdict->given_inputs > verdict->inputs)
			buf_format(out, " with %zu of %zu inputs", verdict->inputs, verdict->given_inputs);
		else if (verdict->inputs > 1)
			buf_format(out, " with %zu inputs", verdict->inputs);
		buf_add_string(out, ": both orders end with the same output and exit status");
		return;
	case VERDICT_SINGLE_ORDERING:
		buf_add_string(out, "has a single order: ");
		tell_access(out, race, later);
		buf_add_string(out, earlier->kind == REPORT_ALLOCATION
					    ? " cannot come first, because the other allocates what it accesses"
					    : " cannot come first, because that thread waits for the other");
		return;
	case VERDICT_UNDECIDED:
	case VERDICT_ORDERED: /* not of a finding */
	case VERDICT_COUNT:
		break;
	}
	if (verdict->unanswered && !verdict->is_varied) {
		buf_format(
			out,
			"is undecided: %zu run%s from the log of the recorded one ended because the log has no answer",
			verdict->unanswered, verdict->unanswered == 1 ? "" : "s");
		if (unanswered)
			buf_format(out, " (%s)", unanswered);
		return;
	}
	buf_add_string(out,
		       verdict->is_varied ? "is undecided: the output varies in both orders"
		       : !verdict->primaries && !verdict->others
			       ? "is undecided: it did not recur: no run was like the recorded one, so files or other "
				 "input may have changed"
		       : verdict->others ? "is undecided: no run had the accesses in the recorded order"
					 : "is undecided: no run had the accesses in the other order");
}

void verdict_tell(struct buf *out, const struct finding *race, const struct report_race *pair, const char *unanswered,
		  const char *failure, bool is_other)
{
	const struct verdict *verdict = &race->evidence.verdict;
	tell_class(out, race, pair, unanswered, failure, is_other);
	if (!verdict->is_from_log ||
	    (verdict->class == VERDICT_UNDECIDED && verdict->unanswered && !verdict->is_varied))
		return;
	buf_add_string(out, "; judged from the log, because the inputs cannot be repeated");
	if (verdict->unanswered)
		buf_format(out, ", which had no answer for %zu more run%s", verdict->unanswered,
			   verdict->unanswered == 1 ? "" : "s");
}

void verdict_tell_states(struct buf *out, const struct verdict *verdict, const struct strings *differing)
{
	if (verdict->class != VERDICT_HARMLESS || verdict->states == STATES_UNKNOWN)
		return;
	if (verdict->states == STATES_SAME) {
		buf_add_string(out, "; memory is the same after both");
		return;
	}
	for (size_t i = 0; i < differing->count; i++)
		buf_format(out, "%s%s", i == 0 ? "; " : i + 1 < differing->count ? ", " : " and ", differing->items[i]);
	buf_add_string(out, differing->count == 1 ? " differs afterwards" : " differ afterwards");
}

void verdict_tell_stored(struct buf *out, int64_t id, const struct store_verdict *verdict)
{
	buf_format(out, "H%" PRId64 " %s\n", id, verdict->text);
	if (verdict->why)
		buf_format(out, "  %s\n", verdict->why);
	if (verdict->witnesses) {
		buf_format(out, "  judged by %" PRIu64 " run%s of %" PRIu64 " instance%s", verdict->witnesses,
			   verdict->witnesses == 1 ? "" : "s", verdict->instances, verdict->instances == 1 ? "" : "s");
		if (verdict->inputs > 1)
			buf_format(out, " with %" PRIu64 " inputs", verdict->inputs);
		buf_add_string(out, "\n");
	}
	if (verdict->input)
		buf_format(out,
			   "  the verdict is of a run with another input than the one described above: %s; "
			   "heddle replay H%" PRId64 " shows that run, and with --order seen the one above\n",
			   verdict->input, id);
}

void verdict_tell_mark(struct buf *out, const struct store_mark *mark)
{
	time_t seconds = (time_t)mark->made;
	struct tm parts;
	char day[64] = "at an unknown time";
	if (localtime_r(&seconds, &parts))
		strftime(day, sizeof day, "%Y-%m-%d", &parts);
	buf_format(out, "marked %s on %s: %s\n", mark->word, day, mark->why);
	if (mark->revoked)
		buf_format(out, "  revoked: a later classification found that it %s\n", mark->revoked);
}

const char *verdict_listed(const char *word)
{
	const enum verdict_class class = verdict_find(word);
	return class == VERDICT_COUNT ? word : verdict_classes[class].listed;
}
