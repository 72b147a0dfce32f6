/* states.c: see states.h. */
#include "judge/states.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "judge/retrace.h"
#include "symbols/names_short.h"

/* The calls of a thread in one of the runs. */
struct calls {
	struct unwound items[MAX_STACK_DEPTH];
	size_t count;
	size_t own;     /* the innermost that is not the runtime's; count: there is none */
	size_t program; /* the innermost of the program's own code; likewise */
};

/* What is named first. */
enum name_rank { NAME_VARIABLE, NAME_PLACE, NAME_OTHER, NAME_SYSTEM, NAME_RANKS };

struct comparing {
	const struct states *states;
	struct strings names[NAME_RANKS];
	struct report_changed blocks[STATES_NAMES]; /* different ones that words are of */
	size_t block_count;
	uint32_t elsewhere[2]; /* threads that stand in another place */
	size_t elsewhere_count;
	bool is_different, is_unclear;
	/* The stack that was looked at last. */
	uint32_t thread;
	struct calls recorded, other;
};

static void name(struct comparing *self, enum name_rank rank, const char *text)
{
	struct strings *names = &self->names[rank];
	self->is_different = true;
	if (names->count < STATES_NAMES && !strings_has(names, text))
		strings_add(names, text);
}

static void name_buf(struct comparing *self, enum name_rank rank, struct buf *text)
{
	name(self, rank, text->data ? text->data : "");
	buf_release(text);
}

/* What the system's libraries keep is named only if there is nothing else. */
static void take_names(struct comparing *self, struct strings *names)
{
	for (size_t rank = 0; rank < NAME_RANKS; rank++) {
		for (size_t i = 0; i < self->names[rank].count && names->count < STATES_NAMES; i++)
			if ((rank < NAME_SYSTEM || !names->count) && !strings_has(names, self->names[rank].items[i]))
				strings_add(names, self->names[rank].items[i]);
		strings_release(&self->names[rank]);
	}
}

static void find_calls(struct comparing *self, const struct report *report, uint32_t index, struct calls *calls)
{
	const struct report_thread *thread = report_thread(report, index);
	struct scene *scene = self->states->scene;
	calls->count = thread ? unwind_calls(scene->unwinder, thread, calls->items, MAX_STACK_DEPTH) : 0;
	for (calls->own = 0; calls->own < calls->count; calls->own++)
		if (stack_owner(scene->symbols, calls->items[calls->own].address) != STACK_OF_RUNTIME)
			break;
	for (calls->program = calls->own; calls->program < calls->count; calls->program++)
		if (stack_owner(scene->symbols, calls->items[calls->program].address) == STACK_OF_PROGRAM)
			break;
}

static void find_stack(struct comparing *self, uint32_t thread)
{
	if (self->thread == thread)
		return;
	self->thread = thread;
	find_calls(self, self->states->recorded, thread, &self->recorded);
	find_calls(self, self->states->other, thread, &self->other);
}

/* Where the part of a stack begins that is not the runtime's; UINT64_MAX: there is none. */
static uint64_t own_start(const struct calls *calls)
{
	return calls->own < calls->count ? calls->items[calls->own].rsp : UINT64_MAX;
}

/* Where the program stands, or a library that it called; zeros if that is not known. */
static struct unwound innermost(const struct calls *calls)
{
	return calls->own < calls->count ? calls->items[calls->own] : (struct unwound){ .address = 0 };
}

/* Appends which code of the program's own the thread is in. */
static void output_program(struct buf *out, const struct comparing *self)
{
	const struct calls *calls = &self->recorded;
	if (calls->program == calls->count)
		return;
	buf_add_string(out, " in ");
	symbols_describe_code(out, self->states->scene->symbols, calls->items[calls->program].address);
}

static void compare_registers(struct comparing *self, uint32_t thread)
{
	find_stack(self, thread);
	const struct unwound a = innermost(&self->recorded), b = innermost(&self->other);
	struct buf text = { 0 };
	if (memcmp(&a, &b, sizeof a) == 0)
		return;
	if (a.address != b.address || a.rsp != b.rsp) {
		buf_format(&text, "where thread %" PRIu32 " is", thread);
		self->elsewhere[self->elsewhere_count++] = thread;
	} else {
		buf_format(&text, "a register of thread %" PRIu32, thread);
		output_program(&text, self);
	}
	name_buf(self, NAME_PLACE, &text);
}

/* The function that has the frame, and not what was inlined into it. */
static void describe_function(struct buf *out, struct symbols *symbols, uint64_t address)
{
	const struct symbol_place *places;
	const size_t count = symbols_code(symbols, address, &places);
	if (count && places[count - 1].function)
		names_add_short(out, places[count - 1].function);
	else
		symbols_describe_code(out, symbols, address);
}

/* A thread that stands in another place has another stack. */
static bool is_elsewhere(const struct comparing *self, uint32_t thread)
{
	for (size_t i = 0; i < self->elsewhere_count; i++)
		if (self->elsewhere[i] == thread)
			return true;
	return false;
}

/* The call that a word of the stack belongs to. */
static void name_stack(struct comparing *self, const struct report_changed *changed)
{
	const struct calls *calls = &self->recorded;
	struct buf text = { 0 };
	size_t at = calls->own;
	self->is_different = true;
	if (is_elsewhere(self, changed->thread))
		return;
	while (at + 1 < calls->count && calls->items[at + 1].rsp <= changed->address)
		at++;
	if (at + 1 >= calls->count) {
		buf_format(&text, "thread-local data of thread %" PRIu32, changed->thread);
	} else if (at < calls->program) {
		buf_add_string(&text, "data of a library call");
		output_program(&text, self);
	} else {
		buf_add_string(&text, "a local variable of ");
		describe_function(&text, self->states->scene->symbols, calls->items[at].address);
	}
	name_buf(self, NAME_PLACE, &text);
}

/* Blocks get their names together, by one replay. */
static void name_block(struct comparing *self, const struct report_changed *changed)
{
	self->is_different = true;
	for (size_t i = 0; i < self->block_count; i++)
		if (self->blocks[i].start == changed->start)
			return;
	if (self->block_count < STATES_NAMES)
		self->blocks[self->block_count++] = *changed;
}

static void name_data(struct comparing *self, const struct report_changed *changed)
{
	struct symbols *symbols = self->states->scene->symbols;
	struct buf text = { 0 };
	symbols_describe_data(&text, symbols, changed->address);
	name_buf(self, stack_owner(symbols, changed->address) == STACK_OF_PROGRAM ? NAME_VARIABLE : NAME_SYSTEM, &text);
}

static void name_word(struct comparing *self, const struct report_changed *changed)
{
	const struct states *states = self->states;
	const uint64_t end = states->race->address + states->race->size;
	if (states->object && changed->address < end && changed->address + 8 > states->race->address) {
		name(self, NAME_VARIABLE, states->object);
		return;
	}
	switch (changed->of) {
	case REPORT_OF_STACK:
		name_stack(self, changed);
		return;
	case REPORT_OF_BLOCK:
		name_block(self, changed);
		return;
	case REPORT_OF_DATA:
		name_data(self, changed);
		return;
	case REPORT_OF_MAPPING:
	case REPORT_OF_COUNT:
		break;
	}
	name(self, NAME_OTHER, "mapped memory");
}

/* Whether a word of a stack is of the program's own calls in both runs. */
static bool counts(struct comparing *self, const struct report_changed *changed)
{
	if (changed->of != REPORT_OF_STACK)
		return true;
	find_stack(self, changed->thread);
	return changed->address >= own_start(&self->recorded) && changed->address >= own_start(&self->other);
}

/* A word that one run changed, or both: b is null, or the same word. */
static void compare_word(struct comparing *self, const struct report_changed *a, const struct report_changed *b)
{
	if (b ? a->after == b->after && a->before == b->before : a->before == a->after)
		return;
	if (!counts(self, a))
		return;
	if (b && a->before != b->before)
		self->is_unclear = true; /* the runs differ before the accesses */
	else
		name_word(self, a);
}

static void compare_memory(struct comparing *self)
{
	const struct report_state *a = &self->states->recorded->state, *b = &self->states->other->state;
	size_t i = 0, j = 0;
	while (i < a->changed_count || j < b->changed_count) {
		const struct report_changed *x = i < a->changed_count ? &a->changed[i] : NULL,
					    *y = j < b->changed_count ? &b->changed[j] : NULL;
		const bool is_both = x && y && x->address == y->address;
		const bool is_first = x && (!y || x->address <= y->address);
		compare_word(self, is_first ? x : y, is_both ? y : NULL);
		i += is_first;
		j += is_both || !is_first;
	}
	if (a->unlisted != b->unlisted || a->unlisted_hash != b->unlisted_hash)
		name(self, NAME_OTHER, "other memory");
	if (a->live_bytes != b->live_bytes)
		name(self, NAME_OTHER, "the amount of allocated memory");
}

static void describe_block(struct comparing *self, const struct report_changed *block, const struct report_watch *made)
{
	struct scene_place place;
	struct buf text = { 0 };
	buf_format(&text, "a block of %" PRIu64 " byte%s", block->size, block->size == 1 ? "" : "s");
	if (made && scene_own_place(self->states->scene, &made->thread, &place)) {
		buf_add_string(&text, " allocated at ");
		scene_describe_line(&text, &place);
	}
	name_buf(self, NAME_VARIABLE, &text);
}

/* Replays the recorded run up to the accesses: where were the blocks allocated? Without an answer they have no place. */
static void tell_blocks(struct comparing *self)
{
	const struct states *states = self->states;
	struct heddle_watch watches[STATES_NAMES] = { 0 };
	struct retrace replay = { .flags = HEDDLE_CONTROL_DETECT,
				  .stop_after = states->race->event,
				  .watches = watches,
				  .watch_count = (uint32_t)self->block_count,
				  .deadline = states->deadline };
	struct trace recorded;
	struct report report = { 0 };
	struct err ignored = ERR_INIT;
	for (size_t i = 0; i < self->block_count; i++)
		watches[i] = (struct heddle_watch){ .kind = HEDDLE_WATCH_HEAP, .number = self->blocks[i].made };
	trace_init(&recorded);
	if (self->block_count && trace_read(states->trace, &recorded, &ignored) == 0) {
		if (retrace(&replay, &recorded, &ignored) == 0)
			report_parse(&report, replay.now.report.data ? replay.now.report.data : "",
				     replay.now.report.size);
		retrace_release(&replay);
	}
	for (size_t i = 0; i < self->block_count; i++)
		describe_block(self, &self->blocks[i],
			       self->blocks[i].made ? report_watch(&report, (uint32_t)i) : NULL);
	report_release(&report);
	trace_free(&recorded);
}

/* Another thread that went on in one of the runs and not in the other may have made the difference. */
static void compare_others(struct comparing *self)
{
	const struct report *report = self->states->recorded;
	for (size_t i = 0; i < report->thread_count; i++) {
		const uint32_t thread = report->threads[i].index;
		if (thread == self->states->race->earlier.thread || thread == self->states->race->later.thread)
			continue;
		find_stack(self, thread);
		const struct unwound a = innermost(&self->recorded), b = innermost(&self->other);
		self->is_unclear |= a.address != b.address || a.rsp != b.rsp;
	}
}

enum verdict_states states_compare(const struct states *states, struct strings *names)
{
	struct comparing *self = mem_alloc(sizeof *self);
	self->states = states;
	scene_set(states->scene, states->recorded);
	compare_registers(self, states->race->earlier.thread);
	compare_registers(self, states->race->later.thread);
	compare_memory(self);
	if (self->is_different)
		compare_others(self);
	const enum verdict_states result = self->is_unclear     ? STATES_UNKNOWN
					   : self->is_different ? STATES_DIFFER
								: STATES_SAME;
	tell_blocks(self);
	take_names(self, names);
	free(self);
	return result;
}
