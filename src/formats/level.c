/* level.c: see level.h. */
#include "formats/level.h"

#include "base/json.h"

enum finding_kind kind_of(const struct json *finding)
{
	return kind_find(json_string(finding, "kind"));
}

enum verdict_class class_of(const struct json *finding)
{
	return verdict_find(json_string(finding, "class"));
}

enum kind_level kind_level(const struct json *finding)
{
	const enum verdict_class class = class_of(finding);
	const struct kind *kind = &kinds[kind_of(finding)];
	if (class != VERDICT_COUNT)
		return verdict_classes[class].level;
	if (kind->traits & KIND_CANDIDATE && json_number(finding, "score") >= KIND_LIKELY_SCORE)
		return KIND_WARNING;
	return kind->level;
}
