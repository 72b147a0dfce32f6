/*
 * json.c: what heddle check found, as JSON (docs/FORMATS.md). Candidates have the form of findings of heddle test, so
 * that heddle report and the writers of other formats take both.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "candidates/candidates.h"
#include "symbols/line.h"

/* Without --all: what people or programs look at one by one is not more. */
#define MAX_FINDINGS 10000u
#define MAX_GROUP 1000u

static void add_member(struct buf *out, const char *before, const char *name, const char *value)
{
	buf_format(out, "%s\"%s\":", before, name);
	text_json(out, value);
}

static void add_number(struct buf *out, const char *name, uint64_t value)
{
	buf_format(out, ",\"%s\":%" PRIu64, name, value);
}

static void add_place(struct buf *out, const struct json *place)
{
	add_member(out, ",", "file", json_string(place, "file"));
	add_number(out, "line", json_number(place, "line"));
	buf_add_string(out, json_is_true(place, "is_near") ? ",\"is_near\":true" : "");
	add_number(out, "column", json_number(place, "column"));
}

static void add_inlining(struct buf *out, struct analysis *self, const struct json *row)
{
	const struct json *chain = json_array(row, "inlined");
	buf_add_string(out, ",\"inlined\":[");
	for (size_t i = 0; i < json_count(chain); i++) {
		const char *in = json_string(&chain->items[i], "in");
		if (!in && i + 1 == chain->count)
			in = json_string(row, "function");
		add_member(out, i ? ",{" : "{", "function", in ? names_told(&self->names, in) : NULL);
		add_place(out, &chain->items[i]);
		buf_add_string(out, "}");
	}
	buf_add_string(out, "]");
}

static void add_locks(struct buf *out, struct analysis *self, const struct json *locks)
{
	buf_add_string(out, ",\"locks\":[");
	for (size_t i = 0; i < json_count(locks); i++) {
		const struct json *lock = &locks->items[i];
		add_member(out, i ? ",{" : "{", "name", static_lock_name(self, lock));
		add_member(out, ",", "kind", json_string(lock, "kind"));
		add_member(out, ",", "mode", json_string(lock, "mode"));
		add_place(out, static_own(lock).place);
		buf_add_string(out, "}");
	}
	buf_add_string(out, "]");
}

static void add_object(struct buf *out, struct analysis *self, const struct json *object)
{
	const char *function = json_string(object, "function");
	buf_add_string(out, ",\"object\":");
	if (!object || object->kind != JSON_OBJECT) {
		buf_add_string(out, "null");
		return;
	}
	add_member(out, "{", "kind", json_string(object, "kind"));
	add_member(out, ",", "name", static_object_name(self, object));
	add_member(out, ",", "function", function ? names_told(&self->names, function) : NULL);
	add_place(out, static_own(object).place);
	add_number(out, "size", json_number(object, "size"));
	buf_add_string(out, "}");
}

/* An access, without the braces. */
static void add_access(struct buf *out, struct analysis *self, const struct json *row, struct static_site site)
{
	uint64_t access = json_number(row, "access");
	const char *linkage = json_string(row, "function");
	struct static_own own = static_own(row);
	buf_add_string(out, "\"site\":");
	if (site.id == WOVEN_NONE)
		buf_add_string(out, "null");
	else
		buf_format(out, "%" PRIu32, site.id);
	add_number(out, "program", site.program);
	add_place(out, own.place);
	add_member(out, ",", "function", static_function(self, row));
	if (own.linkage && strcmp(names_readable(&self->names, own.linkage), static_function(self, row)) != 0)
		add_member(out, ",", "full_name", names_readable(&self->names, own.linkage));
	if (own.steps) {
		const char *in = json_string(row, "in");
		add_member(out, ",\"written\":{", "function", in ? names_told(&self->names, in) : NULL);
		add_place(out, row);
		buf_add_string(out, "}");
	}
	add_member(out, ",", "compiled_into", linkage);
	/* A call that frees is no access of the program's own, and has no number. */
	if (!json_is_true(row, "is_free"))
		add_number(out, "ordinal", json_number(row, "ordinal"));
	add_member(out, ",", "variable", json_string(row, "variable"));
	add_member(out, ",", "access", access < HEDDLE_ACCESS_COUNT ? static_access_word(row) : NULL);
	add_number(out, "size", json_number(row, "size"));
	buf_format(out, ",\"volatile\":%s", json_number(row, "flags") & HEDDLE_SITE_VOLATILE ? "true" : "false");
	add_inlining(out, self, row);
}

static void add_thread(struct buf *out, struct analysis *self, const struct static_side *side)
{
	struct buf words = { 0 };
	static_say_root(&words, self, static_side_root(self, side));
	add_number(out, "thread", (uint64_t)side->root + 1);
	add_member(out, ",", "thread_name", words.data);
	buf_release(&words);
}

static void add_side(struct buf *out, struct analysis *self, const struct static_side *side)
{
	const struct json *row = static_side_site(self, side);
	struct static_site site = { WOVEN_NONE, 0 };
	if (row)
		site = self->found[row - self->sites->items];
	buf_add_string(out, "{");
	add_access(out, self, row, site);
	add_thread(out, self, side);
	add_locks(out, self, static_side_locks(self, side));
	buf_add_string(out, "}");
}

static void add_doubts(struct buf *out, const struct analysis *self, uint32_t doubts)
{
	const char *comma = "";
	buf_add_string(out, ",\"doubts\":[");
	for (uint32_t i = 0; i < 32; i++) {
		const char *word = doubts >> i & 1 ? static_doubt_word(self, i) : NULL;
		if (!word)
			continue;
		buf_add_string(out, comma);
		text_json(out, word);
		comma = ",";
	}
	buf_add_string(out, "]");
}

/* Lines for people, as in text. */
static void add_details(struct buf *out, struct analysis *self, const struct static_pair *pair)
{
	struct buf text = { 0 };
	for (int side = 0; side < 2; side++) {
		const struct static_side *row = &pair->sides[side];
		static_say_site(&text, self, static_side_site(self, row));
		buf_add_string(&text, " ");
		static_say_locks(&text, self, static_side_locks(self, row));
		buf_add_string(&text, ", in ");
		static_say_root(&text, self, static_side_root(self, row));
		buf_add_string(&text, "\n");
	}
	for (uint32_t i = 0; i < 32; i++)
		if (pair->doubts >> i & 1 && static_doubt_word(self, i))
			buf_format(&text, "doubt: %s\n", static_doubt(static_doubt_word(self, i)));
	add_member(out, ",", "details", text.data);
	buf_release(&text);
}

static void add_pair(struct buf *out, struct analysis *self, const struct json *group, size_t group_number,
		     const struct static_pair *pair, uint64_t number)
{
	const char *variable = json_string(group, "variable");
	struct buf reason = { 0 };
	const struct json *object = json_member(group, "object");
	struct buf name = { 0 };
	if (variable)
		buf_add_string(&name, variable);
	else if (object && object->kind == JSON_OBJECT)
		static_say_object(&name, self, object);
	static_say_reason(&reason, self, pair);
	buf_format(out, "{\"id\":\"C%" PRIu64 "\",\"kind\":\"data-race-candidate\"", number);
	char *summary =
		mem_format("possible data race on %s: %s", name.size ? name.data : "unnamed memory", reason.data);
	buf_release(&name);
	add_member(out, ",", "summary", summary);
	add_details(out, self, pair);
	add_member(out, ",", "reason", reason.data);
	add_number(out, "score", pair->score);
	add_number(out, "group", group_number);
	add_member(out, ",", "variable", variable);
	add_object(out, self, json_member(group, "object"));
	add_doubts(out, self, pair->doubts);
	buf_add_string(out, ",\"sites\":[");
	add_side(out, self, &pair->sides[0]);
	buf_add_string(out, ",");
	add_side(out, self, &pair->sides[1]);
	buf_add_string(out, "]}");
	buf_release(&reason);
	free(summary);
}

static void add_edge(struct buf *out, struct analysis *self, const struct json *edge)
{
	const struct static_own at = static_own(json_member(edge, "at"));
	const char *function = at.linkage;
	const struct static_side side = static_edge_side(edge);
	struct buf lock = { 0 }, held = { 0 };
	function = function ? function : json_string(edge, "function");
	static_say_lock(&lock, self, json_member(edge, "taken"));
	static_say_lock(&held, self, json_member(edge, "held"));
	add_member(out, "{", "access", "lock");
	add_place(out, at.place);
	add_member(out, ",", "function", function ? names_told(&self->names, function) : NULL);
	add_member(out, ",", "variable", lock.data);
	add_member(out, ",", "held", held.data);
	add_thread(out, self, &side);
	add_locks(out, self, static_side_locks(self, &side));
	buf_add_string(out, "}");
	buf_release(&lock);
	buf_release(&held);
}

static void add_cycle(struct buf *out, struct analysis *self, const struct json *cycle, uint64_t number)
{
	const struct json *edges = json_array(cycle, "edges");
	struct buf summary = { 0 }, details = { 0 };
	buf_add_string(&summary, "possible deadlock: ");
	for (size_t i = 0; i < json_count(edges); i++) {
		const struct json *edge = &edges->items[i];
		static_say_lock(&summary, self, json_member(edge, "held"));
		buf_add_string(&summary, " -> ");
		const struct static_side side = static_edge_side(edge);
		static_say_root(&details, self, static_side_root(self, &side));
		buf_add_string(&details, " takes ");
		static_say_lock(&details, self, json_member(edge, "taken"));
		buf_add_string(&details, " at ");
		static_say_place(&details, static_own(json_member(edge, "at")).place);
		buf_add_string(&details, " while it holds ");
		static_say_lock(&details, self, json_member(edge, "held"));
		buf_add_string(&details, "\n");
	}
	if (json_count(edges))
		static_say_lock(&summary, self, json_member(&edges->items[0], "held"));
	buf_format(out, "{\"id\":\"C%" PRIu64 "\",\"kind\":\"lock-order-candidate\"", number);
	add_member(out, ",", "summary", summary.data);
	add_member(out, ",", "details", details.data ? details.data : "");
	add_number(out, "score", static_cycle_score(cycle));
	add_number(out, "variants", json_number(cycle, "variants"));
	buf_format(out, ",\"is_certain\":%s,\"sites\":[", json_is_true(cycle, "certain") ? "true" : "false");
	for (size_t i = 0; i < json_count(edges); i++) {
		buf_add_string(out, i ? "," : "");
		add_edge(out, self, &edges->items[i]);
	}
	buf_add_string(out, "]}");
	buf_release(&summary);
	buf_release(&details);
}

static void add_findings(struct buf *out, struct analysis *self, const struct static_options *options)
{
	uint64_t number = 0, left_out = 0;
	buf_add_string(out, ",\n\"findings\":[");
	for (size_t i = 0; i < self->group_count; i++) {
		const struct static_group *group = &self->groups[i];
		left_out += static_count_group(group, options);
		for (size_t pair = 0; pair < group->count; pair++) {
			if (!static_is_wanted(&self->pairs[group->first + pair], options) ||
			    (!options->is_all && (number >= MAX_FINDINGS || pair >= MAX_GROUP)))
				continue;
			left_out--;
			buf_add_string(out, number++ ? ",\n" : "\n");
			add_pair(out, self, group->row, i + 1, &self->pairs[group->first + pair], number);
		}
	}
	for (size_t i = 0; i < json_count(self->cycles); i++) {
		buf_add_string(out, number++ ? ",\n" : "\n");
		add_cycle(out, self, &self->cycles->items[i], number);
	}
	buf_format(out, "],\"left_out\":%" PRIu64, left_out);
}

static void add_threads(struct buf *out, struct analysis *self)
{
	buf_add_string(out, ",\n\"threads\":[");
	for (size_t i = 0; i < json_count(self->roots); i++) {
		const struct json *root = &self->roots->items[i], *created = json_member(root, "created");
		const char *function = json_string(root, "function");
		struct buf words = { 0 };
		static_say_root(&words, self, root);
		add_member(out, i ? ",\n{" : "\n{", "name", words.data);
		add_member(out, ",", "kind", json_string(root, "kind"));
		add_member(out, ",", "function", function ? names_told(&self->names, function) : NULL);
		buf_format(out, ",\"many\":%s", json_is_true(root, "many") ? "true" : "false");
		add_member(out, ",", "why_many", json_string(root, "why"));
		add_place(out, static_own(created).place);
		buf_add_string(out, "}");
		buf_release(&words);
	}
	buf_add_string(out, "]");
}

static void add_gaps(struct buf *out, const struct analysis *self)
{
	const struct json *gaps = json_array(self->tree, "gaps");
	buf_add_string(out, ",\n\"gaps\":[");
	for (size_t i = 0; i < json_count(gaps); i++) {
		const struct json *gap = &gaps->items[i];
		const char *kind = json_string(gap, "kind");
		add_member(out, i ? ",\n{" : "\n{", "kind", kind);
		add_member(out, ",", "name", json_string(gap, "name"));
		add_number(out, "count", json_number(gap, "count"));
		add_member(out, ",", "assumed", static_gap(kind));
		add_place(out, json_member(gap, "first"));
		buf_add_string(out, "}");
	}
	buf_add_string(out, "]");
}

/* An object whose members are numbers. */
static void add_numbers(struct buf *out, const struct json *tree, const char *name)
{
	const struct json *object = json_member(tree, name);
	const char *comma = "";
	buf_format(out, ",\"%s\":{", name);
	for (size_t i = 0; object && object->kind == JSON_OBJECT && i < object->count; i++) {
		if (object->items[i].kind != JSON_NUMBER)
			continue;
		buf_add_string(out, comma);
		text_json(out, object->items[i].key);
		buf_format(out, ":%s", object->items[i].text);
		comma = ",";
	}
	buf_add_string(out, "}");
}

static void add_head(struct buf *out, struct analysis *self)
{
	static const char *const numbers[] = { "units",          "functions", "instructions",    "accesses",
					       "typed_accesses", "objects",   "shared_accesses", "peak_bytes" };
	const struct json *phases = json_array(self->tree, "phases");
	add_member(out, "{\"heddle\":1,", "program", self->paths[0]);
	buf_add_string(out, ",\"build\":\"");
	describe_build(out, woven_build(self->programs[0].woven)->id);
	buf_add_string(out, "\",\"programs\":[");
	for (size_t i = 0; i < self->program_count; i++) {
		add_member(out, i ? ",{" : "{", "path", self->paths[i]);
		buf_add_string(out, ",\"build\":\"");
		describe_build(out, woven_build(self->programs[i].woven)->id);
		buf_add_string(out, "\"}");
	}
	buf_format(out, "],\"analysis\":1,\"is_library\":%s",
		   json_is_true(self->tree, "is_library") ? "true" : "false");
	add_member(out, ",", "stopped", json_string(self->tree, "stopped"));
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		add_number(out, numbers[i], json_number(self->tree, numbers[i]));
	buf_add_string(out, ",\"milliseconds\":{");
	for (size_t i = 0; i < json_count(phases); i++) {
		buf_add_string(out, i ? "," : "");
		text_json(out, json_string(&phases->items[i], "name"));
		buf_format(out, ":%" PRIu64, json_number(&phases->items[i], "milliseconds"));
	}
	buf_add_string(out, "}");
}

static void add_notes(struct buf *out, struct analysis *self)
{
	struct strings notes = { 0 };
	static_notes(self, &notes);
	if (static_has_near(self))
		strings_add(&notes, LINE_NOTE);
	buf_add_string(out, ",\n\"notes\":[");
	for (size_t i = 0; i < notes.count; i++) {
		buf_add_string(out, i ? "," : "");
		text_json(out, notes.items[i]);
	}
	buf_add_string(out, "]");
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

void static_json(struct buf *out, struct analysis *self, const struct static_options *options)
{
	add_head(out, self);
	buf_format(out, ",\"is_cut\":%s",
		   json_is_true(self->tree, "is_cut") || json_is_true(self->tree, "is_orders_cut") ? "true" : "false");
	add_number(out, "variables", self->group_count);
	add_number(out, "agreeing_variables", count_agreeing(self));
	add_numbers(out, self->tree, "pruned");
	add_numbers(out, self->tree, "statistics");
	add_notes(out, self);
	add_threads(out, self);
	add_gaps(out, self);
	add_findings(out, self, options);
	buf_add_string(out, "}\n");
}

/* Of a candidate; else there are none to tell. */
static void add_told_doubts(struct buf *out, const struct json *doubts)
{
	for (size_t i = 0; i < json_count(doubts); i++) {
		buf_add_string(out, i ? "," : ",\"doubts\":[");
		text_json(out, doubts->items[i].text);
	}
	buf_add_string(out, !doubts ? "" : json_count(doubts) ? "]" : ",\"doubts\":[]");
}

void static_explain_json(struct buf *out, struct analysis *self)
{
	const struct json *explain = json_member(self->tree, "explain"), *pairs = json_array(explain, "pairs");
	add_head(out, self);
	add_number(out, "accesses_a", json_number(explain, "accesses_a"));
	add_number(out, "accesses_b", json_number(explain, "accesses_b"));
	add_number(out, "pair_count", json_number(explain, "pair_count"));
	uint64_t score, candidates = static_explain_count(self, &score);
	add_number(out, "candidates", candidates);
	add_number(out, "score", score);
	buf_add_string(out, ",\n\"explained\":[");
	for (size_t i = 0; i < json_count(pairs); i++) {
		const struct json *pair = &pairs->items[i], *a = json_member(pair, "a"), *b = json_member(pair, "b");
		add_member(out, i ? ",\n{" : "\n{", "verdict", json_string(pair, "verdict"));
		buf_add_string(out, ",\"sites\":[{");
		add_access(out, self, a, static_match(self, a));
		buf_add_string(out, "},{");
		add_access(out, self, b, static_match(self, b));
		buf_add_string(out, "}]");
		add_told_doubts(out, json_array(pair, "doubts"));
		buf_add_string(out, "}");
	}
	buf_add_string(out, "]}\n");
}
