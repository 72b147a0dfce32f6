/* strategies.h: the rows of heddle/strategies.h as the tools use them. */
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
	const char *depth; /* what --help says of its --depth; null: it has none */
};

/* By number; all have a row. */
extern const struct strategies_row strategies_rows[HEDDLE_STRATEGY_COUNT];

/* The words of those that follow from a seed, in the order of heddle/strategies.h; null ends them. */
extern const char *const strategies_by_seed[];

/* The row of a word, or null. */
const struct strategies_row *strategies_find(const char *word);

#endif
