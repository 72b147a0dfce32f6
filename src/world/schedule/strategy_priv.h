/* strategy_priv.h: what strategies share. Each is a file of its own in this folder, and defines strategy_NAME. */
#ifndef WORLD_SCHEDULE_STRATEGY_PRIV_H
#define WORLD_SCHEDULE_STRATEGY_PRIV_H

#include "world/schedule/strategy.h"

/* No slice is longer than what world/world.c makes of this. */
#define SLICE_LONG 2000u

/* Random numbers of the seed. */
void random_start(void);
uint64_t random_next(void);
uint64_t random_below(uint64_t bound);
/* A number that looks random and depends on both. */
uint64_t random_mix(uint64_t a, uint64_t b);

/* Whether the current thread is before an event at which strategies may decide: a point (heddle/abi.h). */
bool point_is_here(const struct thread *self);
/* The slice of a strategy that wants to be asked at every point. */
uint64_t point_slice(const struct thread *thread);

/* Woken: nothing changes. Yielded: the thread is left out once. */
bool woken_never(struct thread *thread, bool is_new);
void yielded_marked(struct thread *thread);

/* Those that can run and did not yield, or all if all did; their marks are cleared. Returns how many: at most
 * CANDIDATES, beyond that beginning with a random one so that each has its chance. */
#define CANDIDATES 256u
uint32_t candidates_take(struct thread *candidates[CANDIDATES]);

/* Of the threads that can run, the one with the largest priority; the first of several. */
struct thread *priority_highest(void);

/* Whether the events that two threads stand before are in conflict: swapping them changes the result. */
bool events_conflict(const struct thread *a, const struct thread *b);

/* What an earlier schedule reported about the thread; null: nothing. */
const struct heddle_weight *weight_of(const struct thread *thread);

/* The thread whose sleep or time-out a step ends here; null: there is none. The step is passed. */
struct thread *steered_early(struct thread *self);
/* The next step of the thread is passed over. */
void steered_pass(struct thread *thread);
/* Whether there are such steps. */
bool steered_has_early(void);

/* Thread order without preemption: see world/schedule/order.c. */
void order_yielded(struct thread *thread);

#define STRATEGY_DECLARED(ID, number, name, ...) extern const struct strategy strategy_##name;
HEDDLE_STRATEGIES(STRATEGY_DECLARED)

#endif
