/*
 * junit.c: see formats.h. There is no standard; this is what Jenkins, GitLab and GitHub's actions read. What XML 1.0 cannot have
 * (most control characters; section 2.2) becomes U+FFFD.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/formats.h"
#include "report/kinds.h"

/* Readers keep all of it in memory, and people read the first ones. */
#define TOLD_MOST 50u

/* Escaped for text and for values in quotes. Strings from JSON may still have any byte. */
static void add_xml(struct buf *out, const char *text, bool is_value)
{
	struct buf clean = { 0 };
	text_utf8(&clean, text);
	for (const char *at = clean.data; *at; at++) {
		switch (*at) {
		case '&':
			buf_add_string(out, "&amp;");
			break;
		case '<':
			buf_add_string(out, "&lt;");
			break;
		case '>':
			buf_add_string(out, "&gt;");
			break;
		case '"':
			buf_add_string(out, "&quot;");
			break;
		case '\n':
		case '\t':
			if (is_value)
				buf_format(out, "&#%d;", *at);
			else
				buf_add(out, at, 1);
			break;
		default:
			buf_add(out, at, 1);
		}
	}
	buf_release(&clean);
}

static void add_value(struct buf *out, const char *name, const char *value)
{
	buf_format(out, " %s=\"", name);
	add_xml(out, value, true);
	buf_add_string(out, "\"");
}

static size_t count_kind(const struct document *document, size_t kind)
{
	size_t count = 0;
	for (size_t i = 0; i < document->findings->count; i++)
		count += kind_of(&document->findings->items[i]) == kind &&
			 !document_is_suppressed(&document->findings->items[i]);
	return count;
}

static void tell_finding(struct buf *out, const struct json *finding)
{
	const char *needs = json_string(finding, "needs"), *replay = json_string(finding, "replay");
	buf_format(out, "%s %s\n%s", document_text(finding, "id"), document_text(finding, "summary"),
		   document_text(finding, "details"));
	if (needs && *needs)
		buf_format(out, "needs %" PRIu64 " preemption%s:\n%s", json_number(finding, "preemptions"),
			   json_number(finding, "preemptions") == 1 ? "" : "s", needs);
	if (replay)
		buf_format(out, "replay: %s\n", replay);
	buf_add_string(out, "\n");
}

static void add_failure(struct buf *out, const struct document *document, size_t kind, size_t count)
{
	struct buf text = { 0 };
	const struct json *first = NULL;
	size_t told = 0;
	for (size_t i = 0; i < document->findings->count; i++) {
		const struct json *finding = &document->findings->items[i];
		if (kind_of(finding) != kind || document_is_suppressed(finding))
			continue;
		first = first ? first : finding;
		if (told++ < TOLD_MOST)
			tell_finding(&text, finding);
	}
	if (told > TOLD_MOST)
		buf_format(&text, "and %zu more\n", told - TOLD_MOST);
	char *more = count > 1 ? mem_format(" (and %zu more)", count - 1) : mem_copy_string("");
	char *message = mem_format("%s%s", document_text(first, "summary"), more);
	buf_add_string(out, "<failure");
	add_value(out, "type", kinds[kind].word);
	add_value(out, "message", message);
	buf_add_string(out, ">");
	add_xml(out, text.data, false);
	buf_add_string(out, "</failure>");
	free(more);
	free(message);
	buf_release(&text);
}

/* Why nothing is known about a kind; null: something is. */
static const char *why_unknown(const struct document *document, size_t kind)
{
	const struct json *build = json_member(document->tree, "build");
	bool is_woven = build && build->kind == JSON_STRING;
	if (!is_woven && (strcmp(kinds[kind].word, "data-race") == 0 || strcmp(kinds[kind].word, "memory-error") == 0))
		return "the program is not woven: build it with heddle-cc";
	return NULL;
}

/* Nobody knows from here whether there was a check: then it is told only when it failed. */
static bool is_case(const struct document *document, size_t kind)
{
	return count_kind(document, kind) || (kind < KIND_COUNT - 1 && strcmp(kinds[kind].word, "check-failed") != 0);
}

static void begin_case(struct buf *out, const struct document *document, const char *name, const char *seconds)
{
	const char *slash = strrchr(document->program, '/');
	char *class = mem_format("heddle.%s", slash ? slash + 1 : document->program);
	buf_add_string(out, "  <testcase");
	add_value(out, "classname", class);
	add_value(out, "name", name);
	add_value(out, "time", seconds);
	buf_add_string(out, ">");
	free(class);
}

/* What kept the test from looking at all schedules; null: nothing. */
static const char *why_incomplete(const struct document *document)
{
	if (json_is_true(document->tree, "interrupted"))
		return "the test was interrupted";
	if (json_number(document->tree, "lost"))
		return "schedules could not be controlled to their end";
	return json_number(document->tree, "schedules") ? NULL : "no schedule ended";
}

static void add_notes(struct buf *out, const struct document *document)
{
	const struct json *notes = json_array(document->tree, "notes");
	buf_add_string(out, "  <system-out>");
	for (size_t i = 0; i < json_count(notes); i++)
		if (notes->items[i].kind == JSON_STRING) {
			buf_add_string(out, "note: ");
			add_xml(out, notes->items[i].text, false);
			buf_add_string(out, "\n");
		}
	buf_add_string(out, "</system-out>\n");
}

static void add_cases(struct buf *out, const struct document *document, const char *seconds)
{
	const char *incomplete = why_incomplete(document);
	begin_case(out, document, "schedules", seconds);
	if (incomplete) {
		buf_add_string(out, "<error type=\"incomplete\"");
		add_value(out, "message", incomplete);
		buf_add_string(out, "/>");
	}
	buf_add_string(out, "</testcase>\n");
	for (size_t i = 0; i < KIND_COUNT; i++) {
		size_t found = count_kind(document, i);
		if (!is_case(document, i))
			continue;
		begin_case(out, document, kinds[i].word, "0");
		if (found) {
			add_failure(out, document, i, found);
		} else if (why_unknown(document, i)) {
			buf_add_string(out, "<skipped");
			add_value(out, "message", why_unknown(document, i));
			buf_add_string(out, "/>");
		}
		buf_add_string(out, "</testcase>\n");
	}
}

void format_junit(struct buf *out, struct document *document)
{
	const struct json *seconds = json_member(document->tree, "seconds");
	const char *time = seconds && seconds->kind == JSON_NUMBER ? seconds->text : "0";
	size_t tests = 1, failures = 0, skipped = 0, errors = why_incomplete(document) ? 1 : 0;
	struct buf command = { 0 };
	for (size_t i = 0; i < KIND_COUNT; i++) {
		bool has_failed = count_kind(document, i);
		tests += is_case(document, i);
		failures += has_failed;
		skipped += is_case(document, i) && !has_failed && why_unknown(document, i);
	}
	document_command(&command, document);
	buf_add_string(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"heddle\"");
	for (int i = 0; i < 2; i++) {
		if (i) {
			buf_add_string(out, " <testsuite");
			add_value(out, "name", command.data);
			buf_format(out, " skipped=\"%zu\"", skipped);
		}
		buf_format(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", tests, failures, errors);
		add_value(out, "time", time);
		buf_add_string(out, ">\n");
	}
	add_cases(out, document, time);
	add_notes(out, document);
	buf_add_string(out, " </testsuite>\n</testsuites>\n");
	buf_release(&command);
}
