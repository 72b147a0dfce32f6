/* verdict.c: see verdict.h. */
#include "model/verdict.h"

#include <string.h>

const char *const verdict_words[VERDICT_COUNT] = {
	[VERDICT_UNDECIDED] = "undecided",
	[VERDICT_SPEC_VIOLATED] = "spec-violated",
	[VERDICT_OUTPUT_DIFFERS] = "output-differs",
	[VERDICT_HARMLESS] = "harmless",
	[VERDICT_SINGLE_ORDERING] = "single-ordering",
};

static bool counts(const struct witness *witness)
{
	return witness->order == WITNESS_MADE && !witness->is_lost;
}

static bool fails_alike(const struct witness *a, const struct witness *b)
{
	return a->failure && b->failure && strcmp(a->failure, b->failure) == 0;
}

static bool ends_alike(const struct witness *a, const struct witness *b)
{
	return !a->failure && !b->failure && a->status == b->status && a->output == b->output;
}

/* Whether a run of the other kind of order is like it. */
static bool has_twin(const struct witness *witnesses, size_t count, const struct witness *witness,
		     bool (*is_alike)(const struct witness *, const struct witness *))
{
	for (size_t i = 0; i < count; i++)
		if (counts(&witnesses[i]) && witnesses[i].is_other != witness->is_other &&
		    is_alike(&witnesses[i], witness))
			return true;
	return false;
}

/* The first of the other order if there is one, else the first of the recorded one. */
static size_t first_failure(const struct witness *witnesses, size_t count)
{
	size_t found = SIZE_MAX;
	for (size_t i = 0; i < count; i++)
		if (counts(&witnesses[i]) && witnesses[i].failure &&
		    (found == SIZE_MAX || (witnesses[i].is_other && !witnesses[found].is_other)))
			found = i;
	return found;
}

/* The first of the other order with an end that no run of the recorded order has. */
static size_t first_difference(const struct witness *witnesses, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (counts(&witnesses[i]) && witnesses[i].is_other && !witnesses[i].failure &&
		    !has_twin(witnesses, count, &witnesses[i], ends_alike))
			return i;
	return SIZE_MAX;
}

/* Whether runs of the recorded order end well in different ways: then a way that only the other order has says nothing. */
static bool is_varied(const struct witness *witnesses, size_t count)
{
	const struct witness *first = NULL;
	for (size_t i = 0; i < count; i++) {
		if (!counts(&witnesses[i]) || witnesses[i].is_other || witnesses[i].failure)
			continue;
		if (first && !ends_alike(first, &witnesses[i]))
			return true;
		first = &witnesses[i];
	}
	return false;
}

struct verdict verdict_of(const struct witness *witnesses, size_t count)
{
	struct verdict verdict = { .class = VERDICT_UNDECIDED, .shows = SIZE_MAX };
	bool is_impossible = false;
	for (size_t i = 0; i < count; i++) {
		is_impossible |= witnesses[i].is_other && witnesses[i].order == WITNESS_IMPOSSIBLE;
		verdict.others += counts(&witnesses[i]) && witnesses[i].is_other;
		verdict.primaries += counts(&witnesses[i]) && !witnesses[i].is_other;
	}
	verdict.shows = first_failure(witnesses, count);
	if (verdict.shows != SIZE_MAX) {
		verdict.class = VERDICT_SPEC_VIOLATED;
		verdict.is_both = has_twin(witnesses, count, &witnesses[verdict.shows], fails_alike);
		return verdict;
	}
	if (!verdict.others) {
		verdict.class = is_impossible ? VERDICT_SINGLE_ORDERING : VERDICT_UNDECIDED;
		return verdict;
	}
	if (!verdict.primaries)
		return verdict;
	verdict.shows = first_difference(witnesses, count);
	if (verdict.shows == SIZE_MAX) {
		verdict.class = VERDICT_HARMLESS;
	} else if (is_varied(witnesses, count)) {
		verdict.shows = SIZE_MAX;
		verdict.is_varied = true;
	} else {
		verdict.class = VERDICT_OUTPUT_DIFFERS;
	}
	return verdict;
}
