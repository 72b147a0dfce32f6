/*
 * marks.h: the code and memory that the program marks for guarding (heddle_guard_begin, heddle_guard_memory in
 * heddle/heddle.h). A training records which sites ran in marked code or accessed marked memory, and heddle guard
 * --only-marked guards only these sites. In other modes marks have no effect.
 */
#ifndef PARALLEL_MARKS_H
#define PARALLEL_MARKS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the current thread is in marked code, or the address is marked. Any thread may call it at any time. */
bool marks_has(uintptr_t address);

#endif
