/*
 * callers.c: who called the function that a failure is in. Programs have functions that end them, which are called from
 * many places: there the callers say which failure it is.
 */
#include <string.h>

#include "judge/judge_priv.h"

/* Whether a place below this one is the same: how deep a recursion is depends on the run. */
static bool is_repeated(const struct stack_places *places, size_t at)
{
	const struct symbol_place *symbol = &places->items[at].symbol;
	for (size_t i = 0; i < at; i++) {
		const struct symbol_place *other = &places->items[i].symbol;
		if (!places->items[i].is_library && other->file && other->line == symbol->line &&
		    strcmp(other->file, symbol->file) == 0)
			return true;
	}
	return false;
}

/* The next place of the program's own from that number on, without the first of all, where the failure is; the count: no more. */
static size_t next_caller(const struct stack_places *places, size_t at)
{
	const struct symbol_place *own = stack_own_place(places);
	while (at < places->count && (places->items[at].is_library || !places->items[at].symbol.file ||
				      &places->items[at].symbol == own || is_repeated(places, at)))
		at++;
	return at;
}

static struct scene_place place_of(const struct stack_places *places, size_t at)
{
	const struct symbol_place *symbol = &places->items[at].symbol;
	return (struct scene_place){ .function = symbol->function, .file = symbol->file, .line = symbol->line };
}

bool judge_callers_key(struct buf *key, const struct stack_places *places)
{
	size_t first = next_caller(places, 0);
	for (size_t at = first; at < places->count; at = next_caller(places, at + 1)) {
		struct scene_place place = place_of(places, at);
		buf_add_string(key, at == first ? " from " : ", ");
		scene_key(key, &place);
	}
	return first < places->count;
}

void judge_add_callers(struct finding *finding, const struct stack_places *places)
{
	for (size_t at = next_caller(places, 0); at < places->count; at = next_caller(places, at + 1)) {
		const struct symbol_place *symbol = &places->items[at].symbol;
		finding_add_caller(finding, &(struct finding_caller){ .file = symbol->file,
								      .function = symbol->function,
								      .line = symbol->line });
	}
}

void judge_add_caller_place(struct buf *out, const struct stack_places *places)
{
	size_t at = next_caller(places, 0);
	if (at == places->count)
		return;
	struct scene_place place = place_of(places, at);
	scene_key(out, &place);
}

void judge_describe_caller(struct finding *finding)
{
	if (!finding->evidence.caller_count)
		return;
	const struct finding_caller *caller = &finding->evidence.callers[0];
	const struct scene_place place = { .function = caller->function, .file = caller->file, .line = caller->line };
	buf_add_string(&finding->presentation.summary, ", called at ");
	scene_describe_place(&finding->presentation.summary, &place);
}
