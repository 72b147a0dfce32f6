/* patch_runs.h: the runs by which a patch is made and verified: schedules under control, and the program itself. */
#ifndef CAMPAIGN_PATCH_RUNS_H
#define CAMPAIGN_PATCH_RUNS_H

#include "campaign/patch.h"
#include "explore/campaign.h"
#include "judge/check.h"
#include "judge/judge.h"

struct patch_runs {
	const struct patch_request *request;
	struct trace recorded; /* of the failing schedule, as the store has it */
	struct trace start;    /* how the program is started: its strings are recorded's, but the options */
	enum finding_kind kind;
	struct strings keys; /* of the failure, as the judge has it */
	struct judge judge;
	struct check check;
	int input_fd;
	char *program_key, *log_path, *path; /* path: of the program */
	uint64_t total;
	double longest; /* seconds that a run of the program itself took */
	/* Of the schedules that run now. */
	struct patch_count *count;
	bool is_first;  /* it shows what the failure is */
	bool is_brief;  /* the first failure ends them */
	char *evidence; /* the trace of the first failure, of is_brief; null: none failed */
};

/* After recorded was read. Release it in any case. */
int patch_runs_open(struct patch_runs *self, const struct patch_request *request, struct err *err);
void patch_runs_release(struct patch_runs *self);

/* Runs what the planner plans, as many as runs (0: all), guarded by the files, or unguarded (null). The planner is freed. */
int patch_runs_serve(struct patch_runs *self, struct planner *planner, uint64_t runs, const struct guard_files *files,
		     struct patch_count *count, struct err *err);

/* The schedule, and with is_near those in which one of its switches comes a little earlier or later. */
struct planner *patch_runs_plan(const struct steps *steps, uint64_t seed, bool is_near);

/* Runs a file natively, once: guarded by the files, or as it is (null). */
int patch_runs_native(struct patch_runs *self, const char *path, const struct guard_files *files,
		      struct patch_count *count, struct err *err);

#endif
