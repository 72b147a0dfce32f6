/* summary.h: totals of a woven file: what was woven, what was not and why, how well the sites are named. */
#ifndef NARRATE_SUMMARY_H
#define NARRATE_SUMMARY_H

#include "base/json_writer.h"
#include "symbols/woven.h"

struct summary {
	struct heddle_build build;
	struct woven_code code;
	uint64_t plain[HEDDLE_PLAIN_COUNT]; /* functions; [HEDDLE_PLAIN_NOT] are woven */
	uint64_t sites[HEDDLE_ACCESS_COUNT];
	uint64_t site_count, with_line_count, with_variable_count, proved_count;
	uint64_t skipped_count, asm_count, asm_function_count;
	uint64_t varargs_count, setjmp_count, exceptions_count; /* woven functions that have them */
};

void summary_make(struct summary *summary, const struct woven *woven);
void summary_text(struct buf *out, const struct summary *summary, const char *path);

/* Adds the member "summary". */
void summary_json(struct json_writer *out, const struct summary *summary);

#endif
