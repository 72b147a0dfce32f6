/*
 * free.c: describes calls of free and realloc whose argument is not a live block. The run ends with such a call, so its
 * report has the caller's stack, and the place is known before a second pass.
 */
#include <inttypes.h>

#include "judge/judge_priv.h"
#include "symbols/names_short.h"

/* Inside a library, as operator delete is, the place becomes the innermost of the program's own that called it. */
static void find_caller(struct inspection *self, struct report_memory *memory)
{
	struct scene *scene = &self->judge->scene;
	const struct report_thread *thread = report_thread(self->report, memory->access.thread);
	struct scene_place place;
	struct stack_places places;
	scene_place(scene, memory->access.place, &place);
	if (place.is_own || !thread)
		return;
	stack_of_thread(&places, scene->unwinder, scene->symbols, thread);
	for (size_t i = 0; i < places.count; i++)
		if (!places.items[i].is_library && places.items[i].symbol.file) {
			memory->access.place = places.items[i].address;
			return;
		}
}

struct report_memory judge_find_free(struct inspection *self, const struct report_memory *memory)
{
	struct report_memory found = *memory;
	if (report_is_bad_free(memory))
		find_caller(self, &found);
	return found;
}

void judge_free_title(struct buf *out, const struct report_memory *memory)
{
	static const char *const state_words[REPORT_STATE_COUNT] = {
		[REPORT_FREED] = "a pointer into a freed block",
		[REPORT_INSIDE] = "a pointer into the middle of a block",
		[REPORT_BEYOND] = "a pointer beyond the end of a block",
		[REPORT_NEVER] = "a pointer that was never allocated",
	};
	const bool is_again = report_is_freed_again(memory);
	if (is_again && memory->access.kind == REPORT_FREE)
		buf_add_string(out, "double free");
	else
		buf_format(out, "%s of %s", judge_access_words[memory->access.kind],
			   is_again ? "a block that was already freed" : state_words[memory->state]);
}

void judge_free_object(struct buf *out, const struct report_memory *memory, const struct scene_place *made)
{
	if (memory->state == REPORT_NEVER) {
		buf_add_string(out, "memory");
		return;
	}
	buf_format(out, "%" PRIu64 " byte%s", memory->block_size, memory->block_size == 1 ? "" : "s");
	if (!made || !made->file)
		return;
	buf_format(out, " allocated%s", scene_preposition(made));
	scene_describe_line(out, made);
}

void judge_free_event_text(struct buf *out, const struct report_memory *memory, const char *called)
{
	const bool is_again = report_is_freed_again(memory);
	buf_add_string(out, memory->access.kind == REPORT_REALLOC ? "resizes " : "frees ");
	buf_add_string(out, is_again && memory->access.kind == REPORT_FREE ? "it again" : "it");
	if (called) {
		buf_add_string(out, " by ");
		names_add_short(out, called);
	}
}
