/*
 * pair_driver.c: schedules towards the races of a log.
 *   pair_driver LOG SEED TRIES PROG ARGS...         prints of each pair: "pair NUMBER: asked N tried N met N shown N"
 *   pair_driver LOG SEED TRIES -PLANNER PROG ...    the same with another planner, which knows nothing of the pairs
 * and before that how often runs ended in which way: "outcome NUMBER STATUS: N".
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/run_request.h"
#include "explore/campaign.h"
#include "judge/race_match.h"
#include "symbols/symbol.h"

#define PAIRS 64u
#define STATUSES 256

static struct {
	struct race_log log;
	struct description program;
	const char *path;
	struct race_match matches[PAIRS];
	struct pair_target targets[PAIRS];
	uint64_t *places[PAIRS][2];
	size_t count;
	bool is_located;
	uint64_t outcomes[16][STATUSES];
	bool is_own;
} all;

static bool has(const struct pair_target *target, size_t side, uint64_t place)
{
	for (uint32_t i = 0; i < target->place_counts[side]; i++)
		if (target->places[side][i] == place)
			return true;
	return false;
}

static void locate(const struct report *report)
{
	struct symbols *symbols = symbols_new(report);
	for (size_t i = 0; i < all.count; i++)
		for (size_t side = 0; side < 2; side++) {
			const struct site_list *sites = &all.matches[i].pair.sides[side];
			uint64_t *places = all.places[i][side] = mem_alloc((sites->count + 1) * sizeof *places);
			for (size_t k = 0; k < sites->count; k++)
				if (!symbols_in_run(symbols, all.path, woven_site_address(all.program.woven, sites->items[k].id),
						    &places[k]))
					abort();
			all.targets[i].places[side] = places;
			all.targets[i].place_counts[side] = (uint32_t)sites->count;
		}
	symbols_free(symbols);
	all.is_located = true;
}

static int take(void *context, const struct campaign_run *run, struct lesson *learned, struct err *err)
{
	struct report report;
	(void)context, (void)err;
	report_parse(&report, learned->report, learned->report_bytes);
	if (!all.is_located) {
		locate(&report);
		report_release(&report);
		return 0;
	}
	all.outcomes[run->result.outcome % 16][(unsigned)run->result.status % STATUSES]++;
	for (size_t i = 0; i < all.count && !all.is_own; i++) {
		struct pair_target *target = &all.targets[i];
		bool is_shown = false;
		for (size_t k = 0; k < report.race_count; k++) {
			uint64_t later = report.races[k].later.place, earlier = report.races[k].earlier.place;
			is_shown |= (has(target, 0, later) && has(target, 1, earlier)) ||
				    (has(target, 1, later) && has(target, 0, earlier));
		}
		target->planned++, target->tried++;
		target->shown += is_shown;
	}
	report_release(&report);
	return 0;
}

static int serve(struct campaign *campaign, struct planner *planner, uint64_t runs, struct err *err)
{
	campaign->planner = planner;
	campaign->runs = runs;
	int code = campaign_serve(campaign, err);
	planner->free(planner);
	return code;
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct trace trace;
	struct woven *woven;
	if (argc < 5)
		return 2;
	const char *other = argv[4][0] == '-' ? argv[4] + 1 : NULL;
	char **program = argv + 4 + (other != NULL);
	uint64_t seed = strtoull(argv[2], NULL, 10), tries = strtoull(argv[3], NULL, 10);
	all.path = program[0];
	all.is_own = !other;
	if (race_log_read(&all.log, argv[1], &err) < 0 || woven_open(program[0], &woven, &err) < 0) {
		err_print(&err, "pair_driver");
		return 1;
	}
	all.program.woven = woven;
	struct race_matcher *matcher = race_matcher_new(&all.program, 1);
	for (; all.count < all.log.pair_count && all.count < PAIRS; all.count++)
		race_match(matcher, &all.log.pairs[all.count], &all.matches[all.count]);
	trace_init(&trace);
	const struct run_request request = {
		.program = program,
		.seed = RUN_NUMBER_NONE,
		.depth = RUN_NUMBER_NONE,
		.length = RUN_NUMBER_NONE,
		.budget = 2000000,
		.is_detecting = true,
		.hang = RUN_NUMBER_NONE,
	};
	struct campaign campaign = {
		.trace = &trace,
		.setup = { .flags = HEDDLE_CONTROL_SERVER | HEDDLE_CONTROL_DISCARD | HEDDLE_CONTROL_RECORD,
			   .is_unattended = true },
		.jobs = 1,
		.input_fd = -1,
		.take = take,
	};
	int code = run_describe(&trace, &request, &err);
	if (code == 0)
		code = serve(&campaign, planner_named_new("priority", 1, 0, NULL), 1, &err);
	if (code == 0)
		code = serve(&campaign,
			     other ? planner_named_new(other, seed, 0, NULL)
				   : planner_pairs_new(all.targets, all.count, seed, (uint32_t)tries, UINT32_MAX),
			     other ? tries : 0, &err);
	if (code < 0)
		err_print(&err, "pair_driver");
	for (int outcome = 0; outcome < 16; outcome++)
		for (int status = 0; status < STATUSES; status++)
			if (all.outcomes[outcome][status])
				printf("outcome %d %d: %" PRIu64 "\n", outcome, status, all.outcomes[outcome][status]);
	for (size_t i = 0; i < all.count; i++)
		printf("pair %zu: asked %u tried %u met %u shown %u\n", i + 1, all.targets[i].planned, all.targets[i].tried,
		       all.targets[i].met, all.targets[i].shown);
	return code < 0;
}
