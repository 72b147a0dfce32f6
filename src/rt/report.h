/*
 * report.h: what happened, as lines of channel.report that the tool completes with names (heddle/abi.h). This is how
 * lines are written; the world and detection decide what they contain.
 */
#ifndef RT_REPORT_H
#define RT_REPORT_H

#include <stdint.h>

#include "heddle/abi.h"

/* Sets the channel that lines are written to. Call it first. */
void report_start(struct heddle_channel *to);

/* How large the report may become, in bytes. */
uint32_t report_room(void);

/* A piece of a line; the report is cut off when there is no room. */
void report_put(const char *text);
void report_put_number(uint64_t number, unsigned base);
/* The same after a space. */
void report_put_word(uint64_t number, unsigned base);
/* A line: the word, the text and, unless it is null, the subject. */
void report_line(const char *word, const char *text, const char *subject);
/* A line "note" of that. */
void report_note(const char *text, const char *subject);
/* Something that the program does is not checked, for lack of room. */
void report_missed(const char *text);

#endif
