/*
 * live.h: switches functions while the program runs and its threads are anywhere, in both directions. What a thread is in the middle of stays
 * what it was: the next call goes the other way.
 *
 * The five bytes at the entry are one instruction, before and after: a NOP, or the jump to the clone. They are changed by one store of the
 * aligned eight bytes around them, which processors fetch as a whole (AMD64 Architecture Programmer's Manual, volume 2, "Cross-Modifying
 * Code"), and then each core of the process is made to fetch its instructions again. So the entry has to lie within eight aligned
 * bytes: heddle-cc aligns functions so, except behind an endbr64.
 */
#ifndef RT_LIVE_H
#define RT_LIVE_H

#include <stdbool.h>

#include "rt/object.h"

/* Whether the system can do that; once, at the start of a mode that wants it. */
bool live_is_possible(void);

/*
 * Switches the function to its clone, or back. Returns 0, also if it was so; -ENOTSUP: its entry is not within eight aligned bytes; -EINVAL: it is
 * not an entry of heddle-cc, or leads to another clone; or the error of the system. Calls exclude each other: the caller sees to that.
 */
int live_switch(const struct object *object, const struct heddle_function *function, bool is_on);

#endif
