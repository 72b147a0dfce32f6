/* report.c: see report.h. */
#include "trace/report_priv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/text.h"

char *report_word(char **at)
{
	char *word = *at + strspn(*at, " ");
	char *end = word + strcspn(word, " ");
	*at = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

bool report_number(char **at, int base, uint64_t *number)
{
	char *word = report_word(at), *end;
	*number = strtoull(word, &end, base);
	return *word && !*end;
}

static struct report_thread *find_thread(struct report *report, uint64_t index)
{
	for (size_t i = report->thread_count; i-- > 0;)
		if (report->threads[i].index == index)
			return &report->threads[i];
	return NULL;
}

static struct report_thread *need_thread(struct report *report, uint64_t index)
{
	struct report_thread *thread = find_thread(report, index);
	if (thread)
		return thread;
	report->threads = mem_resize(report->threads, (report->thread_count + 1) * sizeof *report->threads);
	thread = &report->threads[report->thread_count++];
	*thread = (struct report_thread){ .index = (uint32_t)index, .state = "", .name = "" };
	return thread;
}

static void add_thread(struct report *report, char *at)
{
	uint64_t index;
	if (!report_number(&at, 10, &index) || index > UINT32_MAX)
		return;
	struct report_thread *thread = need_thread(report, index);
	thread->state = report_word(&at);
	thread->name = at;
}

/* The last word of a line, cut off from it; empty when there is none. */
static char *last_word(char *line)
{
	char *blank = strrchr(line, ' ');
	if (!blank)
		return line + strlen(line);
	*blank = '\0';
	return blank + 1;
}

/* What is waited for may have several words. */
static void add_wait(struct report *report, char *at)
{
	uint64_t index;
	if (!report_number(&at, 10, &index) || index > UINT32_MAX)
		return;
	uint64_t owner = strtoull(last_word(at), NULL, 10), object = strtoull(last_word(at), NULL, 16);
	struct report_thread *thread = need_thread(report, index);
	thread->waits = at;
	thread->object = object;
	thread->owner = owner <= UINT32_MAX ? (uint32_t)owner : 0;
}

static void add_beginning(struct report *report, char *at)
{
	uint64_t index, start;
	if (!report_number(&at, 10, &index) || index > UINT32_MAX || !report_number(&at, 16, &start))
		return;
	struct report_thread *thread = need_thread(report, index);
	thread->start = start;
	thread->has_words = report_number(&at, 16, &thread->words[0]) && report_number(&at, 16, &thread->words[1]) &&
			    report_number(&at, 16, &thread->words[2]);
}

static void add_given_name(struct report *report, char *at)
{
	uint64_t index;
	if (!report_number(&at, 10, &index) || index > UINT32_MAX)
		return;
	need_thread(report, index)->name = at + strspn(at, " ");
}

static void add_code(struct report *report, char *at)
{
	uint64_t index, code;
	if (!report_number(&at, 10, &index) || index > UINT32_MAX || !report_number(&at, 16, &code))
		return;
	struct report_thread *thread = need_thread(report, index);
	thread->code = mem_resize(thread->code, (thread->code_count + 1) * sizeof *thread->code);
	thread->code[thread->code_count++] = code;
}

static int digit_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* In place: the bytes take half of the room of their digits. */
static size_t decode_bytes(char *text)
{
	unsigned char *bytes = (unsigned char *)text;
	size_t size = 0;
	for (; text[0] && text[1]; text += 2, size++) {
		int high = digit_value(text[0]), low = digit_value(text[1]);
		if (high < 0 || low < 0)
			break;
		bytes[size] = (unsigned char)(high << 4 | low);
	}
	return size;
}

bool report_parse_stack(char *at, struct report_stack *stack)
{
	uint64_t numbers[9];
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (!report_number(&at, 16, &numbers[i]))
			return false;
	*stack = (struct report_stack){
		.rip = numbers[0],
		.rsp = numbers[1],
		.rbp = numbers[2],
		.rbx = numbers[3],
		.r12 = numbers[4],
		.r13 = numbers[5],
		.r14 = numbers[6],
		.r15 = numbers[7],
		.start = numbers[8],
		.bytes = (const unsigned char *)at,
		.size = decode_bytes(at),
	};
	return true;
}

static void add_stack(struct report *report, char *at)
{
	uint64_t index;
	struct report_stack stack;
	if (report_number(&at, 10, &index) && index <= UINT32_MAX && report_parse_stack(at, &stack))
		need_thread(report, index)->stack = stack;
}

static bool is_octal(const char *at)
{
	return at[0] >= '0' && at[0] <= '3' && at[1] >= '0' && at[1] <= '7' && at[2] >= '0' && at[2] <= '7';
}

/* Replaces "\\033" by the byte; with only set, just where it is that byte. */
static void decode(char *path, char only)
{
	char *out = path;
	for (const char *at = path; *at; out++) {
		bool is_code = at[0] == '\\' && is_octal(at + 1);
		char byte = is_code ? (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0')) : *at;
		is_code = is_code && byte && (!only || byte == only);
		*out = is_code ? byte : *at;
		at += is_code ? 4 : 1;
	}
	*out = '\0';
}

/* The runtime escapes control characters and backslashes in paths like this; the kernel, where the paths come from,
 * escapes newlines. */
static void decode_path(char *path)
{
	decode(path, '\0');
	if (strchr(path, '\\') && access(path, F_OK) < 0)
		decode(path, '\n');
}

static void add_module(struct report *report, char *at)
{
	struct report_module module;
	if (!report_number(&at, 16, &module.start) || !report_number(&at, 16, &module.end) ||
	    !report_number(&at, 16, &module.offset) || module.end <= module.start || !*at)
		return;
	decode_path(at);
	module.path = at;
	report->modules = mem_resize(report->modules, (report->module_count + 1) * sizeof *report->modules);
	report->modules[report->module_count++] = module;
}

static void add_note(struct report *report, char *at)
{
	report->notes = mem_resize(report->notes, (report->note_count + 1) * sizeof *report->notes);
	report->notes[report->note_count++] = at;
}

static void add_limit(struct report *report, char *at)
{
	report->limits = mem_resize(report->limits, (report->limit_count + 1) * sizeof *report->limits);
	report->limits[report->limit_count++] = at;
}

static void add_opaque(struct report *report, char *at)
{
	struct report_opaque opaque;
	if (!report_number(&at, 10, &opaque.line))
		return;
	opaque.function = report_word(&at);
	opaque.file = at;
	report->opaque = mem_resize(report->opaque, (report->opaque_count + 1) * sizeof *report->opaque);
	report->opaque[report->opaque_count++] = opaque;
}

static void add_missed(struct report *report, char *at)
{
	report->missed = mem_resize(report->missed, (report->missed_count + 1) * sizeof *report->missed);
	report->missed[report->missed_count++] = at;
}

static const struct {
	const char *word;
	void (*add)(struct report *report, char *rest);
} lines[] = {
	{ "note", add_note },
	{ "limit", add_limit },
	{ "missed", add_missed },
	{ "opaque", add_opaque },
	{ "thread", add_thread },
	{ "waits", add_wait },
	{ "at", add_code },
	{ "module", add_module },
	{ "stack", add_stack },
	{ "race", report_add_race },
	{ "memory", report_add_memory },
	{ "order", report_add_order },
	{ "reached", report_add_reached },
	{ "common", report_add_common },
	{ "seen", report_add_seen },
	{ "value", report_add_value },
	{ "held", report_add_held },
	{ "block", report_add_block },
	{ "stackof", report_add_stackof },
	{ "accessed", report_add_accessed },
	{ "began", add_beginning },
	{ "named", add_given_name },
	{ "compared", report_add_compared },
	{ "changed", report_add_changed },
	{ "unlisted", report_add_unlisted },
	{ "live", report_add_live },
	{ "visited", report_add_visited },
	{ "touched", report_add_touched },
};

/* Watches come before what is known of their threads. */
static void complete_watches(struct report *report)
{
	for (size_t i = 0; i < report->watch_count; i++) {
		struct report_thread *seen = &report->watches[i].thread;
		const struct report_thread *known = find_thread(report, seen->index);
		if (!report->watches[i].is_seen || !known)
			continue;
		seen->start = known->start;
		seen->name = known->name;
		seen->has_words = known->has_words;
		memcpy(seen->words, known->words, sizeof seen->words);
	}
}

void report_parse(struct report *report, const char *text, size_t size_bytes)
{
	*report = (struct report){ .text = mem_alloc(size_bytes + 1) };
	if (size_bytes)
		memcpy(report->text, text, size_bytes);
	for (char *at = report->text; *at;) {
		char *line = at, *end = strchr(at, '\n');
		at = end ? end + 1 : at + strlen(at);
		if (end)
			*end = '\0';
		const char *word = report_word(&line);
		for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
			if (strcmp(word, lines[i].word) == 0)
				lines[i].add(report, line);
	}
	complete_watches(report);
}

void report_release(struct report *report)
{
	for (size_t i = 0; i < report->thread_count; i++)
		free(report->threads[i].code);
	free(report->threads);
	free(report->modules);
	free(report->notes);
	free(report->limits);
	free(report->missed);
	free(report->opaque);
	free(report->races);
	free(report->memories);
	free(report->orders);
	free(report->reached);
	free(report->commons);
	for (size_t i = 0; i < report->watch_count; i++)
		free(report->watches[i].held);
	free(report->watches);
	free(report->accessed);
	free(report->state.changed);
	free(report->state.visited);
	free(report->state.touched);
	free(report->text);
	*report = (struct report){ 0 };
}

const struct report_thread *report_thread(const struct report *report, uint32_t index)
{
	for (size_t i = 0; i < report->thread_count; i++)
		if (report->threads[i].index == index)
			return &report->threads[i];
	return NULL;
}

const struct report_thread *report_cycle(const struct report *report)
{
	for (size_t i = 0; i < report->thread_count; i++) {
		const struct report_thread *at = &report->threads[i];
		for (size_t steps = 0; at && at->waits && at->owner && steps < report->thread_count; steps++) {
			at = report_thread(report, at->owner);
			if (at == &report->threads[i])
				return at;
		}
	}
	return NULL;
}

bool report_is_code(const struct report *report, uint64_t address)
{
	for (size_t i = 0; i < report->module_count; i++)
		if (address >= report->modules[i].start && address < report->modules[i].end)
			return true;
	return false;
}
