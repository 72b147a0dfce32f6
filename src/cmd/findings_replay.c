/* findings_replay.c: see findings_replay.h. */
#include "cmd/findings_replay.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cmd/advice.h"
#include "cmd/detected.h"
#include "cmd/interleaving.h"
#include "cmd/play.h"
#include "cmd/test_priv.h"

#define SECONDS_MOST 20.0
#define TOLD_MOST 10u /* failures that are noted one by one */

static int replay(struct finding *finding, struct err *err)
{
	struct interleaving_mark *marks = mem_alloc((finding->site_count + 1) * sizeof *marks);
	for (size_t i = 0; i < finding->site_count; i++) {
		const struct finding_site *site = &finding->sites[i];
		marks[i] = (struct interleaving_mark){ site->event, site->thread, site->line, site->file };
	}
	int code = interleaving_json(&finding->interleaving, finding->trace, marks, finding->site_count, err);
	free(marks);
	return code;
}

/* The event of the evidence that the finding is complete with; 0: its end. */
static uint64_t last_event(const struct finding *finding)
{
	uint64_t last = 0;
	if (!detected_is(finding))
		return 0;
	for (size_t i = 0; i < finding->site_count; i++)
		last = finding->sites[i].event > last ? finding->sites[i].event : last;
	return last;
}

/* What cannot be replayed for it is told without. */
static void advise(struct finding *finding, const struct findings *others, bool is_stored)
{
	struct play play_now = { .count = 0 };
	struct judge judge = { 0 };
	struct err ignored = ERR_INIT;
	bool is_had = play(&play_now, finding->trace, last_event(finding), &ignored) == 0;
	const struct finding *again = NULL;
	if (is_stored && is_had) {
		detected_find(&judge, &play_now.result, &play_now.report, finding->trace);
		again = findings_like(&judge.findings, finding);
	}
	if (!is_stored || is_had)
		advice_collect(&finding->advice, again ? again : finding, is_had ? &play_now : NULL,
			       is_stored ? NULL : others);
	play_release(&play_now);
	judge_release(&judge);
}

void findings_replay(struct findings *findings, bool is_stored, struct strings *notes)
{
	double began = test_now();
	size_t left = 0, failed = 0;
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *finding = findings->items[i];
		struct err err = ERR_INIT;
		if (!finding->trace || finding->is_slow)
			continue;
		if (test_now() - began > SECONDS_MOST)
			left++;
		else if (replay(finding, &err) == 0)
			advise(finding, findings, is_stored);
		else if (failed++ < TOLD_MOST)
			test_note(notes, "H%" PRIu64 " is reported without its interleaving: %s", finding->number,
				  err.message);
	}
	if (failed > TOLD_MOST)
		test_note(notes, "%zu more cannot be replayed either", failed - TOLD_MOST);
	if (left)
		test_note(notes, "%zu finding%s reported without interleaving: that would take too long", left,
			  left == 1 ? " is" : "s are");
}
