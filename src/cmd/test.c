/* test.c: heddle test: runs a program under many schedules and says what went wrong in them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/evidence.h"
#include "cmd/judge.h"
#include "cmd/opt.h"
#include "cmd/run_priv.h"

struct test {
	struct trace trace;
	struct campaign campaign;
	struct judge judge;
};

static void print_finding(const struct finding *finding)
{
	printf("H%" PRIu32 " %s, found in schedule %" PRIu64 "\n", finding->number, finding->summary.data,
	       finding->first);
	for (const char *at = finding->details.data; at && *at;) {
		int size = (int)(strchrnul(at, '\n') - at);
		printf("  %.*s\n", size, at);
		at += size + (at[size] == '\n');
	}
	if (finding->trace)
		printf("  replay: heddle replay %s\n", finding->trace);
	fflush(stdout);
}

static int take(void *context, const struct campaign_run *run, struct lesson *learned, struct err *err)
{
	struct test *self = context;
	struct findings *findings = &self->judge.findings;
	struct judged judged;
	struct report report;
	int code = 0;
	report_parse(&report, learned->report, learned->report_bytes);
	judge_run(&self->judge, run, &report, &judged);
	for (uint32_t i = judged.new_findings; i > 0 && code == 0; i--) {
		struct finding *finding = findings->items[findings->count - i];
		code = evidence_keep(finding, run, &self->trace, err);
		print_finding(finding);
	}
	learned->findings = judged.new_findings;
	learned->is_failure = judged.is_failure;
	report_release(&report);
	return code;
}

static int test_main(char **operands, size_t count)
{
	struct err err = ERR_INIT;
	struct test self = { .campaign = { .runs = 1000, .jobs = 1, .input_fd = -1, .capture_room = 256 << 10 } };
	(void)count;
	trace_init(&self.trace);
	run_asked.is_detecting = true;
	int code = run_describe(&self.trace, operands, &err);
	if (code == 0)
		code = evidence_start(&err);
	self.campaign.trace = &self.trace;
	self.campaign.setup = (struct control_setup){
		.flags = HEDDLE_CONTROL_RECORD,
		.trace_path = EVIDENCE_FOLDER "/log",
		.is_unattended = true,
		.has_own_session = true,
	};
	self.campaign.planner = planner_rotating_new(1);
	self.campaign.take = take;
	self.campaign.context = &self;
	if (code == 0)
		code = campaign_serve(&self.campaign, &err);
	if (code < 0)
		err_print(&err, "heddle");
	printf("%" PRIu64 " schedules, %.1f a second; %zu findings\n", self.campaign.answered,
	       (double)self.campaign.answered / self.campaign.elapsed, self.judge.findings.count);
	int status = code < 0 ? EXIT_CANNOT : self.judge.findings.count ? EXIT_FINDINGS : EXIT_FOUND_NOTHING;
	judge_release(&self.judge);
	self.campaign.planner->free(self.campaign.planner);
	trace_free(&self.trace);
	return status;
}

static const struct opt options[] = {
	{ NULL, NULL, NULL, OPT_FLAG, NULL },
};

const struct command command_test = {
	.name = "test",
	.operands = "-- PROG ARGS...",
	.summary = "run a program under many schedules and say what goes wrong",
	.options = options,
	.operands_min = 1,
	.operands_max = SIZE_MAX,
	.stops_at_operand = true,
	.run = test_main,
};
