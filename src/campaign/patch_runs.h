/* patch_runs.h: the runs by which a patch is made and verified: schedules under control, and the program itself. */
#ifndef CAMPAIGN_PATCH_RUNS_H
#define CAMPAIGN_PATCH_RUNS_H

#include "campaign/patch.h"
#include "explore/campaign.h"
#include "judge/check.h"
#include "judge/judge.h"

struct patch_runs {
	const struct patch_request *request;
	struct trace recorded; /* of the failing schedule, from the store */
	struct trace start;    /* how the program is started; its strings, except the options, belong to recorded */
	enum finding_kind kind;
	struct strings keys; /* of the failure, as the judge made them */
	struct judge judge;
	struct check check;
	int input_fd;
	char *program_key, *log_path, *path; /* path: of the program */
	uint64_t total;
	double longest; /* seconds of the longest native run */
	/* Of the schedules that run now. */
	struct patch_count *count;
	bool is_first;  /* this schedule determines the keys of the failure */
	bool is_brief;  /* the first failure ends the schedules */
	char *evidence; /* with is_brief: the trace of the first failure; null: none failed */
};

/* Call it after recorded was read. Returns 0, or a negative errno with err set. Call patch_runs_release in any case. */
int patch_runs_open(struct patch_runs *self, const struct patch_request *request, struct err *err);
void patch_runs_release(struct patch_runs *self);

/* Runs the schedules of the planner, at most `runs` (0: all), guarded by the files, or unguarded if files is null.
 * Frees the planner. Returns 0, or a negative errno with err set. */
int patch_runs_serve(struct patch_runs *self, struct planner *planner, uint64_t runs, const struct guard_files *files,
		     struct patch_count *count, struct err *err);

/* Returns a planner of the schedule with these steps and, with is_near, of those in which one of its switches comes a
 * little earlier or later. */
struct planner *patch_runs_plan(const struct steps *steps, uint64_t seed, bool is_near);

/* Runs a file natively, once: guarded by the files, or unchanged if files is null. Returns 0, or a negative errno with
 * err set. */
int patch_runs_native(struct patch_runs *self, const char *path, const struct guard_files *files,
		      struct patch_count *count, struct err *err);

#endif
