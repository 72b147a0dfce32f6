/*
 * dispatch.c: the net below everything: the kernel's syscall user dispatch turns every system call instruction outside
 * our own code into a signal, so none is missed, wherever it is. It is slow (FACTS: some microseconds), so libc's
 * instructions are patched as well (world/patch.c).
 *
 * The kernel calls us on a stack of our own, since the program's may be small. There is one such stack and a call may
 * switch to other threads, so the handler only prepares what a patched call finds and returns: the call is made outside.
 */
#include <linux/audit.h>
#include <linux/prctl.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "rt/maps.h"
#include "rt/say.h"
#include "rt/sys.h"
#include "world/frame.h"
#include "world/parts.h"
#include "world/patch_entry.h"

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

/*
 * The watchdog: a timer of processor time, whose signal is the one that is always ours. When so many of its periods in a row pass
 * without an event, the thread computes for long, or it spins in code that is not woven and will never end: there is no
 * telling from here.
 */
#define QUIET_SECONDS 10u
#define QUIET_TICKS 4u

static int quiet_timer = -1;
static uint64_t quiet_events;
static uint32_t quiet_ticks;
static bool is_quiet_said;

static void on_quiet(const struct registers *registers)
{
	uint64_t events = world_events();
	quiet_ticks = events == quiet_events ? quiet_ticks + 1 : 0;
	quiet_events = events;
	if (quiet_ticks < QUIET_TICKS || !world.is_on)
		return;
	if (world.channel->quiet_seconds) {
		world.current->code = registers->rip + 1;
		world.current->call = registers;
		report_note("no event for a long time: it spins in code that is not woven, or computes", NULL);
		if (world_has_others())
			report_note("other threads can run, or wait for time or the outside", NULL);
		report_threads();
		world_end(HEDDLE_OUTCOME_HANG, 0);
	}
	if (!is_quiet_said) {
		struct say say;
		is_quiet_said = true;
		say_begin(&say);
		say_string(&say, "thread ");
		say_number(&say, world.current->index);
		say_string(&say,
			   " has had no event for a long time: it computes, or it waits in a loop in code that is not "
			   "woven, and then nobody else can run (build with heddle-cc; --hang SECONDS ends it)");
		say_end(&say);
	}
}

static void watch(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGSYS };
	uint64_t seconds = world.channel->quiet_seconds ? world.channel->quiet_seconds : QUIET_SECONDS;
	uint64_t tick_ns = seconds * (1000000000u / QUIET_TICKS);
	struct timespec tick = { .tv_sec = (time_t)(tick_ns / 1000000000u), .tv_nsec = (long)(tick_ns % 1000000000u) };
	struct itimerspec time = { .it_value = tick, .it_interval = tick };
	quiet_events = world_events();
	quiet_ticks = 0;
	if (sys_call(SYS_timer_create, CLOCK_PROCESS_CPUTIME_ID, (long)&event, (long)&quiet_timer, 0, 0, 0) == 0)
		sys_call(SYS_timer_settime, quiet_timer, 0, (long)&time, 0, 0, 0);
	else
		quiet_timer = -1;
}

void dispatch_unwatch(void)
{
	if (quiet_timer >= 0)
		sys_call(SYS_timer_delete, quiet_timer, 0, 0, 0, 0, 0);
	quiet_timer = -1;
}

/* The numbers of the 32-bit interface are others, and so are its structures. */
_Noreturn static void refuse_other_interface(const struct registers *registers)
{
	struct say say;
	say.size = 0;
	say_string(&say, "int 0x80 (system call ");
	say_number(&say, registers->rax);
	say_string(&say, " of the 32-bit interface): only that of x86-64 is served");
	say.text[say.size] = '\0';
	world.current->code = registers->rip;
	world.current->call = registers;
	report_note("the program made a system call that Heddle cannot control:", say.text);
	report_threads();
	world_end(HEDDLE_OUTCOME_REFUSED, 0);
}

static void on_system_call(int number, siginfo_t *info, void *context)
{
	struct registers registers;
	(void)number;
	frame_read(context, &registers);
	if (info->si_code == SI_TIMER) {
		on_quiet(&registers);
		return;
	}
	if (info->si_arch != AUDIT_ARCH_X86_64 && world.is_on)
		refuse_other_interface(&registers);
	struct registers *call = (struct registers *)(registers.rsp - PATCH_FRAME_BYTES);
	*call = registers;
	call->extended = NULL; /* it is back in the processor when the call is made */
	registers.rip = (uintptr_t)patch_trap;
	registers.rsp = registers.rbp = (uintptr_t)call;
	frame_write(context, &registers);
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
	watch();
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
	frame_install(SIGSYS, on_system_call, SA_ONSTACK | SA_NODEFER | SA_RESTART, 0);
	selector = 1;
	watch();
	return (int)sys_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, (long)own_start,
			     (long)(own_end - own_start), (long)&selector, 0);
}
