/* level.c: see level.h. */
#include "formats/level.h"

#include <string.h>

#include "base/json.h"

enum finding_kind kind_of(const struct json *finding)
{
	return kind_find(json_string(finding, "kind"));
}

/* The words of classes are not fixed yet; these two can mean only one thing. */
enum kind_level kind_level(const struct json *finding)
{
	const char *class = json_string(finding, "class");
	if (class && strcmp(class, "harmful") == 0)
		return KIND_ERROR;
	if (class && strcmp(class, "harmless") == 0)
		return KIND_NOTE;
	const struct kind *kind = &kinds[kind_of(finding)];
	if (kind->traits & KIND_CANDIDATE && json_number(finding, "score") >= KIND_LIKELY_SCORE)
		return KIND_WARNING;
	return kind->level;
}
