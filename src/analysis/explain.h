/*
 * explain.h: why two places are or are not a candidate. It asks the same questions as races.h, one after the other, for each pair
 * of accesses at the two places, and tells the first answer that rules the pair out with what it rests on: what each may
 * point to, which threads, which lock. What is a candidate is what races.h found, nothing else.
 *
 * A place is FILE:LINE or FILE:LINE:COLUMN, where FILE may lack folders in front; or site:SAME:ORDINAL:FUNCTION, the access
 * number ORDINAL of the function with that name before which SAME others have it (heddle check makes that of the number of a site).
 */
#ifndef ANALYSIS_EXPLAIN_H
#define ANALYSIS_EXPLAIN_H

#include "analysis/output.h"

/* Returns 0, or -EINVAL with err set when one of the two is no place. */
int explain_check(const char *a, const char *b, struct err *err);

/* Writes one JSON document: the head as output_write does, and "explain". The places were checked; all parts are there. */
void explain_all(FILE *to, const struct output_header *about, const struct output_parts *parts, const char *a,
		 const char *b);

#endif
