/*
 * unwind.h: the calls that a thread was in when the run ended, from its registers and the piece of its stack in the
 * report (heddle/abi.h, "stack"). Everything else that unwinding needs is in the files that were mapped. Not for use
 * by two threads.
 */
#ifndef SYMBOLS_UNWIND_H
#define SYMBOLS_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/symbol.h"
#include "trace/report.h"

struct unwinder;

/* Report and symbols must stay. One for each struct symbols. Cannot fail. */
struct unwinder *unwinder_new(const struct report *report, struct symbols *symbols);
/* Before symbols_free. */
void unwinder_free(struct unwinder *unwinder);

/* Puts the addresses of the calls as symbols_code takes them, innermost first, at most room of them. Returns how many;
 * 0 when the report has no stack of the thread. Continues past signal handlers. Stops where the code is in no file or the
 * piece of stack ends. */
size_t unwind_thread(struct unwinder *unwinder, const struct report_thread *thread, uint64_t *addresses, size_t room);

/* Where a call stands, and what it finds in the registers that calls keep. */
struct unwound {
	uint64_t address; /* as unwind_thread has it */
	uint64_t rsp, rbx, rbp, r12, r13, r14, r15;
};

/* The same with registers; those that are not known are 0. */
size_t unwind_calls(struct unwinder *unwinder, const struct report_thread *thread, struct unwound *calls, size_t room);

/* Whether the last of both stopped because the piece of stack ended. */
bool unwinder_is_cut(const struct unwinder *unwinder);

#endif
