/* report_priv.h: what the parts of report.h share. */
#ifndef TRACE_REPORT_PRIV_H
#define TRACE_REPORT_PRIV_H

#include "trace/report.h"

/* The next word of a line, ended by a 0 byte; empty at the end. */
char *report_word(char **at);

/* Addresses are hexadecimal, with or without 0x; other numbers are decimal. */
bool report_number(char **at, int base, uint64_t *number);

/* Registers and memory, as in the lines "stack" and "stackof" behind their number. */
bool report_parse_stack(char *at, struct report_stack *stack);

/* Lines of detection: rest is the line after its first word. */
void report_add_race(struct report *report, char *rest);
void report_add_memory(struct report *report, char *rest);
void report_add_order(struct report *report, char *rest);
void report_add_reached(struct report *report, char *rest);
void report_add_common(struct report *report, char *rest);
void report_add_seen(struct report *report, char *rest);
void report_add_value(struct report *report, char *rest);
void report_add_held(struct report *report, char *rest);
void report_add_block(struct report *report, char *rest);
void report_add_stackof(struct report *report, char *rest);
void report_add_accessed(struct report *report, char *rest);

/* Lines about a state, likewise. */
void report_add_compared(struct report *report, char *rest);
void report_add_changed(struct report *report, char *rest);
void report_add_unlisted(struct report *report, char *rest);
void report_add_live(struct report *report, char *rest);
void report_add_visited(struct report *report, char *rest);
void report_add_touched(struct report *report, char *rest);

#endif
