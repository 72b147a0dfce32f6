/* proc_path.c: see proc_path.h. */
#include "world/proc_path.h"

#include <string.h>
#include <sys/syscall.h>

#define PATH_ROOM 256u

/* Which argument is a path, or -1. */
static int path_argument(long number)
{
	switch (number) {
	case SYS_open:
	case SYS_stat:
	case SYS_lstat:
	case SYS_access:
	case SYS_readlink:
		return 0;
	case SYS_openat:
	case SYS_newfstatat:
	case SYS_faccessat:
	case SYS_faccessat2:
	case SYS_readlinkat:
	case SYS_statx:
		return 1;
	default:
		return -1;
	}
}

static const char *skip(const char *at, const char *prefix)
{
	while (*prefix && *at == *prefix)
		at++, prefix++;
	return *prefix ? NULL : at;
}

/* Behind an id of ours, or null. */
static const char *skip_own_id(const char *at)
{
	uint64_t number = 0;
	const char *start = at;
	while (*at >= '0' && *at <= '9' && at - start < 10)
		number = number * 10 + (uint64_t)(*at++ - '0');
	bool is_own = number <= INT32_MAX && thread_find((int32_t)number);
	return is_own && (*at == '/' || *at == '\0') ? at : NULL;
}

void proc_path_translate(long number, uint64_t a[6])
{
	static char translated[PATH_ROOM];
	static const char self[] = "/proc/self";
	int which = path_argument(number);
	if (which < 0 || !a[which])
		return;
	const char *rest = skip((const char *)a[which], "/proc/");
	if (!rest)
		return;
	const char *after = skip_own_id(rest), *task = skip(after ? after : rest, after ? "/task/" : "self/task/");
	if (task && skip_own_id(task))
		after = skip_own_id(task);
	if (!after)
		return;
	size_t size = 0;
	while (after[size])
		size++;
	if (sizeof self + size > PATH_ROOM)
		return;
	memcpy(translated, self, sizeof self - 1);
	memcpy(translated + sizeof self - 1, after, size + 1);
	a[which] = (uint64_t)translated;
}

long proc_path_result(long number, const uint64_t a[6], long result)
{
	int which = number == SYS_readlink ? 0 : number == SYS_readlinkat ? 1 : -1;
	char digits[24];
	size_t at = sizeof digits;
	if (which < 0 || result <= 0 || strcmp((const char *)a[which], "/proc/self") != 0)
		return result;
	for (uint64_t left = WORLD_PID; left; left /= 10)
		digits[--at] = (char)('0' + left % 10);
	size_t size = sizeof digits - at, room = a[which + 2];
	memcpy((void *)a[which + 1], digits + at, size < room ? size : room);
	return (long)(size < room ? size : room);
}
