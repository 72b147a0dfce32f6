/* store_verdict.c: the verdict on a race in the store: what a test has of an earlier classification, and what it keeps of its own. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "campaign/test_priv.h"
#include "judge/evidence.h"
#include "narrate/stored.h"
#include "narrate/verdict.h"
#include "store/verdict.h"

/* What a person decided about it, and whether that still counts. */
static int read_mark(struct test *self, struct finding *race, struct err *err)
{
	struct store_mark mark;
	struct buf text = { 0 };
	int code = store_get_mark(self->stored.store, (int64_t)race->identity.number, &mark, err);
	if (code == 0 && mark.word)
		verdict_tell_mark(&text, &mark);
	buf_release(&race->presentation.mark);
	if (text.size)
		text_terminal_lines(&race->presentation.mark, text.data);
	buf_release(&text);
	store_mark_release(&mark);
	return code;
}

bool test_load_verdict(struct test *self, struct finding *race)
{
	struct store_verdict stored = { .class = NULL };
	struct err ignored = ERR_INIT;
	if (race->identity.number)
		store_get_verdict(self->store, (int64_t)race->identity.number, &stored, &ignored);
	const bool is_same = stored.class && stored.build && strcmp(stored.build, self->identity) == 0 &&
			     stored.parts && strcmp(stored.parts, race->evidence.parts) == 0;
	if (is_same)
		stored_verdict(race, &stored);
	store_verdict_release(&stored);
	if (is_same && race->evidence.has_verdict)
		read_mark(self, race, &ignored);
	return is_same && race->evidence.has_verdict;
}

static void forget_verdict(struct finding *race)
{
	struct finding_presentation *shown = &race->presentation;
	buf_release(&shown->verdict);
	buf_release(&shown->difference);
	buf_release(&shown->input);
	buf_release(&shown->why);
	race->evidence.consequence = 0;
}

bool test_keep_worse(struct test *self, struct finding *race)
{
	struct store_verdict stored = { .class = NULL };
	struct err ignored = ERR_INIT;
	const enum verdict_class now = race->evidence.verdict.class;
	if (race->identity.number && !self->request->is_replacing)
		store_get_verdict(self->store, (int64_t)race->identity.number, &stored, &ignored);
	const bool is_same = stored.class && stored.build && strcmp(stored.build, self->identity) == 0;
	const bool is_kept = is_same && verdict_is_worse(verdict_find(stored.class), now);
	if (is_kept) {
		strings_note(&self->notes,
			     "H%" PRIu64
			     " keeps the verdict of an earlier classification of this build: this one found that it "
			     "%s; heddle classify --replace discards earlier verdicts",
			     race->identity.number, race->presentation.verdict.data);
		forget_verdict(race);
		stored_verdict(race, &stored);
		buf_add_string(&race->presentation.verdict, "; an earlier classification found this");
		read_mark(self, race, &ignored);
	}
	store_verdict_release(&stored);
	return is_kept;
}

int test_store_verdict(struct test *self, struct finding *race, const struct test_evidence *evidence, struct err *err)
{
	const struct verdict *verdict = &race->evidence.verdict;
	if (!race->identity.number)
		return 0;
	/* Nothing here is changed or freed. */
	const struct store_verdict stored = {
		.class = (char *)verdict_classes[verdict->class].word,
		.text = race->presentation.verdict.data,
		.reason = (char *)verdict_reason_words[verdict->reason],
		.why = race->presentation.why.data,
		.states = (char *)verdict_states_words[verdict->states],
		.analyzer = (char *)analyzer_words[verdict->analyzer],
		.difference = race->presentation.difference.data,
		.witnesses = verdict->others + verdict->primaries,
		.instances = verdict->instances,
		.seen_instances = verdict->seen_instances,
		.inputs = verdict->inputs,
		.input = race->presentation.input.size ? race->presentation.input.data : NULL,
		.consequence = (int64_t)race->evidence.consequence,
		.parts = (char *)race->evidence.parts,
		.shown_trace = evidence->harm ? (char *)evidence_in_store(evidence->harm) : NULL,
		.other_trace = evidence->other ? (char *)evidence_in_store(evidence->other) : NULL,
		.shown_marks = evidence->harm ? evidence->harm_marks : NULL,
		.other_marks = evidence->other ? evidence->other_marks : NULL,
		.is_other_shown = evidence->is_harm_other,
		.is_from_log = verdict->is_from_log,
		.unanswered = verdict->unanswered,
	};
	int code = store_set_verdict(&self->stored, (int64_t)race->identity.number, &stored, err);
	return code == 0 ? read_mark(self, race, err) : code;
}
