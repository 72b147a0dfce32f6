/*
 * json.c: what heddle check found, as JSON (docs/FORMATS.md). Candidates have the form of findings of heddle test, so
 * that heddle report and the writers of other formats take both.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "candidates/candidates.h"
#include "symbols/line.h"

/* Without --all: what people or programs look at one by one is not more. */
#define MAX_FINDINGS 10000u
#define MAX_GROUP 1000u

static void add_place(struct json_writer *out, const struct json *place)
{
	json_add_string(out, "file", json_string(place, "file"));
	json_add_number(out, "line", json_number(place, "line"));
	if (json_is_true(place, "is_near"))
		json_add_bool(out, "is_near", true);
	json_add_number(out, "column", json_number(place, "column"));
}

static void add_inlining(struct json_writer *out, struct analysis *self, const struct json *row)
{
	const struct json *chain = json_array(row, "inlined");
	json_open_array(out, "inlined");
	for (size_t i = 0; i < json_count(chain); i++) {
		const char *in = json_string(&chain->items[i], "in");
		if (!in && i + 1 == chain->count)
			in = json_string(row, "function");
		json_open_object(out, NULL);
		json_add_string(out, "function", in ? names_displayed(&self->names, in) : NULL);
		add_place(out, &chain->items[i]);
		json_close_object(out);
	}
	json_close_array(out);
}

static void add_locks(struct json_writer *out, struct analysis *self, const struct json *locks)
{
	json_open_array(out, "locks");
	for (size_t i = 0; i < json_count(locks); i++) {
		const struct json *lock = &locks->items[i];
		json_open_object(out, NULL);
		json_add_string(out, "name", static_lock_name(self, lock));
		json_add_string(out, "kind", json_string(lock, "kind"));
		json_add_string(out, "mode", json_string(lock, "mode"));
		add_place(out, static_own(lock).place);
		json_close_object(out);
	}
	json_close_array(out);
}

static void add_object(struct json_writer *out, struct analysis *self, const struct json *object)
{
	const char *function = json_string(object, "function");
	if (!object || object->kind != JSON_OBJECT) {
		json_add_null(out, "object");
		return;
	}
	json_open_object(out, "object");
	json_add_string(out, "kind", json_string(object, "kind"));
	json_add_string(out, "name", static_object_name(self, object));
	json_add_string(out, "function", function ? names_displayed(&self->names, function) : NULL);
	add_place(out, static_own(object).place);
	json_add_number(out, "size", json_number(object, "size"));
	json_close_object(out);
}

/* An access, without the braces. */
static void add_access(struct json_writer *out, struct analysis *self, const struct json *row, struct static_site site)
{
	uint64_t access = json_number(row, "access");
	const char *linkage = json_string(row, "function");
	struct static_own own = static_own(row);
	if (site.id == WOVEN_NONE)
		json_add_null(out, "site");
	else
		json_add_number(out, "site", site.id);
	json_add_number(out, "program", site.program);
	add_place(out, own.place);
	json_add_string(out, "function", static_function(self, row));
	if (own.linkage && strcmp(names_readable(&self->names, own.linkage), static_function(self, row)) != 0)
		json_add_string(out, "full_name", names_readable(&self->names, own.linkage));
	if (own.steps) {
		const char *in = json_string(row, "in");
		json_open_object(out, "written");
		json_add_string(out, "function", in ? names_displayed(&self->names, in) : NULL);
		add_place(out, row);
		json_close_object(out);
	}
	json_add_string(out, "compiled_into", linkage);
	/* A call that frees is not an access of the program's own, and has no number. */
	if (!json_is_true(row, "is_free"))
		json_add_number(out, "ordinal", json_number(row, "ordinal"));
	json_add_string(out, "variable", json_string(row, "variable"));
	json_add_string(out, "access", access < HEDDLE_ACCESS_COUNT ? static_access_word(row) : NULL);
	json_add_number(out, "size", json_number(row, "size"));
	json_add_bool(out, "volatile", json_number(row, "flags") & HEDDLE_SITE_VOLATILE);
	add_inlining(out, self, row);
}

static void add_thread(struct json_writer *out, struct analysis *self, const struct static_side *side)
{
	struct buf words = { 0 };
	static_describe_root(&words, self, static_side_root(self, side));
	json_add_number(out, "thread", (uint64_t)side->root + 1);
	json_add_string(out, "thread_name", words.data);
	buf_release(&words);
}

static void add_side(struct json_writer *out, struct analysis *self, const struct static_side *side)
{
	const struct json *row = static_side_site(self, side);
	struct static_site site = { WOVEN_NONE, 0 };
	if (row)
		site = self->found[row - self->sites->items];
	json_open_object(out, NULL);
	add_access(out, self, row, site);
	add_thread(out, self, side);
	add_locks(out, self, static_side_locks(self, side));
	json_close_object(out);
}

static void add_doubts(struct json_writer *out, const struct analysis *self, uint32_t doubts)
{
	json_open_array(out, "doubts");
	for (uint32_t i = 0; i < 32; i++) {
		const char *word = doubts >> i & 1 ? static_doubt_word(self, i) : NULL;
		if (word)
			json_add_string(out, NULL, word);
	}
	json_close_array(out);
}

/* Lines for people, as in text. */
static void add_details(struct json_writer *out, struct analysis *self, const struct static_pair *pair)
{
	struct buf text = { 0 };
	for (int side = 0; side < 2; side++) {
		const struct static_side *row = &pair->sides[side];
		static_describe_site(&text, self, static_side_site(self, row));
		buf_add_string(&text, " ");
		static_describe_locks(&text, self, static_side_locks(self, row));
		buf_add_string(&text, ", in ");
		static_describe_root(&text, self, static_side_root(self, row));
		buf_add_string(&text, "\n");
	}
	for (uint32_t i = 0; i < 32; i++)
		if (pair->doubts >> i & 1 && static_doubt_word(self, i))
			buf_format(&text, "doubt: %s\n", static_doubt(static_doubt_word(self, i)));
	json_add_string(out, "details", text.data);
	buf_release(&text);
}

static void add_pair(struct json_writer *out, struct analysis *self, const struct json *group, size_t group_number,
		     const struct static_pair *pair, uint64_t number)
{
	const char *variable = json_string(group, "variable");
	struct buf reason = { 0 };
	const struct json *object = json_member(group, "object");
	struct buf name = { 0 };
	if (variable)
		buf_add_string(&name, variable);
	else if (object && object->kind == JSON_OBJECT)
		static_describe_object(&name, self, object);
	static_describe_reason(&reason, self, pair);
	json_open_object(out, NULL);
	json_add_format(out, "id", "C%" PRIu64, number);
	json_add_string(out, "kind", "data-race-candidate");
	char *summary =
		mem_format("possible data race on %s: %s", name.size ? name.data : "unnamed memory", reason.data);
	buf_release(&name);
	json_add_string(out, "summary", summary);
	add_details(out, self, pair);
	json_add_string(out, "reason", reason.data);
	json_add_number(out, "score", pair->score);
	json_add_number(out, "group", group_number);
	json_add_string(out, "variable", variable);
	add_object(out, self, json_member(group, "object"));
	add_doubts(out, self, pair->doubts);
	json_open_array(out, "sites");
	add_side(out, self, &pair->sides[0]);
	add_side(out, self, &pair->sides[1]);
	json_close_array(out);
	json_close_object(out);
	buf_release(&reason);
	free(summary);
}

static void add_edge(struct json_writer *out, struct analysis *self, const struct json *edge)
{
	const struct static_own at = static_own(json_member(edge, "at"));
	const char *function = at.linkage;
	const struct static_side side = static_edge_side(edge);
	struct buf lock = { 0 }, held = { 0 };
	function = function ? function : json_string(edge, "function");
	static_describe_lock(&lock, self, json_member(edge, "taken"));
	static_describe_lock(&held, self, json_member(edge, "held"));
	json_open_object(out, NULL);
	json_add_string(out, "access", "lock");
	add_place(out, at.place);
	json_add_string(out, "function", function ? names_displayed(&self->names, function) : NULL);
	json_add_string(out, "variable", lock.data);
	json_add_string(out, "held", held.data);
	add_thread(out, self, &side);
	add_locks(out, self, static_side_locks(self, &side));
	json_close_object(out);
	buf_release(&lock);
	buf_release(&held);
}

static void add_cycle(struct json_writer *out, struct analysis *self, const struct json *cycle, uint64_t number)
{
	const struct json *edges = json_array(cycle, "edges");
	struct buf summary = { 0 }, details = { 0 };
	buf_add_string(&summary, "possible deadlock: ");
	for (size_t i = 0; i < json_count(edges); i++) {
		const struct json *edge = &edges->items[i];
		static_describe_lock(&summary, self, json_member(edge, "held"));
		buf_add_string(&summary, " -> ");
		const struct static_side side = static_edge_side(edge);
		static_describe_root(&details, self, static_side_root(self, &side));
		buf_add_string(&details, " takes ");
		static_describe_lock(&details, self, json_member(edge, "taken"));
		buf_add_string(&details, " at ");
		static_describe_place(&details, static_own(json_member(edge, "at")).place);
		buf_add_string(&details, " while it holds ");
		static_describe_lock(&details, self, json_member(edge, "held"));
		buf_add_string(&details, "\n");
	}
	if (json_count(edges))
		static_describe_lock(&summary, self, json_member(&edges->items[0], "held"));
	json_open_object(out, NULL);
	json_add_format(out, "id", "C%" PRIu64, number);
	json_add_string(out, "kind", "lock-order-candidate");
	json_add_string(out, "summary", summary.data);
	json_add_string(out, "details", details.data ? details.data : "");
	json_add_number(out, "score", static_cycle_score(cycle));
	json_add_number(out, "variants", json_number(cycle, "variants"));
	json_add_bool(out, "is_certain", json_is_true(cycle, "certain"));
	json_open_array(out, "sites");
	for (size_t i = 0; i < json_count(edges); i++)
		add_edge(out, self, &edges->items[i]);
	json_close_array(out);
	json_close_object(out);
	buf_release(&summary);
	buf_release(&details);
}

static void add_findings(struct json_writer *out, struct analysis *self, const struct static_options *options)
{
	uint64_t number = 0, left_out = 0;
	json_line(out);
	json_open_array(out, "findings");
	for (size_t i = 0; i < self->group_count; i++) {
		const struct static_group *group = &self->groups[i];
		left_out += static_count_group(group, options);
		for (size_t pair = 0; pair < group->count; pair++) {
			if (!static_is_wanted(&self->pairs[group->first + pair], options) ||
			    (!options->is_all && (number >= MAX_FINDINGS || pair >= MAX_GROUP)))
				continue;
			left_out--;
			json_line(out);
			add_pair(out, self, group->row, i + 1, &self->pairs[group->first + pair], ++number);
		}
	}
	for (size_t i = 0; i < json_count(self->cycles); i++) {
		json_line(out);
		add_cycle(out, self, &self->cycles->items[i], ++number);
	}
	json_close_array(out);
	json_add_number(out, "left_out", left_out);
}

static void add_threads(struct json_writer *out, struct analysis *self)
{
	json_line(out);
	json_open_array(out, "threads");
	for (size_t i = 0; i < json_count(self->roots); i++) {
		const struct json *root = &self->roots->items[i], *created = json_member(root, "created");
		const char *function = json_string(root, "function");
		struct buf words = { 0 };
		static_describe_root(&words, self, root);
		json_line(out);
		json_open_object(out, NULL);
		json_add_string(out, "name", words.data);
		json_add_string(out, "kind", json_string(root, "kind"));
		json_add_string(out, "function", function ? names_displayed(&self->names, function) : NULL);
		json_add_bool(out, "many", json_is_true(root, "many"));
		json_add_string(out, "why_many", json_string(root, "why"));
		add_place(out, static_own(created).place);
		json_close_object(out);
		buf_release(&words);
	}
	json_close_array(out);
}

static void add_gaps(struct json_writer *out, const struct analysis *self)
{
	const struct json *gaps = json_array(self->tree, "gaps");
	json_line(out);
	json_open_array(out, "gaps");
	for (size_t i = 0; i < json_count(gaps); i++) {
		const struct json *gap = &gaps->items[i];
		const char *kind = json_string(gap, "kind");
		json_line(out);
		json_open_object(out, NULL);
		json_add_string(out, "kind", kind);
		json_add_string(out, "name", json_string(gap, "name"));
		json_add_number(out, "count", json_number(gap, "count"));
		json_add_string(out, "assumed", static_gap(kind));
		add_place(out, json_member(gap, "first"));
		json_close_object(out);
	}
	json_close_array(out);
}

/* An object whose members are numbers. */
static void add_numbers(struct json_writer *out, const struct json *tree, const char *name)
{
	const struct json *object = json_member(tree, name);
	json_open_object(out, name);
	for (size_t i = 0; object && object->kind == JSON_OBJECT && i < object->count; i++)
		if (object->items[i].kind == JSON_NUMBER)
			json_add_raw(out, object->items[i].key, object->items[i].text);
	json_close_object(out);
}

static void add_head(struct json_writer *out, struct analysis *self)
{
	static const char *const numbers[] = { "units",          "functions", "instructions",    "accesses",
					       "typed_accesses", "objects",   "shared_accesses", "peak_bytes" };
	const struct json *phases = json_array(self->tree, "phases");
	json_add_string(out, "program", self->paths[0]);
	describe_build_json(out, "build", woven_build(self->programs[0].woven)->id);
	json_open_array(out, "programs");
	for (size_t i = 0; i < self->program_count; i++) {
		json_open_object(out, NULL);
		json_add_string(out, "path", self->paths[i]);
		describe_build_json(out, "build", woven_build(self->programs[i].woven)->id);
		json_close_object(out);
	}
	json_close_array(out);
	json_add_number(out, "analysis", 1);
	json_add_bool(out, "is_library", json_is_true(self->tree, "is_library"));
	json_add_string(out, "stopped", json_string(self->tree, "stopped"));
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		json_add_number(out, numbers[i], json_number(self->tree, numbers[i]));
	json_open_object(out, "milliseconds");
	for (size_t i = 0; i < json_count(phases); i++) {
		const char *name = json_string(&phases->items[i], "name");
		if (name)
			json_add_number(out, name, json_number(&phases->items[i], "milliseconds"));
	}
	json_close_object(out);
}

static void add_notes(struct json_writer *out, struct analysis *self)
{
	struct strings notes = { 0 };
	static_notes(self, &notes);
	if (static_has_near(self))
		strings_add(&notes, LINE_NOTE);
	json_line(out);
	json_add_strings(out, "notes", &notes);
	strings_release(&notes);
}

/* Variables of which some candidate has types that agree. */
static uint64_t count_agreeing(const struct analysis *self)
{
	const struct static_options all = { 0 };
	uint64_t count = 0;
	for (size_t i = 0; i < self->group_count; i++)
		count += static_count_agreeing(&self->groups[i], &all) > 0;
	return count;
}

void static_json(struct buf *text, struct analysis *self, const struct static_options *options)
{
	struct json_writer writer, *out = &writer;
	json_begin_report(out, text);
	add_head(out, self);
	json_add_bool(out, "is_cut", json_is_true(self->tree, "is_cut") || json_is_true(self->tree, "is_orders_cut"));
	json_add_number(out, "variables", self->group_count);
	json_add_number(out, "agreeing_variables", count_agreeing(self));
	add_numbers(out, self->tree, "pruned");
	add_numbers(out, self->tree, "statistics");
	add_notes(out, self);
	add_threads(out, self);
	add_gaps(out, self);
	add_findings(out, self, options);
	json_end_file(out);
}

static void add_explained(struct json_writer *out, struct analysis *self, const struct json *pair)
{
	const struct json *doubts = json_array(pair, "doubts");
	json_open_object(out, NULL);
	json_add_string(out, "verdict", json_string(pair, "verdict"));
	json_open_array(out, "sites");
	for (int side = 0; side < 2; side++) {
		const struct json *access = json_member(pair, side ? "b" : "a");
		json_open_object(out, NULL);
		add_access(out, self, access, static_match(self, access));
		json_close_object(out);
	}
	json_close_array(out);
	/* Of a candidate; else there are none to report. */
	if (doubts) {
		json_open_array(out, "doubts");
		for (size_t i = 0; i < doubts->count; i++)
			json_add_string(out, NULL, doubts->items[i].text);
		json_close_array(out);
	}
	json_close_object(out);
}

void static_explain_json(struct buf *text, struct analysis *self)
{
	const struct json *explain = json_member(self->tree, "explain"), *pairs = json_array(explain, "pairs");
	struct json_writer writer, *out = &writer;
	json_begin_report(out, text);
	add_head(out, self);
	json_add_number(out, "accesses_a", json_number(explain, "accesses_a"));
	json_add_number(out, "accesses_b", json_number(explain, "accesses_b"));
	json_add_number(out, "pair_count", json_number(explain, "pair_count"));
	uint64_t score, candidates = static_explain_count(self, &score);
	json_add_number(out, "candidates", candidates);
	json_add_number(out, "score", score);
	json_line(out);
	json_open_array(out, "explained");
	for (size_t i = 0; i < json_count(pairs); i++) {
		json_line(out);
		add_explained(out, self, &pairs->items[i]);
	}
	json_close_array(out);
	json_end_file(out);
}
