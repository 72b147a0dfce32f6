/*
 * calls_outputs.c: the memory that calls write: files, processes and the machine. Sockets are in world/kernel/calls_socket.c,
 * calls with many operations in world/kernel/calls_control.c. Where the kernel writes although it returns an error, the case
 * says so; the rest writes only when the result is not negative. tests/unit/calls.t asks the kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <time.h>

#include "world/kernel/calls_priv.h"

#define USTAT_SIZE 32
#define CACHESTAT_SIZE 40
#define MQ_ATTR_SIZE 64
#define PAGE_BYTES 4096u
/* What waitid writes of siginfo_t: up to si_status. */
#define WAITID_SIZE 28
/* The kernel cuts select's first argument to the size of the table of descriptors, which is seldom larger. */
#define SELECT_MAX 65536

/* The result is the number of bytes; room is what the caller provided. */
static void counted(const struct outputs *outputs, int argument, size_t room)
{
	fixed(outputs, argument, smaller((size_t)outputs->result, room));
}

/* The rest of a time-out. It is written whatever the result was, but EFAULT may mean that it could not be read. */
static void remaining(const struct outputs *outputs, int argument)
{
	if (outputs->result != -EFAULT)
		fixed(outputs, argument, sizeof(struct timespec));
}

static void polled(const struct outputs *outputs)
{
	if (outputs->result >= 0 || outputs->result == -EINTR)
		fixed(outputs, 0, (uint32_t)outputs->arguments[1] * sizeof(struct pollfd));
}

static void selected(const struct outputs *outputs)
{
	int count = (int)outputs->arguments[0];
	if (outputs->result >= 0 && count > 0) {
		size_t words = (smaller((size_t)count, SELECT_MAX) + 63) / 64;
		for (int set = 1; set <= 3; set++)
			fixed(outputs, set, words * 8);
	}
	remaining(outputs, 4);
}

static void waited_id(const struct outputs *outputs)
{
	if (outputs->result == -EFAULT)
		return;
	const int *signal = pointer(outputs, 2);
	fixed(outputs, 2, WAITID_SIZE); /* zeros with an error, or when there was none */
	if (outputs->result == 0 && (!signal || *signal))
		fixed(outputs, 4, sizeof(struct rusage));
}

static void handle_named(const struct outputs *outputs)
{
	struct file_handle *handle = pointer(outputs, 2);
	if (outputs->result != 0 && outputs->result != -EOVERFLOW)
		return;
	bool is_mount_unique = outputs->arguments[4] & 1;
	fixed(outputs, 3, is_mount_unique ? 8 : 4);
	piece(outputs, handle, sizeof *handle);
	if (outputs->result == 0)
		piece(outputs, handle->f_handle, smaller(handle->handle_bytes, outputs->before->length));
}

static void capabilities(const struct outputs *outputs)
{
	/* The kernel replaces an unknown version by the one it knows. */
	if (outputs->result != 0 && outputs->result != -EINVAL)
		return;
	const struct __user_cap_header_struct *header = pointer(outputs, 0);
	fixed(outputs, 0, sizeof *header);
	if (outputs->result == 0 && header)
		fixed(outputs, 1,
		      sizeof(struct __user_cap_data_struct) * (header->version == _LINUX_CAPABILITY_VERSION_1 ? 1 : 2));
}

/* A string of unknown length, byte by byte: the next one is asked for when the last one was not its end. */
static void string(const struct outputs *outputs, char *at)
{
	do
		piece(outputs, at, 1);
	while (at && *at++);
}

/* The first word is the total length. */
static void sized_by_itself(const struct outputs *outputs, int argument, size_t room)
{
	char *at = pointer(outputs, argument);
	if (!at || room < sizeof(uint32_t))
		return;
	piece(outputs, at, sizeof(uint32_t));
	size_t size = smaller(*(uint32_t *)at, room);
	if (size > sizeof(uint32_t))
		piece(outputs, at + sizeof(uint32_t), size - sizeof(uint32_t));
}

/* The length is in the second or third argument, and is also written when it was too small. */
static void module_context(const struct outputs *outputs, int at, int length_at)
{
	const uint32_t *length = pointer(outputs, length_at);
	if (outputs->result < 0 && outputs->result != -E2BIG)
		return;
	fixed(outputs, length_at, sizeof *length);
	if (outputs->result >= 0 && length)
		fixed(outputs, at, smaller(*length, outputs->before->length));
}

struct extended_attribute {
	uint64_t value;
	uint32_t size, flags;
};

static void attribute_at(const struct outputs *outputs)
{
	const struct extended_attribute *attribute = pointer(outputs, 4);
	if (attribute)
		piece(outputs, (void *)(uintptr_t)attribute->value, smaller((size_t)outputs->result, attribute->size));
}

/* Those that write although they fail. False: the call is none of them. */
static bool outputs_even_if_failed(long number, const struct outputs *outputs)
{
	switch (number) {
	case SYS_poll:
		polled(outputs);
		return true;
	case SYS_ppoll:
		polled(outputs);
		remaining(outputs, 2);
		return true;
	case SYS_select:
	case SYS_pselect6:
		selected(outputs);
		return true;
	case SYS_waitid:
		waited_id(outputs);
		return true;
	case SYS_name_to_handle_at:
		handle_named(outputs);
		return true;
	case SYS_capget:
		capabilities(outputs);
		return true;
	case SYS_capset:
		if (outputs->result == -EINVAL)
			fixed(outputs, 0, sizeof(struct __user_cap_header_struct));
		return true;
	case SYS_adjtimex:
		if (outputs->result != -EFAULT)
			fixed(outputs, 0, sizeof(struct timex));
		return true;
	case SYS_times: /* its result may look like an error */
		if (outputs->result != -EFAULT)
			fixed(outputs, 0, sizeof(struct tms));
		return true;
	case NR_lsm_get_self_attr:
		module_context(outputs, 1, 2);
		return true;
	case NR_lsm_list_modules:
		module_context(outputs, 0, 1);
		return true;
	}
	return false;
}

static bool file_outputs(long number, const struct outputs *outputs)
{
	const uint64_t *arguments = outputs->arguments;
	size_t result = (size_t)outputs->result;

	switch (number) {
	case SYS_read:
	case SYS_pread64:
	case SYS_getdents:
	case SYS_getdents64:
	case SYS_readlink:
	case SYS_lookup_dcookie:
		counted(outputs, 1, arguments[2]);
		return true;
	case SYS_readlinkat:
		counted(outputs, 2, (uint32_t)arguments[3]);
		return true;
	case SYS_getcwd:
	case SYS_getrandom:
		counted(outputs, 0, arguments[1]);
		return true;
	case SYS_readv:
	case SYS_preadv:
	case SYS_preadv2:
	case SYS_process_vm_readv:
	case SYS_vmsplice: /* writes when the pipe is read */
		scattered(outputs, pointer(outputs, 1), arguments[2], result);
		return true;
	case SYS_sendfile:
		fixed(outputs, 2, sizeof(int64_t));
		return true;
	case SYS_splice:
	case SYS_copy_file_range:
		fixed(outputs, 1, sizeof(int64_t));
		fixed(outputs, 3, sizeof(int64_t));
		return true;
	case SYS_stat:
	case SYS_fstat:
	case SYS_lstat:
		fixed(outputs, 1, sizeof(struct stat));
		return true;
	case SYS_newfstatat:
		fixed(outputs, 2, sizeof(struct stat));
		return true;
	case SYS_statx:
		fixed(outputs, 4, sizeof(struct statx));
		return true;
	case SYS_statfs:
	case SYS_fstatfs:
		fixed(outputs, 1, sizeof(struct statfs));
		return true;
	case SYS_ustat:
		fixed(outputs, 1, USTAT_SIZE);
		return true;
	case SYS_getxattr:
	case SYS_lgetxattr:
	case SYS_fgetxattr:
		counted(outputs, 2, arguments[3]);
		return true;
	case SYS_listxattr:
	case SYS_llistxattr:
	case SYS_flistxattr:
		counted(outputs, 1, arguments[2]);
		return true;
	case NR_getxattrat:
		attribute_at(outputs);
		return true;
	case NR_listxattrat:
		counted(outputs, 3, arguments[4]);
		return true;
	case NR_file_getattr:
		fixed(outputs, 2, arguments[3]);
		return true;
	case NR_cachestat:
		fixed(outputs, 2, CACHESTAT_SIZE);
		return true;
	case NR_statmount:
		sized_by_itself(outputs, 1, arguments[2]);
		return true;
	case NR_listmount:
		fixed(outputs, 1, smaller(result, arguments[2]) * sizeof(uint64_t));
		return true;
	case SYS_sysfs:
		if (arguments[0] == 2)
			string(outputs, pointer(outputs, 2));
		return true;
	case SYS_pipe:
	case SYS_pipe2:
		fixed(outputs, 0, 2 * sizeof(int));
		return true;
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
		fixed(outputs, 1, smaller(result, (uint32_t)arguments[2]) * sizeof(struct epoll_event));
		return true;
	case SYS_timerfd_settime:
		fixed(outputs, 3, sizeof(struct itimerspec));
		return true;
	case SYS_timerfd_gettime:
		fixed(outputs, 1, sizeof(struct itimerspec));
		return true;
	case SYS_mq_timedreceive:
		counted(outputs, 1, arguments[2]);
		fixed(outputs, 3, sizeof(uint32_t));
		return true;
	case SYS_mq_getsetattr:
		fixed(outputs, 2, MQ_ATTR_SIZE);
		return true;
	case SYS_msgrcv:
		fixed(outputs, 1, sizeof(long) + smaller(result, arguments[2]));
		return true;
	}
	return false;
}

static void process_outputs(long number, const struct outputs *outputs)
{
	const uint64_t *arguments = outputs->arguments;
	size_t result = (size_t)outputs->result;

	switch (number) {
	case SYS_wait4:
		if (result) {
			fixed(outputs, 1, sizeof(int));
			fixed(outputs, 3, sizeof(struct rusage));
		}
		return;
	case SYS_getrusage:
		fixed(outputs, 1, sizeof(struct rusage));
		return;
	case SYS_getrlimit:
		fixed(outputs, 1, sizeof(struct rlimit));
		return;
	case SYS_prlimit64:
		fixed(outputs, 3, sizeof(struct rlimit));
		return;
	case SYS_getresuid:
	case SYS_getresgid:
		for (int i = 0; i < 3; i++)
			fixed(outputs, i, sizeof(uint32_t));
		return;
	case SYS_getgroups:
		fixed(outputs, 1, smaller(result, (uint32_t)arguments[0]) * sizeof(uint32_t));
		return;
	case SYS_uname:
		fixed(outputs, 0, sizeof(struct utsname));
		return;
	case SYS_sysinfo:
		fixed(outputs, 0, sizeof(struct sysinfo));
		return;
	case SYS_syslog:
		if (arguments[0] >= 2 && arguments[0] <= 4)
			counted(outputs, 1, (uint32_t)arguments[2]);
		return;
	case SYS_clock_adjtime:
		fixed(outputs, 1, sizeof(struct timex));
		return;
	case SYS_clock_gettime:
	case SYS_clock_getres:
	case SYS_sched_rr_get_interval:
		fixed(outputs, 1, sizeof(struct timespec));
		return;
	case SYS_gettimeofday:
		fixed(outputs, 0, sizeof(struct timeval));
		fixed(outputs, 1, sizeof(struct timezone));
		return;
	case SYS_time:
		fixed(outputs, 0, sizeof(time_t));
		return;
	case SYS_getcpu:
		fixed(outputs, 0, sizeof(uint32_t));
		fixed(outputs, 1, sizeof(uint32_t));
		return;
	case SYS_getitimer:
		fixed(outputs, 1, sizeof(struct itimerval));
		return;
	case SYS_sched_getaffinity:
		counted(outputs, 2, (uint32_t)arguments[1]);
		return;
	case SYS_sched_getparam:
		fixed(outputs, 1, sizeof(int));
		return;
	case SYS_sched_getattr:
		fixed(outputs, 1, (uint32_t)arguments[2]); /* what the kernel does not have is filled with zeros */
		return;
	case SYS_get_mempolicy:
		fixed(outputs, 0, sizeof(int));
		fixed(outputs, 1, (arguments[2] - 1 + 63) / 64 * 8);
		return;
	case SYS_mincore:
		fixed(outputs, 2, (arguments[1] + PAGE_BYTES - 1) / PAGE_BYTES);
		return;
	case SYS_move_pages:
		fixed(outputs, 4, arguments[1] * sizeof(int));
		return;
	}
}

void call_outputs(long number, const uint64_t arguments[6], long result, const struct call_lengths *before,
		  call_each *each, void *data)
{
	struct outputs outputs = { arguments, result, before, each, data };

	if (outputs_even_if_failed(number, &outputs) || socket_outputs(number, &outputs) ||
	    control_outputs(number, &outputs))
		return;
	if (result < 0 || file_outputs(number, &outputs))
		return;
	process_outputs(number, &outputs);
}

void call_lengths(long number, const uint64_t arguments[6], struct call_lengths *before)
{
	before->length = 0;
	before->control_length = 0;
	const void *at = NULL;

	switch (number) {
	case SYS_accept:
	case SYS_accept4:
	case SYS_getsockname:
	case SYS_getpeername:
		at = (const void *)(uintptr_t)(arguments[1] ? arguments[2] : 0);
		break;
	case SYS_recvfrom:
		at = (const void *)(uintptr_t)(arguments[4] ? arguments[5] : 0);
		break;
	case SYS_getsockopt:
		at = (const void *)(uintptr_t)arguments[4];
		break;
	case SYS_name_to_handle_at:
	case NR_lsm_get_self_attr:
		at = (const void *)(uintptr_t)arguments[2];
		break;
	case NR_lsm_list_modules:
		at = (const void *)(uintptr_t)arguments[1];
		break;
	case SYS_recvmsg:
	case SYS_recvmmsg:
		message_lengths(number, arguments, before);
		return;
	}
	if (at)
		before->length = *(const uint32_t *)at;
}
