/* verdict.c: see verdict.h. */
#include "narrate/verdict.h"

void verdict_tell(struct buf *out, const struct verdict *verdict, const char *failure, bool is_other)
{
	switch (verdict->class) {
	case VERDICT_SPEC_VIOLATED:
		buf_format(out, "is harmful: %s", failure);
		buf_add_string(out, verdict->is_both ? ", with the accesses in either order"
				    : is_other       ? ", only if the second access comes first"
						     : ", only if the first access comes first");
		return;
	case VERDICT_OUTPUT_DIFFERS:
		buf_add_string(out, "changes the result: output or exit status depend on which access comes first");
		return;
	case VERDICT_HARMLESS:
		buf_format(out, "is harmless in %zu runs: both orders end with the same output and exit status",
			   verdict->others + verdict->primaries);
		return;
	case VERDICT_SINGLE_ORDERING:
		buf_add_string(out, "has a single order: the second access cannot come first, because its thread waits "
				    "for the other");
		return;
	case VERDICT_UNDECIDED:
	case VERDICT_COUNT:
		break;
	}
	buf_add_string(out, "is undecided: no run had the accesses in the other order");
}
