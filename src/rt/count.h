/*
 * count.h: how often each site runs. The counters are in a file that the tool made and all processes share, so they
 * outlive any of them; its format is at the end of heddle/abi.h. Counting is exact, lock-free, and safe in signal
 * handlers and across fork.
 *
 *              count_start  count_attach  hooks
 * count_start  exclude      exclude       exclude
 * count_attach              exclude       safe
 * hooks                                   safe
 */
#ifndef RT_COUNT_H
#define RT_COUNT_H

#include <stdbool.h>

#include "rt/object.h"

/* Opens the file and notes this process in it. Returns 0, or -1 after rt_off. */
int count_start(const char *path);

/* Enters the object into the file. With hooks, also fills *hooks with hooks that count. Returns 0, or -1 when there is
 * no room: then the loss is noted in the file and the object must not be switched. */
int count_attach(const struct object *object, struct heddle_hooks *hooks);

/* Adds to the number of functions switched. */
void count_switched(uint32_t number);

#endif
