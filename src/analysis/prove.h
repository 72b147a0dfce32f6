/*
 * prove.h: for the weave: which sites of a program cannot race, so that their clones need not announce them. Proved is an access
 * that is in no candidate (races.h), that can be reached at all, and whose announcement nothing else depends on: it is plain, and all
 * that it may touch are variables and stack slots, at a fixed size. Accesses to blocks of the heap are announced in any case,
 * since they may be memory errors whoever makes them.
 */
#ifndef ANALYSIS_PROVE_H
#define ANALYSIS_PROVE_H

#include <stdbool.h>
#include <stddef.h>

#include "ir/proof.h"
#include "ir/unit.h"

/* When the program cannot be analysed nothing is proved. */
void prove_sites(const struct unit *units, size_t count, bool is_shared, struct proof *proof);

#endif
