/*
 * sarif.c: see formats.h. Section numbers are those of the Static Analysis Results Interchange Format (SARIF) Version 2.1.0, OASIS;
 * limits are those of GitHub ("SARIF support for code scanning").
 */
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "formats/level.h"
#include "formats/sarif_priv.h"

/* GitHub shows the severity of a rule that has one in the place of its level. A rule may have 20 tags, ours have few. */
static void add_rule(struct json_writer *out, const struct kind *kind)
{
	json_open_object(out, NULL);
	json_add_string(out, "id", kind->word);
	json_add_string(out, "name", kind->name);
	sarif_message(out, "shortDescription", kind->title);
	sarif_message(out, "fullDescription", kind->about);
	char *help = mem_format("%s\n\n%s", kind->about, kind->help);
	sarif_message(out, "help", help);
	free(help);
	json_open_object(out, "defaultConfiguration");
	json_add_string(out, "level", kind_level_words[kind->level]);
	json_close_object(out);
	json_open_object(out, "properties");
	json_open_array(out, "tags");
	for (size_t i = 0; i < sizeof kind->tags / sizeof *kind->tags && kind->tags[i]; i++)
		json_add_string(out, NULL, kind->tags[i]);
	if (kind->severity)
		json_add_string(out, NULL, "security");
	json_close_array(out);
	json_add_string(out, "precision", kind->traits & KIND_CANDIDATE ? "low" : "high");
	if (kind->severity)
		json_add_string(out, "security-severity", kind->severity);
	json_close_object(out);
	json_close_object(out);
}

/* GitHub takes the severity from the rule, so data races that were classified need rules of their own. */
static void add_race_rule(struct json_writer *out, enum sarif_race_rule rule)
{
	struct kind kind = kinds[FINDING_DATA_RACE];
	kind.word = sarif_race_rules[rule];
	switch (rule) {
	case SARIF_RACE_HARMFUL:
		kind.name = "HarmfulDataRace";
		kind.title = "A data race that leads to a failure.";
		kind.level = KIND_ERROR;
		kind.severity = "7.5";
		break;
	case SARIF_RACE_HARMLESS:
		kind.name = "HarmlessDataRace";
		kind.title = "A data race of which no run showed a consequence.";
		kind.level = KIND_NOTE;
		kind.severity = NULL;
		break;
	case SARIF_RACE_RULES:
		break;
	}
	add_rule(out, &kind);
}

static void add_tool(struct json_writer *out)
{
	json_open_object(out, "tool");
	json_open_object(out, "driver");
	json_add_string(out, "name", "Heddle");
	json_add_string(out, "version", HEDDLE_VERSION);
	json_add_string(out, "semanticVersion", HEDDLE_VERSION);
	json_open_array(out, "rules");
	for (size_t i = 0; i < FINDING_ALL_COUNT; i++)
		add_rule(out, &kinds[i]);
	for (int i = 0; i < SARIF_RACE_RULES; i++)
		add_race_rule(out, (enum sarif_race_rule)i);
	json_close_array(out);
	json_close_object(out);
	json_close_object(out);
}

static void add_notification(struct json_writer *out, const char *text)
{
	json_open_object(out, NULL);
	sarif_message(out, "message", text);
	json_add_string(out, "level", "note");
	json_close_object(out);
}

static void add_invocation(struct json_writer *out, const struct document *document, size_t shown, size_t groups)
{
	const struct json *notes = json_array(document->tree, "notes");
	bool is_tested = json_number(document->tree, "schedules") && !json_number(document->tree, "lost") &&
			 !json_is_true(document->tree, "interrupted") &&
			 !json_count(json_array(document->tree, "missed"));
	bool is_checked = json_number(document->tree, "analysis") && !json_string(document->tree, "stopped");
	json_open_array(out, "invocations");
	json_open_object(out, NULL);
	json_add_bool(out, "executionSuccessful", is_tested || is_checked);
	json_open_array(out, "toolExecutionNotifications");
	if (shown < groups) {
		char *text = mem_format("only the worst %zu of %zu findings are included, because of the upload limit",
					shown, groups);
		add_notification(out, text);
		free(text);
	}
	for (size_t i = 0; i < json_count(notes); i++)
		if (notes->items[i].kind == JSON_STRING)
			add_notification(out, notes->items[i].text);
	json_close_array(out);
	json_close_object(out);
	json_close_array(out);
}

/* What is found in the same program by another test belongs together, but not what is found in it without some synchronisation. */
static void add_automation(struct json_writer *out, const struct document *document)
{
	const char *slash = strrchr(document->program, '/');
	const bool is_hypothetical = json_is_true(document->tree, "hypothetical");
	json_open_object(out, "automationDetails");
	if (json_count(document->programs) > 1)
		json_add_string(out, "id", "heddle/");
	else
		json_add_format(out, "id", "heddle/%s%s/", is_hypothetical ? "without/" : "",
				slash ? slash + 1 : document->program);
	json_close_object(out);
}

static void add_root(struct json_writer *out)
{
	json_open_object(out, "originalUriBaseIds");
	json_open_object(out, "%SRCROOT%");
	sarif_message(out, "description", "The root of the sources.");
	json_close_object(out);
	json_close_object(out);
}

/* Numbers of findings, one of each group: the worst first, otherwise as they are. groups: how many there are. */
static size_t *choose(const struct document *document, size_t *count, size_t *groups)
{
	size_t *chosen = mem_alloc((document->findings->count + 1) * sizeof *chosen);
	*count = *groups = 0;
	for (size_t i = 0; i < document->findings->count; i++)
		*groups += document->heads[i] == i;
	for (enum kind_level level = KIND_ERROR; level < KIND_LEVEL_COUNT; level++)
		for (size_t i = 0; i < document->findings->count && *count < FORMAT_MAX_RESULTS; i++)
			if (document->heads[i] == i && kind_level(&document->findings->items[i]) == level)
				chosen[(*count)++] = i;
	return chosen;
}

void format_sarif(struct buf *text, struct document *document)
{
	size_t count, groups, *chosen = choose(document, &count, &groups);
	struct json_writer writer, *out = &writer;
	json_begin_file(out, text);
	json_add_string(out, "$schema",
			"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json");
	json_add_string(out, "version", "2.1.0");
	json_open_array(out, "runs");
	json_open_object(out, NULL);
	add_tool(out);
	add_automation(out, document);
	json_add_string(out, "columnKind", "utf16CodeUnits");
	add_root(out);
	add_invocation(out, document, count, groups);
	json_open_array(out, "results");
	for (size_t i = 0; i < count; i++) {
		json_line(out);
		sarif_result(out, document, chosen[i]);
	}
	json_close_array(out);
	json_close_object(out);
	json_close_array(out);
	json_end_file(out);
	free(chosen);
}
