/* calls_test_other.c: cases for calls_test.c: processes, time, queues, keys, the machine. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <mqueue.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calls_test.h"

/* clang-format off */

/* A child that has ended, or one that has not yet. */
static pid_t ended_child(void)
{
	pid_t child = fork();
	if (child == 0)
		_exit(42);
	siginfo_t info;
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
	return child;
}
static pid_t living_child(void)
{
	pid_t parent = getpid(), child = fork();
	if (child == 0)
		stay(parent);
	return child;
}
CASE(wait4_all) { CALL4(SYS_wait4, ended_child(), room(trial, 4), 0, room(trial, sizeof(struct rusage))); }
CASE(wait4_status) { CALL4(SYS_wait4, ended_child(), room(trial, 4), 0, 0); }
CASE(wait4_none) { CALL4(SYS_wait4, living_child(), room(trial, 4), WNOHANG, room(trial, sizeof(struct rusage))); }
CASE(wait4_no_child)
{
	CALL4(SYS_wait4, -1, room(trial, 4), 0, 0);
	must_fail(trial, ECHILD);
}
CASE(waitid_all)
{
	CALL5(SYS_waitid, P_PID, ended_child(), room(trial, 128), WEXITED, room(trial, sizeof(struct rusage)));
}
CASE(waitid_rusage) { CALL5(SYS_waitid, P_PID, ended_child(), 0, WEXITED, room(trial, sizeof(struct rusage))); }
CASE(waitid_none)
{
	CALL5(SYS_waitid, P_PID, living_child(), room(trial, 128), WEXITED | WNOHANG, room(trial, sizeof(struct rusage)));
}
CASE(waitid_no_child)
{
	CALL5(SYS_waitid, P_ALL, 0, room(trial, 128), WEXITED, 0);
	must_fail(trial, ECHILD);
}
CASE(waitid_bad)
{
	CALL5(SYS_waitid, P_ALL, 0, room(trial, 128), 0, 0);
	must_fail(trial, EINVAL);
}
CASE(getrlimit_files) { CALL2(SYS_getrlimit, RLIMIT_NOFILE, room(trial, 16)); }
CASE(prlimit64_old) { CALL4(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, room(trial, 16)); }
CASE(getrusage_self) { CALL2(SYS_getrusage, RUSAGE_SELF, room(trial, sizeof(struct rusage))); }
CASE(sysinfo_all) { CALL1(SYS_sysinfo, room(trial, sizeof(struct sysinfo))); }
CASE(uname_all) { CALL1(SYS_uname, room(trial, sizeof(struct utsname))); }
CASE(times_all) { CALL1(SYS_times, room(trial, sizeof(struct tms))); }
static void some_groups(void)
{
	gid_t groups[3] = { 10, 11, 12 };
	syscall(SYS_setgroups, 3, groups);
}
CASE(getgroups_all)
{
	some_groups();
	if (getgroups(0, NULL) != 3)
		return IMPOSSIBLE;
	CALL2(SYS_getgroups, 10, room(trial, 40));
}
CASE(getgroups_count)
{
	some_groups();
	CALL2(SYS_getgroups, 0, room(trial, 40));
}
CASE(getresuid_all) { CALL3(SYS_getresuid, room(trial, 4), room(trial, 4), room(trial, 4)); }
CASE(getresgid_all) { CALL3(SYS_getresgid, room(trial, 4), room(trial, 4), room(trial, 4)); }
static void capability(struct trial *trial, long number, uint32_t version, size_t size)
{
	struct __user_cap_header_struct header = { version, 0 };
	CALL2(number, room_with(trial, &header, sizeof header), size ? room(trial, size) : NULL);
}
CASE(capget_3) { capability(trial, SYS_capget, _LINUX_CAPABILITY_VERSION_3, 24); }
CASE(capget_1) { capability(trial, SYS_capget, _LINUX_CAPABILITY_VERSION_1, 12); }
CASE(capget_ask) { capability(trial, SYS_capget, 1, 0); }
CASE(capget_bad)
{
	capability(trial, SYS_capget, 1, 24);
	must_fail(trial, EINVAL);
}
CASE(capset_bad)
{
	capability(trial, SYS_capset, 1, 24);
	must_fail(trial, EINVAL);
}
CASE(syslog_all) { CALL3(SYS_syslog, 3, room(trial, 500), 500); }
CASE(syslog_size) { CALL3(SYS_syslog, 10, room(trial, 500), 500); }
CASE(adjtimex_ask)
{
	struct timex ask = { .modes = 0 };
	CALL1(SYS_adjtimex, room_with(trial, &ask, sizeof ask));
}
CASE(clock_adjtime_ask)
{
	struct timex ask = { .modes = 0 };
	CALL2(SYS_clock_adjtime, CLOCK_REALTIME, room_with(trial, &ask, sizeof ask));
}
CASE(clock_gettime_tai) { CALL2(SYS_clock_gettime, CLOCK_TAI, room(trial, 16)); }
CASE(clock_getres_tai) { CALL2(SYS_clock_getres, CLOCK_TAI, room(trial, 16)); }
CASE(gettimeofday_all) { CALL2(SYS_gettimeofday, room(trial, 16), room(trial, 8)); }
CASE(time_stored) { CALL1(SYS_time, room(trial, 8)); }
CASE(getcpu_all) { CALL3(SYS_getcpu, room(trial, 4), room(trial, 4), 0); }
CASE(getitimer_real) { CALL2(SYS_getitimer, 0, room(trial, 32)); }
CASE(affinity) { CALL3(SYS_sched_getaffinity, 0, 128, room(trial, 128)); }
CASE(sched_parameters) { CALL2(SYS_sched_getparam, 0, room(trial, 4)); }
CASE(sched_attributes) { CALL4(SYS_sched_getattr, 0, room(trial, 64), 64, 0); }
CASE(sched_attributes_short) { CALL4(SYS_sched_getattr, 0, room(trial, 48), 48, 0); }
CASE(sched_interval) { CALL2(SYS_sched_rr_get_interval, 0, room(trial, 16)); }
CASE(mempolicy) { CALL5(SYS_get_mempolicy, room(trial, 4), room(trial, 128), 1024, 0, 0); }
CASE(mempolicy_odd) { CALL5(SYS_get_mempolicy, room(trial, 4), room(trial, 136), 1026, 0, 4 /* allowed */); }
static void *pages(size_t count)
{
	return memset(mmap(NULL, count * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, count * 4096);
}
CASE(mincore_pages) { CALL3(SYS_mincore, pages(5), 4 * 4096 + 1, room(trial, 5)); }
CASE(move_pages_ask)
{
	char *first = pages(3);
	void *list[3] = { first, first + 4096, first + 8192 };
	CALL6(SYS_move_pages, 0, 3, room_with(trial, list, sizeof list), 0, room(trial, 12), 0);
}
CASE(prctl_name) { CALL2(SYS_prctl, PR_GET_NAME, room(trial, 16)); }
CASE(prctl_death) { CALL2(SYS_prctl, PR_GET_PDEATHSIG, room(trial, 4)); }
CASE(prctl_reaper) { CALL2(SYS_prctl, PR_GET_CHILD_SUBREAPER, room(trial, 4)); }
CASE(prctl_tsc) { CALL2(SYS_prctl, PR_GET_TSC, room(trial, 4)); }
CASE(prctl_tid_address) { CALL2(SYS_prctl, PR_GET_TID_ADDRESS, room(trial, 8)); }
CASE(prctl_core) { CALL5(SYS_prctl, PR_SCHED_CORE, PR_SCHED_CORE_GET, 0, 0, room(trial, 8)); }
CASE(prctl_auxv) { CALL3(SYS_prctl, 0x41555856, room(trial, 1024), 1024); }
CASE(prctl_auxv_short) { CALL3(SYS_prctl, 0x41555856, room(trial, 50), 50); }
CASE(prctl_dumpable) { CALL2(SYS_prctl, PR_GET_DUMPABLE, room(trial, 4)); }
CASE(arch_fs) { CALL2(SYS_arch_prctl, 0x1003, room(trial, 8)); }
CASE(arch_xcomp) { CALL2(SYS_arch_prctl, 0x1021, room(trial, 8)); }
CASE(arch_untag) { CALL2(SYS_arch_prctl, 0x4001, room(trial, 8)); }
CASE(seccomp_sizes) { CALL3(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, room(trial, sizeof(struct seccomp_notif_sizes))); }
CASE(ldt_read)
{
	struct {
		unsigned entry, base, limit, flags;
	} segment = { 0, 0x1000, 10, 0x51 };
	syscall(SYS_modify_ldt, 1, &segment, sizeof segment);
	CALL3(SYS_modify_ldt, 0, room(trial, 200), 200);
}
CASE(ldt_default) { CALL3(SYS_modify_ldt, 2, room(trial, 200), 200); }

static long key(void)
{
	return syscall(SYS_add_key, "user", "heddle-test", "payload", 7, KEY_SPEC_PROCESS_KEYRING);
}
CASE(key_read) { CALL4(SYS_keyctl, KEYCTL_READ, key(), room(trial, 50), 50); }
CASE(key_read_short) { CALL4(SYS_keyctl, KEYCTL_READ, key(), room(trial, 3), 3); }
CASE(key_describe) { CALL4(SYS_keyctl, KEYCTL_DESCRIBE, key(), room(trial, 100), 100); }
CASE(key_security) { CALL4(SYS_keyctl, KEYCTL_GET_SECURITY, key(), room(trial, 100), 100); }
CASE(key_capabilities) { CALL3(SYS_keyctl, KEYCTL_CAPABILITIES, room(trial, 20), 20); }

static mqd_t queue(void)
{
	struct mq_attr attributes = { .mq_maxmsg = 4, .mq_msgsize = 100 };
	mq_unlink("/heddle-test");
	mqd_t fd = mq_open("/heddle-test", O_CREAT | O_RDWR, 0600, &attributes);
	mq_unlink("/heddle-test");
	if (fd >= 0)
		mq_send(fd, "a message", 9, 3);
	return fd;
}
CASE(mq_receive_all) { CALL5(SYS_mq_timedreceive, queue(), room(trial, 100), 100, room(trial, 4), 0); }
CASE(mq_attributes) { CALL3(SYS_mq_getsetattr, queue(), 0, room(trial, 64)); }

/* Objects of system V outlive their processes: each is removed by a child that waits for our end. */
static void remove_at_end(long number, int id, int command_at)
{
	int ends[2];
	char byte;
	if (pipe(ends))
		abort();
	if (fork() == 0) {
		close(ends[1]);
		for (int fd = 3; fd < 64; fd++)
			if (fd != ends[0])
				close(fd);
		while (read(ends[0], &byte, 1) > 0)
			;
		if (command_at == 2)
			syscall(number, id, 0, IPC_RMID, 0);
		else
			syscall(number, id, IPC_RMID, 0);
		_exit(0);
	}
	close(ends[0]);
}
static int message_queue(void)
{
	int id = msgget(IPC_PRIVATE, 0600);
	struct {
		long type;
		char text[10];
	} message = { 5, "text" };
	remove_at_end(SYS_msgctl, id, 1);
	msgsnd(id, &message, 10, 0);
	return id;
}
static int semaphores(void)
{
	int id = semget(IPC_PRIVATE, 3, 0600);
	remove_at_end(SYS_semctl, id, 2);
	return id;
}
static int shared_memory(void)
{
	int id = shmget(IPC_PRIVATE, 4096, 0600);
	remove_at_end(SYS_shmctl, id, 1);
	return id;
}
CASE(msgrcv_all) { CALL5(SYS_msgrcv, message_queue(), room(trial, 8 + 50), 50, 0, 0); }
CASE(msgrcv_cut) { CALL5(SYS_msgrcv, message_queue(), room(trial, 8 + 4), 4, 0, MSG_NOERROR); }
CASE(msgctl_stat) { CALL3(SYS_msgctl, message_queue(), IPC_STAT, room(trial, sizeof(struct msqid_ds))); }
CASE(msgctl_ipc_info) { CALL3(SYS_msgctl, 0, IPC_INFO, room(trial, sizeof(struct msginfo))); }
CASE(msgctl_info) { CALL3(SYS_msgctl, 0, MSG_INFO, room(trial, sizeof(struct msginfo))); }
CASE(semctl_stat) { CALL4(SYS_semctl, semaphores(), 0, IPC_STAT, room(trial, sizeof(struct semid_ds))); }
CASE(semctl_ipc_info) { CALL4(SYS_semctl, 0, 0, IPC_INFO, room(trial, sizeof(struct seminfo))); }
CASE(semctl_info) { CALL4(SYS_semctl, 0, 0, SEM_INFO, room(trial, sizeof(struct seminfo))); }
CASE(semctl_getval) { CALL4(SYS_semctl, semaphores(), 1, GETVAL, room(trial, 8)); }
CASE(shmctl_stat) { CALL3(SYS_shmctl, shared_memory(), IPC_STAT, room(trial, sizeof(struct shmid_ds))); }
CASE(shmctl_ipc_info) { CALL3(SYS_shmctl, 0, IPC_INFO, room(trial, sizeof(struct shminfo))); }
CASE(shmctl_info) { CALL3(SYS_shmctl, 0, SHM_INFO, room(trial, sizeof(struct shm_info))); }

static void *length(struct trial *trial, uint32_t size)
{
	return room_with(trial, &size, 4);
}
CASE(modules_list) { CALL3(461, room(trial, 80), length(trial, 80), 0); }
CASE(modules_short)
{
	CALL3(461, room(trial, 1), length(trial, 1), 0);
	must_fail(trial, E2BIG);
}
CASE(module_attribute) { CALL4(459, 100, room(trial, 500), length(trial, 500), 0); }

const struct test_case other_cases[] = {
	{ "wait4", wait4_all, 0, 0 },
	{ "wait4-status", wait4_status, 0, 0 },
	{ "wait4-none", wait4_none, 0, 1 },
	{ "wait4-no-child", wait4_no_child, 0, 0 },
	{ "waitid", waitid_all, 0, 0 },
	{ "waitid-rusage", waitid_rusage, 0, 0 },
	{ "waitid-none", waitid_none, 0, 0 },
	{ "waitid-no-child", waitid_no_child, 0, 0 },
	{ "waitid-bad", waitid_bad, 0, 0 },
	{ "getrlimit", getrlimit_files, 0, 0 },
	{ "prlimit64", prlimit64_old, 0, 0 },
	{ "getrusage", getrusage_self, 0, 0 },
	{ "sysinfo", sysinfo_all, 0, 0 },
	{ "uname", uname_all, 0, 0 },
	{ "times", times_all, 0, 0 },
	{ "getgroups", getgroups_all, 0, 0 },
	{ "getgroups-count", getgroups_count, 0, 1 },
	{ "getresuid", getresuid_all, 0, 0 },
	{ "getresgid", getresgid_all, 0, 0 },
	{ "capget", capget_3, 0, 0 },
	{ "capget-1", capget_1, 0, 0 },
	{ "capget-ask", capget_ask, 0, 0 },
	{ "capget-bad", capget_bad, 0, 0 },
	{ "capset-bad", capset_bad, 0, 0 },
	{ "syslog", syslog_all, 1, 0 },
	{ "syslog-size", syslog_size, 1, 1 },
	{ "adjtimex", adjtimex_ask, 0, 0 },
	{ "clock_adjtime", clock_adjtime_ask, 0, 0 },
	{ "clock_gettime", clock_gettime_tai, 0, 0 },
	{ "clock_getres", clock_getres_tai, 0, 0 },
	{ "gettimeofday", gettimeofday_all, 0, 0 },
	{ "time", time_stored, 0, 0 },
	{ "getcpu", getcpu_all, 0, 0 },
	{ "getitimer", getitimer_real, 0, 0 },
	{ "sched_getaffinity", affinity, 0, 0 },
	{ "sched_getparam", sched_parameters, 0, 0 },
	{ "sched_getattr", sched_attributes, 0, 0 },
	{ "sched_getattr-short", sched_attributes_short, 0, 0 },
	{ "sched_rr_get_interval", sched_interval, 0, 0 },
	{ "get_mempolicy", mempolicy, 1, 0 },
	{ "get_mempolicy-odd", mempolicy_odd, 1, 0 },
	{ "mincore", mincore_pages, 0, 0 },
	{ "move_pages", move_pages_ask, 1, 0 },
	{ "prctl-name", prctl_name, 0, 0 },
	{ "prctl-death", prctl_death, 0, 0 },
	{ "prctl-reaper", prctl_reaper, 0, 0 },
	{ "prctl-tsc", prctl_tsc, 0, 0 },
	{ "prctl-tid-address", prctl_tid_address, 1, 0 },
	{ "prctl-core", prctl_core, 1, 0 },
	{ "prctl-auxv", prctl_auxv, 1, 0 },
	{ "prctl-auxv-short", prctl_auxv_short, 1, 0 },
	{ "prctl-dumpable", prctl_dumpable, 0, 1 },
	{ "arch_prctl-fs", arch_fs, 0, 0 },
	{ "arch_prctl-xcomp", arch_xcomp, 1, 0 },
	{ "arch_prctl-untag", arch_untag, 1, 0 },
	{ "seccomp-sizes", seccomp_sizes, 0, 0 },
	{ "modify_ldt-read", ldt_read, 1, 0 },
	{ "modify_ldt-default", ldt_default, 1, 0 },
	{ "keyctl-read", key_read, 1, 0 },
	{ "keyctl-read-short", key_read_short, 1, 0 },
	{ "keyctl-describe", key_describe, 1, 0 },
	{ "keyctl-security", key_security, 1, 0 },
	{ "keyctl-capabilities", key_capabilities, 1, 0 },
	{ "mq_timedreceive", mq_receive_all, 1, 0 },
	{ "mq_getsetattr", mq_attributes, 1, 0 },
	{ "msgrcv", msgrcv_all, 1, 0 },
	{ "msgrcv-cut", msgrcv_cut, 1, 0 },
	{ "msgctl-stat", msgctl_stat, 1, 0 },
	{ "msgctl-ipc-info", msgctl_ipc_info, 1, 0 },
	{ "msgctl-info", msgctl_info, 1, 0 },
	{ "semctl-stat", semctl_stat, 1, 0 },
	{ "semctl-ipc-info", semctl_ipc_info, 1, 0 },
	{ "semctl-info", semctl_info, 1, 0 },
	{ "semctl-getval", semctl_getval, 1, 1 },
	{ "shmctl-stat", shmctl_stat, 1, 0 },
	{ "shmctl-ipc-info", shmctl_ipc_info, 1, 0 },
	{ "shmctl-info", shmctl_info, 1, 0 },
	{ "lsm_list_modules", modules_list, 1, 0 },
	{ "lsm_list_modules-short", modules_short, 1, 0 },
	{ "lsm_get_self_attr", module_attribute, 1, 0 },
	{ NULL, NULL, 0, 0 },
};
