/*
 * calls_control.c: calls with many operations: what each operation writes, whether it can be recorded, and which code
 * serves it. Also the reasons for every call that is declined or refused. An unknown operation is declined, as by a
 * kernel that does not know it: it may write anything.
 */
#include <asm/prctl.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dqblk_xfs.h>
#include <linux/keyctl.h>
#include <linux/prctl.h>
#include <linux/quota.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

#include "world/kernel/calls_priv.h"

/* Newer than the headers, or not in them. */
#define PR_GET_AUXV_ 0x41555856
#define PR_SET_MDWE_ 65
#define PR_GET_MDWE_ 66
#define PR_SET_MEMORY_MERGE_ 67
#define PR_GET_MEMORY_MERGE_ 68
#define ARCH_CET_STATUS_ 0x3001
#define ARCH_GET_UNTAG_MASK_ 0x4001
#define ARCH_GET_MAX_TAG_BITS_ 0x4003
#define ARCH_SHSTK_STATUS_ 0x5005
#define TCP_ZEROCOPY_RECEIVE_ 35
#define F_DUPFD_QUERY_ 1027
#define F_CREATED_QUERY_ 1028
#define F_GETOWNER_UIDS_ 17

static const char *declined_because(long number)
{
	switch (number) {
	case SYS_io_setup:
	case SYS_io_destroy:
	case SYS_io_getevents:
	case SYS_io_pgetevents:
	case SYS_io_submit:
	case SYS_io_cancel:
	case SYS_io_uring_setup:
	case SYS_io_uring_enter:
	case SYS_io_uring_register:
		return "the kernel would write to the program's memory at any time";
	case SYS_process_vm_writev:
		return "it writes to the memory of a program from outside";
	case SYS_userfaultfd:
		return "page faults would become events of another thread";
	case SYS_bpf:
	case SYS_perf_event_open:
		return "its memory is shared with the kernel";
	case SYS_signalfd:
	case SYS_signalfd4:
		return "under control signals are delivered to threads, not to descriptors";
	case SYS_iopl:
	case SYS_ioperm:
		return "the answers of devices cannot be recorded";
	case SYS_rseq:
		return "it would reveal which processor runs the program";
	case SYS_futex_waitv:
	case NR_futex_wake:
	case NR_futex_wait:
	case NR_futex_requeue:
		return "only futex itself is supported";
	case NR_map_shadow_stack:
		return "shadow stacks are not switched with the threads";
	case NR_uretprobe:
	case NR_uprobe:
		return "only the kernel's own code may call it";
	}
	return "unknown system call";
}

static const char *refused_because(long number)
{
	return number == SYS_remap_file_pages ? "nonlinear mappings are not supported"
					      : "other processes may write to the memory at any time";
}

/* An operation of another kernel, or of none: this one does not know it. */
static struct verdict known_or(bool is_known, enum call_class class, int error)
{
	return is_known ? taken(class) : declined(error, "the operation is unknown, and so is what it writes");
}

static struct verdict prctl_verdict(uint64_t operation)
{
	switch (operation) {
	case PR_SET_NAME:
	case PR_GET_NAME:
	case PR_GET_TID_ADDRESS:
		return taken(CALL_WORLD);
	case PR_SET_THP_DISABLE:
	case PR_GET_THP_DISABLE:
	case PR_SET_MEMORY_MERGE_:
	case PR_GET_MEMORY_MERGE_:
	case PR_SET_VMA:
		return taken(CALL_LOCAL);
	case PR_SET_SECCOMP:
		return declined(EINVAL, "the filter would also see Heddle's own system calls");
	case PR_SET_MM:
		return declined(EPERM, "Heddle depends on the places of code, data and stack");
	case PR_SET_SYSCALL_USER_DISPATCH:
	case PR_SET_MDWE_:
		return declined(EINVAL, "Heddle itself needs the setting");
	case PR_SET_TSC:
		return refused("Heddle itself needs the setting");
	case PR_GET_AUXV_:
	case PR_GET_MDWE_:
		return taken(CALL_OUTSIDE);
	}
	/* All others up to PR_SCHED_CORE set something, return something, or are listed in prctl_outputs. */
	return known_or(operation <= PR_SCHED_CORE || operation == PR_SET_PTRACER, CALL_OUTSIDE, EINVAL);
}

static struct verdict arch_prctl_verdict(uint64_t operation)
{
	switch (operation) {
	case ARCH_SET_GS:
	case ARCH_SET_FS:
	case ARCH_GET_FS:
	case ARCH_GET_GS:
		return taken(CALL_WORLD);
	case ARCH_REQ_XCOMP_PERM:
		return taken(CALL_LOCAL);
	case ARCH_GET_CPUID:
	case ARCH_GET_XCOMP_SUPP:
	case ARCH_GET_XCOMP_PERM:
	case ARCH_CET_STATUS_:
	case ARCH_GET_UNTAG_MASK_:
	case ARCH_GET_MAX_TAG_BITS_:
	case ARCH_SHSTK_STATUS_:
		return taken(CALL_OUTSIDE);
	}
	return known_or(false, CALL_OUTSIDE, EINVAL);
}

static bool is_fcntl_known(uint32_t operation)
{
	return operation <= F_GETOWNER_UIDS_ || (operation >= F_OFD_GETLK && operation <= F_OFD_SETLKW) ||
	       (operation >= F_SETLEASE && operation <= F_CREATED_QUERY_) ||
	       (operation >= F_DUPFD_CLOEXEC && operation <= F_SET_FILE_RW_HINT);
}

struct verdict control_verdict(long number, const uint64_t arguments[6], enum call_class class)
{
	switch (number) {
	case SYS_ioctl:
		return ioctl_verdict((uint32_t)arguments[1]);
	case SYS_fcntl:
		return known_or(is_fcntl_known((uint32_t)arguments[1]), class, EINVAL);
	case SYS_prctl:
		return prctl_verdict((uint32_t)arguments[0]);
	case SYS_arch_prctl:
		return arch_prctl_verdict((uint32_t)arguments[0]);
	case SYS_keyctl:
		return known_or((uint32_t)arguments[0] <= KEYCTL_WATCH_KEY, class, EOPNOTSUPP);
	case SYS_seccomp:
		if (arguments[0] == SECCOMP_SET_MODE_STRICT || arguments[0] == SECCOMP_SET_MODE_FILTER)
			return declined(EINVAL, "the filter would also see Heddle's own system calls");
		return known_or(arguments[0] <= SECCOMP_GET_NOTIF_SIZES, class, EINVAL);
	case SYS_modify_ldt:
		if (arguments[0] == 0 || arguments[0] == 2)
			return taken(class);
		return declined(ENOSYS, "segments are not switched with the threads");
	case SYS_semctl:
		return arguments[2] == GETALL ? refused("the number of semaphores is unknown") : taken(class);
	case SYS_getsockopt:
		if ((int)arguments[1] == IPPROTO_TCP && (int)arguments[2] == TCP_ZEROCOPY_RECEIVE_)
			return declined(ENOPROTOOPT, "it maps memory of the kernel");
		return taken(class);
	}
	if (class == CALL_DECLINED)
		return declined(ENOSYS, declined_because(number));
	return class == CALL_REFUSED ? refused(refused_because(number)) : taken(class);
}

static void fcntl_outputs(const struct outputs *outputs)
{
	switch ((uint32_t)outputs->arguments[1]) {
	case F_GETLK:
	case F_OFD_GETLK:
		fixed(outputs, 2, sizeof(struct flock));
		break;
	case F_GETOWN_EX:
	case F_GETOWNER_UIDS_:
	case F_GET_RW_HINT:
	case F_GET_FILE_RW_HINT:
		fixed(outputs, 2, sizeof(uint64_t));
		break;
	}
}

static void prctl_outputs(const struct outputs *outputs)
{
	switch ((uint32_t)outputs->arguments[0]) {
	case PR_GET_PDEATHSIG:
	case PR_GET_TSC:
	case PR_GET_CHILD_SUBREAPER:
	case PR_GET_UNALIGN:
	case PR_GET_FPEMU:
	case PR_GET_FPEXC:
	case PR_GET_ENDIAN:
		fixed(outputs, 1, sizeof(int));
		break;
	case PR_GET_NAME:
		fixed(outputs, 1, 16);
		break;
	case PR_GET_TID_ADDRESS:
		fixed(outputs, 1, sizeof(void *));
		break;
	case PR_SCHED_CORE:
		if (outputs->arguments[1] == PR_SCHED_CORE_GET)
			fixed(outputs, 4, sizeof(uint64_t));
		break;
	case PR_GET_AUXV_:
		fixed(outputs, 1, smaller((size_t)outputs->result, outputs->arguments[2]));
		break;
	}
}

static void arch_prctl_outputs(const struct outputs *outputs)
{
	switch ((uint32_t)outputs->arguments[0]) {
	case ARCH_GET_FS:
	case ARCH_GET_GS:
	case ARCH_GET_XCOMP_SUPP:
	case ARCH_GET_XCOMP_PERM:
	case ARCH_GET_UNTAG_MASK_:
	case ARCH_GET_MAX_TAG_BITS_:
	case ARCH_SHSTK_STATUS_:
		fixed(outputs, 1, sizeof(uint64_t));
		break;
	case ARCH_CET_STATUS_:
		fixed(outputs, 1, 3 * sizeof(uint64_t));
		break;
	}
}

static void keyctl_outputs(const struct outputs *outputs)
{
	const uint64_t *arguments = outputs->arguments;
	size_t result = (size_t)outputs->result;
	const struct keyctl_pkey_params *parameters = pointer(outputs, 1);

	switch ((uint32_t)arguments[0]) {
	case KEYCTL_READ:
	case KEYCTL_DESCRIBE:
	case KEYCTL_GET_SECURITY:
	case KEYCTL_DH_COMPUTE:
		fixed(outputs, 2, smaller(result, arguments[3]));
		break;
	case KEYCTL_PKEY_QUERY:
		fixed(outputs, 4, sizeof(struct keyctl_pkey_query));
		break;
	case KEYCTL_PKEY_ENCRYPT:
	case KEYCTL_PKEY_DECRYPT:
	case KEYCTL_PKEY_SIGN:
		fixed(outputs, 4, smaller(result, parameters->out_len));
		break;
	case KEYCTL_CAPABILITIES: /* the rest is filled with zeros */
		fixed(outputs, 1, arguments[2]);
		break;
	}
}

static void quota_outputs(const struct outputs *outputs, uint32_t command)
{
	switch (command >> SUBCMDSHIFT) {
	case Q_GETFMT:
		fixed(outputs, 3, sizeof(uint32_t));
		break;
	case Q_GETINFO:
		fixed(outputs, 3, sizeof(struct if_dqinfo));
		break;
	case Q_GETQUOTA:
		fixed(outputs, 3, sizeof(struct if_dqblk));
		break;
	case Q_GETNEXTQUOTA:
		fixed(outputs, 3, sizeof(struct if_nextdqblk));
		break;
	case Q_XGETQUOTA:
	case Q_XGETNEXTQUOTA:
		fixed(outputs, 3, sizeof(struct fs_disk_quota));
		break;
	case Q_XGETQSTAT:
		fixed(outputs, 3, sizeof(struct fs_quota_stat));
		break;
	case Q_XGETQSTATV:
		fixed(outputs, 3, sizeof(struct fs_quota_statv));
		break;
	}
}

static void ipc_outputs(long number, const struct outputs *outputs)
{
	bool is_shared = number == SYS_shmctl, is_message = number == SYS_msgctl;
	int at = number == SYS_semctl ? 3 : 2;
	uint32_t command = (uint32_t)outputs->arguments[at - 1];
	uint32_t stat = is_shared ? SHM_STAT : is_message ? MSG_STAT : SEM_STAT; /* then INFO, then STAT_ANY */

	if (command == IPC_STAT || command == stat || command == stat + 2)
		fixed(outputs, at,
		      is_shared    ? sizeof(struct shmid_ds)
		      : is_message ? sizeof(struct msqid_ds)
				   : sizeof(struct semid_ds));
	else if (command == IPC_INFO || command == stat + 1)
		fixed(outputs, at,
		      is_message            ? sizeof(struct msginfo)
		      : !is_shared          ? sizeof(struct seminfo)
		      : command == IPC_INFO ? sizeof(struct shminfo)
					    : sizeof(struct shm_info));
}

bool control_outputs(long number, const struct outputs *outputs)
{
	if (number == SYS_ioctl) {
		ioctl_outputs(outputs);
		return true;
	}
	if (outputs->result < 0)
		return false;
	switch (number) {
	case SYS_fcntl:
		fcntl_outputs(outputs);
		return true;
	case SYS_prctl:
		prctl_outputs(outputs);
		return true;
	case SYS_arch_prctl:
		arch_prctl_outputs(outputs);
		return true;
	case SYS_keyctl:
		keyctl_outputs(outputs);
		return true;
	case SYS_quotactl:
		quota_outputs(outputs, (uint32_t)outputs->arguments[0]);
		return true;
	case SYS_quotactl_fd:
		quota_outputs(outputs, (uint32_t)outputs->arguments[1]);
		return true;
	case SYS_shmctl:
	case SYS_semctl:
	case SYS_msgctl:
		ipc_outputs(number, outputs);
		return true;
	case SYS_seccomp:
		if (outputs->arguments[0] == SECCOMP_GET_NOTIF_SIZES)
			fixed(outputs, 2, sizeof(struct seccomp_notif_sizes));
		return true;
	case SYS_modify_ldt:
		if (outputs->arguments[0] == 0 || outputs->arguments[0] == 2)
			fixed(outputs, 1, smaller((size_t)outputs->result, outputs->arguments[2]));
		return true;
	}
	return false;
}
