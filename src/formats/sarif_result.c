/* sarif_result.c: one finding as a result of SARIF. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "formats/level.h"
#include "formats/sarif_priv.h"

/* "[text](1)" would be a link (3.11.6). */
static void add_plain(struct buf *out, const char *text, size_t size)
{
	const bool has_link = strstr(text, "](") != NULL;
	for (size_t i = 0; i < size; i++) {
		if (has_link && (text[i] == '[' || text[i] == ']' || text[i] == '\\'))
			buf_add_string(out, "\\");
		buf_add(out, &text[i], 1);
	}
}

void sarif_message(struct json_writer *out, const char *key, const char *text)
{
	struct buf plain = { 0 };
	size_t size = strlen(text);
	bool is_cut = size > FORMAT_MAX_MESSAGE;
	if (is_cut)
		for (size = FORMAT_MAX_MESSAGE; size && ((unsigned char)text[size] & 0xc0) == 0x80;)
			size--;
	add_plain(&plain, text, size);
	if (is_cut)
		buf_add_string(&plain, " ...");
	json_open_object(out, key);
	json_add_string(out, "text", plain.data ? plain.data : "");
	json_close_object(out);
	buf_release(&plain);
}

/* RFC 3986: what is not unreserved is encoded, so that a relative reference cannot be mistaken for anything else. */
static void add_uri(struct buf *out, const char *path)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
	for (const char *at = path; *at; at++) {
		if (strchr(plain, *at))
			buf_add(out, at, 1);
		else
			buf_format(out, "%%%02X", (unsigned char)*at);
	}
}

void sarif_place(struct json_writer *out, struct document *document, const char *file, uint64_t line, uint64_t column)
{
	const char *path = document_path(document, file);
	const bool is_absolute = path[0] == '/', is_below = !is_absolute && strncmp(path, "../", 3) != 0;
	while (strncmp(path, "./", 2) == 0)
		path += 2;
	json_open_object(out, "physicalLocation");
	json_open_object(out, "artifactLocation");
	json_open_string(out, "uri");
	buf_add_string(out->out, is_absolute ? "file://" : "");
	add_uri(out->out, path);
	json_close_string(out);
	if (is_below)
		json_add_string(out, "uriBaseId", "%SRCROOT%");
	json_close_object(out);
	json_open_object(out, "region");
	json_add_number(out, "startLine", line ? line : 1);
	if (line && column)
		json_add_number(out, "startColumn", column);
	json_close_object(out);
	json_close_object(out);
}

void sarif_add_site(struct buf *out, const struct json *site, bool has_thread)
{
	const char *variable = json_string(site, "variable"), *before = json_string(site, "before"),
		   *after = json_string(site, "after");
	const char *access = json_string(site, "access");
	buf_add_string(out, access ? access : "here");
	if (variable)
		buf_format(out, " %s", variable);
	if (json_is_true(site, "is_near"))
		buf_add_string(out, " near this line");
	if (has_thread && json_number(site, "thread"))
		buf_format(out, " by thread %" PRIu64, json_number(site, "thread"));
	if (before)
		buf_format(out, ": it was %s%s%s", before, after ? " and became " : "", after ? after : "");
}

static const char *file_of(const struct json *site)
{
	const char *file = json_string(site, "file");
	return file && *file ? file : NULL;
}

static void add_function(struct json_writer *out, const struct json *site)
{
	const char *function = json_string(site, "function");
	if (!function)
		return;
	json_open_array(out, "logicalLocations");
	json_open_object(out, NULL);
	json_add_string(out, "name", function);
	json_add_string(out, "kind", "function");
	json_close_object(out);
	json_close_array(out);
}

static void add_site(struct json_writer *out, struct document *document, const struct json *site, size_t id)
{
	struct buf words = { 0 };
	sarif_add_site(&words, site, true);
	json_open_object(out, NULL);
	if (id)
		json_add_number(out, "id", id);
	sarif_place(out, document, file_of(site), json_number(site, "line"), json_number(site, "column"));
	add_function(out, site);
	sarif_message(out, "message", words.data);
	json_close_object(out);
	buf_release(&words);
}

/* What became of the memory: where it was allocated and freed. */
static void add_act(struct json_writer *out, struct document *document, const struct json *act, size_t id)
{
	char *words = mem_format("%s by thread %" PRIu64, json_string(act, "act"), json_number(act, "thread"));
	json_open_object(out, NULL);
	json_add_number(out, "id", id);
	sarif_place(out, document, file_of(act), json_number(act, "line"), 0);
	add_function(out, act);
	sarif_message(out, "message", words);
	json_close_object(out);
	free(words);
}

static bool is_of_memory(const struct json *act)
{
	const char *kind = json_string(act, "act");
	return kind && file_of(act) && (strcmp(kind, "freed") == 0 || strcmp(kind, "allocated") == 0);
}

/* The first place of another finding of the group. */
static void add_member(struct json_writer *out, struct document *document, const struct json *member,
		       const struct json *site, size_t id)
{
	char *words = mem_format("also shows as %s: %s", document_text(member, "id"), document_text(member, "summary"));
	json_open_object(out, NULL);
	json_add_number(out, "id", id);
	sarif_place(out, document, file_of(site), json_number(site, "line"), json_number(site, "column"));
	add_function(out, site);
	sarif_message(out, "message", words);
	json_close_object(out);
	free(words);
}

/* Places of the other findings of the group. related: how many there are already. Returns how many there are then. */
static size_t add_members(struct json_writer *out, struct document *document, size_t number, size_t related)
{
	for (size_t i = 0; i < document->findings->count && related < FORMAT_MAX_PLACES; i++) {
		if (document->heads[i] != number || i == number)
			continue;
		const struct json *sites = json_array(&document->findings->items[i], "sites");
		if (!json_count(sites) || !file_of(&sites->items[0]))
			continue;
		if (!related++)
			json_open_array(out, "relatedLocations");
		add_member(out, document, &document->findings->items[i], &sites->items[0], related);
	}
	return related;
}

/* Places other than the first; the member is present only if there are any. */
static void add_related(struct json_writer *out, struct document *document, size_t number, size_t first)
{
	const struct json *finding = &document->findings->items[number];
	const struct json *sites = json_array(finding, "sites"), *acts = json_array(finding, "acts");
	size_t related = 0;
	for (size_t i = 0; i < json_count(sites) && related < FORMAT_MAX_PLACES; i++) {
		if (i == first || !file_of(&sites->items[i]))
			continue;
		if (!related++)
			json_open_array(out, "relatedLocations");
		add_site(out, document, &sites->items[i], related);
	}
	for (size_t i = 0; i < json_count(acts) && related < FORMAT_MAX_PLACES; i++) {
		if (!is_of_memory(&acts->items[i]))
			continue;
		if (!related++)
			json_open_array(out, "relatedLocations");
		add_act(out, document, &acts->items[i], related);
	}
	related = add_members(out, document, number, related);
	if (related)
		json_close_array(out);
}

/* The first known place that is a part of the finding itself (not is_beside) is the finding's. GitHub wants one: where
 * none is known it is the program. */
static void add_places(struct json_writer *out, struct document *document, size_t number)
{
	const struct json *finding = &document->findings->items[number];
	const struct json *sites = json_array(finding, "sites");
	size_t first = 0, count = json_count(sites);
	while (first < count && (!file_of(&sites->items[first]) || json_is_true(&sites->items[first], "is_beside")))
		first++;
	for (size_t i = 0; first == count && i < count; i++)
		first = file_of(&sites->items[i]) ? i : first;
	json_open_array(out, "locations");
	if (first < count) {
		add_site(out, document, &sites->items[first], 0);
	} else {
		const char *program = document_program(document, finding);
		json_open_object(out, NULL);
		sarif_place(out, document, *program ? program : "program", 0, 0);
		sarif_message(out, "message", "no location in the sources is known");
		json_close_object(out);
	}
	json_close_array(out);
	add_related(out, document, number, first);
}

static void add_text(struct json_writer *out, const struct json *finding)
{
	const char *details = json_string(finding, "details"), *needs = json_string(finding, "needs"),
		   *replay = json_string(finding, "replay");
	struct buf text = { 0 };
	buf_add_string(&text, document_text(finding, "summary"));
	if (details && *details)
		buf_format(&text, "\n\n%s", details);
	if (json_string(finding, "verdict"))
		buf_add_string(&text, details && *details ? "\n" : "\n\n");
	document_verdict(&text, finding);
	if (needs && *needs)
		buf_format(&text, "\nIt needs %" PRIu64 " preemption%s%s:\n%s", json_number(finding, "preemptions"),
			   json_number(finding, "preemptions") == 1 ? "" : "s",
			   json_number(finding, "early") ? " and a sleep or time-out that ends early" : "", needs);
	if (json_count(json_array(finding, "advice")))
		buf_add_string(&text, "\n");
	document_advice(&text, finding);
	if (replay)
		buf_format(&text, "\n%s", replay);
	sarif_message(out, "message", text.data);
	buf_release(&text);
}

/* Places of which something was proved that the finding shows to be wrong; the member is present only if there are
 * any. */
static void add_proofs(struct json_writer *out, const struct json *finding)
{
	const struct json *sites = json_array(finding, "sites");
	bool is_open = false;
	for (size_t i = 0; i < json_count(sites); i++) {
		const struct json *site = &sites->items[i];
		if (!json_string(site, "proof"))
			continue;
		if (!is_open)
			json_open_array(out, "proofs");
		is_open = true;
		json_open_object(out, NULL);
		json_add_number(out, "site", i);
		json_add_string(out, "proof", json_string(site, "proof"));
		if (json_string(site, "proof_locks"))
			json_add_string(out, "locks", json_string(site, "proof_locks"));
		json_close_object(out);
	}
	if (is_open)
		json_close_array(out);
}

/* Ids of the findings of the group; the member is present only if there are several. */
static void add_member_ids(struct json_writer *out, const struct document *document, size_t number)
{
	bool is_open = false;
	for (size_t i = 0; i < document->findings->count; i++) {
		if (document->heads[i] != number || i == number)
			continue;
		if (!is_open) {
			json_open_array(out, "members");
			json_add_string(out, NULL, json_string(&document->findings->items[number], "id"));
		}
		is_open = true;
		json_add_string(out, NULL, document_text(&document->findings->items[i], "id"));
	}
	if (is_open)
		json_close_array(out);
}

static void add_properties(struct json_writer *out, const struct document *document, size_t number)
{
	const struct json *finding = &document->findings->items[number];
	static const char *const texts[] = { "name", "class", "reason", "states", "standing", "trace", "replay" };
	static const char *const numbers[] = { "seen", "variants", "schedules_to_first", "preemptions", "score" };
	json_open_object(out, "properties");
	json_add_string(out, "id", json_string(finding, "id"));
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (json_string(finding, texts[i]))
			json_add_string(out, texts[i], json_string(finding, texts[i]));
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (json_member(finding, numbers[i]))
			json_add_number(out, numbers[i], json_number(finding, numbers[i]));
	json_add_string(out, "program", document_program(document, finding));
	add_member_ids(out, document, number);
	add_proofs(out, finding);
	json_close_object(out);
}

static void add_suppression(struct json_writer *out, const char *text)
{
	json_open_array(out, "suppressions");
	json_open_object(out, NULL);
	json_add_string(out, "kind", "external");
	json_add_string(out, "status", "accepted");
	if (text)
		json_add_string(out, "justification", text);
	json_close_object(out);
	json_close_array(out);
}

const char *const sarif_race_rules[SARIF_RACE_RULES] = {
	[SARIF_RACE_HARMFUL] = "data-race-harmful",
	[SARIF_RACE_HARMLESS] = "data-race-harmless",
};

/* The rule of a data race by its class; SARIF_RACE_RULES: that of its kind. */
static enum sarif_race_rule race_rule(const struct json *finding)
{
	const enum verdict_class class = class_of(finding);
	switch (class == VERDICT_COUNT ? KIND_WARNING : verdict_classes[class].level) {
	case KIND_ERROR:
		return SARIF_RACE_HARMFUL;
	case KIND_NOTE:
		return SARIF_RACE_HARMLESS;
	case KIND_WARNING:
	case KIND_LEVEL_COUNT:
		break;
	}
	return SARIF_RACE_RULES;
}

void sarif_result(struct json_writer *out, struct document *document, size_t number)
{
	const struct json *finding = &document->findings->items[number];
	const char *fingerprint = document->fingerprints[number];
	const enum finding_kind kind = kind_of(finding);
	const enum sarif_race_rule race = kind == FINDING_DATA_RACE ? race_rule(finding) : SARIF_RACE_RULES;
	json_open_object(out, NULL);
	json_add_string(out, "ruleId", race == SARIF_RACE_RULES ? kinds[kind].word : sarif_race_rules[race]);
	json_add_number(out, "ruleIndex", race == SARIF_RACE_RULES ? kind : FINDING_ALL_COUNT + race);
	json_add_string(out, "kind", "fail");
	json_add_string(out, "level", kind_level_words[kind_level(finding)]);
	add_text(out, finding);
	add_places(out, document, number);
	sarif_flows(out, document, finding);
	/* GitHub knows an alert by primaryLocationLineHash, which would be that of the line: several findings may have one. */
	json_open_object(out, "partialFingerprints");
	json_add_string(out, "heddle/v1", fingerprint);
	json_add_format(out, "primaryLocationLineHash", "%.16s:1", fingerprint);
	json_close_object(out);
	if (document_is_suppressed(finding))
		add_suppression(out, json_string(json_member(finding, "suppression"), "text"));
	add_properties(out, document, number);
	json_close_object(out);
}
