/* output.h: how what two runs printed differs. */
#ifndef JUDGE_OUTPUT_H
#define JUDGE_OUTPUT_H

#include <stdbool.h>

#include "explore/capture.h"

/* Appends what was kept of standard output and standard error. */
void output_keep(struct buf kept[2], const struct capture *capture);

/* Appends lines that only one of two outputs has ("  - " the first, "  + " the second), a few of each stream, or where the order of the same
 * lines begins to differ. Escaped for a terminal. Returns whether anything differs in what was kept. */
bool output_difference(struct buf *out, const struct buf first[2], const struct buf second[2]);

#endif
