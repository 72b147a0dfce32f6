/* patch.c: heddle patch: a program that prevents one finding. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "campaign/patch.h"
#include "cmd/opt.h"
#include "cmd/stop.h"
#include "judge/store_use.h"

#define RUNS_DEFAULT 200u
#define NATIVE_DEFAULT 20u

static volatile sig_atomic_t is_stopped;
static struct patch_request asked = { .runs = RUNS_DEFAULT, .native = NATIVE_DEFAULT, .is_stopped = &is_stopped };

static void print_orders(const struct patch *patch)
{
	for (size_t i = 0; i < patch->order_count; i++) {
		struct buf place = { 0 }, previous = { 0 };
		const struct patch_order *order = &patch->orders[i];
		learned_place_describe(&place, patch_place(&patch->places, order->place));
		if (order->previous)
			learned_place_describe(&previous, patch_place(&patch->places, order->previous));
		printf("  prevented: %s right after %s%s\n", place.data,
		       order->previous ? previous.data : "no access of another thread",
		       order->previous ? " of another thread" : "");
		buf_release(&place);
		buf_release(&previous);
	}
	printf("  guarded: %" PRIu32 " place%s\n", patch->guarded_count, patch->guarded_count == 1 ? "" : "s");
}

static void print_count(const char *what, const struct patch_count *now, const struct patch_count *bare)
{
	printf("  %s: %" PRIu64 " of %" PRIu64 " fail", what, now->failed, now->runs);
	if (bare)
		printf(" (without the patch: %" PRIu64 " of %" PRIu64 ")", bare->failed, bare->runs);
	if (now->others)
		printf("; %" PRIu64 " fail in another way, as without the patch", now->others);
	printf("\n");
}

static void print_turns(const struct patch *patch)
{
	for (size_t i = 0; i < patch->turn_count; i++) {
		struct buf place = { 0 };
		learned_place_describe(&place, patch_place(&patch->places, patch->turns[i]));
		printf("%s%s", i ? ", " : "", place.data);
		buf_release(&place);
	}
}

static void print_patch(const struct patch *patch)
{
	char *out = text_terminal_copy(asked.out);
	printf("heddle patch: H%" PRId64 " %s\n", asked.id, patch->kind);
	print_orders(patch);
	print_count("its schedule and its neighbours", &patch->near, &patch->bare_near);
	if (asked.runs)
		print_count("random schedules", &patch->random, &patch->bare_random);
	if (patch->no_native) {
		printf("  natively: not run: %s\n", patch->no_native);
	} else {
		print_count(patch->turn_count ? "natively, with sleeps" : "natively", &patch->native,
			    &patch->bare_native);
	}
	if (patch->short_count)
		printf("  %" PRIu64 " more run%s in which a wait of 10 ms was too short failed, as on a busy machine\n",
		       patch->short_count, patch->short_count == 1 ? "" : "s");
	if (!patch->no_native && patch->turn_count) {
		printf("  sleeps of %u ms before: ", PATCH_SLEEP_US / 1000);
		print_turns(patch);
		printf("\n");
	}
	if (patch->baked.runs)
		print_count("the patched program, as it is", &patch->baked, NULL);
	printf("  written: \"%s\"\n", out);
	free(out);
}

static int patch_main(char **operands, size_t count)
{
	struct err err = ERR_INIT;
	struct patch patch;
	(void)count;
	if (!asked.out) {
		err_set(&err, EINVAL, "heddle patch requires the program to write: -o FILE");
		err_print(&err, "heddle");
		return EXIT_USAGE;
	}
	asked.id = store_read_id(operands[0], &err);
	if (!asked.id) {
		err_print(&err, "heddle");
		return EXIT_USAGE;
	}
	stop_catch(&is_stopped);
	int code = patch_make(&patch, &asked, &err);
	if (code == 0)
		print_patch(&patch);
	else
		err_print(&err, "heddle");
	patch_release(&patch);
	return code < 0 ? EXIT_CANNOT : EXIT_FOUND_NOTHING;
}

static const struct opt options[] = {
	OPT_ROW_OUT(&asked.out),
	{ "runs", "N", "number of random schedules that must not fail (default: 200)", OPT_NUMBER, &asked.runs },
	{ "native-runs", "N",
	  "number of runs of the program itself that must not fail, with sleeps where the threads of the schedule were "
	  "preempted (default: 20)",
	  OPT_NUMBER, &asked.native },
	{ "input", "FILE", "standard input of each run (default: none)", OPT_TEXT, &asked.input },
	OPT_ROW_CHECK(&asked.check),
	OPT_ROW_RUNTIME(&asked.runtime),
	OPT_ROW_STORE(&asked.store),
	OPT_END,
};

const struct command command_patch = {
	.name = "patch",
	.operands = "ID",
	.summary = "write a copy of a program that prevents one failure that heddle test has found",
	.details = "Takes the schedule of the finding, and looks for an order of two accesses without which it\n"
		   "does not fail. The written program lets a thread wait for at most 10 ms when it is about to\n"
		   "make an access in that order. Before it is written, the schedule, its neighbours, random\n"
		   "schedules and native runs must no longer fail.\n\n"
		   "Exits with 0 if the program was written, and with 3 if not: deadlocks, and failures that\n"
		   "need several variables, cannot be prevented in this way.",
	.options = options,
	.operand_kind = OPERAND_FINDING,
	.operands_min = 1,
	.operands_max = 1,
	.run = patch_main,
};
