/* judge_race.c: data races and memory errors, from the lines of detection. */
#include <inttypes.h>
#include <string.h>

#include "cmd/judge_priv.h"
#include "cmd/text.h"

const char *const judge_access_words[REPORT_ACCESS_COUNT] = {
	[REPORT_READ] = "read",
	[REPORT_WRITE] = "write",
	[REPORT_ATOMIC_READ] = "atomic read",
	[REPORT_ATOMIC_WRITE] = "atomic write",
	[REPORT_FREE] = "free",
};

/* The same for the pair in either order. */
static void pair_key(struct buf *out, const struct scene_place *a, const struct scene_place *b)
{
	struct buf keys[2] = { { 0 }, { 0 } };
	scene_key(&keys[0], a);
	scene_key(&keys[1], b);
	bool is_swapped = strcmp(keys[0].data, keys[1].data) > 0;
	buf_format(out, "%s %s", keys[is_swapped].data, keys[!is_swapped].data);
	buf_release(&keys[0]);
	buf_release(&keys[1]);
}

static void tell_bytes(struct buf *out, uint64_t size, uint64_t address)
{
	buf_format(out, " (%" PRIu64 " byte%s at 0x%" PRIx64 ")", size, size == 1 ? "" : "s", address);
}

static void describe_race(struct hearing *self, const struct report_race *race, struct finding *finding,
			  const struct scene_place *later, const struct scene_place *earlier)
{
	struct buf object = { 0 };
	scene_tell_object(&object, &self->judge->scene, race->address, later, earlier);
	buf_format(&finding->summary, "data race on %s", object.data);
	tell_bytes(&finding->summary, race->size, race->address);
	buf_format(&finding->summary, ": %s at ", judge_access_words[race->later.kind]);
	scene_tell_line(&finding->summary, later);
	buf_format(&finding->summary, ", %s at ", judge_access_words[race->earlier.kind]);
	scene_tell_line(&finding->summary, earlier);
	finding->origin = FINDING_OF_RACE;
	finding->race = *race;
	scene_add_site(finding, later, judge_access_words[race->later.kind], race->later.thread);
	scene_add_site(finding, earlier, judge_access_words[race->earlier.kind], race->earlier.thread);
	buf_release(&object);
}

void judge_races(struct hearing *self)
{
	for (size_t i = 0; i < self->report->race_count; i++) {
		const struct report_race *race = &self->report->races[i];
		struct scene_place later, earlier;
		struct buf key = { 0 };
		scene_place(&self->judge->scene, race->later.place, &later);
		scene_place(&self->judge->scene, race->earlier.place, &earlier);
		pair_key(&key, &later, &earlier);
		struct finding *finding = hearing_see(self, FINDING_DATA_RACE, &key);
		if (finding)
			describe_race(self, race, finding, &later, &earlier);
	}
}

static const char *const state_words[REPORT_STATE_COUNT] = {
	[REPORT_FREED] = "freed",
	[REPORT_BEYOND] = "beyond",
	[REPORT_NEVER] = "never",
};

static void describe_memory(struct hearing *self, const struct report_memory *memory, struct finding *finding,
			    const struct scene_place *place)
{
	static const char *const titles[REPORT_STATE_COUNT] = {
		[REPORT_FREED] = "use after free",
		[REPORT_BEYOND] = "access beyond the end of a heap block",
		[REPORT_NEVER] = "access to heap memory that was never allocated",
	};
	struct buf object = { 0 };
	scene_tell_object(&object, &self->judge->scene, memory->address, place, place);
	buf_format(&finding->summary, "%s: %s", titles[memory->state], object.data);
	tell_bytes(&finding->summary, memory->size, memory->address);
	finding->origin = FINDING_OF_MEMORY;
	finding->memory = *memory;
	scene_add_site(finding, place, judge_access_words[memory->access.kind], memory->access.thread);
	buf_release(&object);
}

void judge_memory(struct hearing *self)
{
	for (size_t i = 0; i < self->report->memory_count; i++) {
		const struct report_memory *memory = &self->report->memories[i];
		struct scene_place place;
		struct buf key = { 0 };
		scene_place(&self->judge->scene, memory->access.place, &place);
		scene_key(&key, &place);
		buf_format(&key, " %s", state_words[memory->state]);
		struct finding *finding = hearing_see(self, FINDING_MEMORY_ERROR, &key);
		if (finding)
			describe_memory(self, memory, finding, &place);
	}
}
