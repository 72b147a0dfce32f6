/* judge.c: see judge.h. */
#include "cmd/judge_priv.h"

void judge_release(struct judge *self)
{
	findings_release(&self->findings);
	scene_release(&self->scene);
	judge_release_output(self);
	judge_release_orders(self);
}

struct finding *hearing_see(struct hearing *self, enum finding_kind kind, struct buf *key)
{
	bool is_new;
	struct finding *finding =
		findings_see(&self->judge->findings, kind, key->data ? key->data : "", self->run->number, &is_new);
	buf_release(key);
	if (!is_new)
		return NULL;
	finding->plan = self->run->plan;
	self->judged->new_findings++;
	return finding;
}

void judge_run(struct judge *self, const struct campaign_run *run, const struct report *report, struct judged *judged)
{
	struct hearing hearing = { self, run, report, judged };
	*judged = (struct judged){ .is_failure = false };
	/* The scene is costly for those that have nothing to tell. */
	if (report->race_count || report->memory_count || report->order_count || report->thread_count)
		scene_set(&self->scene, report);
	judge_races(&hearing);
	judge_memory(&hearing);
	judge_orders(&hearing);
	judge_end(&hearing);
	if (run->result.outcome == HEDDLE_OUTCOME_EXIT && !self->is_checked)
		judge_output(&hearing);
}

struct finding *judge_check_failed(struct judge *self, const struct campaign_run *run, const char *how,
				   const struct buf *said, struct judged *judged)
{
	struct hearing hearing = { .judge = self, .run = run, .judged = judged };
	struct buf key = { 0 };
	buf_add_string(&key, how);
	judged->is_failure = true;
	struct finding *finding = hearing_see(&hearing, FINDING_CHECK_FAILED, &key);
	if (!finding)
		return NULL;
	buf_format(&finding->summary, "the check failed: %s", how);
	if (said->size) {
		buf_add_string(&finding->details, "it said:\n");
		judge_tell_tail(&finding->details, said);
	}
	return finding;
}
