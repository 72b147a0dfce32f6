/* strategies.h: the rows of heddle/strategies.h in the form that the tools use. */
#ifndef EXPLORE_STRATEGIES_H
#define EXPLORE_STRATEGIES_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle/strategies.h"

/* Texts for --help, made of all rows. */
#define STRATEGIES_NAMES_FIRST(word) word
#define STRATEGIES_NAMES_YES(word) ", " word
#define STRATEGIES_NAMES_NO(word)
#define STRATEGIES_NAME(ID, number, name, word, by_seed, walk, points, depth, length) STRATEGIES_NAMES_##by_seed(word)
#define STRATEGIES_BY_SEED HEDDLE_STRATEGIES(STRATEGIES_NAME) /* "random, pct" */

#define STRATEGIES_DEPTH_DEPTH(text) text "; "
#define STRATEGIES_DEPTH_DEPTHS(text) text "; "
#define STRATEGIES_DEPTH_NO ""
#define STRATEGIES_DEPTH(ID, number, name, word, by_seed, walk, points, depth, length) STRATEGIES_DEPTH_##depth
#define STRATEGIES_DEPTHS HEDDLE_STRATEGIES(STRATEGIES_DEPTH) "not used by others"

struct strategies_row {
	const char *word;
	uint32_t number;
	bool is_by_seed, is_walk, sees_points, has_depths, has_length; /* as heddle/strategies.h has them */
	const char *depth; /* the description of its --depth in --help; null: it has none */
};

/* Indexed by number; each strategy has a row. */
extern const struct strategies_row strategies_rows[HEDDLE_STRATEGY_COUNT];

/* The words of the strategies that are determined by a seed, in the order of heddle/strategies.h; the last is null. */
extern const char *const strategies_by_seed[];

/* Returns the row of a word, or null if there is none. */
const struct strategies_row *strategies_find(const char *word);

#endif
