/* reason_test.c: the reasons of model/reason.h, each from accesses that show it and from accesses that contradict it; see reason.t. */
#include <stdio.h>
#include <string.h>

#include "model/reason.h"

#define MOST 16
#define READER 100 /* lines */
#define WRITER 200
#define OTHER 300
#define LOCK 0x1000

static int number;

/* Other numbers for the same threads, lines and locks. */
static void rename_all(struct reason_access *to, const struct reason_run *run)
{
	for (size_t i = 0; i < run->count; i++) {
		to[i] = run->accesses[i];
		to[i].thread += 7;
		to[i].place = 1000 - to[i].place;
		for (size_t j = 0; j < to[i].lock_count; j++)
			to[i].locks[j] += 64;
	}
}

static void check(const char *name, enum verdict_reason wanted, const struct reason_facts *facts)
{
	struct reason_access renamed[2][MOST];
	struct reason_facts other = *facts;
	for (int i = 0; i < 2; i++) {
		rename_all(renamed[i], &facts->runs[i]);
		other.runs[i].accesses = renamed[i];
		other.sides[i] = facts->sides[!i];
		other.sides[i].thread += 7;
		other.sides[i].place = 1000 - other.sides[i].place;
	}
	const enum verdict_reason found = reason_of(facts).reason, again = reason_of(&other).reason;
	const bool is_right = found == wanted && again == wanted;
	printf("%sok %d - %s\n", is_right ? "" : "not ", ++number, name);
	if (!is_right)
		printf("# %s; with other numbers %s\n", verdict_reason_words[found] ? verdict_reason_words[found] : "none",
		       verdict_reason_words[again] ? verdict_reason_words[again] : "none");
}

#define RUN(...) { __VA_ARGS__ }
#define CHECK_SIDES(name, wanted, first, second, ...)                                                                  \
	do {                                                                                                           \
		const struct reason_access all[2][MOST] = { __VA_ARGS__ };                                             \
		struct reason_facts facts = { .sides = { first, second }, .all_bits = 0xffffffff, .run_count = 2 };    \
		for (int run = 0; run < 2; run++) {                                                                    \
			facts.runs[run].accesses = all[run];                                                           \
			while (facts.runs[run].count < MOST && all[run][facts.runs[run].count].thread)                 \
				facts.runs[run].count++;                                                               \
		}                                                                                                      \
		facts.run_count = facts.runs[1].count ? 2 : 1;                                                         \
		check(name, wanted, &facts);                                                                           \
	} while (0)
/* A read by thread 2 and a write by thread 3. */
#define CHECK(name, wanted, ...)                                                                                       \
	CHECK_SIDES(name, wanted, ((struct reason_side){ READER, 2, false }), ((struct reason_side){ WRITER, 3, true }), \
		    __VA_ARGS__)
/* Writes of one line by both. */
#define CHECK_WRITES(name, wanted, ...)                                                                                \
	CHECK_SIDES(name, wanted, ((struct reason_side){ WRITER, 2, true }), ((struct reason_side){ WRITER, 3, true }),  \
		    __VA_ARGS__)

#define READ(by, value, ...) { .thread = by, .place = READER, .before = value, .after = value, .bits = ~0ul, __VA_ARGS__ }
#define WRITE(by, old, new, ...) { .thread = by, .place = WRITER, .is_write = true, .before = old, .after = new, __VA_ARGS__ }
#define ELSEWHERE .place = OTHER
#define LOCKED .lock_count = 1, .locks = { LOCK }
#define FOR_READING .lock_count = 1, .locks = { LOCK }, .is_shared = { true }

static void check_synchronisation(void)
{
	const enum verdict_reason wait = REASON_USER_SYNCHRONISATION;
	CHECK("a loop that the write ends", wait, RUN(WRITE(3, 0, 1), READ(2, 1)), RUN(READ(2, 0), READ(2, 0), WRITE(3, 0, 1), READ(2, 1)));
	CHECK("a loop that skips values", wait, RUN(WRITE(3, 0, 1), WRITE(4, 1, 2), READ(2, 2)),
	      RUN(READ(2, 0), READ(2, 0), WRITE(4, 0, 1), READ(2, 1), WRITE(3, 1, 2), READ(2, 2)));
	CHECK("a loop with eight rounds in each run", wait, RUN(READ(2, 0), READ(2, 0), READ(2, 0), READ(2, 0), READ(2, 0), READ(2, 0), READ(2, 0), WRITE(3, 0, 1), READ(2, 1)),
	      RUN(READ(2, 0), READ(2, 0), READ(2, 0), READ(2, 0), READ(2, 0), READ(2, 0), READ(2, 0), WRITE(3, 0, 1), READ(2, 1)));
	CHECK("a loop of a fixed number of rounds", REASON_BOTH_VALUES_VALID, RUN(READ(2, 0), READ(2, 0), WRITE(3, 0, 1), READ(2, 1)),
	      RUN(READ(2, 0), WRITE(3, 0, 1), READ(2, 1), READ(2, 1)));
	CHECK("the same number of rounds in both", REASON_NONE, RUN(READ(2, 0), READ(2, 0), WRITE(3, 0, 1), READ(2, 1)),
	      RUN(READ(2, 0), READ(2, 0), WRITE(3, 0, 1), READ(2, 1)));
	CHECK("a loop that ends although nothing changes", REASON_BOTH_VALUES_VALID, RUN(WRITE(3, 0, 1), READ(2, 1)),
	      RUN(READ(2, 0), READ(2, 0), READ(2, 0), WRITE(3, 0, 1)));
	CHECK("rounds that others notice", REASON_BOTH_VALUES_VALID, RUN(WRITE(3, 0, 1), READ(2, 1)),
	      RUN(READ(2, 0, .effects = 1), READ(2, 0, .effects = 2), WRITE(3, 0, 1), READ(2, 1, .effects = 3)));
	CHECK("a loop that another line ends", REASON_BOTH_VALUES_VALID, RUN(WRITE(3, 0, 1), READ(2, 1), WRITE(4, 1, 2, ELSEWHERE)),
	      RUN(READ(2, 0), READ(2, 0), WRITE(4, 0, 2, ELSEWHERE), READ(2, 2), WRITE(3, 2, 1)));
	CHECK("a loop that the thread itself ends", REASON_BOTH_VALUES_VALID, RUN(WRITE(3, 0, 1), READ(2, 1)), RUN(READ(2, 0), WRITE(2, 0, 1), READ(2, 1), WRITE(3, 1, 2)));
}

static void check_double_check(void)
{
	const enum verdict_reason twice = REASON_DOUBLE_CHECK;
	CHECK("a second look under the writer's lock", twice, RUN(READ(2, 0), READ(2, 0, ELSEWHERE, LOCKED), WRITE(2, 0, 1, LOCKED), READ(3, 1)),
	      RUN(READ(3, 0), WRITE(2, 0, 1, LOCKED), READ(3, 1, ELSEWHERE, LOCKED)));
	CHECK("under a lock for reading", twice, RUN(WRITE(3, 0, 1, LOCKED), READ(2, 1)),
	      RUN(READ(2, 0), READ(2, 0, ELSEWHERE, FOR_READING), WRITE(3, 0, 1, LOCKED)));
	CHECK("the writer has the lock for reading only", REASON_BOTH_VALUES_VALID, RUN(WRITE(3, 0, 1, FOR_READING), READ(2, 1)),
	      RUN(READ(2, 0), READ(2, 0, ELSEWHERE, LOCKED), WRITE(3, 0, 1, FOR_READING)));
	CHECK("one write without the lock", REASON_BOTH_VALUES_VALID, RUN(WRITE(3, 0, 1), READ(2, 1)),
	      RUN(READ(2, 0), READ(2, 0, ELSEWHERE, LOCKED), WRITE(3, 0, 1, LOCKED)));
	CHECK("another lock", REASON_BOTH_VALUES_VALID, RUN(WRITE(3, 0, 1, LOCKED), READ(2, 1)),
	      RUN(READ(2, 0), READ(2, 0, ELSEWHERE, .lock_count = 1, .locks = { LOCK + 8 }), WRITE(3, 0, 1, LOCKED)));
	CHECK("no second look for the same value", REASON_BOTH_VALUES_VALID, RUN(READ(4, 0), WRITE(3, 0, 1, LOCKED), READ(2, 1)),
	      RUN(READ(2, 0), READ(2, 0, ELSEWHERE, LOCKED), WRITE(3, 0, 1, LOCKED)));
	CHECK("something is done in between", REASON_BOTH_VALUES_VALID, RUN(WRITE(3, 0, 1, LOCKED), READ(2, 1)),
	      RUN(READ(2, 0), READ(2, 0, ELSEWHERE, LOCKED, .effects = 1), WRITE(3, 0, 1, LOCKED)));
	CHECK("a write without a second look", REASON_BOTH_VALUES_VALID, RUN(WRITE(3, 0, 1, LOCKED), READ(2, 1)),
	      RUN(READ(2, 0), WRITE(2, 0, 1, LOCKED), WRITE(3, 1, 1, LOCKED)));
}

static void check_redundant_write(void)
{
	const enum verdict_reason same = REASON_REDUNDANT_WRITE;
	CHECK_WRITES("both write the same", same, RUN(WRITE(2, 0, 1), WRITE(3, 1, 1)), RUN(WRITE(3, 0, 1), WRITE(2, 1, 1)));
	CHECK_WRITES("the same, and one run", same, RUN(WRITE(2, 0, 1), WRITE(3, 1, 1)), RUN());
	CHECK_WRITES("a third one writes another value", REASON_BOTH_VALUES_VALID, RUN(WRITE(2, 0, 1), WRITE(3, 1, 1), WRITE(4, 1, 2)),
		     RUN(WRITE(3, 0, 1), WRITE(2, 1, 1), WRITE(4, 1, 2)));
	CHECK_WRITES("the same because an update is lost", REASON_NONE, RUN(WRITE(2, 0, 1, .is_computed = true), WRITE(3, 1, 1, .is_computed = true)),
		     RUN(WRITE(3, 0, 1, .is_computed = true), WRITE(2, 1, 1, .is_computed = true)));
	CHECK_WRITES("one thread only", REASON_NONE, RUN(WRITE(2, 0, 1), WRITE(2, 1, 1)), RUN(WRITE(2, 0, 1)));
	CHECK("what is there already", same, RUN(WRITE(3, 5, 5), READ(2, 5)), RUN(READ(2, 5), WRITE(3, 5, 5)));
	CHECK("one write changes it", REASON_BOTH_VALUES_VALID, RUN(WRITE(3, 4, 5), WRITE(3, 5, 5), READ(2, 5)), RUN(READ(2, 4), WRITE(3, 4, 5)));
	CHECK("it is always read after the change", REASON_NONE, RUN(WRITE(3, 4, 5), READ(2, 5)), RUN(WRITE(3, 4, 5), READ(2, 5)));
	CHECK("what the reader has written itself", same, RUN(WRITE(3, 4, 5), WRITE(2, 5, 5), READ(2, 5)), RUN(WRITE(2, 4, 5), READ(2, 5), WRITE(3, 5, 5)));
}

static void check_disjoint_bits(void)
{
	const enum verdict_reason disjoint = REASON_DISJOINT_BITS;
	CHECK("a bit that the writer leaves", disjoint, RUN(WRITE(3, 4, 5), READ(2, 5, .bits = 4)), RUN(READ(2, 4, .bits = 4), WRITE(3, 4, 5)));
	CHECK("a bit that one write changes", REASON_BOTH_VALUES_VALID, RUN(WRITE(3, 4, 5), READ(2, 5, .bits = 4), WRITE(3, 5, 1)),
	      RUN(READ(2, 4, .bits = 4), WRITE(3, 4, 5)));
	CHECK("a read of all bits", REASON_BOTH_VALUES_VALID, RUN(WRITE(3, 4, 5), READ(2, 5, .bits = 4)), RUN(READ(2, 4), WRITE(3, 4, 5)));
	CHECK("bits outside of the memory", disjoint, RUN(WRITE(3, 4, 5), READ(2, 5, .bits = 4)),
	      RUN(READ(2, 4, .bits = 0xf00000004), WRITE(3, 4, 5)));
	CHECK("a read that is written back", REASON_BOTH_VALUES_VALID, RUN(WRITE(3, 4, 5), READ(2, 5, .bits = 4)),
	      RUN(READ(2, 4, .bits = 4), WRITE(2, 4, 6, .effects = 1), WRITE(3, 6, 7)));
#define OLD(by, value) READ(by, value, ELSEWHERE)
	CHECK_WRITES("threads that set their own bits", disjoint, RUN(OLD(2, 0), WRITE(2, 0, 1), OLD(3, 1), WRITE(3, 1, 3)),
		     RUN(OLD(3, 0), WRITE(3, 0, 2), OLD(2, 2), WRITE(2, 2, 3)));
	CHECK_WRITES("a bit is lost", REASON_BOTH_VALUES_VALID, RUN(OLD(2, 0), WRITE(2, 0, 1), OLD(3, 1), WRITE(3, 1, 3)),
		     RUN(OLD(2, 0), OLD(3, 0), WRITE(3, 0, 2), WRITE(2, 2, 1)));
	CHECK_WRITES("bits of values that were not read", REASON_BOTH_VALUES_VALID, RUN(WRITE(2, 0, 1), WRITE(3, 1, 3)), RUN(WRITE(3, 0, 2), WRITE(2, 2, 3)));
	CHECK_WRITES("bits of one run only", REASON_NONE, RUN(OLD(2, 0), WRITE(2, 0, 1), OLD(3, 1), WRITE(3, 1, 3)), RUN());
}

static void check_approximate(void)
{
	const enum verdict_reason about = REASON_APPROXIMATE;
#define GET(by, value, ...) READ(by, value, .is_for_compute = true, __VA_ARGS__)
#define PUT(by, old, new) WRITE(by, old, new, .is_computed = true)
	CHECK_WRITES("counting", about, RUN(GET(2, 0), PUT(2, 0, 1), GET(3, 1), PUT(3, 1, 2)), RUN(GET(2, 0), GET(3, 0), PUT(3, 0, 1), PUT(2, 1, 1)));
	CHECK("a read and a write of two counts", about, RUN(GET(2, 0), PUT(2, 0, 1), GET(3, 1), PUT(3, 1, 2)),
	      RUN(GET(3, 0), PUT(3, 0, 1), GET(2, 1), PUT(2, 1, 2)));
	CHECK("a read for something else", REASON_BOTH_VALUES_VALID, RUN(READ(2, 0), GET(3, 0), PUT(3, 0, 1)), RUN(GET(3, 0), PUT(3, 0, 1), READ(2, 1)));
	CHECK_WRITES("a value that is also used otherwise", REASON_BOTH_VALUES_VALID, RUN(READ(2, 0), PUT(2, 0, 1), READ(3, 1), PUT(3, 1, 2)),
		     RUN(READ(2, 0), READ(3, 0), PUT(3, 0, 1), PUT(2, 1, 1)));
	CHECK_WRITES("a reset among the counts", REASON_BOTH_VALUES_VALID, RUN(GET(2, 0), PUT(2, 0, 1), WRITE(3, 1, 0)), RUN(WRITE(3, 0, 0), GET(2, 0), PUT(2, 0, 1)));
	CHECK_WRITES("a write without a read", REASON_BOTH_VALUES_VALID, RUN(PUT(2, 0, 1), GET(3, 1), PUT(3, 1, 2)), RUN(GET(3, 0), PUT(3, 0, 1), PUT(2, 1, 2)));
}

static void check_both_values(void)
{
	const enum verdict_reason both = REASON_BOTH_VALUES_VALID;
	CHECK("the read gets another value", both, RUN(WRITE(3, 0, 1), READ(2, 1)), RUN(READ(2, 0), WRITE(3, 0, 1)));
	CHECK("the second read does", both, RUN(READ(2, 0), WRITE(3, 0, 1), READ(2, 1)), RUN(READ(2, 0), READ(2, 0), WRITE(3, 0, 1)));
	CHECK("the read gets the same", REASON_NONE, RUN(WRITE(3, 0, 1), READ(2, 1)), RUN(WRITE(4, 0, 1, ELSEWHERE), READ(2, 1), WRITE(3, 1, 2)));
	CHECK("only one run is known", REASON_NONE, RUN(WRITE(3, 0, 1), READ(2, 1)), RUN());
	CHECK_WRITES("either may be the last", both, RUN(WRITE(2, 0, 1), WRITE(3, 1, 2)), RUN(WRITE(3, 0, 2), WRITE(2, 2, 1)));
	CHECK_WRITES("either, of one run", REASON_NONE, RUN(WRITE(2, 0, 1), WRITE(3, 1, 2)), RUN());
	CHECK_SIDES("two reads are no race", REASON_NONE, ((struct reason_side){ READER, 2, false }), ((struct reason_side){ READER, 3, false }),
		    RUN(READ(2, 0), READ(3, 1)), RUN(READ(3, 0), READ(2, 1)));
	CHECK("nothing was seen", REASON_NONE, RUN(), RUN());
}

int main(void)
{
	check_synchronisation();
	check_double_check();
	check_redundant_write();
	check_disjoint_bits();
	check_approximate();
	check_both_values();
	printf("1..%d\n", number);
	return 0;
}
