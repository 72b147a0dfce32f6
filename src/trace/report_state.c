/* report_state.c: the lines of a report about the state behind the regions of two accesses. See "hold.is_compared" in heddle/abi.h. */
#include <string.h>

#include "trace/report_priv.h"

void report_add_compared(struct report *report, char *at)
{
	static const struct {
		const char *word;
		enum report_compared_end end;
	} ends[] = {
		{ "ended", REPORT_COMPARED },
		{ "unknown", REPORT_COMPARED_UNKNOWN },
		{ "endless", REPORT_COMPARED_ENDLESS },
		{ "not", REPORT_COMPARED_NOT },
	};
	const char *word = report_word(&at);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (strcmp(word, ends[i].word) == 0)
			report->state.end = ends[i].end;
}

static bool next_kind(char **at, struct report_changed *changed)
{
	const char *word = report_word(at);
	uint64_t thread;
	if (strcmp(word, "data") == 0) {
		changed->of = REPORT_OF_DATA;
		return true;
	}
	if (strcmp(word, "mapping") == 0) {
		changed->of = REPORT_OF_MAPPING;
		return true;
	}
	if (strcmp(word, "stack") == 0) {
		changed->of = REPORT_OF_STACK;
		if (!report_number(at, 10, &thread) || thread > UINT32_MAX)
			return false;
		changed->thread = (uint32_t)thread;
		return true;
	}
	changed->of = REPORT_OF_BLOCK;
	return strcmp(word, "block") == 0 && report_number(at, 16, &changed->start) &&
	       report_number(at, 10, &changed->size) && report_number(at, 10, &changed->made);
}

void report_add_changed(struct report *report, char *at)
{
	struct report_state *state = &report->state;
	struct report_changed changed = { .address = 0 };
	if (!report_number(&at, 16, &changed.address) || !report_number(&at, 16, &changed.before) ||
	    !report_number(&at, 16, &changed.after) || !next_kind(&at, &changed))
		return;
	if (state->changed_count && state->changed[state->changed_count - 1].address >= changed.address)
		return;
	state->changed = mem_resize(state->changed, (state->changed_count + 1) * sizeof *state->changed);
	state->changed[state->changed_count++] = changed;
}

void report_add_unlisted(struct report *report, char *at)
{
	uint64_t count, hash;
	if (!report_number(&at, 10, &count) || !report_number(&at, 16, &hash))
		return;
	report->state.unlisted = count;
	report->state.unlisted_hash = hash;
}

void report_add_live(struct report *report, char *at)
{
	uint64_t bytes;
	if (report_number(&at, 10, &bytes))
		report->state.live_bytes = bytes;
}

static void add_address(struct report *report, char *at, uint64_t **addresses, size_t *count)
{
	uint64_t address;
	if (strcmp(at, "more") == 0) {
		report->state.is_more = true;
	} else if (report_number(&at, 16, &address)) {
		*addresses = mem_resize(*addresses, (*count + 1) * sizeof **addresses);
		(*addresses)[(*count)++] = address;
	}
}

void report_add_visited(struct report *report, char *at)
{
	add_address(report, at, &report->state.visited, &report->state.visited_count);
}

void report_add_touched(struct report *report, char *at)
{
	add_address(report, at, &report->state.touched, &report->state.touched_count);
}
