/*
 * interleaving.h: the part of a run that matters for a finding, as rows: which thread did what, in which order, around
 * its cause. The rows are those that heddle show draws as columns; here they are for reports that are read without
 * Heddle.
 */
#ifndef NARRATE_INTERLEAVING_H
#define NARRATE_INTERLEAVING_H

#include "judge/finding.h"
#include "narrate/timeline.h"

/*
 * Appends a JSON object with two members: "threads", names by number, and "interleaving", the rows (docs/FORMATS.md). shown: the
 * finding as it is in the timeline; finding: the one whose sites the rows name, often the same.
 */
void interleaving_json(struct buf *out, const struct finding *finding, const struct finding *shown,
		       const struct timeline *timeline);

#endif
