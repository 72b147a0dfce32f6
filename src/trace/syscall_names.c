/* syscall_names.c: see syscall_names.h. */
#include "trace/syscall_names.h"

#include <stddef.h>

#include "heddle/syscalls.h"

#define NAME(number, name) [number] = #name,
static const char *const names[] = { HEDDLE_SYSCALLS(NAME) };

const char *syscall_name(uint64_t number)
{
	return number < sizeof names / sizeof *names ? names[number] : NULL;
}
