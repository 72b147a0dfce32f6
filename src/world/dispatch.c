/*
 * dispatch.c: the net below everything: the kernel's syscall user dispatch turns every system call instruction outside
 * our own code into a signal, so none is missed, wherever it is. It is slow (FACTS: some microseconds), so libc's
 * instructions are patched as well (world/patch.c).
 */
#include <linux/prctl.h>
#include <signal.h>
#include <string.h>

#include "rt/maps.h"
#include "rt/sys.h"
#include "world/frame.h"
#include "world/parts.h"
#include "world/patch.h"

static uintptr_t own_start, own_end, loader_start, loader_end;
static volatile unsigned char selector;

struct search {
	uintptr_t own, loader_base;
	char loader[512];
	bool is_second;
};

static void find_ranges(void *data, const struct maps_entry *entry)
{
	struct search *search = data;
	if (search->own >= entry->start && search->own < entry->end)
		own_start = entry->start, own_end = entry->end;
	if (!search->is_second && search->loader_base >= entry->start && search->loader_base < entry->end)
		for (size_t i = 0; i < sizeof search->loader - 1 && entry->path[i]; i++)
			search->loader[i] = entry->path[i];
	if (search->is_second && search->loader[0] && strcmp(entry->path, search->loader) == 0 &&
	    (entry->protection & PROT_EXEC))
		loader_start = entry->start, loader_end = entry->end;
}

static void on_system_call(int number, siginfo_t *info, void *context)
{
	struct registers registers;
	(void)number;
	(void)info;
	frame_read(context, &registers);
	world_syscall(&registers);
	registers.rip = patch_resume_address(registers.rip);
	frame_write(context, &registers);
}

bool dispatch_is_loader(uintptr_t code)
{
	return code - loader_start < loader_end - loader_start;
}

void dispatch_arm(void)
{
	selector = 1; /* SYSCALL_DISPATCH_FILTER_BLOCK */
	sys_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, (long)own_start,
		 (long)(own_end - own_start), (long)&selector, 0);
}

int dispatch_start(uintptr_t loader_base)
{
	struct search search = { .own = (uintptr_t)dispatch_arm, .loader_base = loader_base };
	int code = maps_read(find_ranges, &search);
	search.is_second = true;
	if (code == 0)
		code = maps_read(find_ranges, &search);
	if (code < 0 || !own_start)
		return -1;
	frame_install(SIGSYS, on_system_call, SA_NODEFER, 0);
	selector = 1;
	return (int)sys_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, (long)own_start,
			     (long)(own_end - own_start), (long)&selector, 0);
}
