/*
 * dispatch.c: see dispatch.h.
 *
 * The kernel calls us on a stack of our own, since the program's may be small. There is one such stack and a call may
 * switch to other threads, so the handler only prepares what a patched call finds and returns: the call is made outside.
 */
#include "rt/enter/dispatch.h"

#include <linux/audit.h>
#include <linux/prctl.h>
#include <signal.h>
#include <string.h>

#include "rt/enter/context.h"
#include "rt/enter/patch_entry.h"
#include "rt/maps.h"
#include "rt/sys.h"

static uintptr_t own_start, own_end, loader_start, loader_end;
static volatile unsigned char selector;
static const struct dispatch_others *others;

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
	context_read(context, &registers);
	if (info->si_code == SI_TIMER) {
		others->timer(&registers);
		return;
	}
	if (info->si_arch != AUDIT_ARCH_X86_64)
		others->other_interface(&registers);
	struct registers *call = (struct registers *)(registers.rsp - PATCH_FRAME_BYTES);
	*call = registers;
	call->extended = NULL; /* it is back in the processor when the call is made */
	registers.rip = (uintptr_t)patch_trap;
	registers.rsp = registers.rbp = (uintptr_t)call;
	context_write(context, &registers);
}

bool dispatch_is_loader(uintptr_t code)
{
	return code - loader_start < loader_end - loader_start;
}

bool dispatch_is_own(uintptr_t code)
{
	return code - own_start < own_end - own_start;
}

void dispatch_arm(void)
{
	selector = 1; /* SYSCALL_DISPATCH_FILTER_BLOCK */
	sys_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, (long)own_start,
		 (long)(own_end - own_start), (long)&selector, 0);
}

int dispatch_start(uintptr_t loader_base, const struct dispatch_others *to)
{
	struct search search = { .own = (uintptr_t)dispatch_arm, .loader_base = loader_base };
	int code = maps_read(find_ranges, &search);
	search.is_second = true;
	if (code == 0)
		code = maps_read(find_ranges, &search);
	if (code < 0 || !own_start)
		return -1;
	others = to;
	context_install(SIGSYS, on_system_call, SA_ONSTACK | SA_NODEFER | SA_RESTART, 0);
	selector = 1;
	return (int)sys_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, (long)own_start,
			     (long)(own_end - own_start), (long)&selector, 0);
}
