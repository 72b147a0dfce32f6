/*
 * race_log_valgrind.c: lines of Valgrind's tools Helgrind and DRD:
 *
 *   ==1== Possible data race during write of size 4 at 0x10C030 by thread #3
 *   ==1== Locks held: none
 *   ==1==    at 0x10916C: take (tickets.c:13)
 *   ==1==    by 0x484C7D6: ??? (in /usr/libexec/valgrind/vgpreload_helgrind-amd64-linux.so)
 *   ==1==
 *   ==1== This conflicts with a previous read of size 4 by thread #2
 *
 *   ==1== Conflicting load by thread 3 at 0x0010c030 size 4
 *   ==1==    at 0x10916C: take (tickets.c:13)
 *   ==1== Other segment start (thread 2)
 *
 * DRD never has the place of the other access, and Helgrind does not always. Reports of several processes in one log are distinguished by
 * the process that a line names; a report ends where another process goes on.
 */
#include <string.h>

#include "judge/race_log_priv.h"

/* Errors of other kinds by a part of their first line. */
static const struct {
	const char *part, *name;
	enum race_log_tool tool;
} others[] = {
	{ "lock order \"", "lock order violated", RACE_LOG_HELGRIND },
	{ "still holds ", "thread exits with a lock held", RACE_LOG_HELGRIND },
	{ " unlocked a ", "unlock of a lock that is not held", RACE_LOG_HELGRIND },
	{ "'s call to ", "failed call of a pthread function", RACE_LOG_HELGRIND },
	{ "pthread_cond_", "misuse of a condition variable", RACE_LOG_HELGRIND },
	{ "Mutex still locked", "mutex still locked", RACE_LOG_DRD },
	{ "Mutex not locked", "mutex not locked", RACE_LOG_DRD },
	{ "Recursive locking not allowed", "recursive locking", RACE_LOG_DRD },
	{ "Probably a race condition", "condition variable signalled without its mutex", RACE_LOG_DRD },
	{ "Destroying locked ", "destroy of a locked object", RACE_LOG_DRD },
	{ "Acquired at", "lock held for too long", RACE_LOG_DRD },
};

/* Takes "==12== " from the line; also "==00:00:01.234 12== ", which --time-stamp=yes makes. */
static bool take_prefix(struct span *line, uint64_t *process)
{
	struct span rest = span_after(*line, "==");
	struct span end = rest.at ? span_after(rest, "==") : rest;
	if (!end.at)
		return false;
	struct span inside = { rest.at, rest.size - end.size - 2 };
	size_t blank = span_last(inside, " ");
	if (blank != SIZE_MAX)
		inside = (struct span){ inside.at + blank + 1, inside.size - blank - 1 };
	if (!span_take_number(&inside, 10, process) || inside.size)
		return false;
	*line = end;
	return true;
}

static bool take_access(struct span *text, struct race_log_side *side)
{
	if (span_take(text, "read of size "))
		side->access = RACE_LOG_READ;
	else if (span_take(text, "write of size "))
		side->access = RACE_LOG_WRITE;
	return side->access && span_take_number(text, 10, &side->size_bytes);
}

static bool begin_helgrind(struct race_log_reader *self, struct span text)
{
	struct race_log_side side = { 0 };
	if (!span_take(&text, "Possible data race during ") || !take_access(&text, &side))
		return false;
	race_log_open(self, RACE_LOG_HELGRIND);
	race_log_add_side(self, &side);
	return true;
}

static bool begin_drd(struct race_log_reader *self, struct span text)
{
	struct race_log_side side = { 0 };
	if (span_take(&text, "Conflicting load by thread "))
		side.access = RACE_LOG_READ;
	else if (span_take(&text, "Conflicting store by thread "))
		side.access = RACE_LOG_WRITE;
	struct span size = span_after(text, " size ");
	if (!side.access || !size.at || !span_take_number(&size, 10, &side.size_bytes))
		return false;
	race_log_open(self, RACE_LOG_DRD);
	race_log_add_side(self, &side);
	return true;
}

static bool begin_other(struct race_log_reader *self, struct span text)
{
	if (span_begins(text, "at 0x") || span_begins(text, "by 0x"))
		return false;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (span_after(text, others[i].part).at) {
			race_log_open_other(self, others[i].tool,
					    (struct span){ others[i].name, strlen(others[i].name) });
			return true;
		}
	return false;
}

/* The tool does not know what the other thread did. */
static void add_unknown(struct race_log_reader *self)
{
	struct race_log_side side = { 0 };
	race_log_add_side(self, &side);
	self->takes_frames = false;
}

static bool read_second(struct race_log_reader *self, struct span text)
{
	struct race_log_side side = { 0 };
	if (span_begins(text, "Other segment start")) {
		add_unknown(self);
		return true;
	}
	if (!span_take(&text, "This conflicts with a previous "))
		return false;
	if (take_access(&text, &side))
		race_log_add_side(self, &side);
	else
		add_unknown(self); /* "access by thread #2, after" */
	return true;
}

/* "queue.c:12" or "in /lib/x.so" */
static void read_inside(struct span inside, struct span *file, struct span *module, struct race_log_frame *frame)
{
	uint64_t line;
	if (span_take(&inside, "in ")) {
		*module = inside;
		return;
	}
	size_t colon = span_last(inside, ":");
	struct span number = { inside.at + colon + 1, inside.size - colon - 1 };
	if (colon == SIZE_MAX || !span_take_number(&number, 10, &line) || number.size || line > INT32_MAX)
		return;
	*file = (struct span){ inside.at, colon };
	frame->line = (uint32_t)line;
}

static bool read_frame(struct race_log_reader *self, struct span text)
{
	struct race_log_frame frame = { .column = -1 };
	struct span none = { NULL, 0 }, file = none, module = none;
	if ((!span_take(&text, "at 0x") && !span_take(&text, "by 0x")) || !span_take_number(&text, 16, &frame.offset) ||
	    !span_take(&text, ": "))
		return false;
	size_t open = span_last(text, " (");
	if (open != SIZE_MAX && text.at[text.size - 1] == ')') {
		read_inside((struct span){ text.at + open + 2, text.size - open - 3 }, &file, &module, &frame);
		/* "f(int)" alone, without a place, has no blank in front. */
		if (file.at || module.at)
			text.size = open;
	}
	race_log_add_frame(self, span_is(text, "???") ? none : text, file, module, &frame);
	return true;
}

/* "Location 0x... is 0 bytes inside global var "counter"" */
static void take_location(struct race_log_reader *self, struct span text)
{
	struct span name = span_after(text, "inside global var \"");
	size_t end = name.at ? span_last(name, "\"") : SIZE_MAX;
	if (end != SIZE_MAX)
		race_log_add_global(self, (struct span){ name.at, end });
}

/* Lines of a report that say nothing about the two accesses, or that end it. */
static bool read_rest(struct race_log_reader *self, struct span text)
{
	static const char *const details[] = { "Locks held:", "Address 0x",  "Allocation context", "Other segment",
					       "Block was",   "Location 0x", "(thread finished",   "declared at",
					       "Thread ",     "and ",        "but before",         "For lists of",
					       "Use --",      "the cost of " };
	if (!text.size) {
		self->takes_frames &= self->side_count && !self->pair.sides[self->side_count - 1].frame_count;
		return true;
	}
	if (span_begins(text, "---") || span_begins(text, "ERROR SUMMARY")) {
		if (self->is_open && self->side_count == 1)
			add_unknown(self);
		race_log_close(self);
		return true;
	}
	for (size_t i = 0; i < sizeof details / sizeof *details; i++)
		if (span_begins(text, details[i])) {
			self->takes_frames &= i == 0;
			take_location(self, text);
			return true;
		}
	return false;
}

bool race_log_read_valgrind(struct race_log_reader *self, struct span line)
{
	uint64_t process;
	if (!take_prefix(&line, &process))
		return false;
	if (process != self->process)
		race_log_close(self);
	self->process = process;
	line = span_trim(line);
	if (begin_helgrind(self, line) || begin_drd(self, line))
		return true;
	if (!self->is_open || self->pair.tool == RACE_LOG_TSAN)
		return begin_other(self, line);
	if (!read_second(self, line) && !read_frame(self, line) && !read_rest(self, line) && !begin_other(self, line))
		self->log->unknown_count++;
	return true;
}
