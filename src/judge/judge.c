/* judge.c: see judge.h. */
#include "judge/judge_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void judge_release(struct judge *self)
{
	findings_release(&self->findings);
	strings_release(&self->missed);
	scene_release(&self->scene);
	judge_release_output(self);
	judge_release_orders(self);
}

struct finding *inspection_add(struct inspection *self, enum finding_kind kind, struct buf *key)
{
	bool is_new;
	struct finding *finding =
		findings_see(&self->judge->findings, kind, key->data ? key->data : "", self->run->number, &is_new);
	buf_release(key);
	if (!is_new)
		return NULL;
	finding->evidence.plan = self->run->plan;
	self->judged->new_findings++;
	return finding;
}

void judge_miss(struct judge *self, const char *text)
{
	if (!strings_has(&self->missed, text))
		strings_add(&self->missed, text);
}

static void take_missed(struct inspection *self)
{
	const struct heddle_channel *channel = self->run->control ? self->run->control->channel : NULL;
	for (size_t i = 0; i < self->report->missed_count; i++) {
		char *shown = text_terminal_copy(self->report->missed[i]);
		judge_miss(self->judge, shown);
		free(shown);
	}
	if (channel && channel->report_lost)
		judge_miss(self->judge, "the report of a run exceeded its size limit: the rest was cut off");
}

void judge_parts(struct inspection *self)
{
	(void)self;
}

#define KIND(ID, word, name, level, traits, fingerprint, seen, look, ...) [FINDING_##ID] = judge_##look,
static void (*const looks[FINDING_ALL_COUNT])(struct inspection *self) = {
#include "model/kinds.def"
};

void judge_run(struct judge *self, const struct campaign_run *run, const struct report *report, struct judged *judged)
{
	struct inspection inspection = { self, run, report, judged };
	*judged = (struct judged){ .is_failure = false };
	/* The scene is costly for runs that have nothing to report. */
	if (report->race_count || report->memory_count || report->order_count || report->thread_count)
		scene_set(&self->scene, report);
	take_missed(&inspection);
	judge_races(&inspection);
	judge_memory(&inspection);
	judge_known_seen(&inspection);
	judge_orders(&inspection);
	judge_end(&inspection);
	for (size_t i = 0; i < FINDING_ALL_COUNT; i++)
		looks[i](&inspection);
}

#define JUDGED_LINES 10u   /* of the output that was judged are shown, ... */
#define JUDGED_BYTES 1024u /* ... and of a line */

/* What the check was given. */
static void describe_output(struct buf *out, const struct campaign_run *run)
{
	const struct buf *kept = &run->capture->streams[0].kept;
	const int status = run->result.status & 255;
	size_t shown = 0, more = 0;
	buf_format(out,
		   kept->size ? "the output judged by the check (exit status %d):\n"
			      : "the run judged by the check printed nothing (exit status %d)\n",
		   status);
	for (size_t at = 0, size; at < kept->size; at += size + 1) {
		const char *end = memchr(kept->data + at, '\n', kept->size - at);
		size = end ? (size_t)(end - (kept->data + at)) : kept->size - at;
		if (++shown > JUDGED_LINES) {
			more++;
			continue;
		}
		char *line = mem_format("%.*s", (int)(size < JUDGED_BYTES ? size : JUDGED_BYTES), kept->data + at);
		buf_add_string(out, "  | ");
		text_terminal(out, line);
		buf_add_string(out, size > JUDGED_BYTES ? " ...\n" : "\n");
		free(line);
	}
	if (more)
		buf_format(out, "  and %zu more line%s\n", more, more == 1 ? "" : "s");
}

struct finding *judge_check_failed(struct judge *self, const struct campaign_run *run, const char *how,
				   const struct buf *check_output, struct judged *judged)
{
	struct inspection inspection = { .judge = self, .run = run, .judged = judged };
	struct buf key = { 0 };
	buf_add_string(&key, how);
	judged->is_failure = true;
	struct finding *finding = inspection_add(&inspection, FINDING_CHECK_FAILED, &key);
	if (!finding)
		return NULL;
	buf_format(&finding->presentation.summary, "the check failed: %s", how);
	if (check_output->size) {
		buf_add_string(&finding->presentation.details, "the check printed:\n");
		judge_add_tail(&finding->presentation.details, check_output);
	}
	if (run->capture)
		describe_output(&finding->presentation.details, run);
	return finding;
}
