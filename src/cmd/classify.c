/*
 * classify.c: heddle classify: which data races of the store matter. Each is run in both orders of its accesses; what that leads to is
 * printed and stored.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/opt.h"
#include "cmd/stop.h"
#include "cmd/test_say.h"
#include "judge/store_use.h"
#include "store/read.h"

#define WITNESSES_DEFAULT 20u
#define WITNESSES_MAX 10000u

static volatile sig_atomic_t is_stopped;

static struct {
	struct test_request request;
	struct test_say say;
} asked = {
	.request = { .run = RUN_REQUEST_INIT,
		     .runs = 1,
		     .jobs = 1,
		     .seconds = RUN_NUMBER_NONE,
		     .findings = RUN_NUMBER_NONE,
		     .audits = 0,
		     .reduce = RUN_NUMBER_NONE,
		     .classify = TEST_CLASSIFY_YES,
		     .witnesses = WITNESSES_DEFAULT,
		     .fixed_after = 1000 },
};

/* What became of the races. */
struct tally {
	size_t harmful, differing, harmless, single, undecided, failed;
};

static void count(struct tally *tally, const struct test *test, int64_t id)
{
	for (size_t i = 0; i < test->judge.findings.count; i++) {
		const struct finding *finding = test->judge.findings.items[i];
		if (finding->identity.number != (uint64_t)id || !finding->evidence.has_verdict)
			continue;
		switch (finding->evidence.verdict.class) {
		case VERDICT_SPEC_VIOLATED:
			tally->harmful++;
			return;
		case VERDICT_OUTPUT_DIFFERS:
			tally->differing++;
			return;
		case VERDICT_HARMLESS:
			tally->harmless++;
			return;
		case VERDICT_SINGLE_ORDERING:
			tally->single++;
			return;
		case VERDICT_UNDECIDED:
		case VERDICT_COUNT:
			break;
		}
	}
	tally->undecided++;
}

/* The program and its arguments, as the evidence has them. Caller frees the list, not its strings. */
static char **program_of(const struct trace *recorded)
{
	char **words = mem_alloc((recorded->arguments.count + 2) * sizeof *words);
	words[0] = recorded->program;
	for (size_t i = 1; i < recorded->arguments.count; i++)
		words[i] = recorded->arguments.items[i];
	return words;
}

/* Failures that were found on the way in full, then the verdict. */
static void print_found(struct test *test)
{
	const struct findings *findings = &test->judge.findings;
	struct buf out = { 0 };
	for (size_t i = 0; i < findings->count; i++)
		if (!findings->items[i]->evidence.has_verdict) {
			test_say_finding(&out, &asked.say, findings->items[i]);
			buf_add_string(&out, "\n");
		}
	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i]->evidence.has_verdict)
			test_say_verdict(&out, &asked.say, findings->items[i]);
	fputs(out.data ? out.data : "", stdout);
	buf_release(&out);
}

static int classify_one(int64_t id, struct tally *tally, struct err *err)
{
	static struct test test; /* large */
	struct test_listener listener;
	struct trace recorded;
	char *path = NULL, **words = NULL;
	uint64_t event;
	test_init(&test);
	trace_init(&recorded);
	test_say_init(&asked.say, &listener);
	int code = store_find_trace(asked.request.store, id, &path, &event, err);
	if (code == 0)
		code = trace_read(path, &recorded, err);
	if (code == 0)
		code = control_check_maker(&recorded, err);
	if (code == 0) {
		words = program_of(&recorded);
		asked.request.run.program = words;
		asked.request.is_stopped = &is_stopped;
		asked.request.is_quiet = asked.say.is_quiet;
		code = test_prepare(&test, &asked.request, &listener, err);
	}
	if (code == 0) {
		narrator_init(&asked.say.narrator, 1, asked.say.color, test.trace.program);
		code = test_open_input(&test, err);
		if (code == 0)
			code = test_run_stored(&test, id, err);
		if (code == 0)
			count(tally, &test, id);
		progress_clear(&asked.say.line);
		if (!asked.say.is_quiet)
			print_found(&test);
		for (size_t i = 0; i < test.notes.count; i++)
			fprintf(stderr, "heddle: note: %s\n", test.notes.items[i]);
		narrator_release(&asked.say.narrator);
	}
	test_release(&test);
	trace_free(&recorded);
	free(words);
	free(path);
	return code;
}

struct ids {
	int64_t *items;
	size_t count;
};

static int add_id(void *context, const struct store_finding *finding)
{
	struct ids *ids = context;
	ids->items = mem_resize(ids->items, (ids->count + 1) * sizeof *ids->items);
	ids->items[ids->count++] = finding->id;
	return 0;
}

/* The findings that are named; without names all data races that are new or known. */
static int find_ids(char **operands, size_t count_of, struct ids *ids, struct err *err)
{
	struct store *store = NULL;
	int code = store_use(asked.request.store, STORE_READ, &store, err);
	if (code == 0 && !count_of)
		code = store_list(store, &(struct store_filter){ .kind = "data-race", .is_open = true }, add_id, ids,
				  err);
	for (size_t i = 0; i < count_of && code == 0; i++) {
		const int64_t id = store_parse_id(operands[i]);
		const size_t before = ids->count;
		code = store_list(store, &(struct store_filter){ .id = id, .kind = "data-race" }, add_id, ids, err);
		if (code == 0 && ids->count == before) {
			err_hint(err, "heddle list --kind data-race");
			code = err_set(err, ENOENT, "there is no data race H%" PRId64, id);
		}
	}
	store_close(store);
	return code;
}

static int check_options(char **operands, size_t count_of, struct err *err)
{
	if (asked.request.witnesses == 0 || asked.request.witnesses > WITNESSES_MAX)
		return err_set(err, EINVAL, "--witnesses must be 1 to %u", WITNESSES_MAX);
	if (asked.request.seconds == 0)
		return err_set(err, EINVAL, "--time must be at least 1 second");
	for (size_t i = 0; i < count_of; i++)
		if (!store_read_id(operands[i], err))
			return -EINVAL;
	return layout_check_color(asked.say.color, err);
}

static void print_summary(const struct tally *tally)
{
	printf("%zu harmful, %zu with different output, %zu harmless, %zu with a single order, %zu undecided\n",
	       tally->harmful, tally->differing, tally->harmless, tally->single, tally->undecided + tally->failed);
}

static int classify_main(char **operands, size_t count_of)
{
	struct err err = ERR_INIT;
	struct ids ids = { .items = NULL };
	struct tally tally = { 0 };
	if (check_options(operands, count_of, &err) < 0) {
		err_hint(&err, "heddle classify --help");
		err_print(&err, "heddle");
		return EXIT_USAGE;
	}
	stop_catch(&is_stopped);
	int code = find_ids(operands, count_of, &ids, &err);
	if (code < 0)
		err_print(&err, "heddle");
	for (size_t i = 0; i < ids.count && code == 0 && !is_stopped; i++) {
		struct err why = ERR_INIT;
		if (classify_one(ids.items[i], &tally, &why) == 0)
			continue;
		struct err shown = ERR_INIT;
		if (why.hint[0])
			err_hint(&shown, "%s", why.hint);
		err_set(&shown, EINVAL, "H%" PRId64 " cannot be classified: %s", ids.items[i], why.message);
		err_print(&shown, "heddle");
		tally.failed++;
	}
	if (code == 0 && !ids.count)
		printf("no data races are new or known\n");
	else if (code == 0)
		print_summary(&tally);
	free(ids.items);
	if (code < 0 || is_stopped)
		return EXIT_CANNOT;
	if (tally.harmful || tally.differing)
		return EXIT_FINDINGS;
	return tally.undecided || tally.failed ? EXIT_CANNOT : EXIT_FOUND_NOTHING;
}

static const struct opt_values values[] = {
	{ "color", layout_colors },
	{ NULL, NULL },
};

static const struct opt options[] = {
	{ "witnesses", "N", "run each order of a race N times (default: 20)", OPT_NUMBER, &asked.request.witnesses },
	{ "time", "SECONDS", "stop after SECONDS seconds for each race; what is not decided then is undecided",
	  OPT_NUMBER, &asked.request.seconds },
	OPT_ROW_CHECK(&asked.request.check),
	{ "input", "FILE", "standard input of each run (default: standard input of heddle classify, from its start)",
	  OPT_TEXT, &asked.request.input },
	OPT_ROW_SANDBOX(&asked.request.is_sandboxed),
	OPT_ROW_COLOR(&asked.say.color),
	{ "quiet", NULL, "print verdicts only: no failures that were found on the way, no progress", OPT_FLAG,
	  &asked.say.is_quiet },
	OPT_ROW_STORE(&asked.request.store),
	OPT_END,
};

const struct command command_classify = {
	.name = "classify",
	.operands = "[ID...]",
	.summary = "find out which data races matter",
	.details =
		"Runs both orders of the accesses of each data race, in several schedules, and reports what they lead "
		"to: a failure,\n"
		"different output, no difference, or that only one order is possible. Without an ID, all data races "
		"of the store\n"
		"that are new or known are classified. The program is run as in the test that found the race, with the "
		"same arguments.\n\n"
		"Exit status: 0 if all of them are harmless or have a single order, 1 if one leads to a failure or to "
		"different\n"
		"output, 2 usage error, 3 if one is undecided or cannot be classified.",
	.options = options,
	.operand_kind = OPERAND_FINDING,
	.values = values,
	.operands_min = 0,
	.operands_max = SIZE_MAX,
	.run = classify_main,
};
