/* verdict.c: see verdict.h. */
#include "model/verdict.h"

#include <string.h>

const struct verdict_row verdict_classes[] = {
	[VERDICT_UNDECIDED] = { "undecided", "undecided", KIND_WARNING, 0 },
	[VERDICT_SPEC_VIOLATED] = { "spec-violated", "harmful", KIND_ERROR, 2 },
	[VERDICT_OUTPUT_DIFFERS] = { "output-differs", "changes result", KIND_WARNING, 1 },
	[VERDICT_HARMLESS] = { "harmless", "harmless", KIND_NOTE, 0 },
	[VERDICT_SINGLE_ORDERING] = { "single-ordering", "single order", KIND_NOTE, 0 },
	[VERDICT_ORDERED] = { "ordered", "ordered", KIND_NOTE, 0 },
};

const char *const verdict_states_words[STATES_COUNT] = {
	[STATES_SAME] = "same",
	[STATES_DIFFER] = "differ",
};

const char *const verdict_reason_words[REASON_COUNT] = {
	[REASON_USER_SYNCHRONISATION] = "user-synchronisation",
	[REASON_DOUBLE_CHECK] = "double-check",
	[REASON_BOTH_VALUES_VALID] = "both-values-valid",
	[REASON_REDUNDANT_WRITE] = "redundant-write",
	[REASON_DISJOINT_BITS] = "disjoint-bits",
	[REASON_APPROXIMATE] = "approximate",
};

enum verdict_class verdict_find(const char *word)
{
	int class = 0;
	while (class < VERDICT_COUNT && (!word || strcmp(word, verdict_classes[class].word) != 0))
		class ++;
	return (enum verdict_class) class;
}

static unsigned harm_of(enum verdict_class class)
{
	return class < VERDICT_COUNT ? verdict_classes[class].harm : 0;
}

bool verdict_is_worse(enum verdict_class class, enum verdict_class other)
{
	return harm_of(class) > harm_of(other);
}

/* Runs of one order whose ends are known well enough to say what it does not end in. */
#define MIN_POOLED 8u

static bool counts(const struct witness *witness)
{
	return witness->order == WITNESS_MADE && !witness->is_lost;
}

static bool fails_alike(const struct witness *a, const struct witness *b)
{
	return a->pair == b->pair && a->failure && b->failure && strcmp(a->failure, b->failure) == 0;
}

/* What runs are compared by, each by itself: that one of them varies says nothing about another. */
enum channel { CHANNEL_STATUS, CHANNEL_OUTPUT, CHANNEL_EFFECTS, CHANNEL_COUNT };

static uint64_t end_of(const struct witness *witness, enum channel channel)
{
	return channel == CHANNEL_STATUS   ? (uint64_t)witness->status
	       : channel == CHANNEL_OUTPUT ? witness->output
					   : witness->effects;
}

/* Whether the channel of the run is compared. One that was cut off has written something else, and what follows is not known. */
static bool is_compared(const struct witness *witness, enum channel channel)
{
	return counts(witness) && !witness->failure && !witness->is_loose &&
	       (!witness->is_cut || channel == CHANNEL_EFFECTS);
}

/* Whether its order is the one that the recorded run of the first instance did not have. */
static bool is_reverse(const struct witness *witness)
{
	return witness->is_other != witness->is_swapped;
}

/* Whether a run of the opposite order fails alike. */
static bool fails_in_both(const struct witness *witnesses, size_t count, const struct witness *witness)
{
	for (size_t i = 0; i < count; i++)
		if (counts(&witnesses[i]) && is_reverse(&witnesses[i]) != is_reverse(witness) &&
		    fails_alike(&witnesses[i], witness))
			return true;
	return false;
}

/* Whether the instance fails alike in the opposite order, in the same thread: then the order is not the reason. */
static bool fails_anyway(const struct witness *witnesses, size_t count, const struct witness *witness)
{
	for (size_t i = 0; i < count; i++)
		if (counts(&witnesses[i]) && witnesses[i].instance == witness->instance &&
		    witnesses[i].is_other != witness->is_other && fails_alike(&witnesses[i], witness) &&
		    witnesses[i].failing == witness->failing)
			return true;
	return false;
}

/* Whether runs of both orders end well. How one that was cut off would end is not known. */
static bool has_both_well(const struct witness *witnesses, size_t count)
{
	bool has[2] = { false, false };
	for (size_t i = 0; i < count; i++)
		has[witnesses[i].is_other] |= counts(&witnesses[i]) && !witnesses[i].failure &&
					      !witnesses[i].is_loose && !witnesses[i].is_cut;
	return has[0] && has[1];
}

/* The first of the other order if there is one, else the first of the recorded one. One that fails in either order counts only if no run shows that
 * both orders may end well. */
static size_t first_failure(const struct witness *witnesses, size_t count)
{
	const bool is_well = has_both_well(witnesses, count);
	size_t found = SIZE_MAX;
	for (size_t i = 0; i < count; i++)
		if (counts(&witnesses[i]) && witnesses[i].failure &&
		    (found == SIZE_MAX || (witnesses[i].is_other && !witnesses[found].is_other)) &&
		    !(is_well && fails_anyway(witnesses, count, &witnesses[i])))
			found = i;
	return found;
}

/* Whether runs of the recorded order of that instance end in different ways: then a way that only the other order of the instance has says
 * nothing. */
static bool is_varied(const struct witness *witnesses, size_t count, size_t instance, enum channel channel)
{
	const struct witness *first = NULL;
	for (size_t i = 0; i < count; i++) {
		const struct witness *witness = &witnesses[i];
		if (!is_compared(witness, channel) || witness->instance != instance || witness->is_other)
			continue;
		if (first && end_of(first, channel) != end_of(witness, channel))
			return true;
		first = witness;
	}
	return false;
}

/* Whether a run of the recorded order of that instance is there to compare with. */
static bool has_primary(const struct witness *witnesses, size_t count, size_t instance, enum channel channel)
{
	for (size_t i = 0; i < count; i++)
		if (is_compared(&witnesses[i], channel) && witnesses[i].instance == instance && !witnesses[i].is_other)
			return true;
	return false;
}

/* How many runs that have the one order of the accesses end like the witness, whatever their instance. */
static size_t count_ends(const struct witness *witnesses, size_t count, const struct witness *like, bool is_reversed,
			 enum channel channel)
{
	size_t ends = 0;
	for (size_t i = 0; i < count; i++) {
		const struct witness *one = &witnesses[i];
		ends += is_compared(one, channel) && is_reverse(one) == is_reversed && one->input == like->input &&
			one->pair == like->pair && end_of(one, channel) == end_of(like, channel);
	}
	return ends;
}

/* Whether a run of the recorded order of its instance ends like the witness. */
static bool has_twin(const struct witness *witnesses, size_t count, const struct witness *witness, enum channel channel)
{
	for (size_t i = 0; i < count; i++)
		if (is_compared(&witnesses[i], channel) && witnesses[i].instance == witness->instance &&
		    !witnesses[i].is_other && end_of(&witnesses[i], channel) == end_of(witness, channel))
			return true;
	return false;
}

/* The first of the other order with an end that no run of the recorded order of its instance has, if these all end in one way. If they do not, the
 * schedule alone explains an end that runs with the order of the accesses as recorded have in any instance; is_doubtful is set if there is one that
 * they do not have. */
static size_t first_difference(const struct witness *witnesses, size_t count, enum channel channel, bool *is_doubtful)
{
	for (size_t i = 0; i < count; i++) {
		const struct witness *witness = &witnesses[i];
		if (!is_compared(witness, channel) || !witness->is_other ||
		    !has_primary(witnesses, count, witness->instance, channel) ||
		    has_twin(witnesses, count, witness, channel))
			continue;
		if (!is_varied(witnesses, count, witness->instance, channel))
			return i;
		*is_doubtful |= !count_ends(witnesses, count, witness, !is_reverse(witness), channel);
	}
	return SIZE_MAX;
}

/*
 * Where runs of each order end in different ways: the first run with an end that its order has at least twice and the other order never,
 * although the other one has each of its own ends at least twice, in at least MIN_POOLED runs. If an end were only rare there, some of its
 * own would have been seen once only (the estimate of Good and Turing for what was not seen is the share of such).
 */
static size_t first_of_its_own(const struct witness *witnesses, size_t count, enum channel channel)
{
	for (size_t i = 0; i < count; i++) {
		const struct witness *witness = &witnesses[i];
		bool is_reversed = is_reverse(witness), is_known = true;
		size_t opposite = 0;
		if (!is_compared(witness, channel) || witness->is_cut ||
		    count_ends(witnesses, count, witness, is_reversed, channel) < 2 ||
		    count_ends(witnesses, count, witness, !is_reversed, channel))
			continue;
		for (size_t k = 0; k < count && is_known; k++) {
			const struct witness *one = &witnesses[k];
			if (!is_compared(one, channel) || one->is_cut || is_reverse(one) == is_reversed ||
			    one->input != witness->input || one->pair != witness->pair)
				continue;
			opposite++;
			is_known = count_ends(witnesses, count, one, !is_reversed, channel) >= 2;
		}
		if (is_known && opposite >= MIN_POOLED)
			return i;
	}
	return SIZE_MAX;
}

static size_t count_instances(const struct witness *witnesses, size_t count)
{
	size_t most = 0;
	for (size_t i = 0; i < count; i++)
		most = counts(&witnesses[i]) && witnesses[i].instance + 1 > most ? witnesses[i].instance + 1 : most;
	return most;
}

static size_t count_inputs(const struct witness *witnesses, size_t count)
{
	size_t inputs = 0;
	for (size_t i = 0; i < count; i++) {
		bool is_first = counts(&witnesses[i]);
		for (size_t k = 0; k < i && is_first; k++)
			is_first = !counts(&witnesses[k]) || witnesses[k].input != witnesses[i].input;
		inputs += is_first;
	}
	return inputs ? inputs : 1;
}

struct verdict verdict_of(const struct witness *witnesses, size_t count)
{
	struct verdict verdict = { .class = VERDICT_UNDECIDED,
				   .inputs = count_inputs(witnesses, count),
				   .shows = SIZE_MAX };
	bool is_impossible = false, is_comparable = false, is_doubtful[CHANNEL_COUNT] = { false };
	verdict.instances = count_instances(witnesses, count);
	for (size_t i = 0; i < count; i++) {
		is_impossible |= witnesses[i].is_other && witnesses[i].order == WITNESS_IMPOSSIBLE;
		verdict.others += counts(&witnesses[i]) && witnesses[i].is_other;
		verdict.primaries += counts(&witnesses[i]) && !witnesses[i].is_other;
		is_comparable |= counts(&witnesses[i]) && !witnesses[i].is_other && !witnesses[i].is_loose;
	}
	verdict.shows = first_failure(witnesses, count);
	if (verdict.shows != SIZE_MAX) {
		verdict.class = VERDICT_SPEC_VIOLATED;
		verdict.is_both = fails_in_both(witnesses, count, &witnesses[verdict.shows]);
		return verdict;
	}
	if (!verdict.others) {
		verdict.class = is_impossible ? VERDICT_SINGLE_ORDERING : VERDICT_UNDECIDED;
		return verdict;
	}
	if (!is_comparable)
		return verdict;
	for (int channel = 0; channel < CHANNEL_COUNT && verdict.shows == SIZE_MAX; channel++) {
		verdict.shows = first_difference(witnesses, count, (enum channel)channel, &is_doubtful[channel]);
		verdict.is_varied |= is_doubtful[channel];
	}
	for (int channel = 0; channel < CHANNEL_COUNT && verdict.shows == SIZE_MAX; channel++)
		if (is_doubtful[channel])
			verdict.shows = first_of_its_own(witnesses, count, (enum channel)channel);
	if (verdict.shows != SIZE_MAX)
		verdict.class = VERDICT_OUTPUT_DIFFERS;
	else if (!verdict.is_varied)
		verdict.class = VERDICT_HARMLESS;
	return verdict;
}
