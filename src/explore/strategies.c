/* strategies.c: see strategies.h. */
#include "explore/strategies.h"

#include <stddef.h>
#include <string.h>

#define IS_FIRST true
#define IS_YES true
#define IS_NO false
#define HAS_DEPTHS(text) true
#define HAS_DEPTH(text) false
#define HAS_NO false
#define MEANS_DEPTHS(text) text
#define MEANS_DEPTH(text) text
#define MEANS_NO NULL
#define ROW(ID, count, name, text, by_seed, walk, points, depth_text, length)                                          \
	[HEDDLE_STRATEGY_##ID] = {                                                                                     \
		.word = text,                                                                                          \
		.number = HEDDLE_STRATEGY_##ID,                                                                        \
		.is_by_seed = IS_##by_seed,                                                                            \
		.is_walk = IS_##walk,                                                                                  \
		.sees_points = IS_##points,                                                                            \
		.has_depths = HAS_##depth_text,                                                                        \
		.has_length = IS_##length,                                                                             \
		.depth = MEANS_##depth_text,                                                                           \
	},

const struct strategies_row strategies_rows[HEDDLE_STRATEGY_COUNT] = { HEDDLE_STRATEGIES(ROW) };

#define WORD_FIRST(word) word,
#define WORD_YES(word) word,
#define WORD_NO(word)
#define WORD(ID, number, name, word, by_seed, walk, points, depth, length) WORD_##by_seed(word)

const char *const strategies_by_seed[] = { HEDDLE_STRATEGIES(WORD) NULL };

const struct strategies_row *strategies_find(const char *word)
{
	for (size_t i = 0; i < HEDDLE_STRATEGY_COUNT; i++)
		if (strcmp(strategies_rows[i].word, word) == 0)
			return &strategies_rows[i];
	return NULL;
}
