/*
 * doctor_kernel.c: what the kernel has and lets us do: each thing is tried, in a process of its own, because a system
 * call filter may kill the process that asks.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/proc.h"
#include "cmd/doctor_priv.h"
#include "heddle/abi.h"
#include "heddle/places.h"

#define CONTROL_COST "heddle run, heddle test and heddle replay cannot control a program"
#define CONTAINER_HINT "in a container: --security-opt seccomp=unconfined"

enum { COULD_NOT_TRY = -1, STOPPED = 125, KILLED = 128 };

bool doctor_proc(struct doctor *self)
{
	char path[16];
	bool is_present = access("/proc/self/maps", R_OK) == 0 && readlink("/proc/self/exe", path, sizeof path) > 0;
	if (is_present)
		doctor_report(self, "proc", DOCTOR_OK, NULL, NULL, "/proc is mounted");
	else
		doctor_report(self, "proc", DOCTOR_MISSING, "no command of Heddle works; the other checks were skipped",
			      "mount -t proc proc /proc", "/proc is not mounted");
	return is_present;
}

/* 0 when the probe returns 0; what it returns, an errno; KILLED and the signal that ended it; COULD_NOT_TRY. */
static int try(int (*probe)(void))
{
	int status;
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		_exit(probe());
	if (pid < 0)
		return COULD_NOT_TRY;
	while (waitpid(pid, &status, WUNTRACED) < 0)
		if (errno != EINTR)
			return COULD_NOT_TRY;
	if (WIFSTOPPED(status)) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		return STOPPED;
	}
	return WIFSIGNALED(status) ? KILLED + WTERMSIG(status) : WEXITSTATUS(status);
}

static char *reason(int code)
{
	if (code >= KILLED)
		return mem_format("the calling process is killed by signal %d", code - KILLED);
	return mem_copy_string(strerror(code));
}

/* One that control cannot do without. */
static void report_needed(struct doctor *self, const char *name, int code, const char *has, const char *lacks,
			  const char *hint)
{
	char *why = code > 0 ? reason(code) : NULL;
	if (code == 0)
		doctor_report(self, name, DOCTOR_OK, NULL, NULL, "%s", has);
	else if (code == COULD_NOT_TRY)
		doctor_report(self, name, DOCTOR_UNKNOWN, NULL, NULL, "cannot create a process for the check");
	else
		doctor_report(self, name, DOCTOR_MISSING, CONTROL_COST, hint, "%s (%s)", lacks, why);
	free(why);
}

static int try_dispatch(void)
{
	static char selector; /* 0: calls go through */
	return prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &selector) < 0 ? errno : 0;
}

static int try_personality(void)
{
	int old = personality(0xffffffff);
	return old < 0 || personality((unsigned long)old | ADDR_NO_RANDOMIZE) < 0 ? errno : 0;
}

static int try_memory(void)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
	if (mmap((void *)SHADOW_PLACE, SHADOW_ROOM, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED ||
	    mmap((void *)SHADOW_BITS_PLACE, SHADOW_BITS_ROOM, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED)
		return errno;
	return 0;
}

static int try_ptrace(void)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		return errno;
	raise(SIGSTOP);
	return ENOSYS;
}

static int try_userfaultfd(void)
{
	return syscall(SYS_userfaultfd, O_CLOEXEC | 1 /* UFFD_USER_MODE_ONLY */) < 0 ? errno : 0;
}

static int try_breakpoint(void)
{
	static uint64_t watched;
	struct perf_event_attr attribute = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof attribute,
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)&watched,
		.bp_len = sizeof watched,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	return syscall(SYS_perf_event_open, &attribute, 0, -1, -1, 0) < 0 ? errno : 0;
}

/* The number on that line of a file of /proc; -1 when there is none. */
static long number_in(const char *path, const char *line)
{
	struct buf text = { 0 };
	struct err ignored = ERR_INIT;
	long number = -1;
	const char *at = proc_read_file(path, &text, &ignored) == 0 && text.data ? strstr(text.data, line) : NULL;
	if (at)
		number = strtol(at + strlen(line), NULL, 10);
	buf_release(&text);
	return number;
}

static void report_memory(struct doctor *self)
{
	int code = try(try_memory);
	struct rlimit limit;
	const char *hint = "these addresses are in use";
	if (code == 0) {
		doctor_report(self, "memory", DOCTOR_OK, NULL, NULL, "32 TB of address space can be reserved");
		return;
	}
	if (code == COULD_NOT_TRY) {
		doctor_report(self, "memory", DOCTOR_UNKNOWN, NULL, NULL, "cannot create a process for the check");
		return;
	}
	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		hint = "the address space is limited: ulimit -v unlimited";
	else if (number_in("/proc/sys/vm/overcommit_memory", "") == 2)
		hint = "the kernel does not overcommit memory: sysctl vm.overcommit_memory=0";
	char *why = reason(code);
	doctor_report(self, "memory", DOCTOR_MISSING, "heddle test and heddle run --detect cannot detect races", hint,
		      "32 TB of address space cannot be reserved (%s)", why);
	free(why);
}

static void report_descriptors(struct doctor *self)
{
	struct rlimit limit;
	uint64_t needed = HEDDLE_FD_LAST + 1u;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		doctor_report(self, "descriptors", DOCTOR_UNKNOWN, NULL, NULL, "the limit cannot be read");
	else if (limit.rlim_max >= needed)
		doctor_report(self, "descriptors", DOCTOR_OK, NULL, NULL, "a process can open %ju",
			      (uintmax_t)limit.rlim_max);
	else
		doctor_report(self, "descriptors", DOCTOR_MISSING, CONTROL_COST, "ulimit -Hn 1024, or more",
			      "a process can open %ju, but 1024 are needed", (uintmax_t)limit.rlim_max);
}

static void report_unused(struct doctor *self, const char *name, int code, const char *what)
{
	char *why = code > 0 ? reason(code) : NULL;
	doctor_report(self, name, DOCTOR_UNUSED, NULL, NULL, "%s: %s; no command uses it yet", what,
		      code == 0               ? "available"
		      : code == COULD_NOT_TRY ? "unknown"
					      : why);
	free(why);
}

static void report_ptrace(struct doctor *self)
{
	int code = try(try_ptrace);
	char *why = code > 0 && code != STOPPED ? reason(code) : NULL;
	if (code == STOPPED)
		doctor_report(self, "ptrace", DOCTOR_OK, NULL, NULL, "a debugger can trace its children");
	else if (code == COULD_NOT_TRY)
		doctor_report(self, "ptrace", DOCTOR_UNKNOWN, NULL, NULL, "cannot create a process for the check");
	else
		doctor_report(self, "ptrace", DOCTOR_LIMITED, "heddle replay --gdb does not work; everything else does",
			      CONTAINER_HINT, "a process cannot be traced (%s)",
			      why ? why : "the process did not stop");
	free(why);
}

static void report_cores(struct doctor *self)
{
	cpu_set_t set;
	int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
	if (count > 1)
		doctor_report(self, "cores", DOCTOR_OK, NULL, NULL, "%d: heddle test --jobs %d uses them", count,
			      count);
	else
		doctor_report(self, "cores", DOCTOR_LIMITED, "heddle test --jobs brings no speedup", NULL, "1");
}

void doctor_kernel(struct doctor *self)
{
	long filter = number_in("/proc/self/status", "\nSeccomp:");
	report_needed(self, "dispatch", try(try_dispatch), "the kernel passes system calls to the runtime",
		      "the kernel does not pass system calls to the runtime",
		      "syscall user dispatch requires Linux 5.11 or newer; " CONTAINER_HINT);
	report_needed(self, "personality", try(try_personality), "address space randomisation can be disabled",
		      "address space randomisation cannot be disabled", "allow personality(2); " CONTAINER_HINT);
	report_memory(self);
	report_descriptors(self);
	doctor_report(self, "seccomp", DOCTOR_OK, NULL, NULL, "%s",
		      filter == 2 ? "system calls are filtered; the other checks show what is forbidden"
				  : "system calls are not filtered");
	report_cores(self);
	report_ptrace(self);
	report_unused(self, "userfaultfd", try(try_userfaultfd), "userfaultfd for user space");
	report_unused(self, "breakpoints", try(try_breakpoint), "hardware breakpoints through perf events");
}
