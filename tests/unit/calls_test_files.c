/* calls_test_files.c: cases for calls_test.c: files, folders, descriptors and waiting for them. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "calls_test.h"

/* clang-format off */

static int file(void)
{
	return open("file", O_RDWR);
}

static int full_pipe(int *write_end)
{
	int ends[2];
	if (pipe(ends) || write(ends[1], "hello, pipe", 11) != 11)
		abort();
	if (write_end)
		*write_end = ends[1];
	return ends[0];
}

static struct iovec *vector(struct trial *trial, size_t first, size_t second, size_t third)
{
	struct iovec parts[3] = {
		{ room(trial, first), first },
		{ room(trial, second), second },
		{ room(trial, third), third },
	};
	return room_with(trial, parts, sizeof parts);
}

CASE(read_file) { CALL3(SYS_read, file(), room(trial, 5000), 5000); }
CASE(read_past_end) { CALL3(SYS_read, file(), room(trial, 20000), 20000); }
CASE(read_pipe) { CALL3(SYS_read, full_pipe(NULL), room(trial, 100), 100); }
CASE(read_nothing)
{
	int fd = file();
	lseek(fd, 0, SEEK_END);
	CALL3(SYS_read, fd, room(trial, 100), 100);
}
CASE(read_bad)
{
	CALL3(SYS_read, 999, room(trial, 100), 100);
	must_fail(trial, EBADF);
}
CASE(read_eventfd) { CALL3(SYS_read, eventfd(7, 0), room(trial, 100), 100); }
CASE(read_timerfd)
{
	struct itimerspec soon = { { 0, 0 }, { 0, 1 } };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	timerfd_settime(fd, 0, &soon, NULL);
	CALL3(SYS_read, fd, room(trial, 8), 8);
}
CASE(read_inotify)
{
	int fd = inotify_init1(0);
	inotify_add_watch(fd, ".", IN_CREATE | IN_DELETE);
	close(open("inotify-file", O_CREAT | O_WRONLY, 0600));
	unlink("inotify-file");
	CALL3(SYS_read, fd, room(trial, 4096), 4096);
}
CASE(pread_file) { CALL4(SYS_pread64, file(), room(trial, 64), 64, 9990); }
CASE(readv_file) { CALL3(SYS_readv, file(), vector(trial, 10, 100, 1000), 3); }
CASE(readv_pipe) { CALL3(SYS_readv, full_pipe(NULL), vector(trial, 3, 4, 100), 3); }
CASE(preadv_file) { CALL5(SYS_preadv, file(), vector(trial, 0, 7, 1000), 3, 9500, 0); }
CASE(preadv2_file) { CALL6(SYS_preadv2, file(), vector(trial, 1, 2, 3), 3, -1, -1, 0); }
CASE(vmsplice_read) { CALL4(SYS_vmsplice, full_pipe(NULL), vector(trial, 3, 4, 100), 3, 0); }
CASE(vmsplice_write)
{
	int end;
	full_pipe(&end);
	CALL4(SYS_vmsplice, end, vector(trial, 3, 4, 100), 3, 0);
}
CASE(process_vm_readv_self)
{
	static char from[50] = "what another process has";
	struct iovec remote = { from, sizeof from };
	CALL6(SYS_process_vm_readv, getpid(), vector(trial, 10, 0, 100), 3, room_with(trial, &remote, sizeof remote), 1, 0);
}
CASE(sendfile_offset)
{
	int64_t offset = 100;
	int end;
	full_pipe(&end);
	CALL4(SYS_sendfile, end, file(), room_with(trial, &offset, 8), 50);
}
CASE(splice_in)
{
	int64_t offset = 100;
	int end;
	full_pipe(&end);
	CALL6(SYS_splice, file(), room_with(trial, &offset, 8), end, 0, 50, 0);
}
CASE(splice_out)
{
	int64_t offset = 100;
	CALL6(SYS_splice, full_pipe(NULL), 0, open("out", O_CREAT | O_RDWR, 0600), room_with(trial, &offset, 8), 50, 0);
}
CASE(copy_range)
{
	int64_t from = 100, to = 0;
	CALL6(SYS_copy_file_range, file(), room_with(trial, &from, 8), open("out", O_CREAT | O_RDWR, 0600),
	      room_with(trial, &to, 8), 50, 0);
}
CASE(getrandom_some) { CALL3(SYS_getrandom, room(trial, 33), 33, 0); }

CASE(stat_file) { CALL2(SYS_stat, "file", room(trial, sizeof(struct stat))); }
CASE(lstat_link) { CALL2(SYS_lstat, "link", room(trial, sizeof(struct stat))); }
CASE(fstat_file) { CALL2(SYS_fstat, file(), room(trial, sizeof(struct stat))); }
CASE(newfstatat_file) { CALL4(SYS_newfstatat, AT_FDCWD, "file", room(trial, sizeof(struct stat)), 0); }
CASE(newfstatat_none)
{
	CALL4(SYS_newfstatat, AT_FDCWD, "none", room(trial, sizeof(struct stat)), 0);
	must_fail(trial, ENOENT);
}
CASE(statx_file) { CALL5(SYS_statx, AT_FDCWD, "file", 0, 0xfff, room(trial, sizeof(struct statx))); }
CASE(statfs_here) { CALL2(SYS_statfs, ".", room(trial, sizeof(struct statfs))); }
CASE(fstatfs_file) { CALL2(SYS_fstatfs, file(), room(trial, sizeof(struct statfs))); }
CASE(ustat_here)
{
	struct stat here;
	stat(".", &here);
	CALL2(SYS_ustat, here.st_dev, room(trial, 32));
}
CASE(getdents_old) { CALL3(SYS_getdents, open("/proc/self", O_RDONLY), room(trial, 500), 500); }
CASE(getdents64_some) { CALL3(SYS_getdents64, open("/proc/self", O_RDONLY), room(trial, 500), 500); }
CASE(readlink_short) { CALL3(SYS_readlink, "link", room(trial, 2), 2); }
CASE(readlink_long) { CALL3(SYS_readlink, "link", room(trial, 100), 100); }
CASE(readlinkat_long) { CALL4(SYS_readlinkat, AT_FDCWD, "link", room(trial, 100), 100); }
CASE(getcwd_long) { CALL2(SYS_getcwd, room(trial, 4096), 4096); }
CASE(getcwd_short)
{
	CALL2(SYS_getcwd, room(trial, 2), 2);
	must_fail(trial, ERANGE);
}
CASE(pipe_ends) { CALL1(SYS_pipe, room(trial, 8)); }
CASE(pipe2_ends) { CALL2(SYS_pipe2, room(trial, 8), O_CLOEXEC); }

static bool attributes(struct trial *trial)
{
	if (!setxattr("file", "user.heddle", "warp and weft", 13, 0))
		return true;
	IMPOSSIBLE;
	return false;
}
CASE(getxattr_value)
{
	if (attributes(trial))
		CALL4(SYS_getxattr, "file", "user.heddle", room(trial, 50), 50);
}
CASE(getxattr_size)
{
	if (attributes(trial))
		CALL4(SYS_getxattr, "file", "user.heddle", room(trial, 50), 0);
}
CASE(getxattr_short)
{
	if (attributes(trial))
		CALL4(SYS_getxattr, "file", "user.heddle", room(trial, 3), 3);
	must_fail(trial, ERANGE);
}
CASE(lgetxattr_value)
{
	if (attributes(trial))
		CALL4(SYS_lgetxattr, "file", "user.heddle", room(trial, 50), 50);
}
CASE(fgetxattr_value)
{
	if (attributes(trial))
		CALL4(SYS_fgetxattr, file(), "user.heddle", room(trial, 50), 50);
}
CASE(listxattr_all)
{
	if (attributes(trial))
		CALL3(SYS_listxattr, "file", room(trial, 200), 200);
}
CASE(flistxattr_all)
{
	if (attributes(trial))
		CALL3(SYS_flistxattr, file(), room(trial, 200), 200);
}
CASE(getxattrat_value)
{
	struct {
		uint64_t value;
		uint32_t size, flags;
	} value = { W(room(trial, 50)), 50, 0 };
	if (attributes(trial))
		CALL6(464, AT_FDCWD, "file", 0, "user.heddle", room_with(trial, &value, sizeof value), sizeof value);
}
CASE(listxattrat_all)
{
	if (attributes(trial))
		CALL5(465, AT_FDCWD, "file", 0, room(trial, 200), 200);
}
CASE(file_getattr_longer) { CALL5(468, AT_FDCWD, "file", room(trial, 40), 40, 0); }
CASE(cachestat_file)
{
	uint64_t range[2] = { 0, 0 };
	CALL4(451, file(), room_with(trial, range, sizeof range), room(trial, 40), 0);
}
CASE(statmount_root)
{
	uint64_t request[4] = { 24, 0, 0x3f, 0 };
	struct statx found;
	if (statx(AT_FDCWD, ".", 0, 0x4000 /* STATX_MNT_ID_UNIQUE */, &found))
		IMPOSSIBLE;
	request[1] = *(uint64_t *)((char *)&found + 0x90);
	CALL4(457, room_with(trial, request, 24), room(trial, 4096), 4096, 0);
}
CASE(listmount_root)
{
	uint64_t request[3] = { 24, -1ul /* LSMT_ROOT */, 0 };
	CALL4(458, room_with(trial, request, 24), room(trial, 8 * 20), 20, 0);
}
CASE(handle_of_file)
{
	struct file_handle head = { .handle_bytes = 128 };
	void *at = room(trial, sizeof head + 128);
	memcpy(at, &head, sizeof head);
	CALL5(SYS_name_to_handle_at, AT_FDCWD, "file", at, room(trial, 4), 0);
}
CASE(handle_too_short)
{
	struct file_handle head = { .handle_bytes = 0 };
	CALL5(SYS_name_to_handle_at, AT_FDCWD, "file", room_with(trial, &head, sizeof head), room(trial, 4), 0);
	must_fail(trial, EOVERFLOW);
}
CASE(handle_unique_mount)
{
	struct file_handle head = { .handle_bytes = 128 };
	void *at = room(trial, sizeof head + 128);
	memcpy(at, &head, sizeof head);
	CALL5(SYS_name_to_handle_at, AT_FDCWD, "file", at, room(trial, 8), 1);
}
CASE(sysfs_name) { CALL3(SYS_sysfs, 2, 0, room(trial, 64)); }

static void interrupt(int number)
{
	(void)number;
}

static void interrupt_soon(void)
{
	struct sigaction action = { .sa_handler = interrupt };
	struct itimerval often = { { 0, 20000 }, { 0, 20000 } };
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

static void *polls(struct trial *trial, int first, int second)
{
	struct pollfd both[2] = { { first, POLLIN, 0x1234 }, { second, POLLIN, 0x1234 } };
	return room_with(trial, both, sizeof both);
}
static int empty_pipe(void)
{
	int ends[2];
	return pipe(ends) ? -1 : ends[0];
}
static void *seconds(struct trial *trial, long count)
{
	struct timespec time = { count, 0 };
	return room_with(trial, &time, sizeof time);
}
static void *set_of(struct trial *trial, int fd)
{
	fd_set set;
	FD_ZERO(&set);
	FD_SET(fd, &set);
	FD_SET(0, &set);
	return room_with(trial, &set, 8);
}
CASE(poll_ready) { CALL3(SYS_poll, polls(trial, full_pipe(NULL), empty_pipe()), 2, 1000); }
CASE(poll_timeout) { CALL3(SYS_poll, polls(trial, empty_pipe(), -1), 2, 10); }
CASE(poll_interrupted)
{
	CALL3(SYS_poll, polls(trial, empty_pipe(), empty_pipe()), 2, 10000);
	interrupt_soon();
	must_fail(trial, EINTR);
}
CASE(ppoll_ready) { CALL5(SYS_ppoll, polls(trial, full_pipe(NULL), -1), 2, seconds(trial, 5), 0, 8); }
CASE(ppoll_interrupted)
{
	CALL5(SYS_ppoll, polls(trial, empty_pipe(), -1), 2, seconds(trial, 5), 0, 8);
	interrupt_soon();
	must_fail(trial, EINTR);
}
CASE(select_ready)
{
	int fd = full_pipe(NULL);
	CALL5(SYS_select, fd + 1, set_of(trial, fd), set_of(trial, fd), set_of(trial, fd), seconds(trial, 5));
}
CASE(select_timeout)
{
	int fd = empty_pipe();
	void *set = memset(room(trial, 8), 0, 8);
	((unsigned char *)set)[fd / 8] = (unsigned char)(1 << fd % 8);
	struct timeval time = { 0, 1000 };
	CALL5(SYS_select, fd + 1, set, 0, 0, room_with(trial, &time, sizeof time));
}
CASE(select_bad)
{
	CALL5(SYS_select, 64, set_of(trial, 60), 0, 0, seconds(trial, 5));
	must_fail(trial, EBADF);
}
CASE(pselect_ready)
{
	int fd = full_pipe(NULL);
	CALL6(SYS_pselect6, fd + 1, set_of(trial, fd), 0, 0, seconds(trial, 5), 0);
}
CASE(pselect_interrupted)
{
	int fd = empty_pipe();
	void *set = memset(room(trial, 8), 0, 8);
	((unsigned char *)set)[fd / 8] = (unsigned char)(1 << fd % 8);
	CALL6(SYS_pselect6, fd + 1, set, 0, 0, seconds(trial, 5), 0);
	interrupt_soon();
	must_fail(trial, EINTR);
}
static int epoll(void)
{
	int fd = epoll_create1(0);
	for (int i = 0; i < 3; i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.u64 = 0x1122334455667788ul + (uint64_t)i };
		epoll_ctl(fd, EPOLL_CTL_ADD, full_pipe(NULL), &event);
	}
	return fd;
}
CASE(epoll_wait_some) { CALL4(SYS_epoll_wait, epoll(), room(trial, 8 * 12), 8, 1000); }
CASE(epoll_wait_short) { CALL4(SYS_epoll_wait, epoll(), room(trial, 2 * 12), 2, 1000); }
CASE(epoll_pwait_some) { CALL6(SYS_epoll_pwait, epoll(), room(trial, 8 * 12), 8, 1000, 0, 8); }
CASE(epoll_pwait2_some) { CALL6(SYS_epoll_pwait2, epoll(), room(trial, 8 * 12), 8, seconds(trial, 1), 0, 8); }
static int armed_timer(void)
{
	struct itimerspec later = { { 3, 4 }, { 100, 5 } };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	timerfd_settime(fd, 0, &later, NULL);
	return fd;
}
CASE(timerfd_settime_old)
{
	struct itimerspec later = { { 1, 2 }, { 50, 5 } };
	CALL4(SYS_timerfd_settime, armed_timer(), 0, room_with(trial, &later, sizeof later), room(trial, sizeof later));
}
CASE(timerfd_gettime_rest) { CALL2(SYS_timerfd_gettime, armed_timer(), room(trial, sizeof(struct itimerspec))); }

static int locked_file(void)
{
	int ready[2];
	char byte;
	pid_t parent = getpid();
	if (pipe(ready))
		abort();
	if (fork() == 0) {
		struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 10, .l_len = 5 };
		fcntl(file(), F_SETLK, &lock);
		write(ready[1], "", 1);
		stay(parent);
	}
	read(ready[0], &byte, 1);
	return file();
}
static void *lock_of(struct trial *trial)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	return room_with(trial, &lock, sizeof lock);
}
CASE(fcntl_getlk) { CALL3(SYS_fcntl, locked_file(), F_GETLK, lock_of(trial)); }
CASE(fcntl_ofd_getlk) { CALL3(SYS_fcntl, locked_file(), F_OFD_GETLK, lock_of(trial)); }
CASE(fcntl_getown_ex)
{
	int fd = full_pipe(NULL);
	fcntl(fd, F_SETOWN, getpid());
	CALL3(SYS_fcntl, fd, F_GETOWN_EX, room(trial, 8));
}
CASE(fcntl_rw_hint) { CALL3(SYS_fcntl, file(), F_GET_RW_HINT, room(trial, 8)); }
CASE(fcntl_owner_uids) { CALL3(SYS_fcntl, file(), 17, room(trial, 8)); }
CASE(fcntl_getfl) { CALL3(SYS_fcntl, file(), F_GETFL, room(trial, 8)); }
CASE(write_file) { CALL3(SYS_write, open("out", O_CREAT | O_RDWR, 0600), room(trial, 100), 100); }

const struct test_case file_cases[] = {
	{ "read", read_file, 0, 0 },
	{ "read-past-end", read_past_end, 0, 0 },
	{ "read-pipe", read_pipe, 0, 0 },
	{ "read-nothing", read_nothing, 0, 1 },
	{ "read-bad", read_bad, 0, 0 },
	{ "read-eventfd", read_eventfd, 0, 0 },
	{ "read-timerfd", read_timerfd, 0, 0 },
	{ "read-inotify", read_inotify, 0, 0 },
	{ "pread64", pread_file, 0, 0 },
	{ "readv", readv_file, 0, 0 },
	{ "readv-pipe", readv_pipe, 0, 0 },
	{ "preadv", preadv_file, 0, 0 },
	{ "preadv2", preadv2_file, 0, 0 },
	{ "vmsplice-read", vmsplice_read, 0, 0 },
	{ "vmsplice-write", vmsplice_write, 0, 0 },
	{ "process_vm_readv", process_vm_readv_self, 0, 0 },
	{ "sendfile", sendfile_offset, 0, 0 },
	{ "splice-in", splice_in, 0, 0 },
	{ "splice-out", splice_out, 0, 0 },
	{ "copy_file_range", copy_range, 1, 0 },
	{ "getrandom", getrandom_some, 0, 0 },
	{ "stat", stat_file, 0, 0 },
	{ "lstat", lstat_link, 0, 0 },
	{ "fstat", fstat_file, 0, 0 },
	{ "newfstatat", newfstatat_file, 0, 0 },
	{ "newfstatat-none", newfstatat_none, 0, 0 },
	{ "statx", statx_file, 0, 0 },
	{ "statfs", statfs_here, 0, 0 },
	{ "fstatfs", fstatfs_file, 0, 0 },
	{ "ustat", ustat_here, 1, 0 },
	{ "getdents", getdents_old, 0, 0 },
	{ "getdents64", getdents64_some, 0, 0 },
	{ "readlink-short", readlink_short, 0, 0 },
	{ "readlink", readlink_long, 0, 0 },
	{ "readlinkat", readlinkat_long, 0, 0 },
	{ "getcwd", getcwd_long, 0, 0 },
	{ "getcwd-short", getcwd_short, 0, 0 },
	{ "pipe", pipe_ends, 0, 0 },
	{ "pipe2", pipe2_ends, 0, 0 },
	{ "getxattr", getxattr_value, 0, 0 },
	{ "getxattr-size", getxattr_size, 0, 1 },
	{ "getxattr-short", getxattr_short, 0, 0 },
	{ "lgetxattr", lgetxattr_value, 0, 0 },
	{ "fgetxattr", fgetxattr_value, 0, 0 },
	{ "listxattr", listxattr_all, 0, 0 },
	{ "flistxattr", flistxattr_all, 0, 0 },
	{ "getxattrat", getxattrat_value, 0, 0 },
	{ "listxattrat", listxattrat_all, 0, 0 },
	{ "file_getattr", file_getattr_longer, 1, 0 },
	{ "cachestat", cachestat_file, 0, 0 },
	{ "statmount", statmount_root, 1, 0 },
	{ "listmount", listmount_root, 1, 0 },
	{ "name_to_handle_at", handle_of_file, 1, 0 },
	{ "name_to_handle_at-short", handle_too_short, 1, 0 },
	{ "name_to_handle_at-unique", handle_unique_mount, 1, 0 },
	{ "sysfs", sysfs_name, 0, 0 },
	{ "poll", poll_ready, 0, 0 },
	{ "poll-timeout", poll_timeout, 0, 0 },
	{ "poll-interrupted", poll_interrupted, 0, 0 },
	{ "ppoll", ppoll_ready, 0, 0 },
	{ "ppoll-interrupted", ppoll_interrupted, 0, 0 },
	{ "select", select_ready, 0, 0 },
	{ "select-timeout", select_timeout, 0, 0 },
	{ "select-bad", select_bad, 0, 0 },
	{ "pselect6", pselect_ready, 0, 0 },
	{ "pselect6-interrupted", pselect_interrupted, 0, 0 },
	{ "epoll_wait", epoll_wait_some, 0, 0 },
	{ "epoll_wait-short", epoll_wait_short, 0, 0 },
	{ "epoll_pwait", epoll_pwait_some, 0, 0 },
	{ "epoll_pwait2", epoll_pwait2_some, 0, 0 },
	{ "timerfd_settime", timerfd_settime_old, 0, 0 },
	{ "timerfd_gettime", timerfd_gettime_rest, 0, 0 },
	{ "fcntl-getlk", fcntl_getlk, 0, 0 },
	{ "fcntl-ofd-getlk", fcntl_ofd_getlk, 0, 0 },
	{ "fcntl-getown-ex", fcntl_getown_ex, 0, 0 },
	{ "fcntl-rw-hint", fcntl_rw_hint, 1, 0 },
	{ "fcntl-owner-uids", fcntl_owner_uids, 1, 0 },
	{ "fcntl-getfl", fcntl_getfl, 0, 1 },
	{ "write", write_file, 0, 1 },
	{ NULL, NULL, 0, 0 },
};
