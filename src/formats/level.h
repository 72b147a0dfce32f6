/* level.h: of which kind a finding in a document is, which class it has, and how bad it is. */
#ifndef FORMATS_LEVEL_H
#define FORMATS_LEVEL_H

#include "model/kinds.h"
#include "model/verdict.h"

struct json;

enum finding_kind kind_of(const struct json *finding);

/* Of a data race that was classified; VERDICT_COUNT: it was not, or by a word that this version does not know. */
enum verdict_class class_of(const struct json *finding);

/* From this score on, of 100, a candidate is a warning. */
#define KIND_LIKELY_SCORE 50u

/* How bad the finding is: by its class where it has one, of candidates by their score, else by its kind. */
enum kind_level kind_level(const struct json *finding);

#endif
