/* classify_reason.c: why a race that was judged harmless is: see model/reason.h. */
#include <errno.h>

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
	/* Without facts there is no reason, which is no error. */
	const double deadline = test_keep_deadline(self->test);
	int code = -ENOENT;
	if (verdict->class == VERDICT_HARMLESS && self->other_trace)
		code = reason_look(&look, scene, &race->evidence.race, race->evidence.trace, self->other_trace,
				   deadline, &unknown);
	else if (verdict->class == VERDICT_SINGLE_ORDERING && self->held_trace)
		code = reason_look_wait(&look, scene, &race->evidence.race, self->held_trace, deadline, &unknown);
	else
		return;
	if (code == 0) {
		verdict->reason = look.reason.reason;
		reason_tell(&race->presentation.why, &look, scene);
	}
	reason_look_release(&look);
}

bool classify_shows_wait(struct classifying *self)
{
	const struct finding *race = self->race;
	struct reason_look look;
	struct err unknown = ERR_INIT;
	if (!self->held_trace)
		return false;
	const bool is_shown = reason_look_wait(&look, &self->test->judge.scene, &race->evidence.race, self->held_trace,
					       test_keep_deadline(self->test), &unknown) == 0 &&
			      look.reason.reason == REASON_USER_SYNCHRONISATION;
	reason_look_release(&look);
	return is_shown;
}
