/*
 * strategies.h: the table of strategies, one row each: the number in the channel and in traces, the word that users write, and its
 * properties. Everything else that lists strategies is made from this: the runtime's table, the planners of heddle test, the
 * names, the help and the checks of options. A new strategy is a file in src/world/schedule and a row here; its number is the next one, and no number
 * is ever used again. mk/abi.sum changes with it (tests/project/abi.t prints the new sum), and HEDDLE_ABI_VERSION if that version was released.
 * Only a strategy that needs input from the tool, or that heddle test should choose by itself, needs a planner in src/explore, too.
 *
 * EACH(ID, number, name, word, by_seed, walk, points, depth, length)
 *   name     strategy_NAME is the runtime's table
 *   by_seed  YES: a schedule follows from a seed alone, so heddle run has it; FIRST: and it is the default; NO: it needs more input from the tool
 *   walk     YES: heddle test can walk through its seeds by that name; NO: it has a planner of its own, or none
 *   points   YES: it is asked at each access, so that a run counts them all; NO: only at some
 *   depth    DEPTH(text): it has a --depth, described so in --help; DEPTHS(text): and heddle test tries several; NO: it has none
 *   length   YES: it has a --length; NO
 */
#ifndef HEDDLE_STRATEGIES_H
#define HEDDLE_STRATEGIES_H

/* clang-format off */
#define HEDDLE_STRATEGIES(EACH) \
	EACH(RANDOM,      0,  random,      "random",      FIRST, YES, NO,  NO, NO) \
	EACH(PCT,         1,  pct,         "pct",         YES,   YES, NO,  DEPTHS("pct: number of switches that the bug needs, plus one (default: 3)"), YES) \
	EACH(POS,         6,  pos,         "pos",         YES,   YES, YES, NO, NO) /* partial order sampling */ \
	EACH(SURW,        7,  surw,        "surw",        YES,   YES, YES, NO, NO) /* random walk, weighted by what threads have left to do */ \
	EACH(PERIOD,      9,  period,      "period",      YES,   YES, YES, DEPTHS("period: number of periods (3)"), NO) /* threads one after the other, in a few rounds */ \
	EACH(ROUND_ROBIN, 2,  round_robin, "round-robin", YES,   YES, NO,  DEPTH("round-robin: events per turn (20)"), NO) \
	EACH(PRIORITY,    3,  priority,    "priority",    YES,   YES, NO,  NO, NO) /* the oldest thread that can run, never preempted */ \
	EACH(REVERSE,     4,  reverse,     "reverse",     YES,   YES, NO,  NO, NO) /* the youngest */ \
	EACH(COMPLEMENT,  10, complement,  "complement",  YES,   NO,  NO,  DEPTH("complement: 1 for the opposite order"), NO) /* never preempted, in an order of the seed's */ \
	EACH(REPLAY,      5,  replay,      "replay",      NO,    NO,  NO,  NO, NO) /* the switches of a log */ \
	EACH(STEERED,     8,  steered,     "steered",     NO,    NO,  NO,  NO, NO) /* follows steps; else the current thread continues, else the oldest */ \
	EACH(READS_FROM,  11, reads_from,  "reads-from",  NO,    NO,  YES, NO, NO) /* pos, with wishes about which read reads from which write */ \
	EACH(LOCKS,       12, locks,       "locks",       NO,    NO,  NO,  NO, NO) /* towards a deadlock; odd depth: preempts at random, else never */ \
	EACH(ORDERED,     13, ordered,     "ordered",     NO,    NO,  NO,  NO, NO) /* steered, with the other order of two accesses */ \
	EACH(PAIR,        14, pair,        "pair",        NO,    NO,  NO,  NO, NO) /* towards accesses of the hot sites right after each other; odd depth: preempts at random, else never */ \
	EACH(EXPOSE,      15, expose,      "expose",      NO,    NO,  NO,  NO, NO) /* holds a thread back from an access until another has made one that always came after it */
/* clang-format on */

#define HEDDLE_STRATEGY_NUMBER(ID, number, name, word, by_seed, walk, points, depth, length)                           \
	HEDDLE_STRATEGY_##ID = (number),
#define HEDDLE_STRATEGY_ONE(ID, number, name, word, by_seed, walk, points, depth, length) +1

enum heddle_strategy {
	HEDDLE_STRATEGIES(HEDDLE_STRATEGY_NUMBER) HEDDLE_STRATEGY_COUNT = HEDDLE_STRATEGIES(HEDDLE_STRATEGY_ONE)
};

#endif
