/*
 * strategy.h: a strategy decides which thread runs next. It is a small table of functions, and world/world.c knows
 * nothing else about it. It sees world.runnable, and its choices must depend only on the seed and on the data that it
 * is given.
 */
#ifndef WORLD_SCHEDULE_STRATEGY_H
#define WORLD_SCHEDULE_STRATEGY_H

#include "world/world.h"

struct strategy {
	const char *name;
	/* Asked at every event that is not an access, not only when a slice is over. */
	bool decides_sync;
	void (*start)(void);
	/* Chooses among at least two runnable threads. self: the one that ran; null when it cannot go on. With
	 * world.decides_alone also among one, and null means: if a thread waits for time, let time pass, then ask
	 * again. */
	struct thread *(*pick)(struct thread *self);
	/* How many events the thread may have before pick is called again. */
	uint64_t (*slice)(const struct thread *thread);
	/* Called when a thread is new, or can run again. Returns true to be asked at the next event. */
	bool (*woken)(struct thread *thread, bool is_new);
	/* Called when the thread yields. */
	void (*yielded)(struct thread *thread);
};

/* By enum heddle_strategy; null for an unknown one and for replay, which world/replay.c does itself. */
const struct strategy *strategy_of(uint32_t number);

/* The fair tail: see world/schedule/fair.c. It has no number, because it cannot be requested. */
extern const struct strategy strategy_fair;
/* Returns by how much virtual time should jump now in the fair tail; 0: not at all. */
uint64_t fair_step_ns(void);

/* Calls strategy->start after the preparations that all strategies need. */
void strategy_start(const struct strategy *strategy);
/* Calls strategy->pick, reports the choice, and returns it; for null see there. */
struct thread *strategy_pick(const struct strategy *strategy, struct thread *self);
/* Call it for each new thread, before strategy->woken, even if there is no strategy. */
void strategy_name_thread(struct thread *thread);
/* Call it when the current thread is about to free memory, by a call at `code`, which is no event. For strategy
 * ordered. */
void ordered_free(const volatile void *start, size_t size_bytes, uintptr_t code);
/* Writes the weights to the channel when the run ends. */
void strategy_report_weights(void);
/* Enters a switch from one thread to another into channel.seen. */
void strategy_report_switch(const struct thread *from, const struct thread *to);
/* Enters the switch into channel.reported_steps, if steps were requested. self: null if it could not continue. */
void strategy_report_step(const struct thread *self, const struct thread *to);
/* Enters a wait that ends early into reported_steps and early_count. */
void strategy_report_early(const struct thread *self, const struct thread *thread);
/* Enters the hash of a behaviour into channel.seen. */
void strategy_report_seen(uint64_t hash);

#endif
