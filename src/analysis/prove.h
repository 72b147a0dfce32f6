/*
 * prove.h: for the weave: which sites of a program cannot race, so that their clones need not announce them. Proved is an access
 * that is in no candidate (races.h), that can be reached at all, and whose announcement nothing else depends on: it is plain, has a
 * fixed size, and all that it may touch are variables and stack slots that code outside does not have. At the first level nothing that
 * it may touch is ever touched by another thread, or nobody writes it: what several threads use, also with locks and one after the
 * other, is what failures are explained by.
 *
 * Accesses to blocks of the heap may be memory errors, too. At the level for them, one is proved if all calls that may free what
 * it touches are ordered with it by the starts and joins of threads alone, so that no schedule makes it come after them
 * or before. What is given up then is to find memory errors that all schedules have.
 *
 * Nothing at all is proved, and it is said why, when there is something in the program or its link that the analysis would have to make
 * an assumption about: prove.c has the list. The analysis runs in a process of its own that has a few seconds and a few gigabytes; when
 * that is not enough, nothing is proved.
 */
#ifndef ANALYSIS_PROVE_H
#define ANALYSIS_PROVE_H

#include "ir/proof.h"

void prove_sites(const struct proof_input *input, struct proof *proof);

#endif
