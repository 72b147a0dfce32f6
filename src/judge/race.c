/* race.c: data races and memory errors, from the lines of detection. */
#include <inttypes.h>
#include <string.h>

#include "judge/judge_priv.h"
#include "symbols/line.h"

const char *const judge_access_words[REPORT_ACCESS_COUNT] = {
	[REPORT_READ] = "read",
	[REPORT_WRITE] = "write",
	[REPORT_ATOMIC_READ] = "atomic read",
	[REPORT_ATOMIC_WRITE] = "atomic write",
	[REPORT_FREE] = "free",
	[REPORT_REALLOC] = "realloc",
	[REPORT_ALLOCATION] = "allocation",
};

/* A place as people read it, or the exact one. Two functions on one line look the same, so only a place without a line has
 * the name of its function. */
static void place_key(struct buf *out, const struct scene_place *place, bool is_exact)
{
	if (is_exact)
		scene_site_key(out, place);
	else if (place->file && place->line && !line_is_near(place->line))
		buf_format(out, "%s:%" PRIu32, place->file, place->line);
	else
		scene_key(out, place);
}

/* The same for the pair in either order. */
static void pair_key(struct buf *out, const struct scene_place *a, const struct scene_place *b, bool is_exact)
{
	struct buf keys[2] = { { 0 }, { 0 } };
	place_key(&keys[0], a, is_exact);
	place_key(&keys[1], b, is_exact);
	bool is_swapped = strcmp(keys[0].data, keys[1].data) > 0;
	buf_format(out, "%s%s %s", is_exact ? "exactly " : "", keys[is_swapped].data, keys[!is_swapped].data);
	buf_release(&keys[0]);
	buf_release(&keys[1]);
}

static void memory_key(struct buf *out, const struct scene_place *place, const struct report_memory *memory,
		       bool is_exact)
{
	buf_add_string(out, is_exact ? "exactly " : "");
	place_key(out, place, is_exact);
	buf_format(out, " %s",
		   report_is_bad_free(memory) ? report_free_word(memory) : report_state_words[memory->state]);
}

void judge_origin_places(struct scene *scene, const struct finding *finding, struct scene_place places[2])
{
	if (finding->evidence.origin == FINDING_OF_RACE) {
		scene_place(scene, finding->evidence.race.later.place, &places[0]);
		scene_place(scene, finding->evidence.race.earlier.place, &places[1]);
	} else {
		scene_place(scene, finding->evidence.memory.access.place, &places[0]);
		places[1] = places[0];
	}
}

void judge_origin_key(struct buf *key, const struct finding *finding, const struct scene_place places[2], bool is_exact)
{
	if (finding->evidence.origin == FINDING_OF_RACE)
		pair_key(key, &places[0], &places[1], is_exact);
	else
		memory_key(key, &places[0], &finding->evidence.memory, is_exact);
}

/* A finding that is suppressed by its calls or its variable may be a different one the next time, at the same places.
 * This is how many times it is looked at again. */
#define MAX_LOOKS 8u

bool judge_may_show_more(const struct finding *finding)
{
	return finding->identity.suppression && suppress_is_loose(finding->identity.suppression) &&
	       finding->identity.looks < MAX_LOOKS;
}

/* seen: what was seen, for its origin, with this key in the report. Accesses of one place, as people see it, are one finding; where that is inside a
 * library, the second pass knows whose place it is. */
static void see(struct inspection *self, enum finding_kind kind, const struct finding *seen, uint64_t runtime_key)
{
	struct findings *findings = &self->judge->findings;
	struct scene_place places[2];
	struct buf exact = { 0 }, key = { 0 };
	judge_origin_places(&self->judge->scene, seen, places);
	judge_origin_key(&exact, seen, places, true);
	bool is_known = findings_get(findings, kind, exact.data);
	if (is_known || !places[0].is_own || !places[1].is_own)
		buf_add_string(&key, exact.data);
	else
		judge_origin_key(&key, seen, places, false);
	struct finding *known = is_known ? NULL : findings_get(findings, kind, key.data);
	if (known) {
		known->evidence.variants = (known->evidence.variants ? known->evidence.variants : 1) + 1;
		findings_add_key(findings, known, exact.data);
	}
	if (is_known)
		known = findings_get(findings, kind, exact.data);
	const bool is_look = known && judge_may_show_more(known) && known->evidence.last != self->run->number;
	if (is_look) {
		finding_seen(known, self->run->number);
		buf_format(&key, " look %" PRIu32, ++known->identity.looks);
	}
	struct finding *finding = inspection_add(self, kind, &key);
	if (finding) {
		finding->identity.is_look = is_look;
		finding->evidence.origin = seen->evidence.origin;
		if (seen->evidence.origin == FINDING_OF_RACE)
			finding->evidence.race = seen->evidence.race;
		else
			finding->evidence.memory = seen->evidence.memory;
		if (!is_look)
			findings_add_key(findings, finding, exact.data);
	}
	judge_know(self->judge, kind, exact.data, runtime_key);
	buf_release(&exact);
}

bool judge_is_race_of(struct judge *self, const struct finding *finding, const struct report_race *race)
{
	const struct finding seen = { .evidence.origin = FINDING_OF_RACE, .evidence.race = *race };
	struct scene_place places[2];
	struct buf exact = { 0 }, key = { 0 };
	judge_origin_places(&self->scene, &seen, places);
	judge_origin_key(&exact, &seen, places, true);
	judge_origin_key(&key, &seen, places, false);
	bool is_one = findings_get(&self->findings, FINDING_DATA_RACE, exact.data) == finding ||
		      (places[0].is_own && places[1].is_own &&
		       findings_get(&self->findings, FINDING_DATA_RACE, key.data) == finding);
	buf_release(&exact);
	buf_release(&key);
	return is_one;
}

void judge_races(struct inspection *self)
{
	for (size_t i = 0; i < self->report->race_count; i++)
		see(self, FINDING_DATA_RACE,
		    &(struct finding){ .evidence.origin = FINDING_OF_RACE, .evidence.race = self->report->races[i] },
		    self->report->races[i].key);
}

struct finding *judge_find_race(struct judge *self, const struct report_race *race)
{
	const struct finding seen = { .evidence.origin = FINDING_OF_RACE, .evidence.race = *race };
	struct scene_place places[2];
	struct buf key = { 0 };
	judge_origin_places(&self->scene, &seen, places);
	judge_origin_key(&key, &seen, places, true);
	struct finding *found = findings_get(&self->findings, FINDING_DATA_RACE, key.data);
	buf_release(&key);
	return found;
}

void judge_memory(struct inspection *self)
{
	for (size_t i = 0; i < self->report->memory_count; i++)
		see(self, FINDING_MEMORY_ERROR,
		    &(struct finding){ .evidence.origin = FINDING_OF_MEMORY,
				       .evidence.memory = judge_find_free(self, &self->report->memories[i]) },
		    self->report->memories[i].key);
}
