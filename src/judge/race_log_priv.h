/* race_log_priv.h: declarations that the readers of the formats share. Each reader gets one line after the other,
 * without its end. */
#ifndef JUDGE_RACE_LOG_PRIV_H
#define JUDGE_RACE_LOG_PRIV_H

#include "judge/race_log.h"

/* Part of a line. */
struct span {
	const char *at;
	size_t size;
};

/* The report that is being read. */
struct race_log_reader {
	struct race_log *log;
	struct race_log_pair pair; /* valid if is_open */
	bool is_open;              /* in a report of a data race */
	bool is_silent;            /* in a report of another kind, whose lines are skipped */
	size_t side_count;         /* of pair */
	bool takes_frames;         /* the next frames are those of the last side */
	uint64_t line;             /* number */
	uint64_t process;          /* of Valgrind's lines */
	size_t before;             /* bytes in front of the line that began a report of ThreadSanitizer */
};

/* Read a line. Return whether it belongs to a report of that tool, or begins one. */
bool race_log_read_tsan(struct race_log_reader *self, struct span line);
bool race_log_read_valgrind(struct race_log_reader *self, struct span line);

/* Begins a report of a data race. */
void race_log_open(struct race_log_reader *self, enum race_log_tool tool);
/* Begins a report of another kind. */
void race_log_open_other(struct race_log_reader *self, enum race_log_tool tool, struct span kind);
/* Ends the open report, if there is one. */
void race_log_close(struct race_log_reader *self);
/* Sets the variable of the open report; a second one is ignored. */
void race_log_add_global(struct race_log_reader *self, struct span name);
void race_log_add_side(struct race_log_reader *self, const struct race_log_side *side);
/* numbers: line, column and offset. Spans of no bytes become null. */
void race_log_add_frame(struct race_log_reader *self, struct span function, struct span file, struct span module,
			const struct race_log_frame *numbers);

/* Spans. */
struct span span_trim(struct span span);
bool span_is(struct span span, const char *text);
bool span_begins(struct span span, const char *text);
/* Returns the part after the first occurrence of text; its `at` is null if there is none. */
struct span span_after(struct span span, const char *text);
/* Returns the position of the last occurrence of text, or SIZE_MAX if there is none. */
size_t span_last(struct span span, const char *text);
/* Takes digits from the beginning. Returns false when there are none, or too many. */
bool span_take_number(struct span *span, unsigned base, uint64_t *number);
bool span_take(struct span *span, const char *text);

#endif
