/*
 * findings_replay.h: the interleavings of findings and what to try, for reports: the evidence of each is replayed, as long as time allows.
 */
#ifndef NARRATE_FINDINGS_REPLAY_H
#define NARRATE_FINDINGS_REPLAY_H

#include "judge/finding.h"

/* Sets the interleavings and the advice of stored findings, for which the store alone has too little information. Adds a note
 * about what could not be computed. */
void findings_replay(struct findings *findings, struct strings *notes);

#endif
