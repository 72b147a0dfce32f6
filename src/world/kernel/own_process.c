/* own_process.c: see own_process.h. */
#include "world/kernel/own_process.h"

#include <asm/ioctls.h>
#include <asm/sockios.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/statfs.h>

#include "rt/sys.h"
#include "world/kernel/calls.h"
#include "world/parts.h"

struct owner {
	int type; /* F_OWNER_TID, F_OWNER_PID, F_OWNER_PGRP */
	int id;
};

/* The process, or with a minus its group. */
static int kernel_id(int id)
{
	return id == WORLD_PID ? (int)sys_pid() : id == -WORLD_PID ? -(int)sys_pid() : id;
}

static int world_id(int id)
{
	int own = (int)sys_pid();
	return id == own ? WORLD_PID : id == -own ? -WORLD_PID : id;
}

static bool names_owner(long number, uint64_t operation)
{
	return number == SYS_ioctl && (operation == FIOSETOWN || operation == SIOCSPGRP);
}

void own_process_translate(long number, uint64_t a[6])
{
	static struct owner owner; /* until the call is made, which does not wait */
	static int id;
	if (number == SYS_fcntl && (uint32_t)a[1] == F_SETOWN) {
		a[2] = (uint64_t)(int64_t)kernel_id((int)a[2]);
	} else if (number == SYS_fcntl && (uint32_t)a[1] == F_SETOWN_EX && a[2]) {
		owner = *(const struct owner *)a[2];
		if (owner.type == F_OWNER_TID && thread_find(owner.id))
			syscall_refuse(SYS_fcntl, "signals of a descriptor are delivered to the process, not to a "
						  "single thread (F_SETOWN_EX with F_OWNER_TID)");
		owner.id = kernel_id(owner.id);
		a[2] = (uint64_t)&owner;
	} else if (names_owner(number, (uint32_t)a[1]) && a[2]) {
		id = kernel_id(*(const int *)a[2]);
		a[2] = (uint64_t)&id;
	}
}

/* The text and the number behind it. Returns the size. */
static size_t put_path(char *to, const char *text, uint32_t number)
{
	char digits[12];
	size_t size = 0, at = sizeof digits;
	while (*text)
		to[size++] = *text++;
	do
		digits[--at] = (char)('0' + number % 10);
	while (number /= 10);
	while (at < sizeof digits)
		to[size++] = digits[at++];
	to[size] = '\0';
	return size;
}

/* "/proc/ID/mem" or "/proc/ID/task/ID/mem" of this process. */
static bool is_own_memory(int fd)
{
	struct statfs system;
	char link[40], target[128], own[32];
	long flags = sys_call(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || (flags & O_PATH) ||
	    sys_call(SYS_fstatfs, fd, (long)&system, 0, 0, 0, 0) < 0 || system.f_type != PROC_SUPER_MAGIC)
		return false;
	put_path(link, "/proc/self/fd/", (uint32_t)fd);
	size_t own_size = put_path(own, "/proc/", sys_pid());
	long size = sys_call(SYS_readlink, (long)link, (long)target, sizeof target, 0, 0, 0);
	return size > (long)own_size + 4 - 1 && memcmp(target, own, own_size) == 0 && target[own_size] == '/' &&
	       memcmp(target + size - 4, "/mem", 4) == 0;
}

static bool opens_path(long number)
{
	return number == SYS_open || number == SYS_openat || number == SYS_openat2 || number == SYS_creat;
}

long own_process_result(long number, const uint64_t a[6], long result)
{
	if (opens_path(number) && result >= 0 && is_own_memory((int)result)) {
		sys_close((int)result);
		report_limit(
			"opening /proc/self/mem for writing fails with EACCES, as if a security module forbade it: "
			"writes to it cannot be observed",
			NULL);
		return -EACCES;
	}
	if (result < 0)
		return result;
	if (number == SYS_fcntl && (uint32_t)a[1] == F_GETOWN)
		return world_id((int)result);
	if (number == SYS_fcntl && (uint32_t)a[1] == F_GETOWN_EX)
		((struct owner *)a[2])->id = world_id(((struct owner *)a[2])->id);
	if (number == SYS_ioctl && ((uint32_t)a[1] == FIOGETOWN || (uint32_t)a[1] == SIOCGPGRP))
		*(int *)a[2] = world_id(*(int *)a[2]);
	return result;
}
