/* classify_entries.c: see classify_entries.h. */
#include "cmd/classify_entries.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json_writer.h"
#include "base/path.h"
#include "base/text.h"

static const char *const result_words[CLASSIFY_RESULT_COUNT] = {
	[CLASSIFY_UNDECIDED] = "undecided",     [CLASSIFY_CLASSIFIED] = "classified", [CLASSIFY_ORDERED] = "ordered",
	[CLASSIFY_NOT_REACHED] = "not-reached", [CLASSIFY_NO_MATCH] = "no-match",
};

struct classify_entry *classify_add(struct classify_entries *self)
{
	self->items = mem_resize(self->items, (self->count + 1) * sizeof *self->items);
	struct classify_entry *entry = &self->items[self->count++];
	*entry = (struct classify_entry){ .times = 1, .pair = SIZE_MAX };
	return entry;
}

void classify_entries_release(struct classify_entries *self)
{
	for (size_t i = 0; i < self->count; i++) {
		struct classify_entry *entry = &self->items[i];
		for (size_t side = 0; side < 2; side++) {
			free(entry->sides[side].file);
			free(entry->sides[side].function);
		}
		free(entry->source);
		free(entry->log);
		free(entry->inexact);
		free(entry->verdict);
		free(entry->input);
	}
	strings_release(&self->unclassified);
	free(self->items);
}

void classify_take_verdict(struct classify_entry *entry, const struct finding *race)
{
	const struct verdict *verdict = &race->evidence.verdict;
	entry->witnesses = verdict->others + verdict->primaries;
	entry->instances = verdict->instances;
	entry->inputs = verdict->inputs;
	entry->input = race->presentation.input.size ? mem_copy_string(race->presentation.input.data) : NULL;
	entry->is_from_log = verdict->is_from_log;
	entry->unanswered = verdict->unanswered;
}

/* "write at queue.c:12", "write in push", "write" */
static void tell_side(struct buf *out, const struct path_view *view, const struct classify_side *side)
{
	buf_add_string(out, side->access);
	if (side->file && side->line) {
		char *tidy = mem_copy_string(side->file);
		path_tidy(tidy);
		char *shown = path_view_display(view, tidy);
		buf_add_string(out, " at ");
		text_terminal(out, shown);
		buf_format(out, ":%" PRIu32, side->line);
		free(shown);
		free(tidy);
	} else if (side->function) {
		buf_add_string(out, " in ");
		text_terminal(out, side->function);
	}
}

void classify_tell(struct buf *out, const struct classify_entry *entry)
{
	struct path_view view;
	path_view_init(&view);
	if (entry->source) {
		buf_format(out, "%s: ", entry->source);
		tell_side(out, &view, &entry->sides[0]);
		buf_add_string(out, " and ");
		tell_side(out, &view, &entry->sides[1]);
		if (entry->times > 1)
			buf_format(out, " (reported %" PRIu64 " times)", entry->times);
		buf_add_string(out, ": ");
	}
	if (entry->id)
		buf_format(out, "H%" PRIu64 " ", entry->id);
	buf_add_string(out, entry->verdict ? entry->verdict : "is undecided");
	if (entry->inexact)
		buf_format(out, " (inexact match: %s)", entry->inexact);
	path_view_release(&view);
}

static size_t count_class(const struct classify_entries *self, enum verdict_class class)
{
	size_t count = 0;
	for (size_t i = 0; i < self->count; i++)
		count += self->items[i].has_class && self->items[i].class == class;
	return count;
}

static size_t count_result(const struct classify_entries *self, enum classify_result result)
{
	size_t count = 0;
	for (size_t i = 0; i < self->count; i++)
		count += self->items[i].result == result;
	return count;
}

void classify_tell_summary(struct buf *out, const struct classify_entries *self)
{
	const size_t ordered = count_result(self, CLASSIFY_ORDERED), away = count_result(self, CLASSIFY_NOT_REACHED),
		     unmatched = count_result(self, CLASSIFY_NO_MATCH);
	buf_format(out, "%zu harmful, %zu with different output, %zu harmless, %zu with a single order, %zu undecided",
		   count_class(self, VERDICT_SPEC_VIOLATED), count_class(self, VERDICT_OUTPUT_DIFFERS),
		   count_class(self, VERDICT_HARMLESS), count_class(self, VERDICT_SINGLE_ORDERING),
		   count_result(self, CLASSIFY_UNDECIDED));
	if (self->count && self->items[0].source)
		buf_format(out, ", %zu ordered, %zu not reached, %zu without a match", ordered, away, unmatched);
}

int classify_status(const struct classify_entries *self)
{
	if (count_class(self, VERDICT_SPEC_VIOLATED) || count_class(self, VERDICT_OUTPUT_DIFFERS))
		return EXIT_FINDINGS;
	const size_t open = count_result(self, CLASSIFY_UNDECIDED) + count_result(self, CLASSIFY_NOT_REACHED) +
			    count_result(self, CLASSIFY_NO_MATCH);
	return open || self->cut ? EXIT_CANNOT : EXIT_FOUND_NOTHING;
}

static void add_side(struct json_writer *out, const struct classify_side *side)
{
	json_open_object(out, NULL);
	json_add_string(out, "access", side->access);
	json_add_string(out, "file", side->file);
	json_add_string(out, "function", side->function);
	if (side->line)
		json_add_number(out, "line", side->line);
	else
		json_add_null(out, "line");
	json_close_object(out);
}

static void add_searched(struct json_writer *out, const struct classify_entry *entry)
{
	json_add_number(out, "schedules", entry->schedules);
	json_open_array(out, "reached");
	json_add_number(out, NULL, entry->reached[0]);
	json_add_number(out, NULL, entry->reached[1]);
	json_close_array(out);
	json_add_number(out, "common", entry->common);
}

static void add_entry(struct json_writer *out, const struct classify_entry *entry)
{
	json_line(out);
	json_open_object(out, NULL);
	json_add_string(out, "log", entry->log);
	if (entry->line)
		json_add_number(out, entry->log ? "line" : "candidate", entry->line);
	json_add_string(out, "tool", entry->tool);
	json_add_number(out, "times", entry->times);
	json_open_array(out, "accesses");
	for (size_t i = 0; i < 2 && entry->sides[i].access; i++)
		add_side(out, &entry->sides[i]);
	json_close_array(out);
	json_add_string(out, "result", result_words[entry->result]);
	json_add_string(out, "class", entry->has_class ? verdict_classes[entry->class].word : NULL);
	if (entry->id)
		json_add_format(out, "id", "H%" PRIu64, entry->id);
	else
		json_add_null(out, "id");
	json_add_string(out, "verdict", entry->verdict);
	json_add_string(out, "inexact", entry->inexact);
	if (entry->source)
		add_searched(out, entry);
	json_add_number(out, "witnesses", entry->witnesses);
	json_add_number(out, "instances", entry->instances);
	json_add_number(out, "inputs", entry->inputs);
	json_add_string(out, "input", entry->input);
	json_add_string(out, "source", entry->has_class ? verdict_source(entry->is_from_log) : NULL);
	json_add_number(out, "unanswered", entry->unanswered);
	json_close_object(out);
}

static void add_counts(struct json_writer *out, const struct classify_entries *self)
{
	json_open_object(out, "counts");
	for (int class = 0; class < VERDICT_COUNT; class ++)
		if (class != VERDICT_UNDECIDED)
			json_add_number(out, verdict_classes[class].word,
					count_class(self, (enum verdict_class) class));
	json_add_number(out, result_words[CLASSIFY_UNDECIDED], count_result(self, CLASSIFY_UNDECIDED));
	json_add_number(out, result_words[CLASSIFY_NOT_REACHED], count_result(self, CLASSIFY_NOT_REACHED));
	json_add_number(out, result_words[CLASSIFY_NO_MATCH], count_result(self, CLASSIFY_NO_MATCH));
	json_close_object(out);
}

void classify_json(struct buf *out, const struct classify_entries *self, char *const *program, size_t word_count)
{
	struct json_writer json;
	json_begin(&json, out);
	json_open_object(&json, NULL);
	json_add_number(&json, "heddle", 1);
	json_open_array(&json, "command");
	for (size_t i = 0; i < word_count; i++)
		json_add_string(&json, NULL, program[i]);
	json_close_array(&json);
	json_open_array(&json, "entries");
	for (size_t i = 0; i < self->count; i++)
		add_entry(&json, &self->items[i]);
	json_close_array(&json);
	json_line(&json);
	add_counts(&json, self);
	json_add_strings(&json, "unclassified", &self->unclassified);
	json_add_number(&json, "cut_off", self->cut);
	json_add_number(&json, "status", (uint64_t)classify_status(self));
	json_close_object(&json);
	json_end(&json);
	buf_add_string(out, "\n");
}
