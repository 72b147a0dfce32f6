/* show.c: heddle show: all that the store has of a finding, and the interleaving that shows it, from its evidence. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "cmd/opt.h"
#include "cmd/replay.h"
#include "judge/store_use.h"
#include "narrate/detected.h"
#include "narrate/narrate.h"
#include "narrate/verdict.h"
#include "store/read.h"
#include "symbols/line.h"

static struct {
	const char *store, *color;
	bool is_brief;
} settings;

#define BUILD_DIGITS 12

/* A finding as the store has it, and what is made of it. */
struct showing {
	bool is_present;
	struct finding stored; /* kind, sites, summary, details, needs: not more */
	struct buf verdict;    /* lines: what it leads to */
	struct buf history;    /* lines: since when, how often */
	char *program;
	int64_t last_seen; /* seconds since 1970 */
};

static void add_when(struct buf *out, const char *word, int64_t when, const struct store_build *build)
{
	time_t seconds = (time_t)when;
	struct tm parts;
	char day[64] = "at an unknown time";
	char *identity = text_terminal_copy(build->identity), *program = text_terminal_copy(build->program);
	if (localtime_r(&seconds, &parts))
		strftime(day, sizeof day, "%Y-%m-%d %H:%M", &parts);
	buf_format(out, "%s seen %s in build %.*s of %s\n", word, day, BUILD_DIGITS, identity, program);
	free(identity);
	free(program);
}

static void add_history(struct buf *out, const struct store_finding *finding)
{
	char *strategy = text_terminal_copy(finding->strategy), *state = text_terminal_copy(finding->state);
	const bool is_guarded = kind_find(finding->kind) == FINDING_INVARIANT_VIOLATION;
	buf_format(out,
		   is_guarded ? "%s%s: seen %" PRIu64 " time%s in %" PRIu64 " guarded run%s\n"
			      : "%s%s: seen in %" PRIu64 " schedule%s of %" PRIu64 " test%s\n",
		   state, finding->came_back ? ", came back" : "", finding->seen, finding->seen == 1 ? "" : "s",
		   finding->tests, finding->tests == 1 ? "" : "s");
	add_when(out, "first", finding->first_seen, &finding->first);
	add_when(out, "last", finding->last_seen, &finding->last);
	if (!is_guarded)
		buf_format(out, "last seen in schedule %" PRIu64 " of that test, strategy %s, seed %" PRIu64 "\n",
			   finding->schedule, strategy, finding->seed);
	if (finding->unseen)
		buf_format(out, "not seen in %" PRIu64 " schedule%s of newer builds\n", finding->unseen,
			   finding->unseen == 1 ? "" : "s");
	free(strategy);
	free(state);
}

/* What is known about the consequences of a data race, and what a person decided. */
static int add_verdict(struct showing *self, struct store *store, int64_t id, struct err *err)
{
	struct store_verdict verdict = { .class = NULL };
	struct store_mark mark = { .word = NULL };
	int code = store_get_verdict(store, id, &verdict, err);
	if (code == 0)
		code = store_get_mark(store, id, &mark, err);
	struct buf text = { 0 };
	if (verdict.class)
		verdict_tell_stored(&text, id, &verdict);
	if (mark.word)
		verdict_tell_mark(&text, &mark);
	text_terminal_lines(&self->verdict, text.data ? text.data : "");
	buf_release(&text);
	store_verdict_release(&verdict);
	store_mark_release(&mark);
	return code;
}

static int keep(void *context, const struct store_finding *finding)
{
	struct showing *self = context;
	self->is_present = true;
	self->stored.identity.number = (uint64_t)finding->id;
	self->stored.identity.kind = kind_find(finding->kind);
	text_terminal(&self->stored.presentation.summary, finding->summary);
	/* What is stored may have been changed. */
	text_terminal_lines(&self->stored.presentation.details, finding->details);
	text_terminal_lines(&self->stored.presentation.needs, finding->needs);
	add_history(&self->history, finding);
	self->program = mem_copy_string(finding->last.program);
	self->last_seen = finding->last_seen;
	return 0;
}

/* The replay of the evidence, and what is found in it again: it may have other threads than the run that the store
 * describes, and more is known of it. */
struct shown_run {
	struct timeline timeline;
	struct judge judge;
	const struct finding *again; /* null: it is not known which it is */
};

static int run_again(struct shown_run *self, const char *path, uint64_t event, const struct finding *stored,
		     struct err *err)
{
	int code = replay_check(path, err);
	if (code == 0)
		code = timeline(&self->timeline, path, event, 0, err);
	if (code >= 0) {
		detected_find(&self->judge, &self->timeline.result, &self->timeline.report, path);
		self->again = findings_matching(&self->judge.findings, stored);
	}
	return code;
}

/* Says what cannot be shown; the report is printed all the same. */
static void print(struct showing *self)
{
	static struct narrator narrator;
	struct shown_run run = { .again = NULL };
	struct err err = ERR_INIT;
	struct buf out = { 0 };
	char *path = NULL, id[32];
	uint64_t event = 0;
	snprintf(id, sizeof id, "H%" PRIu64, self->stored.identity.number);
	const bool is_guarded = self->stored.identity.kind == FINDING_INVARIANT_VIOLATION;
	int code = is_guarded ? -ENOENT
			      : store_find_trace(settings.store, (int64_t)self->stored.identity.number, &path, &event,
						 &err);
	bool has_result =
		code == 0 && !settings.is_brief && (code = run_again(&run, path, event, &self->stored, &err)) == 0;
	const struct finding *displayed = run.again ? run.again : &self->stored;
	if (self->stored.evidence.site_count)
		self->stored.evidence.sites[0].event = event;
	char *program = store_program_now(settings.store, self->program, path);
	narrator_init(&narrator, 1, settings.color, program);
	quotes_built_before(&narrator.quotes, self->last_seen + 1);
	free(program);
	narrate_head(&out, &narrator, id, run.again, self->stored.presentation.summary.data, NULL);
	narrate_details(&out, &narrator, displayed->presentation.details.data, displayed->evidence.sites,
			displayed->evidence.site_count, finding_act(displayed, FINDING_FREED, 0));
	narrate_details(&out, &narrator, self->stored.presentation.needs.data, NULL, 0, NULL);
	if (has_result) {
		narrate_threads(&out, &narrator, displayed, &run.timeline, NARRATE_ROWS_MANY);
		narrate_advice(&out, &narrator, displayed, &run.timeline, NULL);
	}
	if (finding_has_near(displayed))
		narrate_details(&out, &narrator, "note: " LINE_NOTE "\n", NULL, 0, NULL);
	narrate_details(&out, &narrator, self->verdict.data, NULL, 0, NULL);
	narrate_details(&out, &narrator, self->history.data, NULL, 0, NULL);
	if (is_guarded)
		buf_add_string(&out, "  it was seen by heddle guard, whose runs cannot be replayed\n");
	else if (code < 0)
		buf_format(&out, "  %s: %s\n", path ? "the interleaving cannot be shown" : "it cannot be replayed",
			   err.message);
	/* A replay would be refused, too. */
	if (code == -EPERM || code == -ESTALE)
		buf_format(&out, "  %s\n", err.hint);
	else if (path)
		narrate_replay(&out, &narrator, store_option(settings.store), id);
	fwrite(out.data, 1, out.size, stdout);
	timeline_release(&run.timeline);
	judge_release(&run.judge);
	narrator_release(&narrator);
	buf_release(&out);
	free(path);
}

static int show_main(char **operands, size_t count)
{
	struct err err = ERR_INIT;
	struct showing self = { .is_present = false };
	struct store *store = NULL;
	(void)count;
	if (layout_check_color(settings.color, &err) < 0) {
		err_hint(&err, "heddle show --help");
		err_print(&err, "heddle");
		return EXIT_USAGE;
	}
	int64_t id = store_read_id(operands[0], &err);
	if (!id) {
		err_hint(&err, "heddle list");
		err_print(&err, "heddle");
		return EXIT_USAGE;
	}
	int code = store_use(settings.store, STORE_READ, &store, &err);
	if (code == 0)
		code = store_list(store, &(struct store_filter){ .id = id }, keep, &self, &err);
	if (code == 0)
		code = store_places(store, id, store_add_site, &self.stored, &err);
	if (code == 0)
		code = add_verdict(&self, store, id, &err);
	store_close(store);
	if (code == 0 && !self.is_present) {
		err_hint(&err, "heddle list --all lists all findings");
		code = err_set(&err, ENOENT, "there is no finding H%" PRId64, id);
	}
	if (code == 0) {
		print(&self);
	} else {
		err_print(&err, "heddle");
	}
	finding_clear(&self.stored);
	buf_release(&self.verdict);
	buf_release(&self.history);
	free(self.program);
	return code == 0 ? EXIT_FOUND_NOTHING : EXIT_CANNOT;
}

static const struct opt_values values[] = {
	{ "color", layout_colors },
	{ NULL, NULL },
};

static const struct opt options[] = {
	{ "brief", NULL, "omit the interleaving, which requires a replay of the evidence", OPT_FLAG,
	  &settings.is_brief },
	OPT_ROW_COLOR(&settings.color),
	OPT_ROW_STORE(&settings.store),
	OPT_END,
};

const struct command command_show = {
	.name = "show",
	.operands = "ID",
	.summary = "show a finding: places, history and interleaving",
	.details = "The interleaving comes from a replay of the evidence, which needs the build it was found "
		   "in.\n\n"
		   "Exit status: 0, or 3 if there is no such finding.",
	.options = options,
	.operand_kind = OPERAND_FINDING,
	.values = values,
	.operands_min = 1,
	.operands_max = 1,
	.run = show_main,
};
