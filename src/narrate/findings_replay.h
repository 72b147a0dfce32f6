/*
 * findings_replay.h: the interleavings of findings and what to try, for reports: the evidence of each is replayed, as long as there is time for that.
 */
#ifndef NARRATE_FINDINGS_REPLAY_H
#define NARRATE_FINDINGS_REPLAY_H

#include "judge/finding.h"

/* Sets the interleavings and the advice of findings of the store, which does not have all that these need. Adds a note
 * about what could not be computed. */
void findings_replay(struct findings *findings, struct strings *notes);

#endif
