/*
 * expose.h: orders that a training has always seen, tried by a test: schedules hold the earlier access back (explore/planner_expose.c). An order that
 * is broken in a schedule that fails is likely to be the bug; one that is broken in a schedule that ends well is none that the program relies
 * on, and is removed from the training data.
 *
 * Invariants:
 *  1. Without training data for the program a test is the same as without this.
 *     Assured by tests/cli/expose.t.
 */
#ifndef CAMPAIGN_EXPOSE_H
#define CAMPAIGN_EXPOSE_H

#include "base/err.h"

struct test;

/* Before a search: if there are orders to try, they become part of the campaign. Returns 0, or -ENOENT with err set: --strategy expose was requested,
 * and there are none. */
int test_expose_begin(struct test *self, struct err *err);

/* After it: adds notes on what came of it, and removes orders from the training data. */
void test_expose_end(struct test *self);

#endif
