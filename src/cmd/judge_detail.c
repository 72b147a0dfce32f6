/* judge_detail.c: races and memory errors told in full: who did what and where, with which locks, on what memory. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/judge_priv.h"

static const char *const present[REPORT_ACCESS_COUNT] = {
	[REPORT_READ] = "reads",
	[REPORT_WRITE] = "writes",
	[REPORT_ATOMIC_READ] = "reads (atomically)",
	[REPORT_ATOMIC_WRITE] = "writes (atomically)",
	[REPORT_FREE] = "frees",
};

static const char *const past[REPORT_ACCESS_COUNT] = {
	[REPORT_READ] = "read",
	[REPORT_WRITE] = "wrote",
	[REPORT_ATOMIC_READ] = "read (atomically)",
	[REPORT_ATOMIC_WRITE] = "wrote (atomically)",
	[REPORT_FREE] = "freed",
};

struct telling {
	struct buf *out;
	struct scene *scene;
	const struct second_pass *second; /* null: there was none */
};

/* What the second pass saw of it; null when it did not. */
static const struct report_watch *seen(const struct telling *self, uint32_t watch)
{
	if (!self->second || !self->second->report.watches[watch].is_seen)
		return NULL;
	return &self->second->report.watches[watch];
}

/* The calls around a place that was told already: without the innermost of the program's own. */
static void tell_callers(struct telling *self, const struct report_watch *watch)
{
	struct stack_places places;
	stack_of_thread(&places, self->scene->unwinder, self->scene->symbols, &watch->thread);
	size_t at = 0;
	while (at < places.count && places.items[at].is_library)
		at++;
	for (at++; at < places.count; at++) {
		buf_add_string(self->out, "  called from ");
		stack_describe(self->out, self->scene->symbols, &places.items[at]);
		buf_add_string(self->out, "\n");
	}
}

static void tell_locks(struct telling *self, const struct report_watch *watch)
{
	for (size_t i = 0; i < watch->held_count; i++) {
		struct scene_place place;
		buf_add_string(self->out,
			       strcmp(watch->held[i].mode, "shared") == 0 ? "  holding (for reading) " : "  holding ");
		symbols_describe_data(self->out, self->scene->symbols, watch->held[i].lock);
		buf_add_string(self->out, ", taken at ");
		scene_own_code(self->scene, watch->held[i].code, &place);
		scene_tell_place(self->out, &place);
		buf_add_string(self->out, "\n");
	}
	if (!watch->held_count)
		buf_add_string(self->out, "  holding no lock\n");
}

/* Counters are small, addresses and patterns are not. */
static void tell_number(struct buf *out, uint64_t number)
{
	buf_format(out, number < 1000000 ? "%" PRIu64 : "0x%" PRIx64, number);
}

static void tell_value(struct telling *self, const struct report_watch *watch, const struct report_access *access)
{
	bool is_write = access->kind == REPORT_WRITE || access->kind == REPORT_ATOMIC_WRITE;
	if (!watch->has_value)
		return;
	buf_add_string(self->out, "  it was ");
	tell_number(self->out, watch->before);
	if (is_write) {
		buf_add_string(self->out, " and became ");
		tell_number(self->out, watch->after);
	}
	buf_add_string(self->out, "\n");
}

static void tell_access(struct telling *self, const struct report_access *access, const char *words, const char *object,
			uint32_t number)
{
	struct scene_place place;
	const struct report_watch *watch = seen(self, number);
	if (access->kind == REPORT_FREE)
		scene_own_code(self->scene, access->place, &place);
	else
		scene_place(self->scene, access->place, &place);
	buf_format(self->out, "thread %" PRIu32 " %s %s at ", access->thread, words, object);
	scene_tell_place(self->out, &place);
	buf_add_string(self->out, "\n");
	if (!watch)
		return;
	tell_callers(self, watch);
	tell_value(self, watch, access);
	tell_locks(self, watch);
}

/* "allocated by thread 1 at x.c:3 in make" */
static void tell_act(struct telling *self, const char *what, uint32_t number)
{
	const struct report_watch *watch = seen(self, number);
	struct scene_place place;
	if (!watch)
		return;
	buf_format(self->out, "%s by thread %" PRIu32 " at ", what, watch->thread.index);
	scene_own_place(self->scene, &watch->thread, &place);
	scene_tell_place(self->out, &place);
	buf_add_string(self->out, "\n");
	tell_callers(self, watch);
}

static void tell_block(struct telling *self, uint64_t address, uint64_t start, uint64_t size)
{
	uint64_t offset = address - start, distance = offset < size ? offset : offset - size;
	buf_add_string(self->out, "that is ");
	if (distance || offset >= size)
		buf_format(self->out, "%" PRIu64 " byte%s %s", distance, distance == 1 ? "" : "s",
			   offset < size ? "into" : "behind");
	else
		buf_add_string(self->out, "the start of");
	buf_format(self->out, " a block of %" PRIu64 " byte%s at 0x%" PRIx64 "\n", size, size == 1 ? "" : "s", start);
	tell_act(self, "allocated", SECOND_MADE);
	tell_act(self, "freed", SECOND_FREED);
}

static void tell_creations(struct telling *self)
{
	for (uint32_t i = SECOND_THREADS; self->second && i < self->second->watch_count; i++) {
		char words[64];
		snprintf(words, sizeof words, "thread %" PRIu32 " was created", self->second->threads[i]);
		tell_act(self, words, i);
	}
}

static void tell_race(struct telling *self, const struct report_race *race)
{
	struct scene_place later, earlier;
	struct buf object = { 0 };
	const struct report_watch *watch = seen(self, SECOND_LATER);
	scene_place(self->scene, race->later.place, &later);
	scene_place(self->scene, race->earlier.place, &earlier);
	scene_tell_object(&object, self->scene, race->address, &later, &earlier);
	tell_access(self, &race->later, present[race->later.kind], object.data, SECOND_LATER);
	tell_access(self, &race->earlier, past[race->earlier.kind], "it before", SECOND_EARLIER);
	if (watch && watch->has_block)
		tell_block(self, race->address, watch->block_start, watch->block_size);
	buf_release(&object);
}

static void tell_memory(struct telling *self, const struct report_memory *memory)
{
	struct scene_place place;
	struct buf object = { 0 };
	scene_place(self->scene, memory->access.place, &place);
	scene_tell_object(&object, self->scene, memory->address, &place, &place);
	tell_access(self, &memory->access, present[memory->access.kind], object.data, SECOND_LATER);
	if (memory->state != REPORT_NEVER)
		tell_block(self, memory->address, memory->start, memory->block_size);
	buf_release(&object);
}

void judge_detail(struct judge *judge, struct finding *finding, const struct second_pass *second)
{
	struct telling self = { &finding->details, &judge->scene, second };
	if (finding->origin == FINDING_OF_END)
		return;
	finding->details.size = 0;
	if (second && second->report.module_count)
		scene_set(&judge->scene, &second->report);
	if (finding->origin == FINDING_OF_RACE)
		tell_race(&self, &finding->race);
	else
		tell_memory(&self, &finding->memory);
	tell_creations(&self);
}
