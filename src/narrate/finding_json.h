/*
 * finding_json.h: findings as JSON, as heddle test and heddle report write them; docs/FORMATS.md has the schema.
 */
#ifndef NARRATE_FINDING_JSON_H
#define NARRATE_FINDING_JSON_H

#include "base/json_writer.h"
#include "judge/finding.h"
#include "judge/suppress.h"

/* Adds an object to an array. program: the one that it belongs to, in a document with findings of several; null:
 * omitted. store: see store_option. */
void finding_json(struct json_writer *out, const struct finding *finding, const char *program, const char *store);

/* Adds the members "function", as people write it, and "full_name" where that is longer. Null is allowed. */
void json_add_function(struct json_writer *out, const char *function);

/* Adds the member "suppressions". */
void json_add_suppressions(struct json_writer *out, const struct suppressions *suppressions);

#endif
