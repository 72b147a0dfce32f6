/*
 * models_priv.h: how a row of the models is written. A row has the names of functions that do the same, separated by spaces, and
 * what they do:
 *   { "strcpy strncpy", FLOW(COPY(R, 0)) }                     returns its argument number 0
 *   { "free", { FREES(0) } }                                   frees the block of argument 0
 *   { "pthread_mutex_lock", SYNC(MODEL_LOCK, MODEL_ZERO, 0) }  takes the lock in argument 0; has it if it returns 0
 *   { "strlen strcmp", PLAIN }                                 nothing that matters here
 * A name that ends with a star stands for all that begin like it; a row with the full name goes before it.
 */
#ifndef ANALYSIS_MODELS_MODELS_PRIV_H
#define ANALYSIS_MODELS_MODELS_PRIV_H

#include "analysis/models/models.h"

struct model_names {
	const char *names;
	struct model model;
};

/* The tables end with a row without names. */
extern const struct model_names models_memory[], models_plain[], models_io[], models_threads[], models_cxx[],
	models_libraries[];

#define R MODEL_RETURN
#define NO MODEL_NOTHING
#define NO_ARGUMENTS .object = NO, .object2 = NO, .routine = NO, .argument = NO

#define PLAIN                                                                                                          \
	{                                                                                                              \
		NO_ARGUMENTS                                                                                           \
	}
#define FLOW(...)                                                                                                      \
	{                                                                                                              \
		.steps = { __VA_ARGS__ }, NO_ARGUMENTS                                                                 \
	}
#define SYNC(kind, how, what)                                                                                          \
	{                                                                                                              \
		.sync = kind, .result = how, .object = what, .object2 = NO, .routine = NO, .argument = NO              \
	}
#define ENDS                                                                                                           \
	{                                                                                                              \
		.sync = MODEL_NO_RETURN, NO_ARGUMENTS                                                                  \
	}
/* A block of `size` bytes (an argument) that is returned. */
#define ALLOCATES(size)                                                                                                \
	{                                                                                                              \
		.steps = { NEW(R, size) }, .is_allocator = true, NO_ARGUMENTS                                          \
	}
#define FREES(argument) .frees = 1 + (argument), NO_ARGUMENTS
/* A function is started, or kept for later: which argument it is, and which one it gets. */
#define STARTS(kind, what, function, with)                                                                             \
	{                                                                                                              \
		.sync = kind, .object = what, .object2 = NO, .routine = function, .argument = with                     \
	}

#define COPY(to, from)                                                                                                 \
	{                                                                                                              \
		MODEL_COPY, to, from, NO, 0                                                                            \
	}
#define INSIDE(to, from)                                                                                               \
	{                                                                                                              \
		MODEL_COPY_INSIDE, to, from, NO, 0                                                                     \
	}
#define LOAD(to, from)                                                                                                 \
	{                                                                                                              \
		MODEL_LOAD, to, from, NO, 0                                                                            \
	}
#define STORE(to, from)                                                                                                \
	{                                                                                                              \
		MODEL_STORE, to, from, NO, 0                                                                           \
	}
#define STORE_AT(to, from, words)                                                                                      \
	{                                                                                                              \
		MODEL_STORE, to, from, NO, words                                                                       \
	}
#define STORE_INSIDE(to, from)                                                                                         \
	{                                                                                                              \
		MODEL_STORE_INSIDE, to, from, NO, 0                                                                    \
	}
#define SCATTER(to, from)                                                                                              \
	{                                                                                                              \
		MODEL_SCATTER, to, from, NO, 0                                                                         \
	}
#define MOVE(to, from)                                                                                                 \
	{                                                                                                              \
		MODEL_MOVE, to, from, NO, 0                                                                            \
	}
#define MIX(to, from)                                                                                                  \
	{                                                                                                              \
		MODEL_MIX, to, from, NO, 0                                                                             \
	}
#define NEW(to, size)                                                                                                  \
	{                                                                                                              \
		MODEL_ALLOCATE, to, size, NO, 0                                                                        \
	}
#define NEW_ARRAY(to, size, count)                                                                                     \
	{                                                                                                              \
		MODEL_ALLOCATE, to, size, count, 0                                                                     \
	}
#define NEW_INTO(to)                                                                                                   \
	{                                                                                                              \
		MODEL_ALLOCATE_INTO, to, NO, NO, 0                                                                     \
	}
#define NEW_LINKED(to)                                                                                                 \
	{                                                                                                              \
		MODEL_ALLOCATE_LINKED, to, NO, NO, 0                                                                   \
	}
#define NEW_LINKED_AT(to, words)                                                                                       \
	{                                                                                                              \
		MODEL_ALLOCATE_LINKED, to, NO, NO, words                                                               \
	}
#define ADVANCE(to)                                                                                                    \
	{                                                                                                              \
		MODEL_ADVANCE, to, NO, NO, 0                                                                           \
	}
#define OUTSIDE(to)                                                                                                    \
	{                                                                                                              \
		MODEL_OUTSIDE, to, NO, NO, 0                                                                           \
	}
#define STATIC(to)                                                                                                     \
	{                                                                                                              \
		MODEL_STATIC, to, NO, NO, 0                                                                            \
	}
#define STATIC_THREAD(to)                                                                                              \
	{                                                                                                              \
		MODEL_STATIC_THREAD, to, NO, NO, 0                                                                     \
	}
#define CALL(function, with, parameter)                                                                                \
	{                                                                                                              \
		MODEL_CALL, function, with, parameter, 0                                                               \
	}
#define CALL_INSIDE(function, with, parameter)                                                                         \
	{                                                                                                              \
		MODEL_CALL_INSIDE, function, with, parameter, 0                                                        \
	}
#define CALL_CONTENTS(function, with, parameter)                                                                       \
	{                                                                                                              \
		MODEL_CALL_CONTENTS, function, with, parameter, 0                                                      \
	}
#define LATER(where, function, with, parameter)                                                                        \
	{                                                                                                              \
		MODEL_LATER, function, with, parameter, where                                                          \
	}
#define RUN(where)                                                                                                     \
	{                                                                                                              \
		MODEL_RUN, NO, NO, NO, where                                                                           \
	}
#define PUT(where, from)                                                                                               \
	{                                                                                                              \
		MODEL_PUT, NO, from, NO, where                                                                         \
	}
#define GET(to, where)                                                                                                 \
	{                                                                                                              \
		MODEL_GET, to, NO, NO, where                                                                           \
	}
#define PUT_INSIDE(where, from)                                                                                        \
	{                                                                                                              \
		MODEL_PUT_INSIDE, NO, from, NO, where                                                                  \
	}
#define GET_INSIDE(to, where)                                                                                          \
	{                                                                                                              \
		MODEL_GET_INSIDE, to, NO, NO, where                                                                    \
	}
#define LINK(links, a, b, c)                                                                                           \
	{                                                                                                              \
		MODEL_LINK, a, b, c, links                                                                             \
	}

#endif
