/* explain.c: heddle check --explain: why each pair of accesses at two places is a candidate or not. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "candidates/candidates.h"

static void put(struct buf *out, const char *before)
{
	struct buf clean = { 0 };
	text_terminal(&clean, out->data ? out->data : "");
	printf("%s%s\n", before, clean.data ? clean.data : "");
	buf_release(&clean);
	buf_release(out);
}

static void describe_objects(struct buf *out, struct analysis *self, const struct json *pair, const char *side)
{
	char *name = mem_format("objects_%s", side), *count_name = mem_format("objects_%s_count", side);
	const struct json *objects = json_array(pair, name);
	uint64_t count = json_number(pair, count_name);
	for (size_t i = 0; i < json_count(objects); i++) {
		buf_add_string(out, i ? "; " : "");
		static_describe_object(out, self, &objects->items[i]);
	}
	if (!json_count(objects))
		buf_add_string(out, "nothing known");
	if (count > json_count(objects))
		buf_format(out, "; and %" PRIu64 " more", count - json_count(objects));
	free(name);
	free(count_name);
}

static void print_objects(struct analysis *self, const struct json *pair)
{
	for (int side = 0; side < 2; side++) {
		struct buf out = { 0 };
		describe_objects(&out, self, pair, side ? "b" : "a");
		put(&out, side ? "      the second may point to: " : "      the first may point to: ");
	}
}

static void print_roots(struct analysis *self, const struct json *pair)
{
	for (int side = 0; side < 2; side++) {
		const struct json *roots = json_array(pair, side ? "roots_b" : "roots_a");
		struct buf out = { 0 };
		struct strings named = { 0 };
		for (size_t i = 0; i < json_count(roots); i++) {
			struct buf words = { 0 };
			static_describe_root(&words, self, &roots->items[i]);
			if (!strings_has(&named, words.data)) {
				buf_format(&out, "%s%s", named.count ? "; " : "", words.data);
				strings_add(&named, words.data);
			}
			buf_release(&words);
		}
		strings_release(&named);
		if (json_count(roots))
			put(&out, side ? "      the second runs in: " : "      the first runs in: ");
	}
}

static void print_locks(struct analysis *self, const struct json *pair)
{
	for (int side = 0; side < 2; side++) {
		struct buf out = { 0 };
		static_describe_locks(&out, self, json_array(pair, side ? "locks_b" : "locks_a"));
		put(&out, side ? "      the second " : "      the first ");
	}
}

/* Why, and which of the facts are worth telling. */
static const struct {
	const char *word, *text;
	bool has_objects, has_roots;
} verdicts[] = {
	{ "candidate", "a candidate", false, true },
	{ "no-write", "not a candidate: neither of the two writes", false, false },
	{ "both-atomic", "not a candidate: both are atomic", false, false },
	{ "no-alias", "not a candidate: they never touch the same object", true, false },
	{ "other-part", "not a candidate: they touch different parts of an object", true, false },
	{ "thread-local", "not a candidate: each thread has its own", true, false },
	{ "unreached", "not a candidate: no thread reaches it", false, true },
	{ "ordered", "not a candidate: never at the same time", false, true },
	{ "locked", "not a candidate: the same lock is held at both", false, true },
	{ "unshared", "not a candidate: the memory that both touch is never shared between these threads", true, true },
};

static void print_doubts(const struct json *doubts)
{
	for (size_t i = 0; i < json_count(doubts); i++) {
		struct buf out = { 0 };
		if (doubts->items[i].kind != JSON_STRING)
			continue;
		buf_add_string(&out, static_doubt(doubts->items[i].text));
		put(&out, "      doubt: ");
	}
}

static void print_verdict(struct analysis *self, const struct json *pair)
{
	const char *word = json_string(pair, "verdict");
	size_t at = 0, count = sizeof verdicts / sizeof *verdicts;
	struct buf out = { 0 };
	while (at < count && (!word || strcmp(verdicts[at].word, word) != 0))
		at++;
	if (at == count) {
		printf("    unknown\n");
		return;
	}
	printf("    %s", verdicts[at].text);
	if (json_member(pair, "lock")) {
		buf_add_string(&out, ": ");
		static_describe_lock(&out, self, json_member(pair, "lock"));
	}
	if (at == 0)
		buf_format(&out, ", score %" PRIu64, json_number(pair, "score"));
	put(&out, "");
	print_doubts(json_array(pair, "doubts"));
	if (verdicts[at].has_objects)
		print_objects(self, pair);
	if (at == 0)
		print_locks(self, pair);
	if (verdicts[at].has_roots)
		print_roots(self, pair);
}

static void print_access(struct analysis *self, const struct json *row, const char *before)
{
	const char *variable = json_string(row, "variable");
	struct static_site site = static_match(self, row);
	struct buf out = { 0 };
	static_describe_site(&out, self, row);
	if (json_string(row, "file"))
		buf_format(&out, ":%" PRIu64 " in %s", json_number(static_own(row).place, "column"),
			   static_function(self, row));
	if (site.id != WOVEN_NONE)
		buf_format(&out, " (site %" PRIu32 ")", site.id);
	if (variable)
		buf_format(&out, ": %s", variable);
	put(&out, before);
}

static void print_missing(const struct json *explain, const char *count, const char *place)
{
	struct buf out = { 0 };
	if (json_number(explain, count))
		return;
	text_terminal(&out, json_string(explain, place) ? json_string(explain, place) : "?");
	printf("there is no access at %s that threads could share: it is private to its function, or optimised "
	       "away\n",
	       out.data);
	buf_release(&out);
}

/* The file and the line of FILE:LINE or FILE:LINE:COLUMN; 0 when it is none. Caller frees *file. */
static uint64_t line_of(const char *place, char **file)
{
	size_t size = strlen(place), numbers = 0;
	uint64_t line = 0;
	for (; numbers < 2; numbers++) {
		size_t start = size;
		while (start > 0 && place[start - 1] >= '0' && place[start - 1] <= '9')
			start--;
		if (start == size || start < 2 || place[start - 1] != ':')
			break;
		line = strtoull(place + start, NULL, 10);
		size = start - 1;
	}
	*file = mem_format("%.*s", (int)size, place);
	return numbers ? line : 0;
}

static int check_place(struct analysis *self, const struct json *explain, const char *place, const char *has_file,
		       const char *count, struct err *err)
{
	const struct json *has = json_member(explain, has_file);
	const char *text = json_string(explain, place);
	char *file = NULL;
	int code = 0;
	if (!text || json_number(explain, count) || strncmp(text, "site:", 5) == 0)
		return 0;
	uint64_t line = line_of(text, &file), lines = line ? static_source_lines(self, file) : 0;
	if (has && !json_is_true(explain, has_file)) {
		err_hint(err, "heddle sites lists the files and lines");
		code = err_set(err, EINVAL, "the program has no code from a file \"%s\"", file);
	} else if (lines && line > lines) {
		code = err_set(err, EINVAL, "there is no line %" PRIu64 " in \"%s\", which has %" PRIu64, line, file,
			       lines);
	}
	free(file);
	return code;
}

int static_explain_check(struct analysis *self, struct err *err)
{
	const struct json *explain = json_member(self->tree, "explain");
	int code = check_place(self, explain, "a", "has_file_a", "accesses_a", err);
	return code < 0 ? code : check_place(self, explain, "b", "has_file_b", "accesses_b", err);
}

uint64_t static_explain_count(const struct analysis *self, uint64_t *score)
{
	const struct json *explain = json_member(self->tree, "explain"), *pairs = json_array(explain, "pairs");
	uint64_t all = json_number(explain, "candidates"), listed = 0;
	*score = json_number(explain, "score");
	for (size_t i = 0; i < json_count(pairs); i++) {
		const char *verdict = json_string(&pairs->items[i], "verdict");
		if (!verdict || strcmp(verdict, "candidate") != 0)
			continue;
		uint64_t own = json_number(&pairs->items[i], "score");
		*score = own > *score ? own : *score;
		listed++;
	}
	return listed > all ? listed : all;
}

/* The result over all pairs, where there are several. */
static void print_overall(const struct analysis *self, uint64_t pairs)
{
	uint64_t score, count = static_explain_count(self, &score);
	if (pairs < 2)
		return;
	if (count)
		printf("a candidate: %" PRIu64 " of %" PRIu64 " pairs of accesses at these places, score %" PRIu64
		       "%s\n",
		       count, pairs, score, count > 1 ? " or less" : "");
	else
		printf("not a candidate: none of %" PRIu64 " pairs of accesses at these places\n", pairs);
}

void static_explain_text(struct analysis *self)
{
	const struct json *explain = json_member(self->tree, "explain"), *pairs = json_array(explain, "pairs");
	print_missing(explain, "accesses_a", "a");
	print_missing(explain, "accesses_b", "b");
	uint64_t count = json_number(explain, "pair_count");
	print_overall(self, count);
	for (size_t i = 0; i < json_count(pairs); i++) {
		const struct json *pair = &pairs->items[i];
		print_access(self, json_member(pair, "a"), "");
		print_access(self, json_member(pair, "b"), "");
		print_verdict(self, pair);
	}
	if (count > json_count(pairs))
		printf("and %" PRIu64 " more pairs at these places: specify columns (FILE:LINE:COLUMN) or sites\n",
		       count - json_count(pairs));
}
