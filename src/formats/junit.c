/*
 * junit.c: see formats.h. There is no standard; this is what Jenkins, GitLab and GitHub's actions read. What XML 1.0 cannot have
 * (most control characters; section 2.2) becomes U+FFFD.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "formats/formats.h"
#include "formats/level.h"

/* Readers keep all of it in memory, and people read the first ones. */
#define MAX_SHOWN 50u

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

/* What one program was tested for. */
struct suite {
	const struct document *document;
	const struct json *about; /* the program: the whole document when it is of one test */
	const char *program;
	bool is_only;                     /* all findings are its */
	size_t counts[FINDING_ALL_COUNT]; /* of findings that are not suppressed, ... */
	size_t notes[FINDING_ALL_COUNT];  /* ... and of these: races that were judged harmless */
};

static bool is_of(const struct suite *self, const struct json *finding)
{
	return !document_is_suppressed(finding) &&
	       (self->is_only || strcmp(document_program(self->document, finding), self->program) == 0);
}

/* Whether its class says that it does not matter: such a race fails no test case. */
static bool is_note(const struct json *finding)
{
	return class_of(finding) != VERDICT_COUNT && kind_level(finding) == KIND_NOTE;
}

static void suite_init(struct suite *self, const struct document *document, const struct json *about)
{
	*self = (struct suite){
		.document = document,
		.about = about,
		.program = document_text(about, "program"),
		.is_only = json_count(document->programs) <= 1,
	};
	for (size_t i = 0; i < document->findings->count; i++) {
		const struct json *finding = &document->findings->items[i];
		if (document->heads[i] != i || !is_of(self, finding))
			continue;
		self->counts[kind_of(finding)]++;
		self->notes[kind_of(finding)] += is_note(finding);
	}
}

/* A line for each of the other findings with its cause. */
static void add_members(struct buf *out, const struct document *document, size_t number)
{
	for (size_t i = 0; i < document->findings->count; i++)
		if (document->heads[i] == number && i != number)
			buf_format(out, "also shows as: %s %s\n", document_text(&document->findings->items[i], "id"),
				   document_text(&document->findings->items[i], "summary"));
}

static void add_finding(struct buf *out, const struct document *document, size_t number)
{
	const struct json *finding = &document->findings->items[number];
	const char *needs = json_string(finding, "needs"), *replay = json_string(finding, "replay");
	buf_format(out, "%s %s\n%s", document_text(finding, "id"), document_text(finding, "summary"),
		   document_text(finding, "details"));
	document_verdict(out, finding);
	if (needs && *needs)
		buf_format(out, "needs %" PRIu64 " preemption%s%s:\n%s", json_number(finding, "preemptions"),
			   json_number(finding, "preemptions") == 1 ? "" : "s",
			   json_number(finding, "early") ? " and a sleep or time-out that ends early" : "", needs);
	document_advice(out, finding);
	if (replay)
		buf_format(out, "replay: %s\n", replay);
	add_members(out, document, number);
	buf_add_string(out, "\n");
}

/* The findings of a kind, the worst first. Returns the worst one. */
static const struct json *add_findings(struct buf *text, const struct suite *suite, size_t kind)
{
	const struct json *findings = suite->document->findings, *first = NULL;
	size_t added = 0;
	for (enum kind_level level = KIND_ERROR; level < KIND_LEVEL_COUNT; level++)
		for (size_t i = 0; i < findings->count; i++) {
			const struct json *finding = &findings->items[i];
			if (suite->document->heads[i] != i || kind_of(finding) != kind || !is_of(suite, finding) ||
			    kind_level(finding) != level)
				continue;
			first = first ? first : finding;
			if (added++ < MAX_SHOWN)
				add_finding(text, suite->document, i);
		}
	if (added > MAX_SHOWN)
		buf_format(text, "and %zu more\n", added - MAX_SHOWN);
	return first;
}

static void add_failure(struct buf *out, const struct suite *suite, size_t kind)
{
	struct buf text = { 0 };
	const struct json *first = add_findings(&text, suite, kind);
	const size_t count = suite->counts[kind];
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

static bool has_failed(const struct suite *suite, size_t kind)
{
	return suite->counts[kind] > suite->notes[kind];
}

/* Why nothing is known about a kind; null: something is. Documents without "weave" have what it is as "build". */
static const char *why_unknown(const struct suite *suite, size_t kind)
{
	const struct json *weave = json_member(suite->about, "weave");
	weave = weave ? weave : json_member(suite->about, "build");
	bool is_woven = (weave && weave->kind == JSON_STRING) || json_is_true(suite->about, "guarded");
	if (!is_woven && kinds[kind].traits & KIND_NEEDS_WEAVE)
		return "the program is not woven: build it with heddle-cc";
	return NULL;
}

/* Whether there was a check is not known here, so it is reported only when it failed. A guarded run looks for one kind only. */
static bool is_case(const struct suite *suite, size_t kind)
{
	if (json_is_true(suite->about, "guarded"))
		return suite->counts[kind] || kind == FINDING_INVARIANT_VIOLATION;
	return suite->counts[kind] ||
	       (kind < FINDING_OTHER && !(kinds[kind].traits & (KIND_CANDIDATE | KIND_ON_REQUEST)));
}

static void begin_case(struct buf *out, const struct suite *suite, const char *name, const char *seconds)
{
	const char *slash = strrchr(suite->program, '/');
	char *class = mem_format("heddle.%s", slash ? slash + 1 : suite->program);
	buf_add_string(out, "  <testcase");
	add_value(out, "classname", class);
	add_value(out, "name", name);
	add_value(out, "time", seconds);
	buf_add_string(out, ">");
	free(class);
}

/* What kept the test from looking at all schedules; null: nothing. */
static const char *why_incomplete(const struct suite *suite)
{
	if (json_is_true(suite->about, "interrupted"))
		return "the test was interrupted";
	const struct json *missed = json_array(suite->about, "missed");
	if (json_count(missed) && missed->items[0].kind == JSON_STRING)
		return missed->items[0].text;
	if (json_number(suite->about, "lost"))
		return "schedules could not be controlled to the end";
	return json_number(suite->about, "schedules") ? NULL : "no schedule ended";
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

static void add_cases(struct buf *out, const struct suite *suite, const char *seconds)
{
	const char *incomplete = why_incomplete(suite);
	begin_case(out, suite, "schedules", seconds);
	if (incomplete) {
		buf_add_string(out, "<error type=\"incomplete\"");
		add_value(out, "message", incomplete);
		buf_add_string(out, "/>");
	}
	buf_add_string(out, "</testcase>\n");
	for (size_t i = 0; i < FINDING_ALL_COUNT; i++) {
		if (!is_case(suite, i))
			continue;
		begin_case(out, suite, kinds[i].word, "0");
		if (has_failed(suite, i)) {
			add_failure(out, suite, i);
		} else if (suite->notes[i]) {
			struct buf text = { 0 };
			add_findings(&text, suite, i);
			buf_add_string(out, "<system-out>");
			add_xml(out, text.data, false);
			buf_add_string(out, "</system-out>");
			buf_release(&text);
		} else if (why_unknown(suite, i)) {
			buf_add_string(out, "<skipped");
			add_value(out, "message", why_unknown(suite, i));
			buf_add_string(out, "/>");
		}
		buf_add_string(out, "</testcase>\n");
	}
}

struct sums {
	size_t tests, failures, skipped, errors;
};

static void count_suite(const struct suite *suite, struct sums *sums)
{
	sums->tests++;
	sums->errors += why_incomplete(suite) != NULL;
	for (size_t i = 0; i < FINDING_ALL_COUNT; i++) {
		sums->tests += is_case(suite, i);
		sums->failures += has_failed(suite, i);
		sums->skipped += is_case(suite, i) && !suite->counts[i] && why_unknown(suite, i);
	}
}

static void add_sums(struct buf *out, const struct sums *sums, const char *time)
{
	buf_format(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", sums->tests, sums->failures, sums->errors);
	add_value(out, "time", time);
	buf_add_string(out, ">\n");
}

static void add_suite(struct buf *out, const struct suite *suite, const char *time)
{
	struct sums sums = { 0 };
	struct buf command = { 0 };
	count_suite(suite, &sums);
	if (suite->about == suite->document->tree)
		document_command(&command, suite->document);
	buf_add_string(out, " <testsuite");
	add_value(out, "name", command.data ? command.data : suite->program);
	buf_format(out, " skipped=\"%zu\"", sums.skipped);
	add_sums(out, &sums, time);
	add_cases(out, suite, time);
	add_notes(out, suite->document);
	buf_add_string(out, " </testsuite>\n");
	buf_release(&command);
}

void format_junit(struct buf *out, struct document *document)
{
	const struct json *seconds = json_member(document->tree, "seconds");
	const char *time = seconds && seconds->kind == JSON_NUMBER ? seconds->text : "0";
	size_t count = json_count(document->programs);
	struct suite *suites = mem_alloc((count + 1) * sizeof *suites);
	struct sums sums = { 0 };
	for (size_t i = 0; i < count; i++)
		suite_init(&suites[i], document, &document->programs->items[i]);
	if (!count)
		suite_init(&suites[count++], document, document->tree);
	for (size_t i = 0; i < count; i++)
		count_suite(&suites[i], &sums);
	buf_add_string(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"heddle\"");
	add_sums(out, &sums, time);
	for (size_t i = 0; i < count; i++)
		add_suite(out, &suites[i], time);
	buf_add_string(out, "</testsuites>\n");
	free(suites);
}
