/* hang.c: see hang.h. */
#include "judge/hang.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "symbols/foreign.h"
#include "symbols/line.h"
#include "symbols/names_short.h"

#define OTHERS_NOTE "other threads can run, or wait for time or the outside" /* of the runtime */

static const struct report_thread *running(const struct report *report)
{
	for (size_t i = 0; i < report->thread_count; i++)
		if (strcmp(report->threads[i].state, "running") == 0)
			return &report->threads[i];
	return NULL;
}

bool hang_may_wait(const struct report *report, struct symbols *symbols, struct unwinder *unwinder)
{
	const struct report_thread *thread = running(report);
	struct stack_places places = { .count = 0 };
	bool has_others = false;
	for (size_t i = 0; i < report->note_count; i++)
		has_others |= strcmp(report->notes[i], OTHERS_NOTE) == 0;
	if (thread)
		stack_of_thread(&places, unwinder, symbols, thread);
	return has_others && !(places.count && symbols_is_woven(symbols, places.items[0].address));
}

/* LLVM's OpenMP waits for tasks in loops of its own. */
void hang_describe_library(struct buf *out, const struct report *report)
{
	bool is_present = false;
	for (size_t i = 0; i < report->module_count; i++)
		is_present |= strstr(report->modules[i].path, "/libomp") != NULL;
	if (is_present)
		buf_add_string(
			out, "libomp waits for tasks without calling a function; set KMP_TASKING=0 in the environment "
			     "to avoid this");
}

void hang_describe_waiting(struct buf *out, const struct report *report, struct symbols *symbols,
			   struct unwinder *unwinder)
{
	struct buf library = { 0 };
	const struct report_thread *thread = running(report);
	struct stack_places places = { .count = 0 };
	hang_describe(out, report, symbols, unwinder);
	hang_describe_library(&library, report);
	if (thread)
		stack_of_thread(&places, unwinder, symbols, thread);
	if (!library.size && places.count && foreign_is_assembly(places.items[0].symbol.file))
		buf_add_string(&library,
			       "assembler files are not observed; atomic operations of the language and inline "
			       "assembly are; if the thread only computes, give it more time with --hang SECONDS");
	buf_format(out, ", and cannot be interrupted, although other threads could run: %s",
		   library.size ? library.data
				: "build that code with heddle-cc; if the thread only computes, give it more time "
				  "with --hang SECONDS");
	buf_release(&library);
}

static void describe_place(struct buf *out, struct symbols *symbols, const struct stack_place *place)
{
	if (place->symbol.file) {
		buf_add_string(out, " at ");
		line_add(out, place->symbol.file, place->symbol.line);
	}
	buf_add_string(out, " in ");
	if (place->symbol.function)
		names_add_short(out, place->symbol.function);
	else
		symbols_describe_code(out, symbols, place->address);
}

void hang_describe(struct buf *out, const struct report *report, struct symbols *symbols, struct unwinder *unwinder)
{
	const struct report_thread *thread = running(report);
	struct stack_places places = { .count = 0 };
	if (thread)
		stack_of_thread(&places, unwinder, symbols, thread);
	buf_add_string(out, "hang: ");
	if (!places.count) {
		buf_add_string(out, "a thread computes without an event, or waits in a loop in code that is not woven");
		return;
	}
	const struct stack_place *innermost = &places.items[0];
	const bool is_woven = symbols_is_woven(symbols, innermost->address);
	buf_format(out, "thread %" PRIu32 " computes%s", thread->index,
		   is_woven ? " without an event" : ", or waits in a loop,");
	/* Of a library the name alone is of interest, and where it was called. */
	if (innermost->is_library) {
		buf_add_string(out, " in ");
		names_add_short(out, innermost->symbol.function ? innermost->symbol.function : "?");
	} else {
		describe_place(out, symbols, innermost);
	}
	buf_add_string(out, is_woven ? "" : ", which is not woven");
	if (innermost->is_library && places.count > 1 && !places.items[1].is_library) {
		buf_add_string(out, ", called");
		describe_place(out, symbols, &places.items[1]);
	}
}
