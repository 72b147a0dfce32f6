/*
 * sync_call.h: functions that lock, wait or signal, by linkage name, and which of their arguments is the object that is locked or waited
 * for: functions of libc, and of the C++ library, which are out of line in one build and inlined from headers in another.
 */
#ifndef BASE_SYNC_CALL_H
#define BASE_SYNC_CALL_H

#include <stdbool.h>

#include "heddle/abi.h"

#define SYNC_CALL_MAX_ARGUMENTS 16u

struct sync_argument {
	unsigned index; /* of the argument, from 0; "this" is one */
	enum heddle_named kind;
	bool is_guard; /* it is a std::unique_lock or std::shared_lock that refers to the object */
};

/* The objects of a call of the function with that many arguments. Returns how many were found; 0 if it is no such function. */
unsigned sync_call_find(const char *linkage, unsigned argument_count,
			struct sync_argument found[SYNC_CALL_MAX_ARGUMENTS]);

/* Whether a function of that name is the C++ library's, wherever its code is. */
bool sync_call_is_cxx(const char *linkage);

/* Whether it constructs a guard for a lock: the first argument is the guard, the second the lock. */
bool sync_call_makes_guard(const char *linkage);

/* Removes members of the library's implementation from a name: "pool->lock._M_mutex" becomes the lock of the pool, and "pool._M_ptr->lock"
 * the lock of a pool that a std::shared_ptr points to. Returns whether a meaningful name is left. */
bool sync_call_cut_name(char *name);

#endif
