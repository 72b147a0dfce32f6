/* strategy_priv.h: declarations that strategies share. Each strategy is a file in this folder, and defines
 * strategy_NAME. */
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

/* For the members woken and yielded of a strategy: woken_never does nothing; yielded_marked marks the thread, so that
 * it is left out once. */
bool woken_never(struct thread *thread, bool is_new);
void yielded_marked(struct thread *thread);

/* Fills in the threads that can run and did not yield, or all that can run if all yielded, and clears the marks.
 * Returns their number, at most CANDIDATES; if there are more, the list begins with a random one, so that each has a
 * chance. The caller's array must be static: the stack of a thread of the program may be too small for it, and
 * decisions are never nested. */
#define CANDIDATES 256u
uint32_t candidates_take(struct thread *candidates[CANDIDATES]);

/* Returns the thread with the largest priority of those that can run; of several, the first. */
struct thread *priority_highest(void);

/* Whether the next events of two threads conflict: swapping them changes the result. */
bool events_conflict(const struct thread *a, const struct thread *b);

/* Returns the weight that an earlier schedule reported for the thread, or null if there is none. */
const struct heddle_weight *weight_of(const struct thread *thread);

/* Returns the thread whose sleep or time-out a step ends here, and moves past that step; null: there is none. */
struct thread *steered_early(struct thread *self);
/* Skips the next step of the thread. */
void steered_pass(struct thread *thread);
/* Whether any step ends a sleep or time-out early. */
bool steered_has_early(void);

/* Thread order without preemption: see world/schedule/order.c. */
void order_yielded(struct thread *thread);

#define STRATEGY_DECLARED(ID, number, name, ...) extern const struct strategy strategy_##name;
HEDDLE_STRATEGIES(STRATEGY_DECLARED)

#endif
