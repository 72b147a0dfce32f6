/* data.c: see data.h; data_file.c has the files. */
#include "learned/data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

void learned_release(struct learned *self)
{
	for (size_t i = 0; i < self->object_count; i++)
		free(self->objects[i].path);
	for (uint32_t i = 0; i < self->place_count; i++)
		learned_place_release(&self->places[i]);
	for (size_t i = 0; i < self->history_count; i++)
		free(self->histories[i].places);
	free(self->objects);
	free(self->places);
	free(self->histories);
	free(self->gains);
	free(self->program);
	map_release(&self->place_index);
	map_release(&self->history_index);
	*self = (struct learned){ 0 };
}

uint32_t learned_find(const struct learned *self, const char *key)
{
	return (uint32_t)(uintptr_t)map_get(&self->place_index, key);
}

uint32_t learned_add_place(struct learned *self, const struct learned_place *place, const char *key)
{
	uint32_t number = learned_find(self, key);
	if (number || self->place_count == MAX_LEARNED_PLACES)
		return number;
	if (self->place_count == self->place_room) {
		self->place_room = self->place_room ? self->place_room * 2 : 64;
		self->places = mem_resize(self->places, self->place_room * sizeof *self->places);
	}
	learned_place_copy(&self->places[self->place_count], place);
	number = ++self->place_count;
	map_set(&self->place_index, key, (void *)(uintptr_t)number);
	return number;
}

void learned_count(struct learned *self, uint32_t number, uint64_t accesses, bool is_marked)
{
	if (!number)
		return;
	self->places[number - 1].accesses += accesses;
	self->places[number - 1].is_marked |= is_marked;
}

static char *put_number(char *at, uint32_t number)
{
	do
		*at++ = "0123456789abcdef"[number % 16];
	while ((number /= 16));
	return at;
}

static char *history_key(const struct learned_history *history)
{
	/* By hand: a training of a server has hundreds of thousands. */
	char *key = mem_alloc(2 + (size_t)(history->count + 1) * 9), *at = key;
	*at++ = history->is_whole ? 'w' : 'p';
	at = put_number(at, history->place);
	for (uint32_t i = 0; i < history->count; i++) {
		*at++ = ',';
		at = put_number(at, history->places[i]);
	}
	*at = '\0';
	return key;
}

/* Only the first time that a place occurs says anything about predecessors. */
static void drop_repeated(struct learned_history *history)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < history->count; i++) {
		bool is_new = true;
		for (uint32_t j = 0; j < kept; j++)
			is_new &= history->places[j] != history->places[i];
		if (is_new)
			history->places[kept++] = history->places[i];
	}
	history->count = kept;
}

void learned_add_history(struct learned *self, const struct learned_history *history, uint64_t run)
{
	struct learned_history own = *history;
	own.places = mem_alloc((history->count + 1) * sizeof *own.places);
	memcpy(own.places, history->places, history->count * sizeof *own.places);
	own.last_run = run;
	drop_repeated(&own);
	char *key = history_key(&own);
	size_t found = (size_t)(uintptr_t)map_get(&self->history_index, key);
	if (found) {
		struct learned_history *known = &self->histories[found - 1];
		if (!run || known->last_run != run)
			known->runs += own.runs;
		known->last_run = run;
		free(own.places);
	} else if (self->history_count == MAX_LEARNED_HISTORIES) {
		free(own.places);
	} else {
		if (self->history_count == self->history_room) {
			self->history_room = self->history_room ? self->history_room * 2 : 64;
			self->histories = mem_resize(self->histories, self->history_room * sizeof *self->histories);
		}
		self->histories[self->history_count++] = own;
		map_set(&self->history_index, key, (void *)(uintptr_t)self->history_count);
	}
	free(key);
}

void learned_add_object(struct learned *self, const char *path, const uint8_t build[16], uint64_t runs)
{
	for (size_t i = 0; i < self->object_count; i++) {
		struct learned_object *object = &self->objects[i];
		if (strcmp(object->path, path) == 0 && memcmp(object->build, build, sizeof object->build) == 0) {
			object->runs += runs;
			return;
		}
	}
	self->objects = mem_resize(self->objects, (self->object_count + 1) * sizeof *self->objects);
	struct learned_object *object = &self->objects[self->object_count++];
	*object = (struct learned_object){ .path = mem_copy_string(path), .runs = runs };
	memcpy(object->build, build, sizeof object->build);
}

struct belonging_histories learned_histories(const struct learned *self)
{
	struct belonging_history *items = mem_alloc((self->history_count + 1) * sizeof *items);
	for (size_t i = 0; i < self->history_count; i++) {
		const struct learned_history *history = &self->histories[i];
		items[i] = (struct belonging_history){ history->place, history->count, history->places,
						       history->is_whole };
	}
	return (struct belonging_histories){ items, self->history_count };
}

struct learned_totals learned_totals(const struct learned *self)
{
	struct learned_totals totals = { .places = self->place_count };
	struct belonging_histories histories = learned_histories(self);
	uint32_t *numbers = mem_alloc(((size_t)self->place_count + 1) * sizeof *numbers);
	uint64_t *pairs = mem_alloc((histories.count + 1) * sizeof *pairs);
	totals.selected = belonging_select(histories, self->place_count, numbers);
	totals.members = belonging_members(histories, numbers, pairs);
	free(pairs);
	free(numbers);
	free((void *)histories.items);
	return totals;
}

static void add_gain(struct learned *self, uint64_t gain)
{
	self->gains = mem_resize(self->gains, (self->gain_count + 1) * sizeof *self->gains);
	self->gains[self->gain_count++] = gain;
}

uint64_t learned_end_run(struct learned *self)
{
	uint64_t members = learned_totals(self).members;
	/* Another place may come between two, so that sets also lose members. */
	uint64_t gain = members > self->members ? members - self->members : 0;
	self->members = members;
	self->run_count++;
	add_gain(self, gain);
	return gain;
}

void learned_merge(struct learned *self, const struct learned *from)
{
	uint32_t *numbers = mem_alloc(((size_t)from->place_count + 1) * sizeof *numbers);
	for (uint32_t i = 0; i < from->place_count; i++) {
		struct learned_place place = from->places[i];
		char *key = learned_place_key(&place);
		place.accesses = 0;
		numbers[i + 1] = learned_add_place(self, &place, key);
		learned_count(self, numbers[i + 1], from->places[i].accesses, from->places[i].is_marked);
		free(key);
	}
	for (size_t i = 0; i < from->history_count; i++) {
		struct learned_history history = from->histories[i];
		bool is_whole = true;
		history.places = mem_alloc((history.count + 1) * sizeof *history.places);
		for (uint32_t j = 0; j < history.count; j++) {
			history.places[j] = numbers[from->histories[i].places[j]];
			is_whole &= history.places[j] != 0;
		}
		history.place = numbers[history.place];
		if (history.place && is_whole)
			learned_add_history(self, &history, 0);
		free(history.places);
	}
	for (size_t i = 0; i < from->object_count; i++)
		learned_add_object(self, from->objects[i].path, from->objects[i].build, from->objects[i].runs);
	for (size_t i = 0; i < from->gain_count; i++)
		add_gain(self, from->gains[i]);
	if (!self->program && from->program)
		self->program = mem_copy_string(from->program);
	self->run_count += from->run_count;
	self->members = learned_totals(self).members;
	free(numbers);
}

void learned_builds_release(struct learned_builds *self)
{
	for (size_t i = 0; i < self->count; i++)
		build_release(&self->items[i]);
	free(self->items);
	*self = (struct learned_builds){ 0 };
}

static int find_build(struct learned_builds *self, const struct train_object *object, const struct build **build,
		      struct err *err)
{
	for (size_t i = 0; i < self->count; i++) {
		*build = &self->items[i];
		if (memcmp(build_id(*build), object->build, 16) == 0)
			return 0;
	}
	struct build opened;
	int code = build_open(&opened, object->path, err);
	if (code < 0)
		return code;
	if (memcmp(build_id(&opened), object->build, 16) != 0 || opened.site_count != object->site_count) {
		char *shown = text_terminal_copy(object->path);
		build_release(&opened);
		err_hint(err, "build the program before the training, and not while it goes on");
		err_set(err, ESTALE, "\"%s\" is not the build that ran", shown);
		free(shown);
		return -ESTALE;
	}
	self->items = mem_resize(self->items, (self->count + 1) * sizeof *self->items);
	self->items[self->count++] = opened;
	*build = &self->items[self->count - 1];
	return 0;
}

/* The sites of a run as places; 0 where that is not known. */
struct translation {
	struct learned *learned;
	const struct train_run *run;
	uint32_t **places; /* by object and index of the site */
	const struct build **builds;
};

static uint32_t place_of(struct translation *self, uint32_t number)
{
	uint32_t index;
	const struct train_object *object = train_site(self->run, number, &index);
	size_t at = (size_t)(object - self->run->objects);
	const struct build *build = self->builds[at];
	uint32_t place = build->of_site[index];
	if (place == BUILD_NONE)
		return 0;
	if (!self->places[at][place])
		self->places[at][place] = learned_add_place(self->learned, &build->places[place], build->keys[place]);
	return self->places[at][place];
}

static void add_histories(struct translation *self)
{
	const struct train_run *run = self->run;
	for (size_t i = 0; i < run->history_count; i++) {
		const struct heddle_history *from = &run->histories[i];
		uint32_t places[HEDDLE_HISTORY_SITES];
		struct learned_history history = { .place = place_of(self, from->site),
						   .places = places,
						   .is_whole = from->end == HEDDLE_HISTORY_NIL,
						   .runs = 1 };
		for (uint16_t j = 0; j < from->count; j++) {
			places[history.count] = place_of(self, from->sites[j]);
			/* What comes before an unknown place is not known. */
			history.is_whole &= places[history.count] != 0;
			if (!places[history.count])
				break;
			history.count++;
		}
		if (history.place)
			learned_add_history(self->learned, &history, self->learned->run_count + 1);
	}
}

static void add_counts(struct translation *self)
{
	const struct train_run *run = self->run;
	uint32_t index;
	for (uint32_t number = 1; number < run->site_count; number++)
		if (run->sites[number].accesses && train_site(run, number, &index))
			learned_count(self->learned, place_of(self, number), run->sites[number].accesses,
				      run->sites[number].is_marked != 0);
}

int learned_add_run(struct learned *self, struct learned_builds *builds, const struct train_run *run, struct err *err)
{
	struct translation translation = { .learned = self, .run = run };
	int code = 0;
	translation.places = mem_alloc((run->object_count + 1) * sizeof *translation.places);
	translation.builds = mem_alloc((run->object_count + 1) * sizeof *translation.builds);
	/* All are opened before one is used: opening may move them. */
	for (size_t i = 0; i < run->object_count && code == 0; i++)
		code = find_build(builds, &run->objects[i], &translation.builds[i], err);
	for (size_t i = 0; i < run->object_count && code == 0; i++) {
		code = find_build(builds, &run->objects[i], &translation.builds[i], err);
		if (code == 0)
			translation.places[i] = mem_alloc((translation.builds[i]->place_count + 1) * sizeof(uint32_t));
	}
	if (code == 0) {
		for (size_t i = 0; i < run->object_count; i++)
			learned_add_object(self, run->objects[i].path, run->objects[i].build, 1);
		add_histories(&translation);
		add_counts(&translation);
	}
	for (size_t i = 0; i < run->object_count; i++)
		free(translation.places[i]);
	free(translation.places);
	free(translation.builds);
	return code;
}
