/*
 * advice.h: what to try about a finding, from what is known of it: what each side held, what other accesses hold, who made
 * the threads, in which order locks were taken, what was signalled when. Advice that no fact supports is not given.
 */
#ifndef CMD_ADVICE_H
#define CMD_ADVICE_H

#include "cmd/finding.h"
#include "cmd/play.h"

/* Adds sentences, escaped. play: of the evidence; null: there is none. others: findings of the same runs; null: none. */
void advice_collect(struct strings *advice, const struct finding *finding, const struct play *play,
		    const struct findings *others);

/* A thread was preempted between two accesses of its own, and another thread changed what both are about. Events from 0. */
struct advice_crossing {
	size_t first, other, second;
};

/* turn: the item of the play at which it was preempted. */
bool advice_crossing(struct advice_crossing *crossing, const struct play *play, size_t turn);

/* Whether there are so few preemptions that each of them says something. */
bool advice_has_few_turns(const struct play *play);

#endif
