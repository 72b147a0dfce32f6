/* findings_replay.c: see findings_replay.h. */
#include "narrate/findings_replay.h"
#include "base/time.h"

#include <stdlib.h>

#include "narrate/advice.h"
#include "narrate/detected.h"
#include "narrate/interleaving.h"
#include "narrate/lacking.h"
#include "narrate/timeline.h"

#define MAX_SECONDS 20.0

/* The event of the evidence that the finding is complete with; 0: its end. */
static uint64_t last_event(const struct finding *finding)
{
	uint64_t last = 0;
	for (size_t i = 0; i < finding->evidence.site_count; i++) {
		if (!finding->evidence.sites[i].event)
			return 0;
		last = finding->evidence.sites[i].event > last ? finding->evidence.sites[i].event : last;
	}
	return last;
}

/* What the last replay was of: findings of one run are looked at together. */
struct replayed {
	struct timeline timeline;
	struct judge judge;
};

static void release(struct replayed *self)
{
	timeline_release(&self->timeline);
	judge_release(&self->judge);
	self->judge = (struct judge){ 0 };
}

/* The evidence may be of another run than the one that the store describes: what is found in it again says more. */
static const struct finding *find_again(const struct replayed *self, const struct finding *finding)
{
	const struct finding *again = findings_matching(&self->judge.findings, finding);
	return again ? again : finding;
}

static void take_acts(struct finding *finding, const struct finding *shown)
{
	for (size_t i = 0; shown != finding && i < shown->evidence.act_count; i++)
		finding_add_act(finding, &shown->evidence.acts[i]);
}

/* The rows of the interleaving, and what to try. */
static int replay(struct replayed *self, struct finding *finding, struct err *err)
{
	int code = timeline(&self->timeline, finding->evidence.trace, last_event(finding), 0, err);
	if (code < 0)
		return code;
	if (code == 0) {
		judge_release(&self->judge);
		self->judge = (struct judge){ 0 };
		detected_find(&self->judge, &self->timeline.result, &self->timeline.report, finding->evidence.trace);
	}
	const struct finding *shown = find_again(self, finding);
	interleaving_json(&finding->presentation.interleaving, finding, shown, &self->timeline);
	advice_collect(&finding->presentation.advice, shown, &self->timeline, NULL);
	take_acts(finding, shown);
	return 0;
}

void findings_replay(struct findings *findings, struct strings *notes)
{
	struct replayed replayed = { .timeline = { .count = 0 } };
	double began = time_now_seconds();
	struct lacking lacking = { 0 };
	size_t left = 0;
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *finding = findings->items[i];
		struct err err = ERR_INIT;
		if (!finding->evidence.trace || finding->evidence.is_slow)
			continue;
		if (time_now_seconds() - began > MAX_SECONDS)
			left++;
		else if (replay(&replayed, finding, &err) < 0)
			lacking_add(&lacking, LACKING_INTERLEAVING, err.message, finding->identity.number);
	}
	release(&replayed);
	lacking_note(&lacking, notes);
	if (left)
		strings_note(notes,
			     "%zu finding%s reported without the interleaving: it would take too long; heddle show ID "
			     "shows it",
			     left, left == 1 ? " is" : "s are");
}
