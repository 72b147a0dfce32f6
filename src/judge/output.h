/* output.h: describes how the outputs of two runs differ. */
#ifndef JUDGE_OUTPUT_H
#define JUDGE_OUTPUT_H

#include <stdbool.h>

#include "explore/capture.h"

/* Appends the kept parts of standard output and standard error to kept[0] and kept[1]. */
void output_keep(struct buf kept[2], const struct capture *capture);

/* Appends lines that only one of two outputs has ("  - " the first, "  + " the second), a few of each stream, or, if
 * both have the same lines, the place where their order begins to differ. Escaped for a terminal. Returns whether the
 * kept parts differ. */
bool output_difference(struct buf *out, const struct buf first[2], const struct buf second[2]);

#endif
