/*
 * entrance.h: the ways from the program into the runtime, for all modes: interposed functions (interpose.h), system
 * call instructions that were replaced (patch.h), those that the kernel hands us (dispatch.h), instructions that
 * faulted (fault.h). The entrance owns the mechanism; what happens is the business of the mode, whose functions are here
 * where assembly finds them.
 *
 * Invariants:
 *  1. Written by entrance_open and by the mode it was opened for; a mode in which threads run in parallel writes nothing
 *     after the start.
 *  2. While serves is false, replaced system call instructions go straight to the kernel.
 *     Assured by tests/unit/patches.t.
 *  3. Nothing here tests for a mode.
 *     Assured by tests/project/invariants.t.
 */
#ifndef RT_ENTER_ENTRANCE_H
#define RT_ENTER_ENTRANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "rt/enter/operation.h"
#include "rt/enter/registers.h"

struct mode;

/*
 * A first look at a system call, by its number: true when that is all that the mode wants and the call is to be made as it is; false:
 * it goes to the mode's syscall. Never true for entrance_is_special. Nothing but the number is saved, so it keeps all registers.
 */
typedef bool entrance_glance(uint64_t number) __attribute__((no_caller_saved_registers));

struct entrance {
	bool serves; /* whether system calls come to the mode */
	void (*syscall)(struct registers *registers);
	enum operation_next (*before)(struct operation *operation);
	void (*after)(struct operation *operation);
	void (*announce)(const struct operation_row *row, const volatile void *object, uintptr_t code);
	entrance_glance *glance; /* null: every call goes to syscall */
	void (*finish)(const struct operation_row *row, const volatile void *object, uintptr_t code);
	const struct mode *mode;
} __attribute__((aligned(64)));

_Static_assert(offsetof(struct entrance, serves) == 0 && offsetof(struct entrance, syscall) == 8 &&
		       offsetof(struct entrance, before) == 16 && offsetof(struct entrance, after) == 24 &&
		       offsetof(struct entrance, announce) == 32 && offsetof(struct entrance, glance) == 40 &&
		       offsetof(struct entrance, finish) == 48,
	       "patch_entry.c and operation_entry.c know these");

extern struct entrance entrance __attribute__((visibility("hidden")));

/* Takes the functions of the mode. Whatever it does not have does nothing. Works before libc has started. */
void entrance_open(const struct mode *mode);

/* Whether the entrance has seen this thread. */
extern __thread bool entrance_knows_thread __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* Notifies the mode of a new thread. A mode that has thread_begin calls this first in before and syscall; so for the
 * mode a thread begins with the first thing that the entrance sees it do. */
void entrance_begin_thread(void);

static inline void entrance_thread(void)
{
	if (__builtin_expect(!entrance_knows_thread, 0))
		entrance_begin_thread();
}

/* System calls that entrance_make_call does more for than make them. */
static inline bool entrance_is_special(uint64_t number)
{
	switch (number) {
	case SYS_rt_sigreturn:
	case SYS_clone:
	case SYS_clone3:
	case SYS_fork:
	case SYS_vfork:
	case SYS_exit:
	case SYS_exit_group:
		return true;
	}
	return false;
}

/*
 * Makes the system call in the registers as the program meant it, on a kernel thread that runs in parallel with others.
 * This includes calls that make threads and processes, end them, or do not return. Notifies the mode: thread_end, exit,
 * and in a forked child fork. For the syscall of a mode that lets threads run in parallel.
 */
void entrance_make_call(struct registers *registers);

#endif
