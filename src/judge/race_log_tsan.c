/*
 * race_log_tsan.c: lines of ThreadSanitizer, of clang and of gcc:
 *
 *   WARNING: ThreadSanitizer: data race (pid=1)
 *     Write of size 4 at 0x7b04 by thread T2 (mutexes: write M1):
 *       #0 queue::push(int) /src/queue.cc:31:7 (prog+0xe47d4) (BuildId: 69685e68)
 *       #1 <null> <null> (libstdc++.so.6+0xd44a2)
 *     Previous atomic read of size 4 at 0x7b04 by main thread:
 *
 * A stack ends with an empty line, and the report with a line of = or the next warning. Lines may have something in front,
 * such as output that did not end its line, or the time.
 */
#include <string.h>

#include "judge/race_log_priv.h"

#define WARNING "WARNING: ThreadSanitizer: "

/* Takes the word from the end of the text. */
static bool take_last(struct span *text, const char *word)
{
	size_t size = strlen(word);
	if (text->size < size || strncasecmp(text->at + text->size - size, word, size) != 0)
		return false;
	text->size -= size;
	*text = span_trim(*text);
	return true;
}

static bool read_access(struct race_log_reader *self, struct span line)
{
	struct race_log_side side = { 0 };
	struct span rest = span_after(line, " of size ");
	if (!rest.at)
		return false;
	struct span before = { line.at, line.size - rest.size - strlen(" of size ") };
	if (take_last(&before, "read"))
		side.access = RACE_LOG_READ;
	else if (take_last(&before, "write"))
		side.access = RACE_LOG_WRITE;
	else
		return false;
	side.is_atomic = take_last(&before, "atomic");
	if (!span_take_number(&rest, 10, &side.size_bytes) || !span_begins(rest, " at 0x") ||
	    !span_after(rest, " by ").at)
		return false;
	race_log_add_side(self, &side);
	return true;
}

/* Cuts " (module+0x12)" off the end. */
static struct span take_module(struct span *text, uint64_t *offset)
{
	struct span none = { NULL, 0 }, number;
	size_t open = span_last(*text, " ("), plus;
	if (open == SIZE_MAX || text->at[text->size - 1] != ')')
		return none;
	struct span inside = { text->at + open + 2, text->size - open - 3 };
	plus = span_last(inside, "+0x");
	if (plus == SIZE_MAX)
		return none;
	number = (struct span){ inside.at + plus + 3, inside.size - plus - 3 };
	if (!span_take_number(&number, 16, offset) || number.size)
		return none;
	text->size = open;
	return (struct span){ inside.at, plus };
}

/* Cuts ":12" off the end. */
static bool take_line(struct span *text, uint64_t *line)
{
	size_t colon = span_last(*text, ":");
	if (colon == SIZE_MAX)
		return false;
	struct span number = { text->at + colon + 1, text->size - colon - 1 };
	if (!span_take_number(&number, 10, line) || number.size || *line > INT32_MAX)
		return false;
	text->size = colon;
	return true;
}

/* A path may have blanks in it, and so has the name of a function of C++: a path that is absolute begins at the first " /", another
 * at the last blank. */
static struct span take_file(struct span *text)
{
	*text = span_trim(*text);
	size_t last = span_last(*text, " ");
	if (last == SIZE_MAX)
		return (struct span){ NULL, 0 };
	const char *root = memmem(text->at, text->size, " /", 2);
	size_t start = root && text->at[last + 1] != '/' ? (size_t)(root - text->at) : last;
	struct span file = { text->at + start + 1, text->size - start - 1 };
	text->size = start;
	return file;
}

static bool read_frame(struct race_log_reader *self, struct span line)
{
	struct race_log_frame frame = { .column = -1 };
	struct span text = span_after(line, "#"), none = { NULL, 0 }, file = none;
	uint64_t number, last = 0, first = 0;
	if (!text.at || !span_take_number(&text, 10, &number) || !span_take(&text, " "))
		return false;
	size_t build = span_last(text, " (BuildId: ");
	if (build != SIZE_MAX)
		text.size = build;
	/* Another stack begins, and what it is of was not understood. */
	if (number == 0 && self->takes_frames && self->pair.sides[self->side_count - 1].frame_count)
		self->takes_frames = false;
	struct span module = take_module(&text, &frame.offset);
	bool has_last = take_line(&text, &last), has_first = has_last && take_line(&text, &first);
	frame.line = (uint32_t)(has_first ? first : last);
	frame.column = has_first && last ? (int32_t)last : -1;
	file = take_file(&text);
	if (!file.at && !module.at)
		return false;
	if (span_is(file, "<null>"))
		file = none;
	race_log_add_frame(self, span_is(text, "<null>") ? none : text, file, module, &frame);
	return true;
}

static bool is_heading(struct span line)
{
	static const char *const headings[] = { "Location is ", "Thread T",       "Mutex M",     "As if synchronized",
						"SUMMARY: ",    "Hint: ",         "[failed to ", "Goroutine",
						"Main thread",  "ThreadSanitizer" };
	line = span_trim(line);
	for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
		if (span_begins(line, headings[i]))
			return true;
	return false;
}

/* The words in front of " (pid=1)". */
static void begin(struct race_log_reader *self, struct span kind)
{
	size_t end = span_last(kind, " (pid=");
	if (end != SIZE_MAX)
		kind.size = end;
	if (span_begins(kind, "data race"))
		race_log_open(self, RACE_LOG_TSAN);
	else
		race_log_open_other(self, RACE_LOG_TSAN, kind);
}

/* "Location is global 'counter' of size 4 at 0x... (prog+0x...)" */
static void take_location(struct race_log_reader *self, struct span text)
{
	struct span name = span_after(text, "Location is global '");
	size_t end = name.at ? span_last(name, "' ") : SIZE_MAX;
	if (end != SIZE_MAX)
		race_log_add_global(self, (struct span){ name.at, end });
}

/* Of a report that is open. */
static bool read_inside(struct race_log_reader *self, struct span line)
{
	struct span text = span_trim(line);
	if (span_begins(text, "==================")) {
		race_log_close(self);
		return true;
	}
	if (is_heading(text) || !text.size) {
		take_location(self, text);
		self->takes_frames &=
			self->side_count && !self->pair.sides[self->side_count - 1].frame_count && !text.size;
		return true;
	}
	return read_access(self, line) || read_frame(self, line);
}

bool race_log_read_tsan(struct race_log_reader *self, struct span line)
{
	struct span kind = span_after(line, WARNING);
	if (kind.at) {
		begin(self, kind);
		self->before = line.size - kind.size - strlen(WARNING);
		return true;
	}
	if (self->is_silent && span_begins(span_trim(line), "=================="))
		race_log_close(self);
	if (!self->is_open || self->pair.tool != RACE_LOG_TSAN)
		return false;
	/* What was in front of the first line may be in front of all of them. */
	size_t skipped = self->before < line.size ? self->before : line.size;
	struct span rest = { line.at + skipped, line.size - skipped };
	return read_inside(self, line) || (self->before && read_inside(self, rest));
}
