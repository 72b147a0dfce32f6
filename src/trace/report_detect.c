/* report_detect.c: the lines of a report that detection wrote. See "Detection" in heddle/abi.h. */
#include <string.h>

#include "trace/report_priv.h"

const char *const report_state_words[REPORT_STATE_COUNT] = {
	[REPORT_FREED] = "freed",
	[REPORT_INSIDE] = "inside",
	[REPORT_BEYOND] = "beyond",
	[REPORT_NEVER] = "never",
};

/* Which of the words the next one is. */
static bool next_of(char **at, const char *const words[], unsigned count, unsigned *which)
{
	const char *word = report_word(at);
	for (*which = 0; *which < count; ++*which)
		if (strcmp(word, words[*which]) == 0)
			return true;
	return false;
}

static bool next_index(char **at, uint32_t *index)
{
	uint64_t number;
	if (!report_number(at, 10, &number) || number > UINT32_MAX)
		return false;
	*index = (uint32_t)number;
	return true;
}

static bool next_access(char **at, struct report_access *access)
{
	static const char *const kinds[REPORT_ACCESS_COUNT] = {
		[REPORT_READ] = "read",
		[REPORT_WRITE] = "write",
		[REPORT_ATOMIC_READ] = "atomic-read",
		[REPORT_ATOMIC_WRITE] = "atomic-write",
		[REPORT_FREE] = "free",
		[REPORT_REALLOC] = "realloc",
		[REPORT_ALLOCATION] = "allocation",
	};
	unsigned kind;
	if (!next_index(at, &access->thread) || !next_of(at, kinds, REPORT_ACCESS_COUNT, &kind))
		return false;
	access->kind = (enum report_access_kind)kind;
	return report_number(at, 16, &access->place);
}

void report_add_race(struct report *report, char *at)
{
	struct report_race race;
	if (!report_number(&at, 10, &race.event) || !report_number(&at, 16, &race.address) ||
	    !report_number(&at, 10, &race.size) || !next_access(&at, &race.later) || !next_access(&at, &race.earlier) ||
	    !report_number(&at, 16, &race.epoch))
		return;
	if (!report_number(&at, 16, &race.key))
		race.key = 0; /* A line of an older trace. */
	report->races = mem_resize(report->races, (report->race_count + 1) * sizeof *report->races);
	report->races[report->race_count++] = race;
}

void report_add_memory(struct report *report, char *at)
{
	struct report_memory memory;
	unsigned state;
	if (!report_number(&at, 10, &memory.event) || !report_number(&at, 16, &memory.address) ||
	    !report_number(&at, 10, &memory.size) || !next_access(&at, &memory.access) ||
	    !next_of(&at, report_state_words, REPORT_STATE_COUNT, &state) || !report_number(&at, 16, &memory.start) ||
	    !report_number(&at, 10, &memory.block_size) || !report_number(&at, 10, &memory.made) ||
	    !report_number(&at, 10, &memory.freed))
		return;
	if (!report_number(&at, 16, &memory.key))
		memory.key = 0;
	memory.state = (enum report_block_state)state;
	report->memories = mem_resize(report->memories, (report->memory_count + 1) * sizeof *report->memories);
	report->memories[report->memory_count++] = memory;
}

bool report_is_bad_free(const struct report_memory *memory)
{
	return memory->access.kind == REPORT_FREE || memory->access.kind == REPORT_REALLOC;
}

bool report_is_freed_again(const struct report_memory *memory)
{
	return memory->state == REPORT_FREED && memory->address == memory->start;
}

const char *report_free_word(const struct report_memory *memory)
{
	return report_is_freed_again(memory) ? "double free" : "bad free";
}

const struct report_memory *report_bad_free(const struct report *report)
{
	for (size_t i = 0; i < report->memory_count; i++)
		if (report_is_bad_free(&report->memories[i]))
			return &report->memories[i];
	return NULL;
}

static bool next_held(char **at, struct report_held *held)
{
	if (!report_number(at, 16, &held->lock) || !report_number(at, 16, &held->code))
		return false;
	held->event = 0;
	held->mode = report_word(at);
	return *held->mode != '\0';
}

void report_add_order(struct report *report, char *at)
{
	struct report_order order;
	if (!next_index(&at, &order.thread) || !report_number(&at, 10, &order.event) ||
	    !report_number(&at, 16, &order.epoch))
		return;
	order.before = report_word(&at);
	if (!next_held(&at, &order.first) || !next_held(&at, &order.second))
		return;
	order.others = at;
	report->orders = mem_resize(report->orders, (report->order_count + 1) * sizeof *report->orders);
	report->orders[report->order_count++] = order;
}

void report_add_reached(struct report *report, char *at)
{
	uint64_t place;
	if (!report_number(&at, 16, &place) || report_is_reached(report, place))
		return;
	report->reached = mem_resize(report->reached, (report->reached_count + 1) * sizeof *report->reached);
	report->reached[report->reached_count++] = place;
}

bool report_is_reached(const struct report *report, uint64_t place)
{
	for (size_t i = 0; i < report->reached_count; i++)
		if (report->reached[i] == place)
			return true;
	return false;
}

/* A later line of the same places replaces an earlier one. */
void report_add_common(struct report *report, char *at)
{
	static const char *const orders[REPORT_COMMON_COUNT] = {
		[REPORT_COMMON_UNORDERED] = "unordered", [REPORT_COMMON_ATOMIC] = "atomic",
		[REPORT_COMMON_UNKNOWN] = "unknown",     [REPORT_COMMON_LOCK] = "lock",
		[REPORT_COMMON_CREATED] = "created",     [REPORT_COMMON_ENDED] = "ended",
	};
	struct report_common common;
	unsigned order;
	size_t number = 0;
	if (!report_number(&at, 16, &common.places[0]) || !report_number(&at, 16, &common.places[1]) ||
	    !next_of(&at, orders, REPORT_COMMON_COUNT, &order))
		return;
	common.order = (enum report_common_order)order;
	if (!report_number(&at, 16, &common.lock))
		common.lock = 0;
	while (number < report->common_count && (report->commons[number].places[0] != common.places[0] ||
						 report->commons[number].places[1] != common.places[1]))
		number++;
	if (number == report->common_count)
		report->commons = mem_resize(report->commons, ++report->common_count * sizeof *report->commons);
	report->commons[number] = common;
}

/* The watch that a line is about; null when there is no such. */
static struct report_watch *next_watch(struct report *report, char **at)
{
	uint64_t number;
	if (!report_number(at, 10, &number) || number >= HEDDLE_WATCHES)
		return NULL;
	if (number >= report->watch_count) {
		report->watches = mem_resize(report->watches, (number + 1) * sizeof *report->watches);
		memset(report->watches + report->watch_count, 0,
		       (number + 1 - report->watch_count) * sizeof *report->watches);
		report->watch_count = number + 1;
	}
	return &report->watches[number];
}

const struct report_watch *report_watch(const struct report *report, uint32_t number)
{
	return number < report->watch_count && report->watches[number].is_seen ? &report->watches[number] : NULL;
}

void report_add_seen(struct report *report, char *at)
{
	struct report_watch *watch = next_watch(report, &at);
	uint64_t event;
	uint32_t index;
	if (!watch || !report_number(&at, 10, &event) || !next_index(&at, &index))
		return;
	watch->is_seen = true;
	watch->event = event;
	watch->thread.index = index;
	watch->thread.state = watch->thread.name = "";
}

void report_add_value(struct report *report, char *at)
{
	struct report_watch *watch = next_watch(report, &at);
	uint64_t before, after;
	if (!watch || !report_number(&at, 16, &before) || !report_number(&at, 16, &after))
		return;
	watch->has_value = true;
	watch->before = before;
	watch->after = after;
}

void report_add_held(struct report *report, char *at)
{
	struct report_watch *watch = next_watch(report, &at);
	struct report_held held = { 0 };
	if (!watch || !report_number(&at, 16, &held.lock) || !report_number(&at, 16, &held.code) ||
	    !report_number(&at, 10, &held.event))
		return;
	held.mode = report_word(&at);
	while (held.caller_count < HEDDLE_MAX_CALLERS && report_number(&at, 16, &held.callers[held.caller_count]))
		held.caller_count++;
	watch->held = mem_resize(watch->held, (watch->held_count + 1) * sizeof *watch->held);
	watch->held[watch->held_count++] = held;
}

void report_add_accessed(struct report *report, char *at)
{
	struct report_accessed one = { 0 };
	uint64_t watch, lock;
	if (!report_number(&at, 10, &watch) || watch >= HEDDLE_WATCHES || !report_number(&at, 10, &one.event) ||
	    !next_access(&at, &one.access) || !report_number(&at, 16, &one.address) ||
	    !report_number(&at, 16, &one.before) || !report_number(&at, 16, &one.after) ||
	    report->accessed_count == HEDDLE_ACCESSED)
		return;
	one.watch = (uint32_t)watch;
	while (one.lock_count < REPORT_ACCESSED_LOCKS && report_number(&at, 16, &lock)) {
		one.is_shared[one.lock_count] = strcmp(report_word(&at), "shared") == 0;
		one.locks[one.lock_count++] = lock;
	}
	if ((report->accessed_count & (report->accessed_count - 1)) == 0)
		report->accessed =
			mem_resize(report->accessed, (2 * report->accessed_count + 1) * sizeof *report->accessed);
	report->accessed[report->accessed_count++] = one;
}

void report_add_block(struct report *report, char *at)
{
	struct report_watch *watch = next_watch(report, &at);
	uint64_t start, size, made, freed;
	if (!watch || !report_number(&at, 16, &start) || !report_number(&at, 10, &size))
		return;
	bool is_live = strcmp(report_word(&at), "live") == 0;
	if (!report_number(&at, 10, &made) || !report_number(&at, 10, &freed))
		return;
	watch->has_block = true;
	watch->block_start = start;
	watch->block_size = size;
	watch->is_block_live = is_live;
	watch->made = made;
	watch->freed = freed;
}

void report_add_stackof(struct report *report, char *at)
{
	struct report_watch *watch = next_watch(report, &at);
	struct report_stack stack;
	if (watch && report_parse_stack(at, &stack))
		watch->thread.stack = stack;
}
