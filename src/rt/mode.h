/*
 * mode.h: a mode is a table of functions; rt/choose.c picks one by the value of HEDDLE and is the only place that does.
 * No mode tests for another. What a mode leaves null does nothing: then the program's calls go where they would go
 * without Heddle, at no cost.
 *
 * The modes are in src/world (control) and src/parallel (the program's threads run natively). The shortest is
 * src/parallel/operations.c; the tool's side of it is src/cmd/run_operations.c. A new mode is a file there, a line here
 * and in the list of rt/choose.c, its name in rt/message.c, and its key of HEDDLE_OPTIONS in rt/option.c.
 */
#ifndef RT_MODE_H
#define RT_MODE_H

#include <signal.h>

#include "rt/enter/entrance.h"
#include "rt/enter/operation.h"
#include "rt/enter/registers.h"
#include "rt/object.h"
#include "rt/patch.h"

struct mode {
	const char *name;

	/* Woven objects. All are called under the lock of registration. */

	/* Once per process, after the options are read. Returns 0, or -1 after rt_off. */
	int (*start)(void);
	/* Chooses the hooks of a new object, all null before, before any of its functions is switched. A hook left null
	 * does nothing. A mode may also redirect the calls of plain accesses here. -1: do not switch it. */
	int (*attach)(const struct object *object, struct heddle_hooks *hooks);
	/* Whether a function is to be switched. Null: those that switch= selects. */
	bool (*selects)(const struct object *object, const struct heddle_function *function);
	/* The tables of an object are damaged, so what they describe is wrong: the object will not be switched. Null:
	 * nothing to do. */
	void (*refused)(const struct object *object);
	/* After its functions were switched. */
	void (*attached)(const struct object *object, const struct patch_result *result);

	/* What the program does, as the entrance sees it (rt/enter/entrance.h), in any thread and in signal handlers. */

	/* What the slot of an interposed function holds: a function of the mode, operation_function(index) or one of its
	 * shorter variants, or null for the real one. May be called before start, and before libc has started. */
	void *(*slot)(size_t index);
	/* Around a function that is an operation. */
	enum operation_next (*before)(struct operation *operation);
	void (*after)(struct operation *operation);
	/* Before one whose slot holds one of the shorter ways. object: its argument; code: where it returns to. */
	void (*announce)(const struct operation_row *row, const volatile void *object, uintptr_t code);
	/* After one whose slot holds operation_followed, if it returned 0; if not, `after` is called. */
	void (*finish)(const struct operation_row *row, const volatile void *object, uintptr_t code);
	/* Before syscall, for a mode that lets most calls pass. Null: syscall gets all. */
	entrance_glance *glance;
	/* A system call, while entrance.serves. Changes the registers as the kernel would. */
	void (*syscall)(struct registers *registers);
	/* An instruction faulted, or a process sent such a signal (rt/enter/fault.h). */
	void (*fault)(int number, siginfo_t *info, void *context);
	/* From entrance_thread and entrance_make_call: a thread is new; it is about to end; this process is a forked child,
	 * with one thread; the process is about to end. */
	void (*thread_begin)(void);
	void (*thread_end)(void);
	void (*fork)(void);
	void (*exit)(int status);
};

extern const struct mode mode_pass, mode_operations, mode_train, mode_guard, mode_control;

#endif
