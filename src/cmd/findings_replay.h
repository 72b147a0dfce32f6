/*
 * findings_replay.h: the interleavings of findings and what to try, for reports: the evidence of each is replayed, as long as there is time for that.
 */
#ifndef CMD_FINDINGS_REPLAY_H
#define CMD_FINDINGS_REPLAY_H

#include "cmd/finding.h"

/* Sets the interleavings and the advice. What could not be had is noted. is_stored: they are of the store, which does not have all
 * that advice needs; that is looked at again then. */
void findings_replay(struct findings *findings, bool is_stored, struct strings *notes);

#endif
