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

static bool ends_alike(const struct witness *a, const struct witness *b)
{
	return a->instance == b->instance && !a->failure && !b->failure && !a->is_loose && !b->is_loose &&
	       a->status == b->status && a->output == b->output && a->effects == b->effects;
}

/* Whether its order is the one that the recorded run of the first instance did not have. */
static bool is_reverse(const struct witness *witness)
{
	return witness->is_other != witness->is_swapped;
}

/* Whether a run of the other kind of order is like it. */
static bool has_twin(const struct witness *witnesses, size_t count, const struct witness *witness,
		     bool (*is_alike)(const struct witness *, const struct witness *))
{
	for (size_t i = 0; i < count; i++)
		if (counts(&witnesses[i]) && is_reverse(&witnesses[i]) != is_reverse(witness) &&
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

/* Whether runs of the recorded order of that instance end well in different ways: then a way that only the other order has says
 * nothing. */
static bool is_varied(const struct witness *witnesses, size_t count, size_t instance)
{
	const struct witness *first = NULL;
	for (size_t i = 0; i < count; i++) {
		const struct witness *witness = &witnesses[i];
		if (!counts(witness) || witness->instance != instance || witness->is_other || witness->failure ||
		    witness->is_loose)
			continue;
		if (first && !ends_alike(first, witness))
			return true;
		first = witness;
	}
	return false;
}

/* Whether there is a run of the recorded order of that instance to compare with. */
static bool has_primary(const struct witness *witnesses, size_t count, size_t instance)
{
	for (size_t i = 0; i < count; i++)
		if (counts(&witnesses[i]) && witnesses[i].instance == instance && !witnesses[i].is_other &&
		    !witnesses[i].is_loose)
			return true;
	return false;
}

/* The first of the other order with an end that no run of the recorded order of its instance has. is_doubtful is set when there
 * are such only where the recorded order does not end in one way either. */
static size_t first_difference(const struct witness *witnesses, size_t count, bool *is_doubtful)
{
	*is_doubtful = false;
	for (size_t i = 0; i < count; i++) {
		const struct witness *witness = &witnesses[i];
		if (!counts(witness) || !witness->is_other || witness->failure || witness->is_loose ||
		    !has_primary(witnesses, count, witness->instance) ||
		    has_twin(witnesses, count, witness, ends_alike))
			continue;
		if (!is_varied(witnesses, count, witness->instance))
			return i;
		*is_doubtful = true;
	}
	return SIZE_MAX;
}

static bool is_compared(const struct witness *witness)
{
	return counts(witness) && !witness->failure && !witness->is_loose && !witness->is_cut;
}

/* How many runs that have the one order of the accesses end like the witness, whatever their instance. */
static size_t count_ends(const struct witness *witnesses, size_t count, const struct witness *like, bool is_reversed)
{
	size_t ends = 0;
	for (size_t i = 0; i < count; i++) {
		const struct witness *one = &witnesses[i];
		ends += is_compared(one) && is_reverse(one) == is_reversed && one->input == like->input &&
			one->pair == like->pair && one->status == like->status && one->output == like->output &&
			one->effects == like->effects;
	}
	return ends;
}

/*
 * Where runs of each order end in different ways: the first run with an end that its order has at least twice and the other order never,
 * although the other one has each of its own ends at least twice, in at least MIN_POOLED runs. If an end were only rare there, some of its
 * own would have been seen once only (the estimate of Good and Turing for what was not seen is the share of such).
 */
static size_t first_of_its_own(const struct witness *witnesses, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct witness *witness = &witnesses[i];
		bool is_reversed = is_reverse(witness), is_known = true;
		size_t opposite = 0;
		if (!is_compared(witness) || count_ends(witnesses, count, witness, is_reversed) < 2 ||
		    count_ends(witnesses, count, witness, !is_reversed))
			continue;
		for (size_t k = 0; k < count && is_known; k++) {
			const struct witness *one = &witnesses[k];
			if (!is_compared(one) || is_reverse(one) == is_reversed || one->input != witness->input ||
			    one->pair != witness->pair)
				continue;
			opposite++;
			is_known = count_ends(witnesses, count, one, !is_reversed) >= 2;
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
	bool is_impossible = false, is_comparable = false;
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
		verdict.is_both = has_twin(witnesses, count, &witnesses[verdict.shows], fails_alike);
		return verdict;
	}
	if (!verdict.others) {
		verdict.class = is_impossible ? VERDICT_SINGLE_ORDERING : VERDICT_UNDECIDED;
		return verdict;
	}
	if (!is_comparable)
		return verdict;
	verdict.shows = first_difference(witnesses, count, &verdict.is_varied);
	if (verdict.shows == SIZE_MAX && verdict.is_varied)
		verdict.shows = first_of_its_own(witnesses, count);
	if (verdict.shows != SIZE_MAX)
		verdict.class = VERDICT_OUTPUT_DIFFERS;
	else if (!verdict.is_varied)
		verdict.class = VERDICT_HARMLESS;
	return verdict;
}
