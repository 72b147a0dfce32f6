/* proc_path.c: see proc_path.h. */
#include "world/kernel/proc_path.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>

#include "rt/sys.h"
#include "rt/text.h"

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
	case SYS_unlink:
		return 0;
	case SYS_openat:
	case SYS_newfstatat:
	case SYS_faccessat:
	case SYS_faccessat2:
	case SYS_readlinkat:
	case SYS_statx:
	case SYS_unlinkat:
		return 1;
	default:
		return -1;
	}
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

static size_t length_of(const char *text)
{
	size_t size = 0;
	while (text[size])
		size++;
	return size;
}

/* Returns the end. The number is written without a null byte. */
static char *put_number(char *at, uint64_t number)
{
	char digits[24];
	size_t first = sizeof digits;
	do
		digits[--first] = (char)('0' + number % 10);
	while (number /= 10);
	memcpy(at, digits + first, sizeof digits - first);
	return at + sizeof digits - first;
}

/* Whether it is a call that makes a file that must not be there. */
static bool is_exclusive(long number, const uint64_t a[6])
{
	uint64_t flags = number == SYS_open ? a[1] : number == SYS_openat ? a[2] : 0;
	return (flags & O_CREAT) && (flags & O_EXCL);
}

/* A killed process leaves its file behind, and ids are reused: a file that exists before this process has made one is
 * stale. In a replay no file is made. */
static void remove_left_behind(const char *path)
{
	static int cleaned;
	int pid = (int)sys_pid();
	if (cleaned != pid && !world.is_replaying)
		sys_call(SYS_unlink, (long)path, 0, 0, 0, 0, 0);
	cleaned = pid;
}

/*
 * LLVM's OpenMP has a file with the process's id in its name by which it finds out whether there are two of it in a process.
 * Runs at the same time have the same id.
 */
static bool translate_openmp(const char *path, char translated[PATH_ROOM])
{
	static const char *const folders[] = { "/dev/shm/", "/tmp/" };
	static const char name[] = "__KMP_REGISTERED_LIB_";
	char id[24] = "";
	put_number(id, WORLD_PID);
	for (size_t i = 0; i < 2; i++) {
		const char *rest = text_after(path, folders[i]);
		const char *after = rest ? text_after(rest, name) : NULL;
		size_t before = after ? (size_t)(after - path) : 0;
		after = after ? text_after(after, id) : NULL;
		if (!after || length_of(after) + before + 24 > PATH_ROOM)
			continue;
		memcpy(translated, path, before);
		char *at = put_number(translated + before, sys_pid());
		memcpy(at, after, length_of(after) + 1);
		return true;
	}
	return false;
}

void proc_path_translate(long number, uint64_t a[6])
{
	static char translated[PATH_ROOM];
	static const char self[] = "/proc/self";
	int which = path_argument(number);
	if (which < 0 || !a[which])
		return;
	if (translate_openmp((const char *)a[which], translated)) {
		if (is_exclusive(number, a))
			remove_left_behind(translated);
		a[which] = (uint64_t)translated;
		return;
	}
	const char *rest = text_after((const char *)a[which], "/proc/");
	if (!rest)
		return;
	const char *after = skip_own_id(rest),
		   *task = text_after(after ? after : rest, after ? "/task/" : "self/task/");
	if (task && skip_own_id(task))
		after = skip_own_id(task);
	if (!after)
		return;
	size_t size = length_of(after);
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
	if (which < 0 || result <= 0 || strcmp((const char *)a[which], "/proc/self") != 0)
		return result;
	size_t size = (size_t)(put_number(digits, WORLD_PID) - digits), room = a[which + 2];
	memcpy((void *)a[which + 1], digits, size < room ? size : room);
	return (long)(size < room ? size : room);
}
