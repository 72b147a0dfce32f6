/* kinds.c: see kinds.h. */
#include "model/kinds.h"

#include <string.h>

const char *const kind_level_words[KIND_LEVEL_COUNT] = {
	[KIND_ERROR] = "error",
	[KIND_WARNING] = "warning",
	[KIND_NOTE] = "note",
};

#define KIND(ID, word, name, level, traits, fingerprint, seen, look, severity, title, about, help, ...)                \
	[FINDING_##                                                                                                    \
		ID] = { word, name, level, traits, fingerprint, seen, severity, title, about, help, { __VA_ARGS__ } },
const struct kind kinds[FINDING_ALL_COUNT] = {
#include "model/kinds.def"
};

#define KIND_OF_RUNS
#define KIND(ID, word, ...) [FINDING_##ID] = word,
const char *const kind_words[FINDING_KIND_COUNT + 1] = {
#include "model/kinds.def"
};

enum finding_kind kind_find(const char *word)
{
	enum finding_kind at = 0;
	while (at < FINDING_OTHER && (!word || strcmp(kinds[at].word, word) != 0))
		at++;
	return at;
}
