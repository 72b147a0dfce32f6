/* findings_replay.c: see findings_replay.h. */
#include "cmd/findings_replay.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cmd/interleaving.h"
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

void findings_replay(struct findings *findings, struct strings *notes)
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
		else if (replay(finding, &err) < 0 && failed++ < TOLD_MOST)
			test_note(notes, "H%" PRIu64 " is reported without its interleaving: %s", finding->number,
				  err.message);
	}
	if (failed > TOLD_MOST)
		test_note(notes, "%zu more cannot be replayed either", failed - TOLD_MOST);
	if (left)
		test_note(notes, "%zu finding%s reported without interleaving: that would take too long", left,
			  left == 1 ? " is" : "s are");
}
