/*
 * baked.h: guard data that the program carries in itself (struct heddle_baked in heddle/guard.h), so that it is guarded without a command.
 * Works before libc has started. What the program carries is not trusted: a file that is cut or damaged leads to one message, and
 * the program runs unguarded.
 */
#ifndef RT_BAKED_H
#define RT_BAKED_H

#include <stdbool.h>
#include <stddef.h>

/* environment: as the kernel put it on the stack, before the table of facts about the process. */

/* Whether the process has other rights than who started it. */
bool baked_is_secure(char **environment);

/* Looks for such data, and copies them if they are whole and of this program. Returns whether there are any to use. */
bool baked_find(char **environment);

/* The copy, which stays; null: there is none. */
const void *baked_data(size_t *size_bytes);

#endif
