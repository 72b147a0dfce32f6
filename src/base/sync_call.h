/*
 * sync_call.h: functions that lock, wait or signal, by the names that the linker has for them: those of libc, and those of the C++ library,
 * which are out of line in one build and inline functions of headers in another. Which arguments say what is locked or waited for.
 */
#ifndef BASE_SYNC_CALL_H
#define BASE_SYNC_CALL_H

#include <stdbool.h>

#include "heddle/abi.h"

#define SYNC_CALL_MAX_ARGUMENTS 16u

struct sync_argument {
	unsigned index; /* of the argument, from 0; "this" is one */
	enum heddle_named kind;
	bool is_guard; /* it is a std::unique_lock or std::shared_lock that has the object */
};

/* What a call of the function with that many arguments is about. Returns how many were found; 0 when it is no such function. */
unsigned sync_call_find(const char *linkage, unsigned argument_count,
			struct sync_argument found[SYNC_CALL_MAX_ARGUMENTS]);

/* Whether a function of that name is the C++ library's, wherever its code is. */
bool sync_call_is_cxx(const char *linkage);

/* Whether it makes a guard of a lock: the first argument is the guard, the second one the lock. */
bool sync_call_makes_guard(const char *linkage);

/* Takes members that only the implementation has out of a name: "pool->lock._M_mutex" is the lock of the pool, and "pool._M_ptr->lock" that of a
 * pool that a std::shared_ptr leads to. Returns whether something that says something is left. */
bool sync_call_cut_name(char *name);

#endif
