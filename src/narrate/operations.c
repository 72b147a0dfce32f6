/* operations.c: see operations.h. */
#include "narrate/operations.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/text.h"
#include "trace/syscall_names.h"

/* What cannot be seen from where the runtime stands. The user's manual has the same list. */
static const char *const not_seen[] = {
	"locks inside libc: of streams (stdio), of malloc arenas, and of exit, dlopen, setenv and localtime",
	"atomic operations, and synchronisation by instructions of the program or of a library (OpenMP, RCU)",
	"C++ shared_ptr counts, std::atomic::wait before it sleeps, and locks inlined into the program",
	("system call instructions outside libc and the threads libraries, and calls answered by the vdso "
	 "(clock_gettime)"),
};

#define NOT_SEEN (sizeof not_seen / sizeof *not_seen)

static const struct heddle_operation_function *function_at(const struct operations *operations, size_t index)
{
	const struct heddle_operation_function *function = &operations->header->functions[index];
	return function->name[0] ? function : NULL;
}

/* Of a kind: the sum over its functions. first: only when this is the first function of its kind. */
struct row {
	const char *name; /* not terminated when it is as long as size */
	size_t size;
	uint64_t count, failed, unwound;
};

static size_t length(const char *text, size_t limit)
{
	return strnlen(text, limit);
}

static struct row *row_of(struct row *rows, size_t *count, const struct heddle_operation_function *function)
{
	size_t size = length(function->kind, sizeof function->kind);
	for (size_t i = 0; i < *count; i++)
		if (rows[i].size == size && memcmp(rows[i].name, function->kind, size) == 0)
			return &rows[i];
	rows[*count] = (struct row){ .name = function->kind, .size = size };
	return &rows[(*count)++];
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	size_t size = x->size < y->size ? x->size : y->size;
	int order = memcmp(x->name, y->name, size);
	return order ? order : x->size < y->size ? -1 : x->size > y->size;
}

static size_t kinds_of(const struct operations *operations, struct row *rows)
{
	size_t count = 0;
	for (size_t i = 0; i < HEDDLE_OPERATION_FUNCTIONS; i++) {
		const struct heddle_operation_function *function = function_at(operations, i);
		uint64_t made = function ? operations_count(operations, NULL, i, OPERATIONS_MADE) : 0;
		if (!made)
			continue;
		struct row *row = row_of(rows, &count, function);
		row->count += made;
		row->failed += operations_count(operations, NULL, i, OPERATIONS_FAILED);
		row->unwound += operations_count(operations, NULL, i, OPERATIONS_UNWOUND);
	}
	qsort(rows, count, sizeof *rows, compare_rows);
	return count;
}

static const char *call_name(size_t number, char *room, size_t room_bytes)
{
	const char *name = number < HEDDLE_OPERATION_CALLS - 1 ? syscall_name(number) : "other";
	if (name)
		return name;
	snprintf(room, room_bytes, "%zu", number);
	return room;
}

struct total {
	uint64_t operations, calls;
};

static struct total total_of(const struct operations *operations, const struct heddle_operation_thread *thread)
{
	struct total total = { 0, 0 };
	for (size_t i = 0; i < HEDDLE_OPERATION_FUNCTIONS; i++)
		total.operations += operations_count(operations, thread, i, OPERATIONS_MADE);
	for (size_t i = 0; i < HEDDLE_OPERATION_CALLS; i++)
		total.calls += operations_calls(operations, thread, i);
	return total;
}

static const char *plural(uint64_t number)
{
	return number == 1 ? "" : "s";
}

static void kinds_text(struct buf *out, const struct operations *operations)
{
	struct row rows[HEDDLE_OPERATION_FUNCTIONS];
	size_t count = kinds_of(operations, rows);
	if (count)
		buf_format(out, "%14s  %12s  %12s  %s\n", "count", "failed", "unwound", "operation");
	for (size_t i = 0; i < count; i++) {
		char *name = mem_format("%.*s", (int)rows[i].size, rows[i].name);
		buf_format(out, "%14" PRIu64 "  %12" PRIu64 "  %12" PRIu64 "  ", rows[i].count, rows[i].failed,
			   rows[i].unwound);
		text_terminal(out, name);
		buf_add_string(out, "\n");
		free(name);
	}
}

static void calls_text(struct buf *out, const struct operations *operations, uint64_t top)
{
	struct row rows[HEDDLE_OPERATION_CALLS];
	static char rooms[HEDDLE_OPERATION_CALLS][24];
	size_t count = 0;
	for (size_t i = 0; i < HEDDLE_OPERATION_CALLS; i++) {
		uint64_t made = operations_calls(operations, NULL, i);
		const char *name = call_name(i, rooms[i], sizeof rooms[i]);
		if (made)
			rows[count++] = (struct row){ .name = name, .size = strlen(name), .count = made };
	}
	qsort(rows, count, sizeof *rows, compare_rows);
	if (count)
		buf_format(out, "%14s  %s\n", "count", "system call");
	for (size_t i = 0; i < count && i < top; i++)
		buf_format(out, "%14" PRIu64 "  %s\n", rows[i].count, rows[i].name);
	if (count > top)
		buf_format(out, "%14s  %zu more (--top)\n", "", (size_t)(count - top));
}

static bool is_shared(const struct heddle_operation_thread *thread)
{
	return thread->process == 0;
}

static void threads_text(struct buf *out, const struct operations *operations, uint64_t top)
{
	if (operations->thread_count)
		buf_format(out, "%14s  %12s  %s\n", "operations", "system calls", "thread");
	for (size_t i = 0; i < operations->thread_count && i < top; i++) {
		const struct heddle_operation_thread *thread = operations->threads[i];
		struct total total = total_of(operations, thread);
		buf_format(out, "%14" PRIu64 "  %12" PRIu64 "  ", total.operations, total.calls);
		if (is_shared(thread)) {
			buf_format(out, "%" PRIu64 " more threads combined\n", operations->shared_threads);
			continue;
		}
		char *name = mem_format("%.*s", (int)length(thread->name, sizeof thread->name), thread->name);
		buf_format(out, "%" PRIu32 " of process %" PRIu32 " (%" PRIu32 ")%s", thread->tid, thread->process,
			   thread->pid, *name ? ", " : "");
		text_terminal(out, name);
		buf_add_string(out, "\n");
		free(name);
	}
	if (operations->thread_count > top)
		buf_format(out, "%14s  %12s  %zu more (--top)\n", "", "", (size_t)(operations->thread_count - top));
}

void operations_text(struct buf *out, const struct operations *operations, uint64_t top)
{
	const struct heddle_operations *header = operations->header;
	struct total total = total_of(operations, NULL);
	uint64_t threads = operations->thread_count + operations->shared_threads - (operations->shared_threads != 0);
	buf_format(out,
		   "heddle: %" PRIu64 " operation%s and %" PRIu64 " system call%s by %" PRIu64 " thread%s of %" PRIu32
		   " process%s\n",
		   total.operations, plural(total.operations), total.calls, plural(total.calls), threads,
		   plural(threads), header->process_count, header->process_count == 1 ? "" : "es");
	kinds_text(out, operations);
	calls_text(out, operations, top);
	threads_text(out, operations, top);
	if (header->unpatched_count)
		buf_format(out,
			   "heddle: system calls of %" PRIu32
			   " program%s were not counted: its libc is not the one that was decoded, or its code "
			   "cannot be modified\n",
			   header->unpatched_count, plural(header->unpatched_count));
	for (size_t i = 0; i < NOT_SEEN; i++)
		buf_format(out, "heddle: not counted: %s\n", not_seen[i]);
}

static void functions_json(struct json_writer *out, const struct operations *operations,
			   const struct heddle_operation_thread *thread)
{
	json_open_array(out, "operations");
	for (size_t i = 0; i < HEDDLE_OPERATION_FUNCTIONS; i++) {
		const struct heddle_operation_function *function = function_at(operations, i);
		uint64_t made = function ? operations_count(operations, thread, i, OPERATIONS_MADE) : 0;
		if (!made)
			continue;
		json_open_object(out, NULL);
		json_add_format(out, "function", "%.*s", (int)length(function->name, sizeof function->name),
				function->name);
		json_add_format(out, "kind", "%.*s", (int)length(function->kind, sizeof function->kind),
				function->kind);
		json_add_number(out, "count", made);
		json_add_number(out, "failed", operations_count(operations, thread, i, OPERATIONS_FAILED));
		json_add_number(out, "unwound", operations_count(operations, thread, i, OPERATIONS_UNWOUND));
		json_close_object(out);
	}
	json_close_array(out);
}

static void calls_json(struct json_writer *out, const struct operations *operations,
		       const struct heddle_operation_thread *thread)
{
	json_open_array(out, "system_calls");
	for (size_t i = 0; i < HEDDLE_OPERATION_CALLS; i++) {
		char room[24];
		uint64_t made = operations_calls(operations, thread, i);
		if (!made)
			continue;
		json_open_object(out, NULL);
		json_add_string(out, "name", call_name(i, room, sizeof room));
		json_add_number(out, "count", made);
		json_close_object(out);
	}
	json_close_array(out);
}

static void thread_json(struct json_writer *out, const struct operations *operations,
			const struct heddle_operation_thread *thread)
{
	json_open_object(out, NULL);
	json_add_number(out, "process", thread->process);
	json_add_number(out, "pid", thread->pid);
	json_add_number(out, "tid", thread->tid);
	json_add_bool(out, "has_ended", thread->is_ended);
	json_add_format(out, "name", "%.*s", (int)length(thread->name, sizeof thread->name), thread->name);
	functions_json(out, operations, thread);
	calls_json(out, operations, thread);
	json_close_object(out);
}

void operations_json(struct buf *text, const struct operations *operations, char **program)
{
	const struct heddle_operations *header = operations->header;
	struct json_writer writer, *out = &writer;
	json_begin_report(out, text);
	json_add_string(out, "program", program[0]);
	json_add_vector(out, "arguments", program + 1);
	json_add_number(out, "processes", header->process_count);
	json_add_number(out, "programs", header->image_count);
	json_add_number(out, "programs_without_system_calls", header->unpatched_count);
	json_add_number(out, "threads_together", operations->shared_threads);
	json_line(out);
	functions_json(out, operations, NULL);
	calls_json(out, operations, NULL);
	json_line(out);
	json_open_array(out, "threads");
	for (size_t i = 0; i < operations->thread_count; i++) {
		json_line(out);
		thread_json(out, operations, operations->threads[i]);
	}
	json_close_array(out);
	json_line(out);
	json_open_array(out, "not_counted");
	for (size_t i = 0; i < NOT_SEEN; i++)
		json_add_string(out, NULL, not_seen[i]);
	json_close_array(out);
	json_end_file(out);
}
