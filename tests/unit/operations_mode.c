/*
 * operations_mode.c: a mode for tests/unit/operations.t, which writes each call of the entrance as a line on descriptor 9: what
 * was called, the function, its argument and whether the code is the program's (which is not relocatable), or "-" where the way does not
 * provide them, and how it ended. HEDDLE_OPTIONS names the way that mutex and semaphore locks take.
 */
#include <string.h>

#include "rt/choose.h"
#include "rt/enter/interpose.h"
#include "rt/mode.h"
#include "rt/message.h"
#include "rt/sys.h"

#define PROGRAM_END 0x1000000ul

static void write_line(const char *what, const struct operation_row *row, uintptr_t object, uintptr_t code,
		       const char *end, int result, bool is_aligned)
{
	struct message say = { .size = 0 };
	message_string(&say, what);
	message_string(&say, " ");
	message_string(&say, row->name);
	message_string(&say, " ");
	if (object)
		message_number(&say, object);
	else
		message_string(&say, "-");
	message_string(&say, !code ? " -" : code < PROGRAM_END ? " program" : " elsewhere");
	message_string(&say, end);
	if (result) {
		message_string(&say, " ");
		message_number(&say, (uint32_t)result);
	}
	message_string(&say, is_aligned ? "" : " on a stack that is not aligned");
	say.text[say.size++] = '\n';
	sys_write(9, say.text, say.size);
}

/* Of a function that keeps its frame pointer. */
#define IS_ALIGNED ((uintptr_t)__builtin_frame_address(0) % 16 == 0)

static enum operation_next before(struct operation *operation)
{
	write_line("before", operation->row, operation->arguments[0], operation->code, "", 0, IS_ALIGNED);
	return OPERATION_CALL;
}

static void after(struct operation *operation)
{
	bool is_returned = operation->end == OPERATION_RETURNED;
	write_line("after", operation->row, operation->arguments[0], operation->code,
		   !is_returned                     ? " unwound"
		   : operation_succeeded(operation) ? " succeeded"
						    : " failed",
		   is_returned ? (int)operation->result : 0, IS_ALIGNED);
}

static void announce(const struct operation_row *row, const volatile void *object, uintptr_t code)
{
	write_line("announce", row, (uintptr_t)object, code, "", 0, IS_ALIGNED);
}

static void finish(const struct operation_row *row, const volatile void *object, uintptr_t code)
{
	write_line("finish", row, (uintptr_t)object, code, "", 0, IS_ALIGNED);
}

static void *slot(size_t index)
{
	static const struct {
		const char *name;
		void *(*way)(size_t index);
	} ways[] = { { "function", operation_function },
		     { "announced", operation_announced },
		     { "checked", operation_checked },
		     { "followed", operation_followed } };
	if (index != INTERPOSE_pthread_mutex_lock && index != INTERPOSE_sem_wait)
		return NULL;
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (choose_options() && strcmp(choose_options(), ways[i].name) == 0)
			return ways[i].way(index);
	return NULL;
}

const struct mode mode_pass = { .name = "pass" }, mode_operations = { .name = "operations" },
		  mode_control = { .name = "control",
				   .slot = slot,
				   .before = before,
				   .after = after,
				   .announce = announce,
				   .finish = finish };

__attribute__((constructor)) static void start(void)
{
	if (choose_mode() != &mode_control)
		return;
	entrance_open(&mode_control);
	interpose_fill();
}
