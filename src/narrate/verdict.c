/* verdict.c: see verdict.h. */
#include "narrate/verdict.h"

#include <inttypes.h>

#include "base/text.h"

/* "queue.c:12 of thread 2"; the site of that thread, or just the thread when there is none. */
static void tell_access(struct buf *out, const struct finding *race, uint32_t thread)
{
	for (size_t i = 0; i < race->evidence.site_count; i++) {
		const struct finding_site *site = &race->evidence.sites[i];
		if (site->thread != thread || !site->file || !site->line)
			continue;
		text_terminal(out, site->file);
		buf_format(out, ":%" PRIu32 " of ", site->line);
		break;
	}
	buf_format(out, "thread %" PRIu32, thread);
}

/* The access of the first comes before that of the second. */
static void tell_order(struct buf *out, const struct finding *race, uint32_t first, uint32_t second)
{
	tell_access(out, race, first);
	buf_add_string(out, " comes before ");
	tell_access(out, race, second);
}

void verdict_tell(struct buf *out, const struct finding *race, const char *failure, bool is_other)
{
	const struct verdict *verdict = &race->evidence.verdict;
	const uint32_t earlier = race->evidence.race.earlier.thread, later = race->evidence.race.later.thread;
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
		buf_format(out, "is harmless in %zu runs: both orders end with the same output and exit status",
			   verdict->others + verdict->primaries);
		return;
	case VERDICT_SINGLE_ORDERING:
		buf_add_string(out, "has a single order: ");
		tell_access(out, race, later);
		buf_add_string(out, " cannot come first, because that thread waits for the other");
		return;
	case VERDICT_UNDECIDED:
	case VERDICT_COUNT:
		break;
	}
	buf_add_string(out, verdict->is_varied ? "is undecided: the output varies in both orders"
					       : "is undecided: no run had the accesses in the other order");
}
