/*
 * check_pairs.c: which pairs of places are candidates of a program, from one analysis.
 *   check_pairs PROGRAM <PAIRS
 * Each line of PAIRS is "FILE:LINE FILE:LINE". Prints those of which no two accesses that are written there, or inlined
 * there, are a candidate, and with the word "types" behind them those that are only candidates whose types are of different
 * objects. Exit: 0 done, 2 could not be done.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/lower/lower.h"
#include "analysis/races/races.h"
#include "base/mem.h"
#include "ir/program.h"

static const struct whole *whole;

static bool is_at(uint32_t access, const char *file, unsigned long line)
{
	uint32_t place = whole->instruction[whole->access[access].instruction].place;
	for (unsigned steps = 0; place < whole->place_count && steps < 1000; steps++) {
		const struct whole_place *row = &whole->place[place];
		size_t size = row->file ? strlen(row->file) : 0, wanted = strlen(file);
		if (row->line == line && size >= wanted && strcmp(row->file + size - wanted, file) == 0)
			return true;
		place = row->inlined_at;
	}
	return false;
}

/* Caller frees. */
static uint32_t *find(char *text, uint32_t *count)
{
	char *colon = strrchr(text, ':');
	uint32_t *found = mem_alloc(((size_t)whole->access_count + 1) * sizeof *found);
	*count = 0;
	if (!colon)
		return found;
	*colon = '\0';
	for (uint32_t i = 0; i < whole->access_count; i++)
		if (is_at(i, text, strtoul(colon + 1, NULL, 10)))
			found[(*count)++] = i;
	*colon = ':';
	return found;
}

enum answer { NO_CANDIDATE, DOUBTED, CANDIDATE };

static enum answer ask(const struct races *races, char *a, char *b)
{
	uint32_t a_count, b_count, *as = find(a, &a_count), *bs = find(b, &b_count);
	struct races_pair pair;
	enum answer answer = NO_CANDIDATE;
	for (uint32_t i = 0; i < a_count && answer != CANDIDATE; i++)
		for (uint32_t k = 0; k < b_count && answer != CANDIDATE; k++)
			if (races_pair(races, as[i], bs[k], &pair))
				answer = pair.doubts & RACES_TYPES ? DOUBTED : CANDIDATE;
	free(as);
	free(bs);
	return answer;
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct unit *units = NULL;
	size_t count = 0;
	bool is_library = false;
	struct whole *made = NULL;
	struct points *points = NULL;
	struct flow *flow = NULL;
	char line[4096], a[2048], b[2048];
	if (argc != 2 || program_units(argv[1], &units, &count, &is_library, &err) < 0)
		return 2;
	struct lower_input *inputs = mem_alloc((count + 1) * sizeof *inputs);
	for (size_t i = 0; i < count; i++)
		inputs[i] = (struct lower_input){ .unit = &units[i], .is_shared = is_library };
	if (lower_units(inputs, count, NULL, NULL, &made, &err) < 0 ||
	    points_solve(made, &(struct points_options){ 0 }, &points, &err) < 0 ||
	    flow_solve(made, points, &(struct flow_options){ 0 }, &flow, &err) < 0) {
		err_print(&err, "check_pairs");
		return 2;
	}
	whole = made;
	const struct races *races = races_find(whole, points, flow);
	while (fgets(line, sizeof line, stdin))
		if (sscanf(line, "%2047s %2047s", a, b) == 2) {
			enum answer answer = ask(races, a, b);
			if (answer != CANDIDATE)
				printf("%s %s%s\n", a, b, answer == DOUBTED ? " types" : "");
		}
	return 0;
}
