/* syscall_names.h: the names of system calls of x86-64. */
#ifndef TRACE_SYSCALL_NAMES_H
#define TRACE_SYSCALL_NAMES_H

#include <stdint.h>

/* "read"; null when the number has no name here. */
const char *syscall_name(uint64_t number);

#endif
