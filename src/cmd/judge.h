/*
 * judge.h: what one schedule shows. Looks at how it ended and at what detection reported, and puts it among the findings
 * with words for people. Prints nothing.
 */
#ifndef CMD_JUDGE_H
#define CMD_JUDGE_H

#include "cmd/finding.h"
#include "cmd/scene.h"
#include "explore/campaign.h"

struct judge {
	struct findings findings;
	struct scene scene;
};

/* Start with { 0 }. */
void judge_release(struct judge *self);

/* What a schedule showed. */
struct judged {
	bool is_failure;       /* it ended in a way that is a finding */
	bool is_lost;          /* it could not be controlled to its end, so nothing is known of that */
	uint32_t new_findings; /* the last of judge.findings */
};

void judge_run(struct judge *self, const struct campaign_run *run, const struct report *report, struct judged *judged);

#endif
