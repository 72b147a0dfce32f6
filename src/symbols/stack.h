/*
 * stack.h: where a thread was, in a form for reports: the calls of the program's own code, innermost first. Of calls
 * inside system libraries only the outermost is included, which is the function that the program called; start-up code of
 * threads and of the program is left out, and so is the runtime.
 */
#ifndef SYMBOLS_STACK_H
#define SYMBOLS_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/unwind.h"

#define STACK_PLACES 24u
#define MAX_STACK_DEPTH 96u /* more than are shown: many may be inside libraries */

struct stack_place {
	struct symbol_place symbol;
	uint64_t address;
	bool is_library; /* of the system; only the function is of interest */
	bool is_inlined; /* into the next one */
	bool is_repeated;
};

struct stack_places {
	struct stack_place items[STACK_PLACES];
	size_t count;
	bool is_cut; /* there are callers that are missing here: too many, or their part of the stack is not in the report */
};

/* To whom the code at an address belongs: to the program or a library of its own, to the system, or to Heddle's runtime. */
enum stack_owner { STACK_OF_PROGRAM, STACK_OF_SYSTEM, STACK_OF_RUNTIME };

enum stack_owner stack_owner(struct symbols *symbols, uint64_t address);

/* Strings live as long as the symbols. */
void stack_of_thread(struct stack_places *places, struct unwinder *unwinder, struct symbols *symbols,
		     const struct report_thread *thread);

/* Headers of the system, the compiler and the C++ library, wherever they are installed. */
bool stack_is_system_file(const char *file);

/* Whether a function at the address, one of symbols_code's, is the program's own and not of a library, nor of a header of
 * the system. */
bool stack_is_own(struct symbols *symbols, uint64_t address, const struct symbol_place *place);

/* The innermost place of the program's own at the address; null when there is none. */
const struct symbol_place *stack_own_symbol(struct symbols *symbols, uint64_t address);

/* The same of the calls that frame pointers led to (HEDDLE_RECORD_CALLERS), innermost first. Null also when a function
 * on the way has no frame pointer, as the next frame may not be its caller. */
const struct symbol_place *stack_origin(struct symbols *symbols, const uint64_t *addresses, size_t count);

/* Appends one place, escaped for a terminal: "push (queue.c:12)", "read", "libz.so.1+0x1234". */
void stack_describe(struct buf *out, struct symbols *symbols, const struct stack_place *place);

/* Appends the name of a thread for reports, escaped: the name that the program gave it; else its start function, without
 * parameters, from the arguments of its creation or, if these are not known, from its stack. Returns
 * false when it is not known, and for the first thread, which needs no description. */
bool stack_describe_start(struct buf *out, struct unwinder *unwinder, struct symbols *symbols,
			  const struct report_thread *thread);

/* The innermost place of the program itself that has a file, or null. */
const struct symbol_place *stack_own_place(const struct stack_places *places);

#endif
