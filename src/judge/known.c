/* known.c: what runs need not report by lines, since it is already among the findings (explore/known.h): it is counted
 * by bits. */
#include <stdlib.h>
#include <string.h>

#include "judge/judge_priv.h"

/* Which finding it is: that may change until the end, so it is asked for each time. */
struct item {
	enum finding_kind kind;
	bool is_settled; /* it is described, and not suppressed or not worth another look: that stays */
	char exact[];    /* its key by exact places */
};

static struct finding *finding_of(const struct judge *judge, uint32_t slot)
{
	const struct item *item = judge->known->owned[slot];
	return findings_get(&judge->findings, item->kind, item->exact);
}

void judge_know(struct judge *judge, enum finding_kind kind, const char *exact, uint64_t key)
{
	if (!judge->known || !key)
		return;
	struct item *item = mem_alloc(sizeof *item + strlen(exact) + 1);
	item->kind = kind;
	strcpy(item->exact, exact);
	known_add(judge->known, key, item);
}

void judge_known_seen(struct inspection *self)
{
	const struct known *known = self->judge->known;
	const struct heddle_channel *channel = self->run->control ? self->run->control->channel : NULL;
	for (uint32_t i = 0; known && channel && i < known->count; i++) {
		const uint32_t slot = known->slots[i];
		if (!(channel->known_seen[slot / 64] >> slot % 64 & 1))
			continue;
		struct finding *finding = finding_of(self->judge, slot);
		if (finding)
			finding_seen(finding, self->run->number);
	}
}

void judge_look_again(struct judge *self)
{
	struct known *known = self->known;
	for (uint32_t i = 0; known && self->suppressions && i < known->count; i++) {
		const uint32_t slot = known->slots[i];
		struct item *item = known->owned[slot];
		if (item->is_settled)
			continue;
		const struct finding *finding = finding_of(self, slot);
		const bool is_worth = finding && judge_may_show_more(finding);
		item->is_settled = !is_worth && finding && finding->presentation.summary.size;
		known_set_again(known, slot, is_worth);
	}
}

void judge_count_lost(struct judge *self)
{
	const size_t count = self->known ? known_count_lost(self->known) : 0;
	if (!count && !(self->known && self->known->is_more_lost))
		return;
	char *text = mem_format("%s%zu race%s or memory error%s found but not reported: the limits are 4000 new "
				"ones per run and %u per test, including suppressed ones",
				self->known->is_more_lost ? "more than " : "", count, count == 1 ? "" : "s",
				count == 1 ? " was" : "s were", MAX_KNOWN);
	judge_miss(self, text);
	free(text);
}
