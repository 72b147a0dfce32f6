/* plan.c: see plan.h. */
#include "learned/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static int too_many(uint32_t selected, struct err *err)
{
	err_hint(err, "train a part of the program: heddle train --switch SET --fresh");
	return err_set(err, E2BIG, "%u places are to be guarded, and at most %u can be", selected, HEDDLE_GUARD_PLACES);
}

/* Leaves places out, and numbers the others again: sets are computed for these. Returns how many there are. */
static uint32_t leave_out(const struct learned *learned, const struct guard_selection *selection, uint32_t *numbers)
{
	struct bias bias = { 0 };
	uint32_t count = 0;
	if (selection->is_biased)
		bias_find(&bias, learned);
	for (uint32_t place = 1; place <= learned->place_count; place++) {
		bool is_out = selection->is_only_marked && !learned->places[place - 1].is_marked;
		is_out |= selection->is_biased && bias_leaves_out(&bias, place);
		numbers[place] = numbers[place] && !is_out ? ++count : 0;
	}
	bias_release(&bias);
	return count;
}

static int nothing_marked(struct err *err)
{
	err_hint(err, "mark functions, blocks or memory by heddle/heddle.h, build, and train again");
	return err_set(err, ENOENT, "the training saw no marked access to memory that several threads use");
}

/* numbers: of the places in the training data. */
static int make_sets(struct guard_plan *self, struct belonging_histories histories, uint32_t *numbers, uint8_t **duties,
		     const struct learned *learned, const struct guard_selection *selection, struct err *err)
{
	uint32_t selected = belonging_select(histories, learned->place_count, numbers);
	if (selection)
		selected = leave_out(learned, selection, numbers);
	if (!selected && selection && selection->is_only_marked)
		return nothing_marked(err);
	if (selected > HEDDLE_GUARD_PLACES)
		return too_many(selected, err);
	size_t words = selected * belonging_row_words(selected);
	uint64_t *neighbours = mem_alloc((words + 1) * sizeof *neighbours);
	self->content.settings.place_count = selected;
	self->content.sets = mem_alloc((words + 1) * sizeof *self->content.sets);
	*duties = mem_alloc((size_t)selected + 1);
	belonging_sets(histories, numbers, selected, self->content.sets);
	belonging_duties(histories, numbers, selected, self->content.sets, neighbours, *duties);
	self->places = mem_alloc(((size_t)selected + 1) * sizeof *self->places);
	self->numbers = mem_alloc(((size_t)selected + 1) * sizeof *self->numbers);
	for (uint32_t place = 1; place <= learned->place_count; place++)
		if (numbers[place]) {
			self->places[numbers[place]] = &learned->places[place - 1];
			self->numbers[numbers[place]] = place;
		}
	free(neighbours);
	return 0;
}

static bool has_build(const struct learned_builds *builds, const struct build *build)
{
	for (size_t i = 0; i < builds->count; i++)
		if (memcmp(build_id(&builds->items[i]), build_id(build), 16) == 0)
			return true;
	return false;
}

/* Opens one that is woven and not open yet. */
static int open_build(struct learned_builds *builds, const char *path, struct err *err)
{
	struct build build;
	int code = build_open(&build, path, err);
	if (code < 0)
		return code;
	if (has_build(builds, &build)) {
		build_release(&build);
		return 0;
	}
	builds->items = mem_resize(builds->items, (builds->count + 1) * sizeof *builds->items);
	builds->items[builds->count++] = build;
	return 0;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* The program may be elsewhere than where it was trained; libraries are expected where they were, or beside it. */
static int open_builds(struct guard_plan *self, const struct learned *learned, const char *program, struct err *err)
{
	struct err first = ERR_INIT;
	int code = open_build(&self->builds, program, &first);
	for (size_t i = 0; i < learned->object_count; i++) {
		struct err ignored = ERR_INIT;
		const char *path = learned->objects[i].path;
		/* The program that was trained: the one that is guarded takes its place. */
		if (strcmp(last_part(path), last_part(program)) == 0 ||
		    (learned->program && strcmp(last_part(path), last_part(learned->program)) == 0))
			continue;
		char *beside = mem_format("%.*s%s", (int)(last_part(program) - program), program, last_part(path));
		if (open_build(&self->builds, path, &ignored) < 0 && open_build(&self->builds, beside, &ignored) < 0 &&
		    !strings_has(&self->absent, path))
			strings_add(&self->absent, path);
		free(beside);
	}
	if (self->builds.count)
		return 0;
	*err = first;
	return code;
}

/* The sites of a build, in the order of its table. */
static void add_sites(struct guard_plan *self, const struct build *build, const struct learned *learned,
		      const uint32_t *numbers, const uint8_t *duties)
{
	struct guard_content *content = &self->content;
	struct heddle_guard_object *object = &content->objects[content->object_count];
	uint32_t *of_place = mem_alloc(((size_t)build->place_count + 1) * sizeof *of_place);
	for (uint32_t i = 0; i < build->place_count; i++) {
		of_place[i] = numbers[learned_find(learned, build->keys[i])];
		if (of_place[i])
			self->places[of_place[i]] = &build->places[i];
	}
	memcpy(object->build, build_id(build), sizeof object->build);
	object->first = content->site_count;
	content->sites = mem_resize(content->sites,
				    ((size_t)content->site_count + build->site_count + 1) * sizeof *content->sites);
	for (uint32_t index = 0; index < build->site_count; index++) {
		uint32_t place = build->of_site[index] == BUILD_NONE ? 0 : of_place[build->of_site[index]];
		if (!place || !duties[place])
			continue;
		uint16_t flags = (uint16_t)((duties[place] & BELONGING_CHECK ? HEDDLE_GUARD_CHECK : 0) |
					    (duties[place] & BELONGING_UPDATE ? HEDDLE_GUARD_UPDATE : 0));
		content->sites[content->site_count++] =
			(struct heddle_guard_site){ .index = index, .place = (uint16_t)place, .flags = flags };
	}
	object->count = content->site_count - object->first;
	if (object->count)
		content->object_count++;
	free(of_place);
}

static void count_places(struct guard_plan *self, const struct learned *learned, const uint32_t *numbers,
			 const uint8_t *duties)
{
	self->missing = mem_alloc(((size_t)self->content.settings.place_count + 1) * sizeof *self->missing);
	for (uint32_t place = 1; place <= learned->place_count; place++) {
		uint32_t number = numbers[place];
		if (!number)
			continue;
		if (self->places[number] == &learned->places[place - 1])
			self->missing[self->missing_count++] = &learned->places[place - 1];
		else if (duties[number] & BELONGING_CHECK)
			self->checked_count++;
		else if (duties[number])
			self->updated_count++;
		else
			self->idle_count++;
	}
}

/* Places that no two threads touched may be all that the training saw. */
static int check_match(const struct guard_plan *self, struct err *err)
{
	uint32_t selected = self->content.settings.place_count;
	if (!selected || self->missing_count < selected)
		return 0;
	err_hint(err, "train this build: heddle train");
	return err_set(err, ESTALE,
		       "the training data are of another program: none of their %u places is in this build", selected);
}

int guard_plan_make(struct guard_plan *self, const struct learned *learned, const char *program,
		    const struct guard_selection *selection, struct err *err)
{
	struct belonging_histories histories = learned_histories(learned);
	uint32_t *numbers = mem_alloc(((size_t)learned->place_count + 1) * sizeof *numbers);
	uint8_t *duties = NULL;
	*self = (struct guard_plan){ 0 };
	guard_defaults(&self->content.settings);
	int code = make_sets(self, histories, numbers, &duties, learned, selection, err);
	if (code == 0)
		code = open_builds(self, learned, program, err);
	if (code == 0) {
		self->content.objects = mem_alloc((self->builds.count + 1) * sizeof *self->content.objects);
		for (size_t i = 0; i < self->builds.count; i++)
			add_sites(self, &self->builds.items[i], learned, numbers, duties);
		count_places(self, learned, numbers, duties);
		code = check_match(self, err);
	}
	free(duties);
	free(numbers);
	free((void *)histories.items);
	return code;
}

void guard_plan_release(struct guard_plan *self)
{
	free(self->content.objects);
	free(self->content.sites);
	free(self->content.sets);
	free(self->places);
	free(self->numbers);
	free(self->missing);
	learned_builds_release(&self->builds);
	strings_release(&self->absent);
	*self = (struct guard_plan){ 0 };
}

bool guard_plan_allows(const struct guard_plan *self, uint32_t place, uint32_t previous)
{
	return belonging_has(self->content.sets, belonging_row_words(self->content.settings.place_count), place,
			     previous);
}

const uint8_t *guard_plan_build(const struct guard_plan *self, const char *path)
{
	for (size_t i = 0; i < self->builds.count; i++)
		if (strcmp(self->builds.items[i].path, path) == 0)
			return build_id(&self->builds.items[i]);
	return NULL;
}
