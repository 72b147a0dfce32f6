/*
 * prove.h: for the weave: which sites of a program cannot race, so that their clones need not announce them. An access
 * is proved if it is in no candidate (races.h), can be reached at all, and nothing else depends on its announcement: it
 * is plain, has a fixed size, and touches only variables and stack slots that code outside does not have. At the first
 * level, no other thread ever touches what it may touch, or no thread writes it: accesses to what several threads use,
 * even with locks or one after the other, are needed to explain failures.
 *
 * Accesses to blocks of the heap may be memory errors, too. At the level for them, one is proved if all calls that may free what
 * it touches are ordered with it by the starts and joins of threads alone, so that no schedule makes it come after them
 * or before. Memory errors that all schedules have are then no longer found.
 *
 * Nothing at all is proved, and the reason is reported, when the analysis would have to make an assumption about
 * something in the program or its link: prove.c has the list. The analysis runs in a process of its own that has a few
 * seconds and a few gigabytes; when that is not enough, nothing is proved.
 */
#ifndef ANALYSIS_PROVE_H
#define ANALYSIS_PROVE_H

#include "ir/proof.h"

void prove_sites(const struct proof_input *input, struct proof *proof);

#endif
