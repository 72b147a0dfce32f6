/* groups_json.h: groups of findings as JSON: see docs/FORMATS.md. */
#ifndef NARRATE_GROUPS_JSON_H
#define NARRATE_GROUPS_JSON_H

#include "base/json_writer.h"
#include "judge/grouping.h"

/* Adds the member groups: the worst first. */
void groups_json(struct json_writer *out, const struct grouping *grouping);

#endif
