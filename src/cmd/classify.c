/*
 * classify.c: heddle classify: which data races matter: those of the store, those that another tool reported (--from) and
 * candidates of heddle check (--candidates). Each is run in both orders of its accesses; what that leads to is printed and stored.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/classify_priv.h"
#include "cmd/opt.h"
#include "cmd/stop.h"
#include "judge/store_use.h"
#include "store/read.h"
#include "symbols/identity.h"
#include "symbols/line.h"

#define WITNESSES_DEFAULT 20u
#define WITNESSES_MAX 10000u
#define RUNS_MAX 1000000u

static volatile sig_atomic_t is_stopped;

static struct classify_request asked = {
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
	.candidates = RUN_NUMBER_NONE,
	.runs = RUN_NUMBER_NONE,
};

static void take_sites(struct classify_entry *entry, const struct finding *finding)
{
	for (size_t i = 0; i < 2 && i < finding->evidence.site_count; i++) {
		const struct finding_site *site = &finding->evidence.sites[i];
		entry->sides[i] = (struct classify_side){
			.access = site->access ? site->access : "access",
			.file = site->file ? mem_copy_string(site->file) : NULL,
			.function = site->function ? mem_copy_string(site->function) : NULL,
			.line = line_number(site->line),
		};
	}
}

/* What became of a race of the store. */
static void take_verdict(struct classify_entry *entry, const struct test *test)
{
	for (size_t i = 0; i < test->judge.findings.count; i++) {
		const struct finding *finding = test->judge.findings.items[i];
		const struct verdict *verdict = &finding->evidence.verdict;
		if (finding->identity.number != entry->id || !finding->evidence.has_verdict)
			continue;
		entry->has_class = true;
		entry->class = verdict->class;
		entry->result = verdict->class == VERDICT_UNDECIDED ? CLASSIFY_UNDECIDED : CLASSIFY_CLASSIFIED;
		classify_take_verdict(entry, finding);
		entry->verdict = mem_copy_string(finding->presentation.verdict.data);
		take_sites(entry, finding);
		return;
	}
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

/* The races that the test judged, each as an entry; the first entry is there. */
static void take_verdicts(struct classify_entries *entries, struct classify_entry *entry, const struct test *test)
{
	for (size_t i = 0; i < test->judge.findings.count; i++) {
		const struct finding *finding = test->judge.findings.items[i];
		if (!finding->evidence.has_verdict)
			continue;
		if (entry->id)
			entry = classify_add(entries);
		entry->id = finding->identity.number;
		take_verdict(entry, test);
	}
}

/* The race of the store with that id; 0: those of the trace at the path. */
static int classify_one(int64_t id, const char *trace, struct classify_entries *entries, struct classify_entry *entry,
			struct err *err)
{
	static struct test test; /* large */
	struct test_listener listener;
	struct trace recorded;
	char *path = id ? NULL : mem_copy_string(trace);
	uint64_t event;
	test_init(&test);
	trace_init(&recorded);
	test_say_init(&asked.say, &listener);
	int code = id ? store_find_trace(asked.request.store, id, &path, &event, err) : 0;
	if (code == 0)
		code = trace_read(path, &recorded, err);
	if (code == 0)
		code = control_check_maker(&recorded, err);
	/* Both orders of another build would be judged under the name of this one. */
	if (code == 0)
		code = identity_check(&recorded, err);
	if (code == 0) {
		asked.request.run.recorded = &recorded;
		code = test_prepare(&test, &asked.request, &listener, err);
	}
	if (code == 0) {
		narrator_init(&asked.say.narrator, 1, asked.say.color, test.trace.program);
		code = test_open_input(&test, err);
		if (code == 0)
			code = id ? test_run_stored(&test, id, err) : test_run_trace(&test, path, err);
		if (code == 0 && id)
			take_verdict(entry, &test);
		else if (code == 0)
			take_verdicts(entries, entry, &test);
		progress_clear(&asked.say.line);
		if (!asked.say.is_quiet)
			print_found(&test);
		for (size_t i = 0; i < test.notes.count; i++)
			fprintf(stderr, "heddle: note: %s\n", test.notes.items[i]);
		narrator_release(&asked.say.narrator);
	}
	test_release(&test);
	trace_free(&recorded);
	asked.request.run.recorded = NULL;
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

static bool is_pairs(void)
{
	return asked.logs.count || asked.candidates != RUN_NUMBER_NONE;
}

/* Options that are about pairs of others only. */
static int check_pairs(size_t count_of, struct err *err)
{
	if (!is_pairs() && asked.runs != RUN_NUMBER_NONE)
		return err_set(err, EINVAL, "--runs requires --from or --candidates");
	if (!is_pairs() && asked.request.run.seed != RUN_NUMBER_NONE)
		return err_set(err, EINVAL, "--seed requires --from or --candidates");
	if (!is_pairs())
		return 0;
	if (asked.logs.count && asked.candidates != RUN_NUMBER_NONE)
		return err_set(err, EINVAL, "--from and --candidates cannot be combined");
	if (asked.candidates == 0)
		return err_set(err, EINVAL, "--candidates must be at least 1");
	if (asked.runs != RUN_NUMBER_NONE && (asked.runs == 0 || asked.runs > RUNS_MAX))
		return err_set(err, EINVAL, "--runs must be 1 to %u", RUNS_MAX);
	if (!count_of) {
		err_hint(err, "heddle classify --from LOG -- PROG ARGS");
		return err_set(err, EINVAL, "%s needs the program and its arguments",
			       asked.logs.count ? "--from" : "--candidates");
	}
	return 0;
}

/* A file that begins like a trace, or that somebody calls so. */
static bool is_trace(const char *operand)
{
	char magic[sizeof TRACE_MAGIC - 1];
	if (store_parse_id(operand))
		return false;
	FILE *file = fopen(operand, "re");
	const bool is_one =
		file && fread(magic, sizeof magic, 1, file) == 1 && memcmp(magic, TRACE_MAGIC, sizeof magic) == 0;
	if (file)
		fclose(file);
	return is_one || strstr(operand, ".trace");
}

static int check_ids(char **operands, size_t count_of, struct err *err)
{
	for (size_t i = 0; i < count_of && !is_pairs(); i++)
		if (!store_parse_id(operands[i]) && !is_trace(operands[i])) {
			char *shown = text_terminal_copy(operands[i]);
			err_set(err, EINVAL, "\"%s\" is neither a trace nor the id of a finding, such as H1", shown);
			free(shown);
			return -EINVAL;
		}
	return 0;
}

/* Before the first race, so that it is a wrong option. */
static int check_inputs(const char *folder, struct err *err)
{
	struct test_inputs inputs = { 0 };
	struct strings ignored = { 0 };
	int code = inputs_read(&inputs, folder, NULL, &ignored, err);
	inputs_release(&inputs);
	strings_release(&ignored);
	return code;
}

static int check_options(char **operands, size_t count_of, struct err *err)
{
	if (asked.request.witnesses == 0 || asked.request.witnesses > WITNESSES_MAX)
		return err_set(err, EINVAL, "--witnesses must be 1 to %u", WITNESSES_MAX);
	if (asked.request.seconds == 0)
		return err_set(err, EINVAL, "--time must be at least 1 second");
	int code = asked.request.inputs ? check_inputs(asked.request.inputs, err) : 0;
	if (code == 0)
		code = check_pairs(count_of, err);
	if (code == 0)
		code = check_ids(operands, count_of, err);
	return code < 0 ? code : layout_check_color(asked.say.color, err);
}

static void print_line(const char *text)
{
	if (!outputs_has_stdout(&asked.say.outputs))
		printf("%s\n", text);
	fflush(stdout);
}

/* What it is called for people. */
static void tell_failure(struct classify_entry *entry, const char *name, const struct err *why)
{
	struct err shown = ERR_INIT;
	if (why->hint[0])
		err_hint(&shown, "%s", why->hint);
	err_set(&shown, EINVAL, "%s cannot be classified: %s", name, why->message);
	err_print(&shown, "heddle");
	entry->verdict = mem_format("cannot be classified: %s", why->message);
}

static void classify_id(int64_t id, struct classify_entries *entries)
{
	struct classify_entry *entry = classify_add(entries);
	struct err why = ERR_INIT;
	char name[32];
	entry->id = (uint64_t)id;
	if (is_stopped || classify_one(id, NULL, entries, entry, &why) == 0)
		return;
	snprintf(name, sizeof name, "H%" PRId64, id);
	tell_failure(entry, name, &why);
}

static void classify_trace(const char *path, struct classify_entries *entries)
{
	const size_t at = entries->count;
	struct err why = ERR_INIT;
	char *name = text_terminal_copy(path);
	struct classify_entry *entry = classify_add(entries);
	if (!is_stopped && classify_one(0, path, entries, entry, &why) < 0) {
		entries->items[at].source = mem_copy_string(name);
		tell_failure(&entries->items[at], name, &why);
	}
	free(name);
}

static int classify_ids(char **operands, size_t count_of, struct classify_entries *entries, struct err *err)
{
	struct ids ids = { .items = NULL };
	char **names = mem_alloc((count_of + 1) * sizeof *names);
	size_t name_count = 0;
	for (size_t i = 0; i < count_of; i++)
		if (!is_trace(operands[i]))
			names[name_count++] = operands[i];
	int code = name_count || !count_of ? find_ids(names, name_count, &ids, err) : 0;
	for (size_t i = 0; i < ids.count && code == 0; i++)
		classify_id(ids.items[i], entries);
	for (size_t i = 0; i < count_of && code == 0; i++)
		if (is_trace(operands[i]))
			classify_trace(operands[i], entries);
	free(names);
	free(ids.items);
	return code;
}

static int write_json(const struct classify_entries *entries, char **operands, size_t count_of, struct err *err)
{
	struct outputs *outputs = &asked.say.outputs;
	struct buf json = { 0 };
	if (!outputs_is_any(outputs))
		return 0;
	classify_json(&json, entries, operands, is_pairs() ? count_of : 0);
	int code = outputs_write_own(outputs, &json, err);
	buf_release(&json);
	return code;
}

static int run(char **operands, size_t count_of, struct classify_entries *entries)
{
	struct err err = ERR_INIT;
	struct buf summary = { 0 };
	int code = outputs_open(&asked.say.outputs, &err);
	if (code == 0)
		code = is_pairs() ? classify_pairs(&asked, operands, entries, &err)
				  : classify_ids(operands, count_of, entries, &err);
	if (code == 0 && !entries->count)
		print_line(!is_pairs()        ? "no data races are new or known"
			   : asked.logs.count ? "the logs have no reports of data races"
					      : "heddle check has no candidates of data races");
	else if (code == 0 || entries->count) {
		classify_tell_summary(&summary, entries);
		print_line(summary.data);
	}
	struct err unwritten = ERR_INIT;
	int written = code == 0 || entries->count ? write_json(entries, operands, count_of, &unwritten) : 0;
	if (code < 0)
		err_print(&err, "heddle");
	if (written < 0)
		err_print(&unwritten, "heddle");
	buf_release(&summary);
	const int status = classify_status(entries);
	if (code < 0 || written < 0 || is_stopped)
		return status == EXIT_FINDINGS && code == 0 && written == 0 ? EXIT_FINDINGS : EXIT_CANNOT;
	return status;
}

static int classify_main(char **operands, size_t count_of)
{
	struct err err = ERR_INIT;
	struct classify_entries entries = { 0 };
	if (check_options(operands, count_of, &err) < 0) {
		err_hint(&err, "heddle classify --help");
		err_print(&err, "heddle");
		return EXIT_USAGE;
	}
	stop_catch(&is_stopped);
	asked.request.is_stopped = &is_stopped;
	asked.request.is_quiet = asked.say.is_quiet;
	if (is_pairs())
		asked.request.run.strategy = "priority";
	int status = run(operands, count_of, &entries);
	classify_entries_release(&entries);
	outputs_release(&asked.say.outputs);
	strings_release(&asked.logs);
	return status;
}

static const struct opt_values values[] = {
	{ "color", layout_colors },
	{ NULL, NULL },
};

static const struct opt options[] = {
	{ "from", "LOG",
	  "classify the data races that ThreadSanitizer, Helgrind or DRD reported in LOG (-: standard input); may be "
	  "repeated",
	  OPT_TEXTS, &asked.logs },
	{ "candidates", "N", "classify the first N candidates of heddle check", OPT_NUMBER, &asked.candidates },
	{ "runs", "N", "with --from and --candidates: search each pair of accesses in N schedules (default: 100)",
	  OPT_NUMBER, &asked.runs },
	{ "seed", "N", "with --from and --candidates: seed of the schedules (default: 1)", OPT_NUMBER,
	  &asked.request.run.seed },
	{ "witnesses", "N", "run each order of a race N times (default: 20); -k N is the same", OPT_NUMBER,
	  &asked.request.witnesses },
	{ "time", "SECONDS",
	  "stop after SECONDS seconds for each race (with --from and --candidates: for all of them); what is not "
	  "decided then is undecided",
	  OPT_NUMBER, &asked.request.seconds },
	OPT_ROW_CHECK(&asked.request.check),
	OPT_ROW_BEFORE(&asked.request.before),
	{ "input", "FILE", "standard input of each run (default: standard input of heddle classify, from its start)",
	  OPT_TEXT, &asked.request.input },
	OPT_ROW_INPUTS(&asked.request.inputs),
	OPT_ROW_SANDBOX(&asked.request.is_sandboxed),
	{ "replace", NULL,
	  "discard earlier verdicts of the same build, even if they were worse (default: a failure or a changed result "
	  "that "
	  "was seen stays)",
	  OPT_FLAG, &asked.request.is_replacing },
	{ "json", "FILE", "write what became of each race as JSON (without FILE, or -: to standard output)", OPT_OUTPUT,
	  &asked.say.outputs.paths[OUTPUT_JSON] },
	OPT_ROW_COLOR(&asked.say.color),
	{ "quiet", NULL, "print verdicts only: no failures that were found on the way, no progress", OPT_FLAG,
	  &asked.say.is_quiet },
	OPT_ROW_STORE(&asked.request.store),
	OPT_END,
};

const struct command command_classify = {
	.name = "classify",
	.operands = "[ID... | TRACE...] | --from LOG -- PROG ARGS...",
	.summary = "find out which data races matter",
	.details =
		"Runs both orders of the accesses of each data race, in several schedules, and reports what they lead "
		"to: a failure,\n"
		"different output, no difference, or that only one order is possible. Without an ID, all data races "
		"of the store\n"
		"that are new or known are classified. The program is run as in the test that found the race, with the "
		"same arguments.\n"
		"The data races of a TRACE, which heddle run --detect --trace writes, join the store and are "
		"classified.\n\n"
		"With --from, the races are those in the report of another tool, from another build of the same "
		"source; "
		"with\n"
		"--candidates, those that heddle check considers possible. Their pairs of lines are matched to "
		"accesses of "
		"PROG, which\n"
		"must be built with heddle-cc, and a bounded number of schedules is steered towards each. A race that "
		"shows is added to\n"
		"the store and classified. If both accesses are made to the same memory in many schedules, but never "
		"unordered, the\n"
		"pair is ordered: it is no race. What was not reached, and what has no match, is reported with the "
		"reason.\n\n"
		"Exit status: 0 if all of them are harmless, have a single order, or are ordered; 1 if one leads to a "
		"failure or to\n"
		"different output; 2 usage error; 3 if one is undecided, cannot be classified, was not reached, or has "
		"no "
		"match, or if\n"
		"a log is cut off. A failure counts more: the exit status is then 1.",
	.options = options,
	.operand_kind = OPERAND_FINDING,
	.values = values,
	.operands_min = 0,
	.operands_max = SIZE_MAX,
	.run = classify_main,
};
