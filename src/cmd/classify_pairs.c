/*
 * classify_pairs.c: heddle classify --from LOG and --candidates N: pairs of accesses that others reported. They are matched to sites of the
 * program, schedules are directed towards each, and the races that show are classified.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "candidates/candidates.h"
#include "cmd/classify_priv.h"
#include "cmd/opt.h"
#include "judge/race_match.h"
#include "symbols/stack.h"

#define RUNS_DEFAULT 100u

struct pair_command {
	struct classify_request *asked;
	struct classify_entries *entries;
	struct race_log *logs; /* in the order of the options */
	size_t log_count;
	const struct test *test;
	struct strings notes; /* for the end */
	size_t said;          /* entries that were printed */
};

/* Text. */

static void say_entry(struct pair_command *self, struct classify_entry *entry)
{
	struct test_say *say = &self->asked->say;
	struct buf line = { 0 }, out = { 0 };
	progress_clear(&say->line);
	classify_tell(&line, entry);
	layout_fold(&out, &say->narrator.layout, LAYOUT_HEAD, 0, line.data);
	if (!outputs_has_stdout(&say->outputs))
		fputs(out.data, stdout);
	fflush(stdout);
	buf_release(&line);
	buf_release(&out);
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static void tell_ordered(struct buf *out, const struct test_pair *pair)
{
	buf_format(out,
		   "is ordered%s: two threads made both accesses to the same memory in %" PRIu64 " of %" PRIu64
		   " schedule%s, and never unordered",
		   pair->order == REPORT_COMMON_UNKNOWN ? "" : ", so it is no race", pair->common, pair->schedules,
		   plural(pair->schedules));
	switch (pair->order) {
	case REPORT_COMMON_LOCK:
		if (pair->lock.size)
			buf_format(out, "; both hold %s", pair->lock.data);
		else
			buf_add_string(out, "; both hold the same lock");
		break;
	case REPORT_COMMON_CREATED:
		buf_add_string(out, "; the second thread is created after the first access");
		break;
	case REPORT_COMMON_ENDED:
		buf_add_string(out, "; the first thread has ended before the second access");
		break;
	case REPORT_COMMON_ATOMIC:
		buf_add_string(out, "; both are atomic");
		break;
	case REPORT_COMMON_UNORDERED:
	case REPORT_COMMON_UNKNOWN:
		buf_add_string(out, "; what orders them is not known");
		break;
	case REPORT_COMMON_COUNT:
		break;
	}
	if (pair->is_proved)
		buf_add_string(out, "; heddle-cc proved it, too");
}

static void tell_reached(struct buf *out, const struct classify_side *side, uint64_t count)
{
	buf_format(out, "the %s ", side->access);
	if (count)
		buf_format(out, "was reached in %" PRIu64, count);
	else
		buf_add_string(out, "was never reached");
}

static void tell_not_reached(struct buf *out, const struct classify_entry *entry, const struct test_pair *pair)
{
	buf_format(out, "was not reached: no race in %" PRIu64 " schedule%s; ", pair->schedules,
		   plural(pair->schedules));
	if (!pair->reached[0] && !pair->reached[1]) {
		buf_add_string(out, "neither access was reached");
		return;
	}
	tell_reached(out, &entry->sides[0], pair->reached[0]);
	buf_add_string(out, ", ");
	tell_reached(out, &entry->sides[1], pair->reached[1]);
	if (pair->common)
		buf_format(out, ", both at the same memory in %" PRIu64 ", where they were ordered", pair->common);
	else if (pair->reached[0] && pair->reached[1])
		buf_add_string(out, ", but never both at the same memory in two threads");
}

/* It is one, but there is no finding of its own to classify. */
static void tell_hidden(struct buf *out, const struct test *test, const struct test_pair *pair)
{
	const struct finding *beside =
		pair->beside ? findings_get(&test->judge.findings, FINDING_DATA_RACE, pair->beside) : NULL;
	buf_format(out, "is undecided: it is a race, unordered in %" PRIu64 " of %" PRIu64 " schedule%s, but ",
		   pair->unordered, pair->schedules, plural(pair->schedules));
	if (beside && beside->identity.number)
		buf_format(out, "another access to the same memory shows it first: heddle classify H%" PRIu64,
			   beside->identity.number);
	else
		buf_add_string(out, "detection did not report it");
}

/* What is known of a pair becomes what is said of the entry. */
static void take_pair(struct classify_entry *entry, const struct test *test, const struct test_pair *pair)
{
	struct buf text = { 0 };
	const struct finding *finding = pair->finding;
	entry->schedules = pair->schedules;
	entry->reached[0] = pair->reached[0];
	entry->reached[1] = pair->reached[1];
	entry->common = pair->common;
	if (finding) {
		entry->id = finding->identity.number;
		entry->has_class = finding->evidence.has_verdict;
		entry->class = pair->class;
		classify_take_verdict(entry, finding);
		buf_add_string(&text,
			       entry->has_class
				       ? finding->presentation.verdict.data
				       : "is undecided: it was not classified, because the program was interrupted");
		entry->result = entry->has_class && entry->class != VERDICT_UNDECIDED ? CLASSIFY_CLASSIFIED
										      : CLASSIFY_UNDECIDED;
	} else if (pair->class == VERDICT_ORDERED) {
		entry->result = CLASSIFY_ORDERED;
		entry->has_class = true;
		entry->class = VERDICT_ORDERED;
		tell_ordered(&text, pair);
	} else if (pair->unordered) {
		tell_hidden(&text, test, pair);
	} else if (pair->is_cut) {
		buf_format(&text, "is undecided: only %" PRIu64 " schedule%s were run for it", pair->schedules,
			   plural(pair->schedules));
	} else {
		entry->result = CLASSIFY_NOT_REACHED;
		tell_not_reached(&text, entry, pair);
	}
	entry->verdict = text.data;
}

/* Prints entries up to the one with that pair; those without a pair in between, too. */
static void done(struct test_pairs *pairs, const struct test_pair *pair)
{
	struct pair_command *self = pairs->context;
	const size_t number = (size_t)(pair - pairs->items);
	while (self->said < self->entries->count) {
		struct classify_entry *entry = &self->entries->items[self->said];
		if (entry->pair != SIZE_MAX && entry->pair > number)
			return;
		if (entry->pair == number)
			take_pair(entry, self->test, pair);
		say_entry(self, entry);
		self->said++;
	}
}

/* Reports of other tools. */

static const char *const access_words[RACE_LOG_ACCESS_COUNT] = {
	[RACE_LOG_UNKNOWN] = "access",
	[RACE_LOG_READ] = "read",
	[RACE_LOG_WRITE] = "write",
};

/* The innermost call that is not in a library, else the innermost. */
static const struct race_log_frame *own_frame(const struct race_log_side *side)
{
	for (size_t i = 0; i < side->frame_count; i++)
		if (side->frames[i].file && side->frames[i].line && !stack_is_system_file(side->frames[i].file) &&
		    !strstr(side->frames[i].file, "/sanitizer_common/") && !strstr(side->frames[i].file, "/lib/tsan/"))
			return &side->frames[i];
	return side->frame_count ? side->frames : NULL;
}

static void describe_side(struct classify_side *out, const struct race_log_side *side)
{
	const struct race_log_frame *frame = own_frame(side);
	out->access = access_words[side->access];
	if (!frame)
		return;
	out->file = frame->file ? mem_copy_string(frame->file) : NULL;
	out->function = frame->function ? mem_copy_string(frame->function) : NULL;
	out->line = frame->line;
}

/* The reasons of both sides, each once, escaped; null: there is none. */
static char *reasons_of(const struct race_match *match)
{
	struct buf text = { 0 };
	for (size_t i = 0; i < 2; i++) {
		if (!match->reasons[i] || (i && match->reasons[0] && strcmp(match->reasons[0], match->reasons[1]) == 0))
			continue;
		buf_add_string(&text, text.size ? "; " : "");
		text_terminal(&text, match->reasons[i]);
	}
	return text.data;
}

/* The entry that has these sites already; null: none. */
static struct classify_entry *find_same(const struct pair_command *self, const struct test_pairs *pairs,
					const struct site_pair *sites)
{
	for (size_t i = 0; i < pairs->count; i++)
		if (site_pair_is_same(&pairs->items[i].sites, sites))
			for (size_t k = 0; k < self->entries->count; k++)
				if (self->entries->items[k].pair == i)
					return &self->entries->items[k];
	return NULL;
}

static void add_report(struct pair_command *self, struct test_pairs *pairs, const char *log,
		       const struct race_log_pair *report, struct race_match *match)
{
	const bool is_found = race_match_is_found(match);
	struct classify_entry *same = is_found ? find_same(self, pairs, &match->pair) : NULL;
	if (same) {
		same->times++;
		return;
	}
	struct classify_entry *entry = classify_add(self->entries);
	char *shown = text_terminal_copy(strcmp(log, "-") == 0 ? "standard input" : log), *reasons = reasons_of(match);
	entry->source = mem_format("%s:%" PRIu64, shown, report->line);
	entry->log = mem_copy_string(log);
	entry->line = report->line;
	entry->tool = race_log_tool_names[report->tool];
	for (size_t i = 0; i < 2; i++)
		describe_side(&entry->sides[i], &report->sides[i]);
	if (is_found) {
		entry->inexact = reasons;
		entry->pair = test_pairs_add(pairs, &match->pair, match->is_proved[0] || match->is_proved[1]);
	} else {
		entry->result = CLASSIFY_NO_MATCH;
		entry->verdict = mem_format("has no match: %s", reasons ? reasons : "not known");
		free(reasons);
	}
	free(shown);
}

/* Whether sources were changed since, as far as they are where the log says. */
static bool note_newer(struct pair_command *self, const char *name, const struct race_log *log)
{
	struct stat written, changed;
	struct strings files = { 0 };
	bool is_any = false;
	if (strcmp(name, "-") == 0 || stat(name, &written) < 0)
		return false;
	for (size_t i = 0; i < 2 * log->pair_count; i++) {
		const struct race_log_frame *frame = own_frame(&log->pairs[i / 2].sides[i % 2]);
		if (!frame || !frame->file || strings_has(&files, frame->file))
			continue;
		strings_add(&files, frame->file);
		if (stat(frame->file, &changed) == 0 && changed.st_mtime > written.st_mtime) {
			is_any = true;
			char *shown = text_terminal_copy(frame->file);
			strings_note(&self->notes,
				     "%s was changed after the log was written, so its lines may have moved", shown);
			free(shown);
		}
	}
	strings_release(&files);
	return is_any;
}

/* If lines have moved, the next one of a kind is a guess. */
static void drop_near(struct race_match *match)
{
	if (!match->is_near[0] && !match->is_near[1])
		return;
	for (size_t i = 0; i < 2; i++)
		if (match->is_near[i]) {
			char *reason = mem_format("the log is from another build: %s", match->reasons[i]);
			free(match->reasons[i]);
			match->reasons[i] = reason;
			site_list_clear(&match->pair.sides[i]);
		}
}

/* The reports of one log. */
static void match_log(struct pair_command *self, struct test_pairs *pairs, struct race_matcher *matcher, size_t number)
{
	const struct race_log *log = &self->logs[number];
	const char *name = self->asked->logs.items[number];
	struct race_match *matches = mem_alloc((log->pair_count + 1) * sizeof *matches);
	size_t moved = 0, found = 0;
	const bool is_newer = note_newer(self, name, log);
	for (size_t i = 0; i < log->pair_count; i++) {
		race_match(matcher, &log->pairs[i], &matches[i]);
		moved += matches[i].is_moved[0] || matches[i].is_moved[1];
	}
	for (size_t i = 0; i < log->pair_count; i++) {
		if (moved || is_newer)
			drop_near(&matches[i]);
		found += race_match_is_found(&matches[i]);
		add_report(self, pairs, name, &log->pairs[i], &matches[i]);
		race_match_release(&matches[i]);
	}
	char *shown = text_terminal_copy(name);
	if (moved)
		strings_note(&self->notes,
			     "%s is from another build: lines of %zu of %zu reports are elsewhere in this program",
			     shown, moved, log->pair_count);
	else if (log->pair_count && !found)
		strings_note(
			&self->notes,
			"no report of %s matches this program: it may be from another program, or from another build",
			shown);
	free(shown);
	free(matches);
}

static int find_reports(struct test_pairs *pairs, struct err *err)
{
	struct pair_command *self = pairs->context;
	struct race_matcher *matcher = race_matcher_new(pairs->programs, pairs->program_count);
	(void)err;
	for (size_t i = 0; i < self->log_count; i++)
		match_log(self, pairs, matcher, i);
	race_matcher_free(matcher);
	return 0;
}

static int read_logs(struct pair_command *self, struct err *err)
{
	const struct strings *names = &self->asked->logs;
	self->logs = mem_alloc((names->count + 1) * sizeof *self->logs);
	for (; self->log_count < names->count; self->log_count++) {
		const char *name = names->items[self->log_count];
		struct race_log *log = &self->logs[self->log_count];
		int code = race_log_read(log, strcmp(name, "-") == 0 ? "/dev/stdin" : name, err);
		if (code < 0)
			return code;
		self->entries->cut += log->cut_count + log->left_count;
		if (log->cut_count || log->left_count || log->kind_count || log->unknown_count || !log->pair_count) {
			struct buf text = { 0 }, shown = { 0 };
			race_log_describe(&text, log);
			text_terminal(&shown, name);
			buf_add_string(&shown, ": ");
			text_terminal(&shown, text.data);
			strings_add(&self->entries->unclassified, shown.data);
			buf_release(&text);
			buf_release(&shown);
		}
	}
	return 0;
}

/* Candidates. */

static const char *no_option(const char *path)
{
	(void)path;
	return NULL;
}

static void describe_candidate(struct classify_side *out, struct analysis *analysis, const struct static_side *side)
{
	const struct json *row = static_side_site(analysis, side);
	const struct static_own own = static_own(row);
	const char *file = json_string(own.place, "file"), *function = static_function(analysis, row);
	out->access = static_access_word(row);
	out->file = file ? mem_copy_string(file) : NULL;
	out->function = function ? mem_copy_string(function) : NULL;
	out->line = (uint32_t)json_number(own.place, "line");
}

static void add_candidates(struct pair_command *self, struct test_pairs *pairs, struct analysis *analysis)
{
	const struct static_options options = { .is_all = true };
	struct static_sites list;
	static_pairs(analysis, &options, (size_t)self->asked->candidates, &list);
	self->entries->without_sites = list.without_sites;
	for (size_t i = 0; i < list.count; i++) {
		struct classify_entry *entry = classify_add(self->entries);
		entry->source = mem_format("candidate %zu", i + 1);
		entry->line = i + 1;
		entry->tool = "heddle check";
		for (size_t side = 0; side < 2; side++)
			describe_candidate(&entry->sides[side], analysis, &list.items[i].candidate->sides[side]);
		entry->pair = test_pairs_add(pairs, &list.items[i].pair, false);
	}
	static_pairs_release(&list);
}

static int find_candidates(struct test_pairs *pairs, struct err *err)
{
	struct pair_command *self = pairs->context;
	struct analysis analysis = { .paths = pairs->paths,
				     .program_count = pairs->program_count,
				     .option_before = no_option };
	const struct static_options options = { .is_quiet = true };
	struct buf text = { 0 }, said = { 0 };
	int code = static_open(&analysis, err);
	progress_clear(&self->asked->say.line);
	if (code == 0)
		code = static_run(&analysis, &options, NULL, &text, &said, err);
	if (code == EXIT_CANNOT) {
		fputs(said.data ? said.data : "", stderr);
		code = err_set(err, EIO, "the analysis of heddle check failed, so there are no candidates");
	}
	if (code == 0)
		code = static_read(&analysis, &text, err);
	if (code == 0)
		add_candidates(self, pairs, &analysis);
	buf_release(&text);
	buf_release(&said);
	static_release(&analysis);
	return code;
}

/* The command. */

/* What schedules show besides is in the store. */
static void found(void *context, struct test *test, struct finding *finding)
{
	(void)context, (void)test, (void)finding;
}

static void note_others(const struct test *test, const struct test_pairs *pairs)
{
	struct buf ids = { 0 };
	size_t count = 0;
	for (size_t i = 0; i < test->judge.findings.count; i++) {
		const struct finding *finding = test->judge.findings.items[i];
		bool is_pair = !finding->identity.number;
		for (size_t k = 0; k < pairs->count && !is_pair; k++)
			is_pair = pairs->items[k].finding == finding ||
				  (pairs->items[k].finding &&
				   pairs->items[k].finding->evidence.consequence == finding->identity.number);
		if (!is_pair && count++ < 10)
			buf_format(&ids, "%sH%" PRIu64, ids.size ? ", " : "", finding->identity.number);
	}
	if (count)
		fprintf(stderr, "heddle: note: these schedules also showed %s%s: heddle list\n", ids.data,
			count > 10 ? " and others" : "");
	buf_release(&ids);
}

static void print_notes(const struct strings *notes)
{
	for (size_t i = 0; i < notes->count; i++)
		fprintf(stderr, "heddle: note: %s\n", notes->items[i]);
}

static void finish(struct pair_command *self, struct test *test, struct test_pairs *pairs, bool is_good)
{
	for (; self->said < self->entries->count; self->said++) {
		struct classify_entry *entry = &self->entries->items[self->said];
		if (!entry->verdict && !is_good)
			entry->verdict = mem_copy_string("is undecided: the search was cut off");
		say_entry(self, entry);
	}
	progress_clear(&self->asked->say.line);
	note_others(test, pairs);
	print_notes(&test->notes);
	print_notes(&self->notes);
	print_notes(&self->entries->unclassified);
	if (self->entries->without_sites)
		fprintf(stderr, "heddle: note: %" PRIu64 " candidate%s left out: not two accesses of the program\n",
			self->entries->without_sites, self->entries->without_sites == 1 ? " was" : "s were");
}

/* A test could do without; here there is nothing to match. */
static void blame_unwoven(const struct test *test, struct err *err)
{
	char *why = mem_copy_string(test->why_unwoven ? test->why_unwoven : err->message);
	*err = (struct err)ERR_INIT;
	err_hint(err, "build it with CC=heddle-cc CXX=heddle-c++, from the source that the log is of");
	err_set(err, ENOEXEC, "nothing can be classified: %s", why);
	free(why);
}

static int search(struct pair_command *self, char **program, struct err *err)
{
	static struct test test; /* large */
	struct classify_request *asked = self->asked;
	struct test_pairs pairs = {
		.tries = asked->runs == RUN_NUMBER_NONE ? RUNS_DEFAULT : asked->runs,
		.find = asked->logs.count ? find_reports : find_candidates,
		.done = done,
		.context = self,
	};
	struct test_listener listener;
	self->test = &test;
	test_init(&test);
	test_say_init(&asked->say, &listener);
	listener.found = listener.reduced = listener.unreduced = found;
	asked->request.run.program = program;
	int code = test_prepare(&test, &asked->request, &listener, err);
	if (code == 0) {
		narrator_init(&asked->say.narrator, 1, asked->say.color, test.trace.program);
		code = test_open_input(&test, err);
		if (code == 0)
			code = test_run_pairs(&test, &pairs, err);
		if (code < 0 && test.is_untested)
			blame_unwoven(&test, err);
		finish(self, &test, &pairs, code == 0);
		narrator_release(&asked->say.narrator);
	}
	test_release(&test);
	test_pairs_release(&pairs);
	return code;
}

int classify_pairs(struct classify_request *asked, char **program, struct classify_entries *entries, struct err *err)
{
	struct pair_command self = { .asked = asked, .entries = entries };
	int code = read_logs(&self, err);
	/* What was read from it is not the program's. */
	if (strings_has(&asked->logs, "-") && !asked->request.input)
		asked->request.input = "/dev/null";
	if (code == 0)
		code = search(&self, program, err);
	for (size_t i = 0; i < self.log_count; i++)
		race_log_release(&self.logs[i]);
	free(self.logs);
	strings_release(&self.notes);
	return code;
}
