/* level.c: see level.h. */
#include "formats/level.h"

#include <string.h>

#include "base/json.h"

const enum kind_level class_levels[VERDICT_COUNT] = {
	[VERDICT_UNDECIDED] = KIND_WARNING,      [VERDICT_SPEC_VIOLATED] = KIND_ERROR,
	[VERDICT_OUTPUT_DIFFERS] = KIND_WARNING, [VERDICT_HARMLESS] = KIND_NOTE,
	[VERDICT_SINGLE_ORDERING] = KIND_NOTE,
};

enum finding_kind kind_of(const struct json *finding)
{
	return kind_find(json_string(finding, "kind"));
}

enum verdict_class class_of(const struct json *finding)
{
	const char *word = json_string(finding, "class");
	for (int class = 0; word && class < VERDICT_COUNT; class ++)
		if (strcmp(word, verdict_words[class]) == 0)
			return (enum verdict_class) class;
	return VERDICT_COUNT;
}

enum kind_level kind_level(const struct json *finding)
{
	const enum verdict_class class = class_of(finding);
	const struct kind *kind = &kinds[kind_of(finding)];
	if (class != VERDICT_COUNT)
		return class_levels[class];
	if (kind->traits & KIND_CANDIDATE && json_number(finding, "score") >= KIND_LIKELY_SCORE)
		return KIND_WARNING;
	return kind->level;
}
