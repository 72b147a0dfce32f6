/*
 * calls.c: the table of system calls, grouped by what they do and not by number. Where the class depends on the
 * arguments the table has the usual one, and world/kernel/calls_control.c decides.
 *
 * Calls that x86-64 has a number for but no kernel serves any more (create_module, vserver, ...) return ENOSYS like any
 * result from outside.
 */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "world/kernel/calls_priv.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

#define ROW(name, class, flags, descriptor, process) [NR_##name] = { true, class, flags, descriptor, process }
#define WORLD(name) ROW(name, CALL_WORLD, 0, -1, -1)
#define LOCAL(name) ROW(name, CALL_LOCAL, 0, -1, -1)
#define REFUSED(name) ROW(name, CALL_REFUSED, 0, -1, -1)
#define DECLINED(name) ROW(name, CALL_DECLINED, 0, -1, -1)
/* To the outside: no flags; with flags; with flags about the descriptor in an argument; about a process. */
#define PLAIN(name) ROW(name, CALL_OUTSIDE, 0, -1, -1)
#define FLAGS(name, flags) ROW(name, CALL_OUTSIDE, flags, -1, -1)
#define ON(name, flags, descriptor) ROW(name, CALL_OUTSIDE, flags, descriptor, -1)
#define OF(name, flags, process) ROW(name, CALL_OUTSIDE, flags, -1, process)
#define NEW(name, class, flags) ROW(name, class, flags, -1, -1)
/* Changes files, which may wake threads that watch them. */
#define CHANGES(name) FLAGS(name, CALL_MAY_WAKE)

#define READS CALL_BLOCKS_READ
/* Taking bytes makes room for a writer. */
#define TAKES (CALL_BLOCKS_READ | CALL_MAY_WAKE)
#define WRITES (CALL_BLOCKS_WRITE | CALL_MAY_WAKE | CALL_WRITES_OUTPUT)
#define WRITES_AT (CALL_MAY_WAKE | CALL_WRITES_OUTPUT)
#define MOVES (CALL_BLOCKS_READ | CALL_BLOCKS_WRITE | CALL_MAY_WAKE)
#define WAITS CALL_BLOCKS_OTHER
#define OPENS CALL_OPENS
#define OPENS_PATH (CALL_OPENS | CALL_BLOCKS_OTHER | CALL_MAY_WAKE)

/* clang-format off */
static const struct call calls[] = {
	/* Threads and this process. */
	WORLD(clone), WORLD(clone3), WORLD(fork), WORLD(vfork), WORLD(execve), WORLD(execveat), WORLD(exit),
	WORLD(exit_group), WORLD(getpid), WORLD(getppid), WORLD(gettid), WORLD(set_tid_address), WORLD(set_robust_list),
	WORLD(get_robust_list), WORLD(membarrier), WORLD(futex),
	WORLD(arch_prctl), WORLD(prctl), WORLD(personality), WORLD(ptrace), WORLD(restart_syscall),
	WORLD(sched_yield), WORLD(sched_setaffinity), WORLD(sched_getaffinity), WORLD(sched_setscheduler),
	WORLD(sched_getscheduler), WORLD(sched_setparam), WORLD(sched_getparam), WORLD(sched_setattr), WORLD(sched_getattr),
	WORLD(getcpu), WORLD(mmap),

	/* Time. */
	WORLD(nanosleep), WORLD(clock_nanosleep), WORLD(clock_gettime), WORLD(clock_getres), WORLD(gettimeofday),
	WORLD(time), WORLD(times), WORLD(alarm), WORLD(getitimer), WORLD(setitimer), WORLD(timer_create),
	WORLD(timer_settime), WORLD(timer_gettime), WORLD(timer_getoverrun), WORLD(timer_delete),

	/* Signals. */
	WORLD(rt_sigaction), WORLD(rt_sigprocmask), WORLD(rt_sigpending), WORLD(rt_sigsuspend), WORLD(rt_sigtimedwait),
	WORLD(rt_sigqueueinfo), WORLD(rt_tgsigqueueinfo), WORLD(rt_sigreturn), WORLD(sigaltstack), WORLD(pause),
	WORLD(kill), WORLD(tkill), WORLD(tgkill),

	/* Our own memory. */
	LOCAL(mprotect), LOCAL(munmap), LOCAL(madvise), LOCAL(brk), LOCAL(mremap), LOCAL(mlock), LOCAL(mlock2),
	LOCAL(munlock), LOCAL(mlockall), LOCAL(munlockall), LOCAL(pkey_mprotect), LOCAL(pkey_alloc), LOCAL(pkey_free),
	LOCAL(mbind), LOCAL(set_mempolicy), LOCAL(set_mempolicy_home_node), NEW(mseal, CALL_LOCAL, 0),

	/* Reading and writing. */
	ON(read, TAKES, 0), ON(readv, TAKES, 0), ON(pread64, READS, 0), ON(preadv, READS, 0), ON(preadv2, TAKES, 0),
	ON(write, WRITES, 0), ON(writev, WRITES, 0), ON(pwrite64, WRITES_AT, 0), ON(pwritev, WRITES_AT, 0),
	ON(pwritev2, WRITES, 0), ON(vmsplice, MOVES, 0), ON(splice, MOVES, 0), ON(tee, MOVES, 0), ON(sendfile, MOVES, 1),
	ON(copy_file_range, CALL_MAY_WAKE, 0), ON(lseek, 0, 0), ON(getdents, 0, 0), ON(getdents64, 0, 0),
	ON(readahead, 0, 0), ON(fadvise64, 0, 0), ON(fsync, 0, 0), ON(fdatasync, 0, 0), ON(sync_file_range, 0, 0),
	ON(syncfs, 0, 0), PLAIN(sync), PLAIN(msync), ON(fallocate, CALL_MAY_WAKE, 0), ON(ftruncate, CALL_MAY_WAKE, 0),
	CHANGES(truncate), NEW(cachestat, CALL_OUTSIDE, 0), PLAIN(getrandom),

	/* Descriptors. */
	FLAGS(open, OPENS_PATH), FLAGS(openat, OPENS_PATH), FLAGS(openat2, OPENS_PATH), FLAGS(creat, OPENS_PATH),
	FLAGS(open_by_handle_at, OPENS_PATH), ON(close, CALL_CLOSES | CALL_MAY_WAKE, 0),
	FLAGS(close_range, CALL_CLOSES | CALL_MAY_WAKE), ON(dup, OPENS, 0),
	ON(dup2, OPENS | CALL_CLOSES | CALL_MAY_WAKE, 0), ON(dup3, OPENS | CALL_CLOSES | CALL_MAY_WAKE, 0),
	ON(fcntl, OPENS | WAITS | CALL_MAY_WAKE, 0), ON(ioctl, OPENS | CALL_MAY_WAKE, 0),
	ON(flock, WAITS | CALL_MAY_WAKE, 0), PLAIN(pipe), PLAIN(pipe2), FLAGS(eventfd, OPENS), FLAGS(eventfd2, OPENS),
	FLAGS(memfd_create, OPENS), FLAGS(memfd_secret, OPENS), FLAGS(epoll_create, OPENS), FLAGS(epoll_create1, OPENS),
	ON(epoll_ctl, CALL_MAY_WAKE, 0), ON(epoll_wait, CALL_POLL, 0), ON(epoll_pwait, CALL_POLL, 0),
	ON(epoll_pwait2, CALL_POLL, 0), FLAGS(poll, CALL_POLL), FLAGS(ppoll, CALL_POLL), FLAGS(select, CALL_POLL),
	FLAGS(pselect6, CALL_POLL), FLAGS(inotify_init, OPENS), FLAGS(inotify_init1, OPENS), ON(inotify_add_watch, 0, 0),
	ON(inotify_rm_watch, CALL_MAY_WAKE, 0), FLAGS(fanotify_init, OPENS), ON(fanotify_mark, CALL_MAY_WAKE, 0),
	FLAGS(timerfd_create, OPENS), ON(timerfd_settime, CALL_MAY_WAKE, 0), ON(timerfd_gettime, 0, 0),
	ROW(pidfd_open, CALL_OUTSIDE, OPENS, -1, 0), FLAGS(pidfd_getfd, OPENS),
	ON(pidfd_send_signal, CALL_MAY_WAKE, 0),

	/* Sockets. */
	FLAGS(socket, OPENS), PLAIN(socketpair), ON(bind, 0, 0), ON(listen, 0, 0),
	ON(connect, WAITS | CALL_MAY_WAKE, 0), ON(accept, OPENS | TAKES, 0), ON(accept4, OPENS | TAKES, 0),
	ON(shutdown, CALL_MAY_WAKE, 0), ON(getsockname, 0, 0), ON(getpeername, 0, 0), ON(getsockopt, 0, 0),
	ON(setsockopt, CALL_MAY_WAKE, 0), ON(sendto, WRITES, 0), ON(sendmsg, WRITES, 0), ON(sendmmsg, WRITES, 0),
	ON(recvfrom, TAKES, 0), ON(recvmsg, TAKES, 0), ON(recvmmsg, TAKES, 0),

	/* Names, attributes and contents of folders. */
	PLAIN(stat), ON(fstat, 0, 0), PLAIN(lstat), PLAIN(newfstatat), PLAIN(statx), PLAIN(statfs), ON(fstatfs, 0, 0),
	PLAIN(ustat), PLAIN(access), PLAIN(faccessat), PLAIN(faccessat2), PLAIN(readlink), PLAIN(readlinkat), PLAIN(getcwd),
	PLAIN(chdir), PLAIN(fchdir), PLAIN(chroot), PLAIN(pivot_root), PLAIN(umask), CHANGES(rename), CHANGES(renameat),
	CHANGES(renameat2), CHANGES(mkdir), CHANGES(mkdirat), CHANGES(rmdir), CHANGES(link), CHANGES(linkat),
	CHANGES(unlink), CHANGES(unlinkat), CHANGES(symlink), CHANGES(symlinkat), CHANGES(mknod), CHANGES(mknodat),
	CHANGES(chmod), CHANGES(fchmod), CHANGES(fchmodat), NEW(fchmodat2, CALL_OUTSIDE, CALL_MAY_WAKE), CHANGES(chown),
	CHANGES(fchown), CHANGES(lchown), CHANGES(fchownat), CHANGES(utime), CHANGES(utimes), CHANGES(futimesat),
	CHANGES(utimensat), CHANGES(setxattr), CHANGES(lsetxattr), CHANGES(fsetxattr), PLAIN(getxattr), PLAIN(lgetxattr),
	PLAIN(fgetxattr), PLAIN(listxattr), PLAIN(llistxattr), PLAIN(flistxattr), CHANGES(removexattr),
	CHANGES(lremovexattr), CHANGES(fremovexattr), NEW(setxattrat, CALL_OUTSIDE, CALL_MAY_WAKE),
	NEW(getxattrat, CALL_OUTSIDE, 0), NEW(listxattrat, CALL_OUTSIDE, 0),
	NEW(removexattrat, CALL_OUTSIDE, CALL_MAY_WAKE), NEW(file_getattr, CALL_OUTSIDE, 0),
	NEW(file_setattr, CALL_OUTSIDE, CALL_MAY_WAKE), PLAIN(name_to_handle_at), PLAIN(lookup_dcookie),

	/* Mounts and quotas. */
	PLAIN(mount), PLAIN(umount2), FLAGS(open_tree, OPENS), PLAIN(move_mount), FLAGS(fsopen, OPENS), PLAIN(fsconfig),
	FLAGS(fsmount, OPENS), FLAGS(fspick, OPENS), PLAIN(mount_setattr), NEW(open_tree_attr, CALL_OUTSIDE, OPENS),
	NEW(statmount, CALL_OUTSIDE, 0), NEW(listmount, CALL_OUTSIDE, 0), PLAIN(quotactl), PLAIN(quotactl_fd), PLAIN(sysfs),

	/* Processes: children, identity, limits. */
	FLAGS(wait4, WAITS), FLAGS(waitid, WAITS), OF(getpgid, 0, 0), OF(setpgid, 0, 0), PLAIN(getpgrp), OF(getsid, 0, 0),
	PLAIN(setsid), PLAIN(getuid), PLAIN(getgid), PLAIN(geteuid), PLAIN(getegid), PLAIN(setuid), PLAIN(setgid),
	PLAIN(setreuid), PLAIN(setregid), PLAIN(setresuid), PLAIN(getresuid), PLAIN(setresgid), PLAIN(getresgid),
	PLAIN(setfsuid), PLAIN(setfsgid), PLAIN(getgroups), PLAIN(setgroups), PLAIN(capget), PLAIN(capset),
	PLAIN(getrlimit), PLAIN(setrlimit), OF(prlimit64, 0, 0), PLAIN(getrusage), OF(getpriority, 0, 1),
	OF(setpriority, 0, 1), OF(ioprio_get, 0, 1), OF(ioprio_set, 0, 1), PLAIN(sched_get_priority_max),
	PLAIN(sched_get_priority_min), OF(sched_rr_get_interval, 0, 0), PLAIN(unshare), PLAIN(setns), OF(kcmp, 0, 0),
	OF(process_vm_readv, 0, 0), PLAIN(process_madvise), PLAIN(process_mrelease), OF(migrate_pages, 0, 0),
	OF(move_pages, 0, 0), PLAIN(get_mempolicy), PLAIN(mincore), PLAIN(seccomp), PLAIN(modify_ldt),
	FLAGS(landlock_create_ruleset, OPENS), PLAIN(landlock_add_rule), PLAIN(landlock_restrict_self),
	NEW(lsm_get_self_attr, CALL_OUTSIDE, 0), NEW(lsm_set_self_attr, CALL_OUTSIDE, 0),
	NEW(lsm_list_modules, CALL_OUTSIDE, 0),

	/* Queues, semaphores, keys. */
	PLAIN(msgget), FLAGS(msgsnd, WAITS | CALL_MAY_WAKE), FLAGS(msgrcv, WAITS | CALL_MAY_WAKE), CHANGES(msgctl),
	PLAIN(semget), FLAGS(semop, WAITS | CALL_MAY_WAKE), FLAGS(semtimedop, WAITS | CALL_MAY_WAKE), CHANGES(semctl),
	PLAIN(shmget), PLAIN(shmctl), FLAGS(mq_open, OPENS), PLAIN(mq_unlink),
	ON(mq_timedsend, WAITS | CALL_MAY_WAKE, 0), ON(mq_timedreceive, WAITS | CALL_MAY_WAKE, 0), ON(mq_notify, 0, 0),
	ON(mq_getsetattr, 0, 0), PLAIN(add_key), PLAIN(request_key), PLAIN(keyctl),

	/* The machine. */
	PLAIN(uname), PLAIN(sysinfo), PLAIN(syslog), PLAIN(adjtimex), PLAIN(clock_adjtime), PLAIN(clock_settime),
	PLAIN(settimeofday), PLAIN(sethostname), PLAIN(setdomainname), PLAIN(acct), PLAIN(swapon), PLAIN(swapoff),
	PLAIN(reboot), PLAIN(vhangup), PLAIN(init_module), PLAIN(finit_module), PLAIN(delete_module), PLAIN(kexec_load),
	PLAIN(kexec_file_load),

	/* No kernel serves these any more. */
	PLAIN(uselib), PLAIN(_sysctl), PLAIN(create_module), PLAIN(get_kernel_syms), PLAIN(query_module), PLAIN(nfsservctl),
	PLAIN(getpmsg), PLAIN(putpmsg), PLAIN(afs_syscall), PLAIN(tuxcall), PLAIN(security), PLAIN(set_thread_area),
	PLAIN(get_thread_area), PLAIN(epoll_ctl_old), PLAIN(epoll_wait_old), PLAIN(vserver),

	/* Cannot be recorded, but there are kernels without them: see declined_because in world/kernel/calls_control.c. */
	DECLINED(io_setup), DECLINED(io_destroy), DECLINED(io_getevents), DECLINED(io_pgetevents), DECLINED(io_submit),
	DECLINED(io_cancel), DECLINED(io_uring_setup), DECLINED(io_uring_enter), DECLINED(io_uring_register),
	DECLINED(process_vm_writev), DECLINED(userfaultfd), DECLINED(bpf), DECLINED(perf_event_open), DECLINED(signalfd),
	DECLINED(signalfd4), DECLINED(iopl), DECLINED(ioperm), DECLINED(rseq), DECLINED(futex_waitv),
	NEW(futex_wake, CALL_DECLINED, 0), NEW(futex_wait, CALL_DECLINED, 0), NEW(futex_requeue, CALL_DECLINED, 0),
	NEW(map_shadow_stack, CALL_DECLINED, 0), NEW(uretprobe, CALL_DECLINED, 0), NEW(uprobe, CALL_DECLINED, 0),

	/* Cannot be recorded, and programs that call them cannot do without: see refused_because there. */
	REFUSED(shmat), REFUSED(shmdt), REFUSED(remap_file_pages),
};
/* clang-format on */

#define NAME(number, name) [number] = #name,
static const char *const names[] = { HEDDLE_SYSCALLS(NAME) };

static const struct call unknown = { true, CALL_DECLINED, 0, -1, -1 };

const struct call *call_of(long number)
{
	if (number < 0 || (size_t)number >= LENGTH(calls) || !calls[number].is_present)
		return &unknown;
	return &calls[number];
}

const char *call_name(long number)
{
	return call_of(number) == &unknown ? "unknown" : names[number];
}

static unsigned when(bool condition, unsigned flags)
{
	return condition ? flags : 0;
}

/* The flags of the table that do not hold for these arguments. */
static unsigned inapplicable_flags(long number, const uint64_t arguments[6])
{
	const unsigned both = CALL_BLOCKS_READ | CALL_BLOCKS_WRITE;

	switch (number) {
	case SYS_recvfrom:
	case SYS_recvmmsg:
	case SYS_sendto:
	case SYS_sendmmsg:
		return when(arguments[3] & MSG_DONTWAIT, both);
	case SYS_recvmsg:
	case SYS_sendmsg:
		return when(arguments[2] & MSG_DONTWAIT, both);
	case SYS_preadv2:
	case SYS_pwritev2:
		return when(arguments[5] & RWF_NOWAIT, both);
	case SYS_splice:
		return when(arguments[5] & SPLICE_F_NONBLOCK, both);
	case SYS_tee:
	case SYS_vmsplice:
		return when(arguments[3] & SPLICE_F_NONBLOCK, both);
	case SYS_open:
		return when(arguments[1] & (O_NONBLOCK | O_PATH), CALL_BLOCKS_OTHER);
	case SYS_openat:
		return when(arguments[2] & (O_NONBLOCK | O_PATH), CALL_BLOCKS_OTHER);
	case SYS_flock:
		return when(arguments[1] & (LOCK_NB | LOCK_UN), CALL_BLOCKS_OTHER);
	case SYS_wait4:
		return when(arguments[2] & WNOHANG, CALL_BLOCKS_OTHER);
	case SYS_waitid:
		return when(arguments[3] & WNOHANG, CALL_BLOCKS_OTHER);
	case SYS_msgsnd:
		return when(arguments[3] & IPC_NOWAIT, CALL_BLOCKS_OTHER);
	case SYS_msgrcv:
		return when(arguments[4] & IPC_NOWAIT, CALL_BLOCKS_OTHER);
	case SYS_fcntl:
		return when(arguments[1] != F_SETLKW && arguments[1] != F_OFD_SETLKW, CALL_BLOCKS_OTHER) |
		       when(arguments[1] != F_DUPFD && arguments[1] != F_DUPFD_CLOEXEC, CALL_OPENS);
	}
	return 0;
}

unsigned call_flags_of(long number, const uint64_t arguments[6])
{
	return call_of(number)->flags & ~inapplicable_flags(number, arguments);
}

enum call_class call_class_of(long number, const uint64_t arguments[6])
{
	return control_verdict(number, arguments, call_of(number)->class).class;
}

const char *call_why_not(long number, const uint64_t arguments[6])
{
	return control_verdict(number, arguments, call_of(number)->class).why;
}

int call_error_of(long number, const uint64_t arguments[6])
{
	return control_verdict(number, arguments, call_of(number)->class).error;
}
