/*
 * learn.c: records histories for heddle train in the controlled world: the same histories as in mode train, of the
 * accesses in the order in which the threads make them there. It is a listener of the observer (rt/observe.h), and sees
 * proved accesses only in a run that reports them (HEDDLE_CONTROL_AUDIT).
 *
 * Invariants:
 *  1. It listens only in runs for which a file of histories was given.
 *     Assured by tests/cli/train-control.t.
 */
#include "parallel/history.h"
#include "parallel/progress.h"
#include "parallel/train_file.h"
#include "rt/observe.h"
#include "rt/option.h"

static struct heddle_train *file;

static int learn_start(void)
{
	if (!options.train_path[0])
		return 0;
	int code = train_file_open(&file);
	return code < 0 ? code : 1;
}

static void learn_access(const volatile void *address, size_t size_bytes, const struct heddle_site *site,
			 uint32_t thread)
{
	uint32_t number = train_file_number(site);
	if (!number || !address)
		return;
	uintptr_t at = (uintptr_t)address;
	uint64_t waiting = 0;
	progress_next(thread);
	if (site->flags & HEDDLE_SITE_RANGE)
		waiting = train_file_access_range(at, size_bytes, number, thread);
	else
		waiting = history_access(at, number, thread);
	/* No other thread runs before it is made. */
	progress_next(thread);
	for (; waiting; waiting &= waiting - 1)
		history_made(at + (size_t)__builtin_ctzl(waiting) * HEDDLE_CELL_BYTES, number, thread);
}

static void learn_forget(const volatile void *start, size_t size_bytes)
{
	history_forget((uintptr_t)start, size_bytes, 0);
}

const struct listener listener_histories = {
	.start = learn_start,
	.attach = train_file_enter,
	.access = learn_access,
	.forget = learn_forget,
};
