/*
 * operation.h: the program's operations on threads and on synchronisation objects, as data. A function of libc or of
 * the C++ library whose slot leads to operation_function is an operation: the mode's `before` sees it with its
 * arguments, then the real function is called, then the mode's `after` sees it with the result. One table describes all
 * functions. Modes that need less choose shorter ways, below.
 *
 * Invariants:
 *  1. For each `before` that does not return OPERATION_CALL_ONLY there is one `after`, in the same thread, unless the program jumps
 *     out of the real function by longjmp, or the function does not return and does not unwind (exit). In the way
 *     operation_followed there is one `finish` or one `after` for each `announce`, under the same condition.
 *     Assured by tests/cli/operations.t and tests/unit/operations.t.
 *  2. When the real function is left by an exception, by a cancellation or by pthread_exit, `after` runs while the stack is
 *     unwound, where a destructor of this frame would, with OPERATION_UNWOUND as its end. Nothing is added to the path of a
 *     call that returns. An unwinder that is linked into the program itself, and not exported by it, is not understood: there
 *     `after` does not run.
 *     Assured by tests/cli/operations.t and tests/unit/operations.t.
 *  3. All that an operation needs is on the stack of its thread: operations nest, run in parallel, and in signal handlers.
 *     Assured by tests/cli/operations.t.
 */
#ifndef RT_ENTER_OPERATION_H
#define RT_ENTER_OPERATION_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum operation_kind {
	OPERATION_NONE, /* not an operation: the slot holds the function itself or one of the mode's */
	OPERATION_THREAD_CREATE,
	OPERATION_THREAD_JOIN,
	OPERATION_THREAD_DETACH,
	OPERATION_THREAD_EXIT,
	OPERATION_THREAD_CANCEL,
	OPERATION_THREAD_TEST_CANCEL,
	OPERATION_THREAD_SET_NAME,
	OPERATION_THREAD_GET_NAME,
	OPERATION_MUTEX_INIT,
	OPERATION_MUTEX_LOCK,
	OPERATION_MUTEX_UNLOCK,
	OPERATION_COND_WAIT,
	OPERATION_COND_SIGNAL,
	OPERATION_COND_BROADCAST,
	OPERATION_RWLOCK_INIT,
	OPERATION_RWLOCK_READ_LOCK,
	OPERATION_RWLOCK_WRITE_LOCK,
	OPERATION_RWLOCK_UNLOCK,
	OPERATION_SPIN_INIT,
	OPERATION_SPIN_LOCK,
	OPERATION_SPIN_UNLOCK,
	OPERATION_BARRIER_INIT,
	OPERATION_BARRIER_WAIT,
	OPERATION_SEM_INIT,
	OPERATION_SEM_WAIT,
	OPERATION_SEM_POST,
	OPERATION_SEM_VALUE,
	OPERATION_ONCE,
	OPERATION_GUARD_ACQUIRE,
	OPERATION_GUARD_RELEASE,
	OPERATION_CATCH_BEGIN,
	OPERATION_CATCH_END,
	OPERATION_EXCEPTION_RELEASE,
	OPERATION_FILE_LOCK,
	OPERATION_FILE_UNLOCK,
	OPERATION_EXIT_HANDLER,
	OPERATION_EXIT,
	OPERATION_SPAWN,
	OPERATION_RANDOM,
	OPERATION_KINDS,
};

/* How the result says that the operation was done. */
enum operation_success {
	SUCCESS_ALWAYS, /* there is no other end */
	SUCCESS_ZERO,
	SUCCESS_TAKEN, /* 0, or EOWNERDEAD: the mutex is the caller's */
	SUCCESS_ROUND, /* 0, or PTHREAD_BARRIER_SERIAL_THREAD */
};

enum operation_end {
	OPERATION_BEFORE,
	OPERATION_CALLING,
	OPERATION_RETURNED, /* result is what the function returned, or what the mode said in its place */
	OPERATION_UNWOUND,  /* it did not return; result means nothing */
};

/* What `before` wants to happen next. */
enum operation_next {
	OPERATION_CALL,      /* the real function is called, then `after` */
	OPERATION_DONE,      /* `before` did the work and operation->result is what the program gets; then `after` */
	OPERATION_CALL_ONLY, /* the real function is called, and that is all */
};

#define OPERATION_NO_ARGUMENT 255u
#define OPERATION_OWN 8u

/* A function. */
struct operation_row {
	const char *name;
	void *const *real; /* where the address of the real function is; never null there when the slot is filled */
	uint8_t kind;      /* enum operation_kind */
	uint8_t object;    /* which argument says what it is about, or OPERATION_NO_ARGUMENT */
	uint8_t second;    /* the same for what else it is about: the mutex of a condition variable */
	uint8_t success;   /* enum operation_success */
	bool is_try;       /* it does not wait; busy is its result when it would have to */
	bool is_timed;     /* it waits until a time */
	bool is_single;    /* the object is its only argument, and it returns an int */
	int16_t busy;
	uint16_t number; /* enum interpose_index */
} __attribute__((aligned(32)));

struct operation {
	uint64_t arguments[6]; /* as many as the function has; `before` may change them */
	uint64_t result;
	uintptr_t code; /* where the function returns to in the program */
	const struct operation_row *row;
	uint32_t end; /* enum operation_end */
	uint32_t unused;
	uint64_t own[OPERATION_OWN]; /* the mode's, from before to after */
};

/* By enum interpose_index. */
extern const struct operation_row operation_rows[] __attribute__((visibility("hidden")));

/*
 * What the slot holds for the function to be an operation, chosen when slots are filled, so that a call pays only for what the
 * mode needs; null when the function cannot be one.
 *
 *                      the mode sees                                               for
 * operation_function   `before`, then `after`, with all of struct operation       every function
 * operation_announced  `announce`; the real function returns to the program        those that are single
 * operation_checked    `announce`, and `after` unless the function returned 0      those that are single
 * operation_followed   `announce`, then `finish` if it returned 0, else `after`    those that are single
 *
 * For operation_checked, `after` knows row, result and end, and nothing else of the operation; for operation_followed it also knows
 * the argument and code.
 */
void *operation_function(size_t index);
void *operation_announced(size_t index);
void *operation_checked(size_t index);
void *operation_followed(size_t index);

static inline enum operation_kind operation_kind(const struct operation *operation)
{
	return (enum operation_kind)operation->row->kind;
}

/* An argument as a pointer; null when there is none. */
static inline const volatile void *operation_pointer(const struct operation *operation, unsigned argument)
{
	return argument < 6 ? (const volatile void *)operation->arguments[argument] : NULL;
}

static inline const volatile void *operation_object(const struct operation *operation)
{
	return operation_pointer(operation, operation->row->object);
}

static inline const volatile void *operation_second(const struct operation *operation)
{
	return operation_pointer(operation, operation->row->second);
}

/* Whether the function returned and says that it did what it is for. */
static inline bool operation_succeeded(const struct operation *operation)
{
	int result = (int)operation->result;
	if (operation->end != OPERATION_RETURNED)
		return false;
	if (result == 0)
		return true;
	switch ((enum operation_success)operation->row->success) {
	case SUCCESS_ALWAYS:
		return true;
	case SUCCESS_ZERO:
		return false;
	case SUCCESS_TAKEN:
		return result == EOWNERDEAD;
	case SUCCESS_ROUND:
		return result == PTHREAD_BARRIER_SERIAL_THREAD;
	}
	return false;
}

/* In the words of docs/GLOSSARY.md: "mutex lock". Never null. */
const char *operation_kind_name(enum operation_kind kind);

#endif
