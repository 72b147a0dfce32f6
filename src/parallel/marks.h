/*
 * marks.h: what the program marks to be guarded (heddle_guard_begin, heddle_guard_memory in heddle/heddle.h). A training notes which sites ran in marked
 * code or accessed marked memory; heddle guard --only-marked guards these only. Everywhere else marks do nothing.
 */
#ifndef PARALLEL_MARKS_H
#define PARALLEL_MARKS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the current thread is in marked code, or the address is marked. Any thread may call it at any time. */
bool marks_has(uintptr_t address);

#endif
