/*
 * locks.h: in which order threads take locks. Each time a thread waits for a lock while it holds others, there is an
 * edge from each of those to the new one; each edge is reported once per thread (heddle/abi.h, "order"). The tool looks
 * for cycles.
 */
#ifndef DETECT_LOCKS_H
#define DETECT_LOCKS_H

#include "detect/track.h"

/* The current thread takes the lock in addition to those it holds. */
void locks_ordered(const struct track *track, const struct held *taken);

#endif
