/* run_request.c: see run_request.h. */
#include "campaign/run_request.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "explore/strategies.h"
#include "heddle/abi.h"
#include "launch/environment.h"
#include "launch/launch.h"
#include "symbols/switch_set.h"

/* The date of runs that do not have the real one: 1 January 2024, 00:00 UTC. */
#define FIXED_DATE_NS (1704067200ull * 1000000000ull)

const char *const run_dates[] = { "fixed", "real", NULL };

const char *const run_timings[] = { "early", "strict", NULL };

bool run_is_early(const struct run_request *request)
{
	return !request->timing || strcmp(request->timing, run_timings[0]) == 0;
}

static int set_timing(struct trace_request *schedule, const struct run_request *request, struct err *err)
{
	if (run_is_early(request))
		schedule->flags |= HEDDLE_CONTROL_EARLY;
	else if (strcmp(request->timing, run_timings[1]) != 0)
		return err_set(err, EINVAL, "--timing expects early or strict, not \"%s\"", request->timing);
	return 0;
}

static int set_strategy(struct trace_request *schedule, const struct run_request *request, struct err *err)
{
	const char *name = request->strategy ? request->strategy : "random";
	const struct strategies_row *row = strategies_find(name);
	if (row && row->is_by_seed) {
		schedule->strategy = row->number;
		return 0;
	}
	const char *nearest = text_nearest(name, strategies_by_seed);
	if (nearest)
		err_hint(err, "did you mean %s?", nearest);
	else
		err_hint(err, "the strategies are " STRATEGIES_BY_SEED);
	return err_set(err, EINVAL, "unknown strategy \"%s\"", name);
}

/* An option that has no effect is a mistake. */
static int check_numbers(const struct trace_request *schedule, const struct run_request *request, struct err *err)
{
	const struct strategies_row *row = &strategies_rows[schedule->strategy];
	if (request->depth != RUN_NUMBER_NONE && !row->depth) {
		err_hint(err, "heddle run --help shows which strategies have one");
		return err_set(err, EINVAL, "the strategy %s has no --depth", row->word);
	}
	if (request->length != RUN_NUMBER_NONE && !row->has_length)
		return err_set(err, EINVAL, "the strategy %s has no --length", row->word);
	if (request->hang == 0)
		return err_set(err, EINVAL, "--hang must be at least 1 second");
	return 0;
}

static int set_date(struct trace_request *schedule, const struct run_request *request, struct err *err)
{
	struct timespec now;
	if (!request->date || strcmp(request->date, run_dates[0]) == 0) {
		schedule->date_ns = FIXED_DATE_NS;
		return 0;
	}
	if (strcmp(request->date, run_dates[1]) != 0)
		return err_set(err, EINVAL, "--date expects real or fixed, not \"%s\"", request->date);
	clock_gettime(CLOCK_REALTIME, &now);
	schedule->date_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	schedule->flags |= HEDDLE_CONTROL_REAL_DATE;
	return 0;
}

uint64_t run_number_or(uint64_t number, uint64_t otherwise)
{
	return number == RUN_NUMBER_NONE ? otherwise : number;
}

/* What is ours comes last in HEDDLE_OPTIONS, where it wins. */
static int set_options(struct trace *trace, const struct run_request *request, struct err *err)
{
	struct buf options = { 0 };
	environment_options(&options);
	int code = switch_set(&options, request->switched ? request->switched : "all", trace->program, false, err);
	if (request->is_verbose)
		buf_add_string(&options, ":verbose=1");
	trace->options = mem_copy_string(options.data);
	buf_release(&options);
	return code;
}

/* The folder may be gone when the run is replayed, so that a path from there would lead nowhere. A link in the last part
 * stays: programs look at the name that they are run by. */
static void make_absolute(char **path)
{
	char *for_folder = mem_copy_string(*path), *for_name = mem_copy_string(*path);
	char *folder = realpath(dirname(for_folder), NULL);
	if (folder) {
		free(*path);
		*path = mem_format("%s/%s", strcmp(folder, "/") == 0 ? "" : folder, basename(for_name));
	}
	free(folder);
	free(for_folder);
	free(for_name);
}

static void start_like(struct trace *trace, const struct trace *recorded)
{
	strings_copy(&trace->arguments, &recorded->arguments);
	strings_copy(&trace->environment, &recorded->environment);
	trace->options = mem_copy_string(recorded->options);
	trace->request.date_ns = recorded->request.date_ns;
	trace->request.flags &= ~(uint32_t)HEDDLE_CONTROL_REAL_DATE;
	trace->request.flags |= recorded->request.flags & HEDDLE_CONTROL_REAL_DATE;
	trace->own_bytes = recorded->own_bytes;
	trace->stack_limit = recorded->stack_limit;
	trace->descriptor_limit = recorded->descriptor_limit;
}

int run_describe(struct trace *trace, const struct run_request *request, struct err *err)
{
	struct trace_request *schedule = &trace->request;
	int code = set_strategy(schedule, request, err);
	if (code == 0)
		code = check_numbers(schedule, request, err);
	if (code == 0)
		code = set_date(schedule, request, err);
	if (code == 0)
		code = set_timing(schedule, request, err);
	if (code < 0)
		return code;
	if (request->is_detecting)
		schedule->flags |= HEDDLE_CONTROL_DETECT;
	if (request->is_audit)
		schedule->flags |= HEDDLE_CONTROL_AUDIT;
	schedule->seed = run_number_or(request->seed, 1);
	schedule->depth = run_number_or(request->depth, 0);
	schedule->length = run_number_or(request->length, 0);
	schedule->event_budget = run_number_or(request->budget, 0);
	code = launch_find(request->recorded ? request->recorded->program : request->program[0], &trace->program, err);
	if (code < 0)
		return code == -EINVAL ? -ENOEXEC : code;
	char *folder = getcwd(NULL, 0);
	trace->folder = mem_copy_string(folder ? folder : "/");
	free(folder);
	if (request->recorded) {
		start_like(trace, request->recorded);
		return 0;
	}
	make_absolute(&trace->program);
	for (size_t i = 0; request->program[i]; i++)
		strings_add(&trace->arguments, request->program[i]);
	environment_user(&trace->environment);
	code = set_options(trace, request, err);
	return code == -EINVAL ? -ENOEXEC : code;
}

void run_idle_patterns(const struct run_request *request, const struct trace *trace, struct strings *lines)
{
	struct strings patterns = { 0 };
	if (!request->switched)
		return;
	switch_set_idle(&patterns, request->switched, trace->program);
	for (size_t i = 0; i < patterns.count; i++) {
		char *shown = text_terminal_copy(patterns.items[i]);
		char *line = mem_format("--switch: no function of the program matches \"%s\" (heddle sites --json "
					"prints the names; an inlined function is switched together with the function "
					"that it was inlined into)",
					shown);
		strings_add(lines, line);
		free(line);
		free(shown);
	}
	strings_release(&patterns);
}
