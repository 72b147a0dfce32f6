/*
 * share.c: see share.h. A mapping is known from its creation on. Its removal goes unnoticed, but its addresses are
 * not given to other mappings (mapping.c) unless the program asks for them.
 */
#include "world/kernel/share.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "rt/sys.h"
#include "world/kernel/outside.h"
#include "world/log.h"

#define RANGES_MAX 256u
#define CHILDREN_MAX 64u

static struct range {
	uintptr_t start, end;
	bool is_file;
} ranges[RANGES_MAX];
static uint32_t range_count;

static int32_t children[CHILDREN_MAX];
static uint32_t child_count; /* may be larger than there is room for */
static bool has_file;

void share_mapped(uintptr_t at, size_t size_bytes, bool is_file)
{
	if (range_count < RANGES_MAX)
		ranges[range_count] = (struct range){ at, at + size_bytes, is_file };
	range_count++;
	has_file |= is_file;
}

void share_forked(long pid)
{
	if (child_count < CHILDREN_MAX)
		children[child_count] = (int32_t)pid;
	child_count++;
}

static const struct range *range_of(const volatile void *address)
{
	uintptr_t at = (uintptr_t)address;
	for (uint32_t i = 0; i < range_count && i < RANGES_MAX; i++)
		if (at >= ranges[i].start && at < ranges[i].end)
			return &ranges[i];
	return NULL;
}

bool share_has(const volatile void *address)
{
	return range_count > RANGES_MAX || range_of(address);
}

static bool is_alive(int32_t pid)
{
	siginfo_t info;
	info.si_pid = 0;
	return sys_call(SYS_waitid, P_PID, pid, (long)&info, WEXITED | WNOHANG | WNOWAIT, 0, 0) == 0 &&
	       info.si_pid == 0;
}

/* Children of children register in the channel, but their end is not reported. */
static bool has_others(void)
{
	if (child_count > CHILDREN_MAX || world.channel->process_count > child_count)
		return true;
	for (uint32_t i = 0; i < child_count; i++)
		if (is_alive(children[i]))
			return true;
	return false;
}

bool share_is_outside(const volatile void *address)
{
	if (world.is_replaying || !share_has(address))
		return false;
	const struct range *range = range_of(address);
	return !range || range->is_file || has_others();
}

bool share_wait(bool is_outside)
{
	if (world.is_replaying ? log_next.tag != HEDDLE_RECORD_BLOCK : !is_outside)
		return false;
	outside_wait_retry(NO_DEADLINE);
	return true;
}

bool share_was_used(void)
{
	return has_file || (range_count && child_count);
}
