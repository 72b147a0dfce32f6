/*
 * operations.h: the file in which the threads of a run count their operations and system calls (struct heddle_operations in
 * heddle/abi.h): makes it, and reads it after the run. The file has no name but /proc/PID/fd/N and vanishes with this process.
 */
#ifndef TRACE_OPERATIONS_H
#define TRACE_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "heddle/abi.h"

struct operations {
	int fd;
	char *path;
	/* Filled by operations_read. */
	const struct heddle_operations *header;         /* mapped */
	const struct heddle_operation_thread **threads; /* that did something, as they began; in the mapping */
	size_t thread_count;
	uint64_t shared_threads; /* too many: they are in the last row together */
};

/* Both return 0, or a negative errno with err set. What the processes wrote is not trusted. */
int operations_make(struct operations *operations, struct err *err);
int operations_read(struct operations *operations, struct err *err);
void operations_release(struct operations *operations);

/* Of one thread, or with thread null of all together: calls of the function; system calls with this number. */
enum operations_column { OPERATIONS_MADE, OPERATIONS_FAILED, OPERATIONS_UNWOUND };
uint64_t operations_count(const struct operations *operations, const struct heddle_operation_thread *thread,
			  size_t function, enum operations_column column);
uint64_t operations_calls(const struct operations *operations, const struct heddle_operation_thread *thread,
			  size_t number);

#endif
