/*
 * sarif.c: see formats.h. Section numbers are those of the Static Analysis Results Interchange Format (SARIF) Version 2.1.0, OASIS;
 * limits are those of GitHub ("SARIF support for code scanning").
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "formats/formats.h"
#include "formats/level.h"
#include "formats/sarif_priv.h"

/* A rule may have 20 tags, ours have few. */
static void add_rule(struct buf *out, const struct kind *kind)
{
	sarif_member(out, "{", "id", kind->word);
	sarif_member(out, ",", "name", kind->name);
	sarif_message(out, ",\"shortDescription\":", kind->title);
	sarif_message(out, ",\"fullDescription\":", kind->about);
	char *help = mem_format("%s\n\n%s", kind->about, kind->help);
	sarif_message(out, ",\"help\":", help);
	free(help);
	buf_format(out, ",\"defaultConfiguration\":{\"level\":\"%s\"},\"properties\":{\"tags\":[",
		   kind_level_words[kind->level]);
	for (size_t i = 0; i < sizeof kind->tags / sizeof *kind->tags && kind->tags[i]; i++)
		buf_format(out, "%s\"%s\"", i ? "," : "", kind->tags[i]);
	buf_format(out, "],\"precision\":\"%s\"}}", kind->traits & KIND_CANDIDATE ? "low" : "high");
}

static void add_tool(struct buf *out)
{
	buf_add_string(out, "\"tool\":{\"driver\":{\"name\":\"Heddle\",\"version\":\"" HEDDLE_VERSION
			    "\",\"semanticVersion\":\"" HEDDLE_VERSION "\",\"rules\":[");
	for (size_t i = 0; i < FINDING_ALL_COUNT; i++) {
		buf_add_string(out, i ? "," : "");
		add_rule(out, &kinds[i]);
	}
	buf_add_string(out, "]}}");
}

static void add_notification(struct buf *out, const char *text, bool *is_next)
{
	sarif_message(out, *is_next ? ",{\"message\":" : "{\"message\":", text);
	buf_add_string(out, ",\"level\":\"note\"}");
	*is_next = true;
}

static void add_invocation(struct buf *out, const struct document *document, size_t shown)
{
	const struct json *notes = json_array(document->tree, "notes");
	bool is_tested = json_number(document->tree, "schedules") && !json_number(document->tree, "lost") &&
			 !json_is_true(document->tree, "interrupted") &&
			 !json_count(json_array(document->tree, "missed"));
	bool is_checked = json_number(document->tree, "analysis") && !json_string(document->tree, "stopped");
	bool is_whole = is_tested || is_checked;
	bool is_next = false;
	buf_format(out, ",\"invocations\":[{\"executionSuccessful\":%s,\"toolExecutionNotifications\":[",
		   is_whole ? "true" : "false");
	if (shown < document->findings->count) {
		char *text = mem_format("only the worst %zu of %zu findings are included, because of the upload "
					"limit",
					shown, document->findings->count);
		add_notification(out, text, &is_next);
		free(text);
	}
	for (size_t i = 0; i < json_count(notes); i++)
		if (notes->items[i].kind == JSON_STRING)
			add_notification(out, notes->items[i].text, &is_next);
	buf_add_string(out, "]}]");
}

/* What is found in the same program by another test belongs together. */
static void add_automation(struct buf *out, const struct document *document)
{
	const char *slash = strrchr(document->program, '/');
	char *id = json_count(document->programs) > 1 ? mem_copy_string("heddle/")
						      : mem_format("heddle/%s/", slash ? slash + 1 : document->program);
	sarif_member(out, ",\"automationDetails\":{", "id", id);
	buf_add_string(out, "}");
	free(id);
}

/* Numbers of findings: the worst first, otherwise as they are. */
static size_t *choose(const struct document *document, size_t *count)
{
	size_t *chosen = mem_alloc((document->findings->count + 1) * sizeof *chosen);
	*count = 0;
	for (enum kind_level level = KIND_ERROR; level < KIND_LEVEL_COUNT; level++)
		for (size_t i = 0; i < document->findings->count && *count < FORMAT_MAX_RESULTS; i++)
			if (kind_level(&document->findings->items[i]) == level)
				chosen[(*count)++] = i;
	return chosen;
}

void format_sarif(struct buf *out, struct document *document)
{
	size_t count, *chosen = choose(document, &count);
	buf_add_string(out, "{\"$schema\":\"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
			    "sarif-schema-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{");
	add_tool(out);
	add_automation(out, document);
	buf_add_string(out,
		       ",\"columnKind\":\"utf16CodeUnits\",\"originalUriBaseIds\":{\"%SRCROOT%\":{\"description\":{"
		       "\"text\":\"The root of the sources.\"}}}");
	add_invocation(out, document, count);
	buf_add_string(out, ",\"results\":[");
	for (size_t i = 0; i < count; i++) {
		buf_add_string(out, i ? ",\n" : "\n");
		sarif_result(out, document, chosen[i]);
	}
	buf_add_string(out, "]}]}\n");
	free(chosen);
}
