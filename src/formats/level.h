/* level.h: of which kind a finding in a document is, and how bad it is. */
#ifndef FORMATS_LEVEL_H
#define FORMATS_LEVEL_H

#include "model/kinds.h"

struct json;

enum finding_kind kind_of(const struct json *finding);

/* A candidate with at least this score (of 100) is a warning. */
#define KIND_LIKELY_SCORE 50u

/* How bad the finding is: by its class where it has one, of candidates by their score, else by its kind. */
enum kind_level kind_level(const struct json *finding);

#endif
