/*
 * classify_limits.c: when a classification must not say more than it knows: its runs are so long that not all of them can be made, or the
 * user's check rejects every run, so that it does not judge the race.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "campaign/classify_priv.h"

/* Of all runs of a race: by events, so that the same classification has the same limit. */
#define EVENTS_MOST 2000000000ull
/* A net under that for programs that wait for the outside. What it cuts off is undecided. */
#define SECONDS_NET 300.0

bool classify_is_spent(const struct classifying *self)
{
	return self->events >= EVENTS_MOST;
}

double classify_seconds(const struct classifying *self)
{
	return test_is_timed(self->test) ? test_classify_deadline(self->test) - time_now_seconds() : SECONDS_NET;
}

int classify_check_spent(const struct classifying *self, enum campaign_end end, struct err *err)
{
	if (self->witness_count >= self->wanted_count || (end != CAMPAIGN_TIME && !classify_is_spent(self)))
		return 0;
	err_set(err, ETIME, "its runs are long: only %zu of %zu were made within %s", self->witness_count,
		self->wanted_count,
		end != CAMPAIGN_TIME        ? "2,000 million events"
		: test_is_timed(self->test) ? "the time limit"
					    : "5 minutes; --time SECONDS allows more");
	return -ETIME;
}

static bool is_of_check(const struct witness *witness)
{
	return witness->failure && strncmp(witness->failure, CLASSIFY_CHECK, strlen(CLASSIFY_CHECK)) == 0;
}

static void forget_harm(struct classifying *self)
{
	if (self->harm_trace)
		unlink(self->harm_trace);
	free(self->harm_trace);
	self->harm_trace = NULL;
	self->is_harm_other = false;
}

/* A check that rejects some runs distinguishes; one that rejects all does not, also if no run had the other order. */
int classify_doubt_check(struct classifying *self, struct err *err)
{
	size_t failed[2] = { 0, 0 }; /* of the recorded order, of the other one */
	for (size_t i = 0; i < self->witness_count; i++)
		if (is_of_check(&self->witnesses[i]) && self->witnesses[i].order == WITNESS_MADE)
			failed[self->witnesses[i].is_other]++;
	if (!failed[0] || self->checked != self->check_failed)
		return 0;
	for (size_t i = 0; i < self->witness_count; i++)
		if (is_of_check(&self->witnesses[i])) {
			self->witnesses[i].failure = NULL;
			self->witnesses[i].is_lost = true;
		}
	forget_harm(self);
	return err_set(err, EINVAL,
		       "the check fails in all %" PRIu64 " runs, whatever the order, so it does not judge the race",
		       self->checked);
}
