/* dump.h: a struct whole as text, for tests and for debugging the analysis. */
#ifndef ANALYSIS_PROGRAM_DUMP_H
#define ANALYSIS_PROGRAM_DUMP_H

#include <stdio.h>

#include "analysis/program/whole.h"

void dump_whole(const struct whole *whole, FILE *to);

#endif
