/* calls_test_sockets.c: cases for calls_test.c: sockets, interfaces and terminals. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "calls_test.h"

/* clang-format off */

static void *number_in_room(struct trial *trial, uint32_t number)
{
	return room_with(trial, &number, 4);
}

static int bound(int type, struct sockaddr_in *address)
{
	socklen_t length = sizeof *address;
	int fd = socket(AF_INET, type, 0);
	*address = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	if (bind(fd, (void *)address, length) || getsockname(fd, (void *)address, &length))
		abort();
	return fd;
}

static int knocked_on(void)
{
	struct sockaddr_in address;
	int fd = bound(SOCK_STREAM, &address);
	listen(fd, 5);
	if (connect(socket(AF_INET, SOCK_STREAM, 0), (void *)&address, sizeof address))
		abort();
	return fd;
}

static int knocked_on_unix(void)
{
	struct sockaddr_un ours = { .sun_family = AF_UNIX }, theirs = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), other = socket(AF_UNIX, SOCK_STREAM, 0);
	strcpy(ours.sun_path, "server");
	strcpy(theirs.sun_path, "a-client-with-a-rather-long-name");
	unlink(ours.sun_path);
	unlink(theirs.sun_path);
	if (bind(fd, (void *)&ours, sizeof ours) || listen(fd, 5) || bind(other, (void *)&theirs, sizeof theirs) ||
	    connect(other, (void *)&ours, sizeof ours))
		abort();
	return fd;
}

CASE(accept_inet) { CALL3(SYS_accept, knocked_on(), room(trial, 16), number_in_room(trial, 16)); }
CASE(accept_roomy) { CALL3(SYS_accept, knocked_on(), room(trial, 128), number_in_room(trial, 128)); }
CASE(accept_short) { CALL3(SYS_accept, knocked_on(), room(trial, 5), number_in_room(trial, 5)); }
CASE(accept_no_address) { CALL3(SYS_accept, knocked_on(), 0, number_in_room(trial, 16)); }
CASE(accept_unix_short) { CALL3(SYS_accept, knocked_on_unix(), room(trial, 16), number_in_room(trial, 16)); }
CASE(accept4_unix)
{
	CALL4(SYS_accept4, knocked_on_unix(), room(trial, 110), number_in_room(trial, 110), SOCK_CLOEXEC);
}
CASE(getsockname_inet) { CALL3(SYS_getsockname, knocked_on(), room(trial, 64), number_in_room(trial, 64)); }
CASE(getsockname_short) { CALL3(SYS_getsockname, knocked_on_unix(), room(trial, 3), number_in_room(trial, 3)); }
CASE(getsockname_length_only) { CALL3(SYS_getsockname, knocked_on(), 0, number_in_room(trial, 0)); }
CASE(getpeername_unix)
{
	CALL3(SYS_getpeername, accept(knocked_on_unix(), NULL, NULL), room(trial, 110), number_in_room(trial, 110));
}
CASE(socketpair_ends) { CALL4(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, room(trial, 8)); }

static void option(struct trial *trial, int fd, int level, int name, size_t size)
{
	void *length = number_in_room(trial, (uint32_t)size);
	CALL5(SYS_getsockopt, fd, level, name, room(trial, size), length);
}
CASE(option_int) { option(trial, knocked_on(), SOL_SOCKET, SO_RCVBUF, 4); }
CASE(option_roomy) { option(trial, knocked_on(), SOL_SOCKET, SO_TYPE, 100); }
CASE(option_short) { option(trial, knocked_on(), SOL_SOCKET, SO_RCVBUF, 2); }
CASE(option_linger) { option(trial, knocked_on(), SOL_SOCKET, SO_LINGER, 8); }
CASE(option_time) { option(trial, knocked_on(), SOL_SOCKET, SO_RCVTIMEO, 16); }
CASE(option_credentials) { option(trial, accept(knocked_on_unix(), NULL, NULL), SOL_SOCKET, SO_PEERCRED, 12); }
CASE(option_groups)
{
	gid_t groups[3] = { 1, 2, 3 };
	if (syscall(SYS_setgroups, 3, groups))
		return IMPOSSIBLE;
	option(trial, accept(knocked_on_unix(), NULL, NULL), SOL_SOCKET, 59 /* SO_PEERGROUPS */, 4);
	must_fail(trial, ERANGE);
}
CASE(option_tcp_info) { option(trial, accept(knocked_on(), NULL, NULL), IPPROTO_TCP, TCP_INFO, 400); }
CASE(option_tcp_info_short) { option(trial, accept(knocked_on(), NULL, NULL), IPPROTO_TCP, TCP_INFO, 50); }
CASE(option_congestion) { option(trial, knocked_on(), IPPROTO_TCP, TCP_CONGESTION, 16); }
CASE(option_ip) { option(trial, knocked_on(), IPPROTO_IP, IP_TOS, 4); }
CASE(option_filter)
{
	struct sock_filter code[2] = { { 0x06, 0, 0, 0xffff }, { 0x06, 0, 0, 0 } };
	struct sock_fprog program = { 2, code };
	int fd = knocked_on();
	setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
	void *count = number_in_room(trial, 2);
	CALL5(SYS_getsockopt, fd, SOL_SOCKET, SO_GET_FILTER, room(trial, sizeof code), count);
}

static int with_datagrams(int count)
{
	struct sockaddr_in address, from;
	int fd = bound(SOCK_DGRAM, &address), sender = bound(SOCK_DGRAM, &from), on = 1;
	setsockopt(fd, SOL_SOCKET, SO_TIMESTAMP, &on, sizeof on);
	for (int i = 0; i < count; i++)
		if (sendto(sender, "a datagram of 27 characters", (size_t)(27 - i), 0, (void *)&address, sizeof address) < 0)
			abort();
	return fd;
}
static int with_bytes(void)
{
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || write(ends[1], "bytes", 5) != 5)
		abort();
	return ends[0];
}
/* With a descriptor beside the bytes. */
static int with_rights(void)
{
	int ends[2];
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(8)];
	} control = { .header = { CMSG_LEN(8), SOL_SOCKET, SCM_RIGHTS } };
	struct iovec part = { (void *)"bytes", 5 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
				  .msg_controllen = sizeof control };
	memcpy(CMSG_DATA(&control.header), (int[]){ 1, 2 }, 8);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || sendmsg(ends[1], &message, 0) < 0)
		abort();
	return ends[0];
}

CASE(recvfrom_address)
{
	CALL6(SYS_recvfrom, with_datagrams(1), room(trial, 100), 100, 0, room(trial, 16), number_in_room(trial, 16));
}
CASE(recvfrom_short_address)
{
	CALL6(SYS_recvfrom, with_datagrams(1), room(trial, 100), 100, 0, room(trial, 7), number_in_room(trial, 7));
}
CASE(recvfrom_no_address) { CALL6(SYS_recvfrom, with_datagrams(1), room(trial, 100), 100, 0, 0, 0); }
CASE(recvfrom_cut) { CALL6(SYS_recvfrom, with_datagrams(1), room(trial, 10), 10, MSG_TRUNC, 0, 0); }
CASE(recvfrom_stream)
{
	CALL6(SYS_recvfrom, with_bytes(), room(trial, 100), 100, 0, room(trial, 16), number_in_room(trial, 16));
}

static struct msghdr header(struct trial *trial, size_t name, size_t control, size_t first, size_t second)
{
	struct iovec parts[2] = { { room(trial, first), first }, { room(trial, second), second } };
	return (struct msghdr){
		.msg_name = name ? room(trial, name) : NULL,
		.msg_namelen = (socklen_t)name,
		.msg_control = control ? room(trial, control) : NULL,
		.msg_controllen = control,
		.msg_iov = room_with(trial, parts, sizeof parts),
		.msg_iovlen = 2,
	};
}
static void receive(struct trial *trial, int fd, struct msghdr message, int flags)
{
	CALL3(SYS_recvmsg, fd, room_with(trial, &message, sizeof message), flags);
}
CASE(recvmsg_all) { receive(trial, with_datagrams(1), header(trial, 16, 200, 10, 100), 0); }
CASE(recvmsg_roomy_name) { receive(trial, with_datagrams(1), header(trial, 128, 200, 10, 100), 0); }
CASE(recvmsg_short_name) { receive(trial, with_datagrams(1), header(trial, 3, 0, 10, 100), 0); }
CASE(recvmsg_no_name) { receive(trial, with_datagrams(1), header(trial, 0, 0, 10, 100), 0); }
CASE(recvmsg_cut) { receive(trial, with_datagrams(1), header(trial, 16, 0, 3, 4), MSG_TRUNC); }
CASE(recvmsg_rights) { receive(trial, with_rights(), header(trial, 0, 100, 3, 100), 0); }
CASE(recvmsg_rights_cut) { receive(trial, with_rights(), header(trial, 0, 20, 3, 100), 0); }
CASE(recvmsg_none)
{
	struct sockaddr_in address;
	receive(trial, bound(SOCK_DGRAM, &address), header(trial, 16, 100, 10, 100), MSG_DONTWAIT);
	must_fail(trial, EAGAIN);
}
static void *headers(struct trial *trial, size_t name)
{
	struct mmsghdr messages[4];
	memset(messages, 0x33, sizeof messages);
	for (int i = 0; i < 4; i++)
		messages[i].msg_hdr = header(trial, name, 100, 5, 50);
	return room_with(trial, messages, sizeof messages);
}
CASE(recvmmsg_three)
{
	struct timespec time = { 10, 0 };
	CALL5(SYS_recvmmsg, with_datagrams(3), headers(trial, 16), 4, MSG_WAITFORONE, room_with(trial, &time, sizeof time));
}
CASE(recvmmsg_short_names) { CALL5(SYS_recvmmsg, with_datagrams(4), headers(trial, 5), 4, 0, 0); }
CASE(sendmmsg_two)
{
	struct mmsghdr messages[2] = { { .msg_hdr = header(trial, 0, 0, 3, 4) }, { .msg_hdr = header(trial, 0, 0, 5, 6) } };
	messages[0].msg_len = messages[1].msg_len = 0x33333333;
	CALL4(SYS_sendmmsg, with_bytes(), room_with(trial, messages, sizeof messages), 2, 0);
}

static int terminal(void)
{
	int fd = open("/dev/ptmx", O_RDWR | O_NOCTTY);
	if (fd >= 0) {
		ioctl(fd, TIOCSWINSZ, &(struct winsize){ 24, 80, 1, 2 });
		ioctl(fd, TIOCSPTLCK, &(int){ 0 });
	}
	return fd;
}
static void request(struct trial *trial, int fd, unsigned long number, size_t size)
{
	CALL3(SYS_ioctl, fd, number, room(trial, size));
}
CASE(ioctl_tcgets) { request(trial, terminal(), 0x5401, 36); }
CASE(ioctl_tcgets_file)
{
	request(trial, open("file", O_RDONLY), 0x5401, 36);
	must_fail(trial, ENOTTY);
}
CASE(ioctl_tcgeta) { request(trial, terminal(), 0x5405, 18); }
CASE(ioctl_tcgets2) { request(trial, terminal(), 0x802c542a, 44); }
CASE(ioctl_winsize) { request(trial, terminal(), TIOCGWINSZ, sizeof(struct winsize)); }
CASE(ioctl_ptn) { request(trial, terminal(), TIOCGPTN, 4); }
CASE(ioctl_getd) { request(trial, terminal(), TIOCGETD, 4); }
CASE(ioctl_outq) { request(trial, terminal(), TIOCOUTQ, 4); }
CASE(ioctl_lock_termios) { request(trial, terminal(), 0x5456, 36); }
CASE(ioctl_pgrp)
{
	setsid();
	int fd = terminal(), slave = ioctl(fd, TIOCGPTPEER, O_RDWR);
	if (ioctl(slave, TIOCSCTTY, 0))
		return IMPOSSIBLE;
	request(trial, slave, TIOCGPGRP, 4);
}
CASE(ioctl_sid)
{
	ioctl_pgrp(trial);
	setsid();
	request(trial, open("/dev/tty", O_RDWR), TIOCGSID, 4);
}
CASE(ioctl_nread) { request(trial, with_bytes(), FIONREAD, 4); }
CASE(ioctl_sock_outq) { request(trial, accept(knocked_on(), NULL, NULL), 0x5411, 4); }
CASE(ioctl_atmark) { request(trial, accept(knocked_on(), NULL, NULL), 0x8905, 4); }
CASE(ioctl_nonblock) { CALL3(SYS_ioctl, with_bytes(), FIONBIO, number_in_room(trial, 1)); }

static void interface(struct trial *trial, unsigned long number)
{
	struct ifreq request;
	memset(&request, 0x33, sizeof request);
	strcpy(request.ifr_name, "lo");
	if (number == 0x8910)
		request.ifr_ifindex = 1;
	CALL3(SYS_ioctl, socket(AF_INET, SOCK_DGRAM, 0), number, room_with(trial, &request, sizeof request));
}
CASE(ioctl_if_name) { interface(trial, 0x8910); }
CASE(ioctl_if_flags) { interface(trial, 0x8913); }
CASE(ioctl_if_address) { interface(trial, 0x8915); }
CASE(ioctl_if_mtu) { interface(trial, 0x8921); }
CASE(ioctl_if_hardware) { interface(trial, 0x8927); }
CASE(ioctl_if_index) { interface(trial, 0x8933); }
CASE(ioctl_if_map) { interface(trial, 0x8970); }
static void interfaces(struct trial *trial, size_t size)
{
	struct ifconf list = { .ifc_len = (int)size, .ifc_buf = size ? room(trial, size) : NULL };
	CALL3(SYS_ioctl, socket(AF_INET, SOCK_DGRAM, 0), 0x8912, room_with(trial, &list, sizeof list));
}
CASE(ioctl_if_list) { interfaces(trial, 400); }
CASE(ioctl_if_count) { interfaces(trial, 0); }
CASE(ioctl_if_list_short) { interfaces(trial, 50); }
CASE(ioctl_tun)
{
	struct ifreq name;
	memset(&name, 0x33, sizeof name);
	strcpy(name.ifr_name, "heddle%d");
	name.ifr_flags = 2;
	int fd = open("/dev/net/tun", O_RDWR);
	if (fd < 0)
		return IMPOSSIBLE;
	CALL3(SYS_ioctl, fd, 0x400454ca, room_with(trial, &name, sizeof name));
}

static int regular(void)
{
	return open("file", O_RDWR);
}
CASE(ioctl_flags) { request(trial, regular(), FS_IOC_GETFLAGS, 4); }
CASE(ioctl_version) { request(trial, regular(), FS_IOC_GETVERSION, 4); }
CASE(ioctl_block_size) { request(trial, regular(), FIGETBSZ, 4); }
CASE(ioctl_file_nread) { request(trial, regular(), FIONREAD, 4); }
CASE(ioctl_fsxattr) { request(trial, regular(), FS_IOC_FSGETXATTR, sizeof(struct fsxattr)); }
CASE(ioctl_extents)
{
	struct fiemap map = { .fm_length = ~0ul, .fm_extent_count = 4 };
	void *at = room(trial, sizeof map + 4 * sizeof(struct fiemap_extent));
	fsync(regular());
	CALL3(SYS_ioctl, regular(), FS_IOC_FIEMAP, memcpy(at, &map, sizeof map));
}
CASE(ioctl_extents_bad)
{
	struct fiemap map = { .fm_length = ~0ul, .fm_flags = 0x40000000 };
	CALL3(SYS_ioctl, regular(), FS_IOC_FIEMAP, room_with(trial, &map, sizeof map));
	must_fail(trial, EBADR);
}
CASE(ioctl_dedupe)
{
	struct file_dedupe_range range = { .src_length = 4096, .dest_count = 2 };
	struct file_dedupe_range_info info[2] = { { .dest_fd = regular(), .dest_offset = 4096 }, { .dest_fd = 999 } };
	char *at = room(trial, sizeof range + sizeof info);
	memcpy(at, &range, sizeof range);
	memcpy(at + sizeof range, info, sizeof info);
	CALL3(SYS_ioctl, regular(), FIDEDUPERANGE, at);
}
CASE(ioctl_disk_size)
{
	int fd = open("/dev/vda", O_RDONLY);
	if (fd < 0)
		return IMPOSSIBLE;
	request(trial, fd, BLKGETSIZE64, 8);
}

const struct test_case socket_cases[] = {
	{ "accept", accept_inet, 0, 0 },
	{ "accept-roomy", accept_roomy, 0, 0 },
	{ "accept-short", accept_short, 0, 0 },
	{ "accept-no-address", accept_no_address, 0, 1 },
	{ "accept-unix-short", accept_unix_short, 0, 0 },
	{ "accept4-unix", accept4_unix, 0, 0 },
	{ "getsockname", getsockname_inet, 0, 0 },
	{ "getsockname-short", getsockname_short, 0, 0 },
	{ "getsockname-length-only", getsockname_length_only, 0, 0 },
	{ "getpeername", getpeername_unix, 0, 0 },
	{ "socketpair", socketpair_ends, 0, 0 },
	{ "getsockopt", option_int, 0, 0 },
	{ "getsockopt-roomy", option_roomy, 0, 0 },
	{ "getsockopt-short", option_short, 0, 0 },
	{ "getsockopt-linger", option_linger, 0, 0 },
	{ "getsockopt-time", option_time, 0, 0 },
	{ "getsockopt-credentials", option_credentials, 0, 0 },
	{ "getsockopt-groups", option_groups, 1, 0 },
	{ "getsockopt-tcp-info", option_tcp_info, 0, 0 },
	{ "getsockopt-tcp-info-short", option_tcp_info_short, 0, 0 },
	{ "getsockopt-congestion", option_congestion, 0, 0 },
	{ "getsockopt-ip", option_ip, 0, 0 },
	{ "getsockopt-filter", option_filter, 0, 0 },
	{ "recvfrom", recvfrom_address, 0, 0 },
	{ "recvfrom-short-address", recvfrom_short_address, 0, 0 },
	{ "recvfrom-no-address", recvfrom_no_address, 0, 0 },
	{ "recvfrom-cut", recvfrom_cut, 0, 0 },
	{ "recvfrom-stream", recvfrom_stream, 0, 0 },
	{ "recvmsg", recvmsg_all, 0, 0 },
	{ "recvmsg-roomy-name", recvmsg_roomy_name, 0, 0 },
	{ "recvmsg-short-name", recvmsg_short_name, 0, 0 },
	{ "recvmsg-no-name", recvmsg_no_name, 0, 0 },
	{ "recvmsg-cut", recvmsg_cut, 0, 0 },
	{ "recvmsg-rights", recvmsg_rights, 0, 0 },
	{ "recvmsg-rights-cut", recvmsg_rights_cut, 0, 0 },
	{ "recvmsg-none", recvmsg_none, 0, 0 },
	{ "recvmmsg", recvmmsg_three, 0, 0 },
	{ "recvmmsg-short-names", recvmmsg_short_names, 0, 0 },
	{ "sendmmsg", sendmmsg_two, 0, 0 },
	{ "ioctl-TCGETS", ioctl_tcgets, 1, 0 },
	{ "ioctl-TCGETS-file", ioctl_tcgets_file, 0, 0 },
	{ "ioctl-TCGETA", ioctl_tcgeta, 1, 0 },
	{ "ioctl-TCGETS2", ioctl_tcgets2, 1, 0 },
	{ "ioctl-TIOCGWINSZ", ioctl_winsize, 1, 0 },
	{ "ioctl-TIOCGPTN", ioctl_ptn, 1, 0 },
	{ "ioctl-TIOCGETD", ioctl_getd, 1, 0 },
	{ "ioctl-TIOCOUTQ", ioctl_outq, 1, 0 },
	{ "ioctl-TIOCGLCKTRMIOS", ioctl_lock_termios, 1, 0 },
	{ "ioctl-TIOCGPGRP", ioctl_pgrp, 1, 0 },
	{ "ioctl-TIOCGSID", ioctl_sid, 1, 0 },
	{ "ioctl-FIONREAD", ioctl_nread, 0, 0 },
	{ "ioctl-SIOCOUTQ", ioctl_sock_outq, 0, 0 },
	{ "ioctl-SIOCATMARK", ioctl_atmark, 0, 0 },
	{ "ioctl-FIONBIO", ioctl_nonblock, 0, 1 },
	{ "ioctl-SIOCGIFNAME", ioctl_if_name, 1, 0 },
	{ "ioctl-SIOCGIFFLAGS", ioctl_if_flags, 1, 0 },
	{ "ioctl-SIOCGIFADDR", ioctl_if_address, 1, 0 },
	{ "ioctl-SIOCGIFMTU", ioctl_if_mtu, 1, 0 },
	{ "ioctl-SIOCGIFHWADDR", ioctl_if_hardware, 1, 0 },
	{ "ioctl-SIOCGIFINDEX", ioctl_if_index, 1, 0 },
	{ "ioctl-SIOCGIFMAP", ioctl_if_map, 1, 0 },
	{ "ioctl-SIOCGIFCONF", ioctl_if_list, 1, 0 },
	{ "ioctl-SIOCGIFCONF-count", ioctl_if_count, 1, 0 },
	{ "ioctl-SIOCGIFCONF-short", ioctl_if_list_short, 1, 0 },
	{ "ioctl-TUNSETIFF", ioctl_tun, 1, 0 },
	{ "ioctl-FS_IOC_GETFLAGS", ioctl_flags, 1, 0 },
	{ "ioctl-FS_IOC_GETVERSION", ioctl_version, 1, 0 },
	{ "ioctl-FIGETBSZ", ioctl_block_size, 1, 0 },
	{ "ioctl-FIONREAD-file", ioctl_file_nread, 0, 0 },
	{ "ioctl-FS_IOC_FSGETXATTR", ioctl_fsxattr, 1, 0 },
	{ "ioctl-FS_IOC_FIEMAP", ioctl_extents, 1, 0 },
	{ "ioctl-FS_IOC_FIEMAP-bad", ioctl_extents_bad, 1, 0 },
	{ "ioctl-FIDEDUPERANGE", ioctl_dedupe, 1, 0 },
	{ "ioctl-BLKGETSIZE64", ioctl_disk_size, 1, 0 },
	{ NULL, NULL, 0, 0 },
};
