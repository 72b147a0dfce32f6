/* verdict_test.c: the verdicts of model/verdict.h, each from the witnesses that make it; see verdict.t. */
#include <stdio.h>
#include <string.h>

#include "model/verdict.h"

static int number;

static void check(const char *name, const struct witness *witnesses, size_t count, enum verdict_class class, size_t shows)
{
	struct verdict verdict = verdict_of(witnesses, count);
	struct witness reversed[32];
	for (size_t i = 0; i < count; i++)
		reversed[i] = witnesses[count - 1 - i];
	bool is_right = verdict.class == class && verdict.shows == shows && verdict_of(reversed, count).class == class;
	printf("%sok %d - %s\n", is_right ? "" : "not ", ++number, name);
	if (!is_right)
		printf("# class %s, shows %zd\n", verdict_classes[verdict.class].word, (ssize_t)verdict.shows);
}

#define CHECK(name, class, shows, ...)                                                                                  \
	do {                                                                                                           \
		const struct witness all[] = { __VA_ARGS__ };                                                          \
		check(name, all, sizeof all / sizeof *all, class, shows);                                              \
	} while (0)
#define FIRST(...) { .is_other = false, .order = WITNESS_MADE, __VA_ARGS__ }
#define OTHER(...) { .is_other = true, .order = WITNESS_MADE, __VA_ARGS__ }
#define FOUR_FIRST FIRST(.output = 1), FIRST(.output = 2), FIRST(.instance = 1, .output = 1), FIRST(.instance = 1, .output = 2)
#define EIGHT_FIRST FOUR_FIRST, FIRST(.output = 1), FIRST(.output = 2), FIRST(.instance = 1, .output = 1), FIRST(.instance = 1, .output = 2)
#define NONE SIZE_MAX

static void check_compared(const char *name, const struct compared_instance *instances, size_t count,
			   enum analyzer_cause cause, enum verdict_states states)
{
	struct compared_instance reversed[8];
	for (size_t i = 0; i < count; i++)
		reversed[i] = instances[count - 1 - i];
	enum analyzer_cause found = analyzer_of(instances, count);
	bool is_right = found == cause && states_of(instances, count) == states && analyzer_of(reversed, count) == cause &&
			states_of(reversed, count) == states;
	printf("%sok %d - %s\n", is_right ? "" : "not ", ++number, name);
	if (!is_right)
		printf("# cause %d, states %d\n", found, states_of(instances, count));
}

#define COMPARED(name, cause, states, ...)                                                                              \
	do {                                                                                                           \
		const struct compared_instance all[] = { __VA_ARGS__ };                                                \
		check_compared(name, all, sizeof all / sizeof *all, cause, states);                                    \
	} while (0)
#define SAME { .is_recorded = true, .states = STATES_SAME }
#define DIFFER { .is_recorded = true, .states = STATES_DIFFER }
#define LEFT(...) { .is_recorded = true, .has_left = true, __VA_ARGS__ }
#define NOT_MADE { .is_recorded = false }

static void check_analyzer(void)
{
	COMPARED("the same state", ANALYZER_NO_STATE_CHANGE, STATES_SAME, SAME);
	COMPARED("all the same", ANALYZER_NO_STATE_CHANGE, STATES_SAME, SAME, SAME);
	COMPARED("one differs", ANALYZER_STATE_CHANGE, STATES_DIFFER, SAME, DIFFER, SAME);
	COMPARED("one fails", ANALYZER_REPLAY_FAILURE, STATES_UNKNOWN, SAME, LEFT());
	COMPARED("a failure is one whatever it leads to", ANALYZER_REPLAY_FAILURE, STATES_SAME, LEFT(.states = STATES_SAME));
	COMPARED("what it leads to counts for Heddle", ANALYZER_REPLAY_FAILURE, STATES_DIFFER, SAME, LEFT(.states = STATES_DIFFER));
	COMPARED("a change outweighs a failure", ANALYZER_STATE_CHANGE, STATES_DIFFER, LEFT(), DIFFER);
	COMPARED("an instance that was not reached does not count", ANALYZER_NO_STATE_CHANGE, STATES_SAME, NOT_MADE, SAME);
	COMPARED("none was reached", ANALYZER_UNKNOWN, STATES_UNKNOWN, NOT_MADE);
	COMPARED("one of which nothing is known", ANALYZER_NO_STATE_CHANGE, STATES_UNKNOWN, SAME, { .is_recorded = true });
	for (int i = ANALYZER_UNKNOWN + 1; i < ANALYZER_COUNT; i++) {
		bool has_words = analyzer_words[i] && analyzer_class_words[i];
		printf("%sok %d - cause %d has words\n", has_words ? "" : "not ", ++number, i);
	}
}

/* Inputs are counted that a witness of which the order is known has; and outputs are compared within an instance, so within an input. */
static void check_inputs(void)
{
	const struct witness all[] = {
		FIRST(.output = 1), OTHER(.output = 1), FIRST(.input = 2, .instance = 1, .output = 2), OTHER(.input = 2, .instance = 1, .output = 2),
		OTHER(.input = 3, .instance = 2, .is_lost = true), { .input = 4, .instance = 3, .order = WITNESS_UNKNOWN },
		OTHER(.input = 2, .instance = 1, .output = 2),
	};
	const struct verdict verdict = verdict_of(all, sizeof all / sizeof *all), none = verdict_of(all, 0);
	const bool is_right = verdict.inputs == 2 && none.inputs == 1 && verdict.class == VERDICT_HARMLESS;
	printf("%sok %d - inputs are counted\n", is_right ? "" : "not ", ++number);
}

/* A failure, a changed result, and all others, which are alike. */
static void check_worse(void)
{
	for (int a = 0; a < VERDICT_COUNT; a++)
		for (int b = 0; b < VERDICT_COUNT; b++) {
			const bool is_worse = a != b && (a == VERDICT_SPEC_VIOLATED || (a == VERDICT_OUTPUT_DIFFERS && b != VERDICT_SPEC_VIOLATED));
			const bool is_right = verdict_is_worse(a, b) == is_worse;
			printf("%sok %d - %s and %s\n", is_right ? "" : "not ", ++number, verdict_classes[a].word, verdict_classes[b].word);
		}
	printf("%sok %d - no class has such a name\n", verdict_find("good") == VERDICT_COUNT && verdict_find(NULL) == VERDICT_COUNT ? "" : "not ", ++number);
	printf("%sok %d - a class is found by its name\n", verdict_find("harmless") == VERDICT_HARMLESS ? "" : "not ", ++number);
}

int main(void)
{
	check_analyzer();
	CHECK("both end alike", VERDICT_HARMLESS, NONE, FIRST(.output = 1), OTHER(.output = 1));
	CHECK("the other order fails", VERDICT_SPEC_VIOLATED, 1, FIRST(.output = 1), OTHER(.failure = "crash a"));
	CHECK("the recorded order fails", VERDICT_SPEC_VIOLATED, 0, FIRST(.failure = "crash a"), OTHER(.output = 1));
	CHECK("both fail: the other order shows it", VERDICT_SPEC_VIOLATED, 1, FIRST(.failure = "crash a"), OTHER(.failure = "crash a"));
	CHECK("both fail alike, but need not", VERDICT_HARMLESS, NONE, FIRST(.failure = "crash a"), OTHER(.failure = "crash a"), FIRST(.instance = 1, .output = 1), OTHER(.instance = 1, .output = 1));
	CHECK("the same, each in a thread of its own", VERDICT_SPEC_VIOLATED, 1, FIRST(.failure = "crash a", .failing = 2), OTHER(.failure = "crash a", .failing = 4), FIRST(.instance = 1, .output = 1), OTHER(.instance = 1, .output = 1));
	CHECK("the same, of two instances", VERDICT_SPEC_VIOLATED, 1, FIRST(.failure = "crash a"), OTHER(.instance = 1, .failure = "crash a"), FIRST(.instance = 1, .output = 1), OTHER(.output = 1));
	CHECK("the same, but only one order is known to end well", VERDICT_SPEC_VIOLATED, 1, FIRST(.failure = "crash a"), OTHER(.failure = "crash a"), FIRST(.instance = 1, .output = 1));
	CHECK("the same, but a run of the other order was cut off", VERDICT_SPEC_VIOLATED, 1, FIRST(.failure = "crash a"), OTHER(.failure = "crash a"), FIRST(.instance = 1, .output = 1), OTHER(.instance = 1, .is_cut = true, .output = 1));
	CHECK("another output", VERDICT_OUTPUT_DIFFERS, 1, FIRST(.output = 1), OTHER(.output = 2));
	CHECK("another output of a loose run", VERDICT_HARMLESS, NONE, FIRST(.output = 1), OTHER(.output = 1), OTHER(.is_loose = true, .output = 2), FIRST(.is_loose = true, .output = 3));
	CHECK("a loose run is nothing to compare with", VERDICT_UNDECIDED, NONE, FIRST(.is_loose = true, .output = 1), OTHER(.output = 2));
	CHECK("a loose run that fails", VERDICT_SPEC_VIOLATED, 1, FIRST(.output = 1), OTHER(.is_loose = true, .failure = "crash a"));
	CHECK("another exit status", VERDICT_OUTPUT_DIFFERS, 1, FIRST(.status = 0), OTHER(.status = 3));
	CHECK("outputs vary in both orders alike", VERDICT_HARMLESS, NONE, FIRST(.output = 1), OTHER(.output = 2), FIRST(.output = 2), OTHER(.output = 1));
	CHECK("outputs vary in the recorded order, too", VERDICT_UNDECIDED, NONE, FIRST(.output = 1), OTHER(.output = 2), FIRST(.output = 2), OTHER(.output = 3));
	CHECK("outputs vary in both orders, but one has an output of its own", VERDICT_OUTPUT_DIFFERS, 1, FIRST(.output = 1), OTHER(.output = 3), EIGHT_FIRST, OTHER(.instance = 2, .output = 3));
	CHECK("the same, seen once only", VERDICT_UNDECIDED, NONE, FIRST(.output = 1), OTHER(.output = 3), EIGHT_FIRST);
	CHECK("the same, beside another that was seen once only", VERDICT_UNDECIDED, NONE, FIRST(.output = 1), OTHER(.output = 3), EIGHT_FIRST, OTHER(.output = 3), FIRST(.output = 4));
	CHECK("the same, in too few runs", VERDICT_UNDECIDED, NONE, FIRST(.output = 1), OTHER(.output = 3), FOUR_FIRST, OTHER(.output = 3));
	CHECK("the same, with another input", VERDICT_UNDECIDED, NONE, FIRST(.output = 1), OTHER(.output = 3), EIGHT_FIRST, OTHER(.instance = 2, .input = 1, .output = 3));
	CHECK("what varies is explained by other instances", VERDICT_HARMLESS, NONE, FIRST(.output = 1), FIRST(.output = 2), OTHER(.output = 3), FIRST(.instance = 1, .output = 3), OTHER(.instance = 1, .output = 3));
	CHECK("the same, but with the opposite order there", VERDICT_UNDECIDED, NONE, FIRST(.output = 1), FIRST(.output = 2), OTHER(.output = 3), FIRST(.instance = 1, .is_swapped = true, .output = 3));
	CHECK("what does not vary is not explained by other instances", VERDICT_OUTPUT_DIFFERS, 1, FIRST(.output = 1), OTHER(.output = 3), FIRST(.instance = 1, .output = 3), OTHER(.instance = 1, .output = 3));
	CHECK("what is printed differs, what is written varies", VERDICT_OUTPUT_DIFFERS, 1, FIRST(.output = 1, .effects = 1), OTHER(.output = 2, .effects = 3), FIRST(.output = 1, .effects = 2));
	CHECK("what is written differs, what is printed varies", VERDICT_OUTPUT_DIFFERS, 1, FIRST(.effects = 1, .output = 1), OTHER(.effects = 2, .output = 3), FIRST(.effects = 1, .output = 2));
	CHECK("of a run that was cut off what it wrote counts, and not how it ended", VERDICT_OUTPUT_DIFFERS, 1, FIRST(.effects = 1, .output = 1), OTHER(.is_cut = true, .effects = 2, .output = 9, .status = 9));
	CHECK("a failure outweighs outputs", VERDICT_SPEC_VIOLATED, 2, FIRST(.output = 1), OTHER(.output = 2), OTHER(.failure = "deadlock b"));
	CHECK("nobody could go on", VERDICT_SINGLE_ORDERING, NONE, FIRST(.output = 1), { .is_other = true, .order = WITNESS_IMPOSSIBLE, .output = 1 });
	CHECK("impossible once, possible once", VERDICT_HARMLESS, NONE, FIRST(.output = 1), { .is_other = true, .order = WITNESS_IMPOSSIBLE, .output = 9 }, OTHER(.output = 1));
	CHECK("the other order never came", VERDICT_UNDECIDED, NONE, FIRST(.output = 1), { .is_other = true, .order = WITNESS_UNKNOWN, .output = 1 });
	CHECK("a failure without the order is not the order's", VERDICT_UNDECIDED, NONE, FIRST(.output = 1), { .is_other = true, .order = WITNESS_UNKNOWN, .failure = "crash a" });
	CHECK("a lost run is no witness", VERDICT_UNDECIDED, NONE, FIRST(.output = 1), OTHER(.is_lost = true, .output = 1));
	CHECK("no run of the recorded order", VERDICT_UNDECIDED, NONE, OTHER(.output = 1));
	CHECK("no witness at all", VERDICT_UNDECIDED, NONE, { .order = WITNESS_UNKNOWN });
	check_inputs();
	check_worse();
	for (int i = 0; i < VERDICT_COUNT; i++) {
		bool has_word = verdict_classes[i].word && verdict_classes[i].word[0] && verdict_classes[i].listed;
		printf("%sok %d - class %d has words\n", has_word ? "" : "not ", ++number, i);
	}
	printf("1..%d\n", number);
	return 0;
}
