/*
 * advice.h: what to try about a finding, from what is known of it: what each side held, what other accesses hold, which
 * threads created the others, in which order locks were taken, what was signalled when. Advice that no fact supports is
 * not given.
 */
#ifndef NARRATE_ADVICE_H
#define NARRATE_ADVICE_H

#include "judge/finding.h"
#include "narrate/timeline.h"

/* Adds sentences, escaped. timeline: of the evidence; null: there is none. others: findings of the same runs; null: none. */
void advice_collect(struct strings *advice, const struct finding *finding, const struct timeline *timeline,
		    const struct findings *others);

/* A thread was preempted between two accesses of its own, or between one and the acquisition of the lock that it held there,
 * and another thread changed the same object. Events from 0. */
struct advice_crossing {
	size_t first, other, second;
};

/* Those that advice about a failure speaks of: the clearest of a run with few preemptions, one of each of these at
 * most. Returns how many: the preemptions of a run with more than that are not informative. */
#define ADVICE_CROSSINGS 3u
size_t advice_crossings(struct advice_crossing crossings[ADVICE_CROSSINGS], const struct timeline *timeline);

/* The events, from 0, that advice about threads that wait forever for condition variables refers to. Returns how many. */
#define ADVICE_WAIT_EVENTS 16u
size_t advice_wait_events(size_t events[ADVICE_WAIT_EVENTS], const struct timeline *timeline);

#endif
