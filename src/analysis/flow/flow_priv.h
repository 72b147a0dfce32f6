/*
 * flow_priv.h: the phases of flow.c, in the order in which they work. Each has a header, which says what it reads (its input) and what it
 * finds (its result). A result is written by its phase alone and const to later ones; a function takes the results that
 * it reads, not the whole. A phase that reads more than three results has an input struct; where questions are answered
 * after the phase, the result keeps it.
 *
 *   header       files                      reads                                     finds
 *   program.h    program.c                  the program, points-to                    calls, control flow
 *   once.h       once.c                     program                                   what is done once for all threads
 *   threads.h    threads.c states.c         program                                   roots, and where they are started
 *   single.h     single.c                   program threads                           what runs at most once
 *   arguments.h  arguments.c                program threads                           what a thread calls by its argument
 *   joins.h      joins.c and joining.h      program threads single                    which calls and loops wait for which roots
 *   alive.h      alive.c concurrent.c       program threads arguments joins           which roots may be alive where
 *   paths.h      paths.c                    program single alive                      where pointers come from
 *   locks.h      locks.c translate.c        program once paths                        sets of held locks
 *   releases.h   releases.c                 program locks                             what functions release
 *   crowd.h      crowd.c                    program threads arguments alive releases  calls that call very many
 *   walk.h       walk.c                     program threads arguments alive
 *                                           releases crowd locks                      contexts
 *   fresh.h      fresh.c                    program threads                           memory that no other thread knows yet
 *   visits.h     visits.c                   program threads alive locks walk          what comes out
 *
 * Two things are not as strict. alive.c and concurrent.c iterate together and share one state (alive.h). Paths, sets of locks and contexts
 * are tables that later phases ask, and that keep the answers: they are not const then, but what they have stays as it is
 * (paths.h, locks.h, walk.h).
 */
#ifndef ANALYSIS_FLOW_FLOW_PRIV_H
#define ANALYSIS_FLOW_FLOW_PRIV_H

#include "analysis/flow/alive.h"
#include "analysis/flow/arguments.h"
#include "analysis/flow/crowd.h"
#include "analysis/flow/flow.h"
#include "analysis/flow/fresh.h"
#include "analysis/flow/joins.h"
#include "analysis/flow/locks.h"
#include "analysis/flow/once.h"
#include "analysis/flow/paths.h"
#include "analysis/flow/program.h"
#include "analysis/flow/releases.h"
#include "analysis/flow/single.h"
#include "analysis/flow/threads.h"
#include "analysis/flow/visits.h"
#include "analysis/flow/walk.h"

/* The owner of all results. Only flow.c knows it. */
struct flow {
	struct flow_options options;
	struct flow_program program;
	struct flow_controls controls;
	struct flow_threads threads;
	struct flow_single single;
	struct flow_arguments arguments;
	struct flow_joins joins;
	struct flow_alive alive;
	struct flow_paths paths;
	struct flow_lock_sets lock_sets;
	struct flow_releases releases;
	struct flow_crowds crowds;
	struct flow_walk walk;
	struct flow_fresh fresh;
	struct flow_visits visits;
	struct flow_root *roots; /* those of threads, with what alive says of how many there are */
};

#endif
