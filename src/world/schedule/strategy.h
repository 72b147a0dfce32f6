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

/* The fair tail: see world/schedule/fair.c. It has no number, since it cannot be requested. */
extern const struct strategy strategy_fair;
/* In the fair tail: by how much virtual time should jump now; 0: not at all. */
uint64_t fair_step_ns(void);

/* strategy->start, with what all strategies need. */
void strategy_start(const struct strategy *strategy);
/* strategy->pick, and reports the choice. Null: see there. */
struct thread *strategy_pick(const struct strategy *strategy, struct thread *self);
/* A thread is new; before strategy->woken. Whether there is a strategy or not. */
void strategy_name_thread(struct thread *thread);
/* Call it when the current thread is about to free memory, by a call at `code`, which is no event. For strategy ordered. */
void ordered_free(const volatile void *start, size_t size_bytes, uintptr_t code);
/* For the channel, when the run ends. */
void strategy_report_weights(void);
/* One thread runs instead of another from here on: into channel.seen. */
void strategy_report_switch(const struct thread *from, const struct thread *to);
/* The same into channel.reported_steps, if that is asked for. self: null when it could not go on. */
void strategy_report_step(const struct thread *self, const struct thread *to);
/* The wait of a thread ends early: into reported_steps and early_count. */
void strategy_report_early(const struct thread *self, const struct thread *thread);
/* A hash of something that happened: into channel.seen. */
void strategy_report_seen(uint64_t hash);

#endif
