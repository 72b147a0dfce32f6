/*
 * watchdog.c: a timer of processor time, whose signal is the one that is always ours. When a number of its periods in
 * a row pass without an event, the thread is in a long computation, or it spins in code that is not woven and will
 * never end: the two cannot be distinguished here. The file also handles the other use of that signal: system calls
 * of an interface that is not served.
 */
#include <signal.h>
#include <time.h>

#include "rt/enter/dispatch.h"
#include "rt/message.h"
#include "rt/sys.h"
#include "world/parts.h"

#define QUIET_SECONDS 10u
#define QUIET_TICKS 4u

static int quiet_timer = -1;
static uint64_t quiet_events;
static uint32_t quiet_ticks;
static bool is_quiet_reported;

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
		report_note("no event for a long time: the thread computes, or spins in code that is not woven", NULL);
		if (world_has_others())
			report_note("other threads can run, or wait for time or the outside", NULL);
		report_threads();
		world_end(HEDDLE_OUTCOME_HANG, 0);
	}
	if (!is_quiet_reported) {
		struct message message;
		is_quiet_reported = true;
		message_begin(&message);
		message_string(&message, "thread ");
		message_number(&message, world.current->index);
		message_string(&message,
			       " has had no event for a long time: it computes, or it waits in a loop in code that is "
			       "not woven, so that no other thread can run (build the code with heddle-cc; --hang "
			       "SECONDS ends the run)");
		message_end(&message);
	}
}

void watchdog_start(void)
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

void watchdog_stop(void)
{
	if (quiet_timer >= 0)
		sys_call(SYS_timer_delete, quiet_timer, 0, 0, 0, 0, 0);
	quiet_timer = -1;
}

/* The 32-bit interface has different call numbers and different structures. */
static void refuse_other_interface(const struct registers *registers)
{
	struct message message;
	if (!world.is_on)
		return;
	message.size = 0;
	message_string(&message, "int 0x80 (system call ");
	message_number(&message, registers->rax);
	message_string(&message, " of the 32-bit interface): only the x86-64 interface is supported");
	message.text[message.size] = '\0';
	world.current->code = registers->rip;
	world.current->call = registers;
	report_note("the program made a system call that Heddle cannot control:", message.text);
	report_threads();
	world_end(HEDDLE_OUTCOME_REFUSED, 0);
}

const struct dispatch_others watchdog_others = { .timer = on_quiet, .other_interface = refuse_other_interface };
