/*
 * belonging_test.c: belonging sets of interleavings that were worked out by hand, and of random ones, compared with the definition. Prints the
 * sets of the case, a line for each place: "S2: nil S1".
 */
#include "model/belonging.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 200, MAX_PLACES = 12, MAX_CELLS = 8 };

/* One access of an interleaving. */
struct step {
	uint32_t thread, place, cell;
};

/* Histories of it, by looking back from each access. */
struct past {
	struct belonging_history items[MAX_STEPS];
	uint32_t lists[MAX_STEPS][MAX_PLACES];
	size_t count;
};

static void look_back(struct past *past, const struct step *steps, size_t count)
{
	past->count = count;
	for (size_t i = 0; i < count; i++) {
		uint32_t found = 0;
		for (size_t j = i; j-- > 0;) {
			bool is_known = false;
			if (steps[j].cell != steps[i].cell || steps[j].thread == steps[i].thread)
				continue;
			for (uint32_t k = 0; k < found; k++)
				is_known |= past->lists[i][k] == steps[j].place;
			if (!is_known)
				past->lists[i][found++] = steps[j].place;
		}
		past->items[i] = (struct belonging_history){ steps[i].place, found, past->lists[i], true };
	}
}

static uint32_t all_of(uint32_t *numbers)
{
	for (uint32_t i = 0; i <= MAX_PLACES; i++)
		numbers[i] = i;
	return MAX_PLACES;
}

static void print_sets(struct belonging_histories histories, const uint32_t *numbers, uint32_t selected)
{
	uint64_t sets[MAX_PLACES] = { 0 };
	belonging_sets(histories, numbers, selected, sets);
	for (uint32_t place = 1; place <= MAX_PLACES; place++) {
		uint32_t number = numbers[place];
		if (!number || !sets[number - 1])
			continue;
		printf("S%u:", place);
		for (uint32_t other = 0; other <= MAX_PLACES; other++)
			if ((!other || numbers[other]) && belonging_has(sets, 1, number, numbers[other]))
				other ? printf(" S%u", other) : printf(" nil");
		printf("\n");
	}
}

static void sets_of(const struct step *steps, size_t count)
{
	static struct past past;
	uint32_t numbers[MAX_PLACES + 1], selected = all_of(numbers);
	look_back(&past, steps, count);
	print_sets((struct belonging_histories){ past.items, count }, numbers, selected);
}

#define SETS_OF(steps) sets_of(steps, sizeof(steps) / sizeof *(steps))

/* Accesses of the own thread in between do not count: the sixth has the second as predecessor, although the fourth is between them. */
static void own_thread(void)
{
	const struct step steps[] = { { 1, 1, 0 }, { 2, 2, 0 }, { 2, 3, 1 }, { 1, 4, 0 }, { 2, 5, 1 }, { 1, 6, 0 } };
	SETS_OF(steps);
}

/* S2 runs twice, and has another predecessor each time; S3 runs twice, and has the same. */
static void twice(void)
{
	const struct step steps[] = { { 1, 1, 0 }, { 2, 2, 0 }, { 1, 3, 0 }, { 2, 2, 0 }, { 1, 3, 0 } };
	SETS_OF(steps);
}

/* An order between threads: thread 1 does S1, S3, S4, and S2 of thread 2 comes at any time before S4. Cells differ between runs. */
static void order(void)
{
	const struct step steps[] = { { 1, 1, 0 }, { 2, 2, 0 }, { 1, 3, 0 }, { 1, 4, 0 },
				      { 2, 2, 1 }, { 1, 1, 1 }, { 1, 3, 1 }, { 1, 4, 1 } };
	SETS_OF(steps);
}

static const uint32_t list_21[] = { 2, 1 }, list_3[] = { 3 };

/* S2 is not selected, so the predecessor of S3 is S1; that of S4 would be S2, before which nothing is known. */
static void selection(void)
{
	const uint32_t list_2[] = { 2 };
	const struct belonging_history items[] = { { 3, 2, list_21, true }, { 4, 1, list_2, false }, { 5, 1, list_2, true } };
	uint32_t numbers[MAX_PLACES + 1];
	all_of(numbers);
	numbers[2] = 0;
	print_sets((struct belonging_histories){ items, 3 }, numbers, MAX_PLACES);
}

/* An initialiser that nothing comes before is selected, since it comes before another; what only one thread touches is not. */
static void shared(void)
{
	const uint32_t list_1[] = { 1 };
	const struct belonging_history items[] = {
		{ 1, 0, NULL, true }, { 2, 1, list_1, true }, { 3, 0, NULL, true }, { 4, 0, NULL, false }
	};
	uint32_t numbers[MAX_PLACES + 1];
	uint64_t pairs[4];
	const struct belonging_histories histories = { items, 4 };
	printf("selected %u:", belonging_select(histories, MAX_PLACES, numbers));
	for (uint32_t place = 1; place <= MAX_PLACES; place++)
		if (numbers[place])
			printf(" S%u", place);
	printf("\nmembers %zu\n", belonging_members(histories, numbers, pairs));
	print_sets(histories, numbers, 2);
}

static void print_duties(const struct belonging_history *items, size_t count)
{
	const struct belonging_histories histories = { items, count };
	uint32_t numbers[MAX_PLACES + 1], selected = belonging_select(histories, MAX_PLACES, numbers);
	uint64_t sets[MAX_PLACES] = { 0 }, neighbours[MAX_PLACES];
	uint8_t duties[MAX_PLACES + 1];
	belonging_sets(histories, numbers, selected, sets);
	belonging_duties(histories, numbers, selected, sets, neighbours, duties);
	for (uint32_t place = 1; place <= MAX_PLACES; place++)
		if (numbers[place])
			printf("S%u:%s%s%s\n", place, duties[numbers[place]] & BELONGING_CHECK ? " check" : "",
			       duties[numbers[place]] & BELONGING_UPDATE ? " update" : "",
			       duties[numbers[place]] ? "" : " nothing");
}

/* S1 may follow anything that touches its cell; S2 may not follow itself; S3 has a cell of its own, and may follow itself. */
static void duties_of(void)
{
	const uint32_t one[] = { 1 }, two[] = { 2 };
	const struct belonging_history items[] = { { 1, 0, NULL, true }, { 1, 1, one, true },    { 1, 1, two, true },
						   { 2, 0, NULL, true }, { 2, 1, one, true },    { 3, 0, NULL, true },
						   { 3, 1, list_3, true } };
	print_duties(items, 7);
}

/* The same, but once a predecessor of S2 was not known. */
static void incomplete(void)
{
	const uint32_t one[] = { 1 }, two[] = { 2 };
	const struct belonging_history items[] = {
		{ 1, 0, NULL, true }, { 1, 1, two, true }, { 2, 1, one, true }, { 2, 0, NULL, false }
	};
	print_duties(items, 4);
}

/* By the definition: what came immediately before, of another thread, among the selected. */
static void define(const struct step *steps, size_t count, const uint32_t *numbers, uint64_t *sets)
{
	memset(sets, 0, MAX_PLACES * sizeof *sets);
	for (size_t i = 0; i < count; i++) {
		uint32_t before = BELONGING_NIL;
		for (size_t j = i; j-- > 0;)
			if (numbers[steps[j].place] && steps[j].cell == steps[i].cell &&
			    steps[j].thread != steps[i].thread) {
				before = numbers[steps[j].place];
				break;
			}
		if (numbers[steps[i].place])
			sets[numbers[steps[i].place] - 1] |= 1ull << before;
	}
}

/* Sets under any selection, and what changes when places that need nothing are left out. */
static void random_ones(void)
{
	static struct past past;
	struct step steps[MAX_STEPS];
	unsigned wrong = 0, selections = 0, idle = 0, unchecked = 0;
	srand(7);
	for (int round = 0; round < 3000; round++) {
		size_t count = 1 + (size_t)rand() % (round % 2 ? 12 : MAX_STEPS);
		uint32_t numbers[MAX_PLACES + 1] = { 0 }, selected = 0;
		uint64_t sets[MAX_PLACES] = { 0 }, want[MAX_PLACES], neighbours[MAX_PLACES];
		uint8_t duties[MAX_PLACES + 1];
		for (size_t i = 0; i < count; i++) {
			uint32_t place = 1 + (uint32_t)rand() % MAX_PLACES;
			/* Each place has one cell or two. */
			uint32_t cell = (place * 3 + (uint32_t)rand() % 2) % MAX_CELLS;
			steps[i] = (struct step){ (uint32_t)rand() % 3, place, cell };
		}
		look_back(&past, steps, count);
		const struct belonging_histories histories = { past.items, count };
		for (uint32_t place = 1; place <= MAX_PLACES; place++)
			numbers[place] = rand() % 4 ? ++selected : 0;
		belonging_sets(histories, numbers, selected, sets);
		define(steps, count, numbers, want);
		wrong += memcmp(sets, want, sizeof sets) != 0;
		selections++;
		selected = belonging_select(histories, MAX_PLACES, numbers);
		memset(sets, 0, sizeof sets);
		belonging_sets(histories, numbers, selected, sets);
		belonging_duties(histories, numbers, selected, sets, neighbours, duties);
		for (uint32_t place = 1; place <= MAX_PLACES; place++) {
			uint8_t duty = numbers[place] ? duties[numbers[place]] : 0;
			idle += numbers[place] && !duty;
			unchecked += numbers[place] && duty == BELONGING_UPDATE;
		}
		/* Without those, numbers stay as they are. */
		for (uint32_t place = 1; place <= MAX_PLACES; place++)
			if (numbers[place] && !(duties[numbers[place]] & BELONGING_UPDATE))
				numbers[place] = 0;
		define(steps, count, numbers, want);
		for (uint32_t number = 1; number <= selected; number++)
			wrong += duties[number] & BELONGING_CHECK && sets[number - 1] != want[number - 1];
	}
	printf("%u selections, %u wrong\n", selections, wrong);
	printf("%s\n", idle && unchecked ? "some need less" : "all are checked");
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "own-thread", own_thread }, { "twice", twice },       { "order", order },
	{ "selection", selection },   { "shared", shared },     { "duties", duties_of },
	{ "incomplete", incomplete }, { "random", random_ones },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++)
		if (strcmp(cases[i].name, argv[1]) == 0) {
			cases[i].run();
			return 0;
		}
	return 2;
}
