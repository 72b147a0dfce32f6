/* classify_reason.c: why a race that was judged harmless is: see model/reason.h. */
#include "campaign/classify_priv.h"
#include "judge/reason.h"
#include "narrate/reason.h"

void classify_find_reason(struct classifying *self)
{
	struct finding *race = self->race;
	struct verdict *verdict = &race->evidence.verdict;
	struct scene *scene = &self->test->judge.scene;
	struct reason_look look;
	struct err unknown = ERR_INIT;
	buf_release(&race->presentation.why);
	if (verdict->class != VERDICT_HARMLESS)
		return;
	/* Without facts there is no reason, which is no error. */
	if (reason_look(&look, scene, &race->evidence.race, race->evidence.trace, self->other_trace,
			test_keep_deadline(self->test), &unknown) == 0) {
		verdict->reason = look.reason.reason;
		reason_tell(&race->presentation.why, &look, scene, &race->evidence.race);
	}
	reason_look_release(&look);
}
