/*
 * expose.h: a test tries to break orders of accesses that a training has always seen: schedules hold the earlier access
 * back (explore/planner_expose.c). If a schedule that breaks an order fails, that order is likely to be the bug. If it
 * ends well, the program does not rely on the order, which is then removed from the training data.
 *
 * Invariants:
 *  1. Without training data for the program, this changes nothing in a test.
 *     Assured by tests/cli/expose.t.
 */
#ifndef CAMPAIGN_EXPOSE_H
#define CAMPAIGN_EXPOSE_H

#include "base/err.h"

struct test;

/* Call it before a search. If there are orders to try, adds them to the campaign. Returns 0, or -ENOENT with err set if
 * --strategy expose was requested and there are none. */
int test_expose_begin(struct test *self, struct err *err);

/* Call it after the search. Adds notes about the results, and removes orders that the program does not rely on from the
 * training data. */
void test_expose_end(struct test *self);

#endif
