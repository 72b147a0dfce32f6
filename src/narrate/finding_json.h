/*
 * finding_json.h: findings as JSON, as heddle test and heddle report write them; docs/FORMATS.md has the schema.
 */
#ifndef NARRATE_FINDING_JSON_H
#define NARRATE_FINDING_JSON_H

#include "judge/finding.h"
#include "judge/suppress.h"

/* Appends an object. program: of which it is, where a document has findings of several; null: it is not told. store: see store_option. */
void finding_json(struct buf *out, const struct finding *finding, const char *program, const char *store);

/* Appends a member, without a comma: a string, or null. */
void json_put(struct buf *out, const char *name, const char *value);

/* Appends the members "function", as people write it, and "full_name" where that is longer. Null is allowed. */
void json_put_function(struct buf *out, const char *function);

/* Appends a comma and a member: a list of strings; the suppressions. */
void json_put_strings(struct buf *out, const char *name, const struct strings *list);
void json_put_suppressions(struct buf *out, const struct suppressions *suppressions);

#endif
