/* own_socket.c: see own_socket.h. */
#include "world/kernel/own_socket.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "rt/sys.h"
#include "world/kernel/descriptor.h"
#include "world/world.h"

/* Numbers that are looked at, as far as they are used: the kernel gives the lowest free one. */
#define NUMBERS 1024
#define GAP 64

union address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_un un;
	struct sockaddr_storage room;
};

/* Returns its size; 0: it has none. */
static uint32_t name_of(int fd, union address *name, bool is_peer)
{
	uint32_t size = sizeof *name;
	memset(name, 0, sizeof *name);
	const long result = sys_call(is_peer ? SYS_getpeername : SYS_getsockname, fd, (long)name, (long)&size, 0, 0, 0);
	return result < 0 || size > sizeof *name ? 0 : size;
}

static bool is_listening(int fd)
{
	int value = 0;
	uint32_t size = sizeof value;
	return sys_call(SYS_getsockopt, fd, SOL_SOCKET, SO_ACCEPTCONN, (long)&value, (long)&size, 0) == 0 && value;
}

/* Whether who connects to the address comes to the one that is bound. */
static bool leads_to(const union address *to, uint32_t to_size, const union address *bound, uint32_t bound_size)
{
	static const struct in6_addr nowhere;
	if (to->any.sa_family != bound->any.sa_family)
		return false;
	switch (to->any.sa_family) {
	case AF_INET:
		return to->in.sin_port == bound->in.sin_port &&
		       (bound->in.sin_addr.s_addr == INADDR_ANY || to->in.sin_addr.s_addr == bound->in.sin_addr.s_addr);
	case AF_INET6:
		return to->in6.sin6_port == bound->in6.sin6_port &&
		       (memcmp(&bound->in6.sin6_addr, &nowhere, sizeof nowhere) == 0 ||
			memcmp(&to->in6.sin6_addr, &bound->in6.sin6_addr, sizeof nowhere) == 0);
	case AF_UNIX:
		return to_size == bound_size && to_size > sizeof to->any.sa_family && memcmp(to, bound, to_size) == 0;
	default:
		return false;
	}
}

/* The next socket of the program that is not this one, from that number on; -1: there is none. */
static int next_socket(int fd, int but)
{
	for (int gap = 0; fd < NUMBERS && gap < GAP; fd++, gap++) {
		if (fd == but || descriptor_is_ours(fd))
			continue;
		if (descriptor_is_socket(fd))
			return fd;
		if (descriptor_is_plain(fd) || descriptor_is_stream(fd))
			gap = 0;
	}
	return -1;
}

void own_socket_connected(int fd, const struct sockaddr *to, uint64_t size)
{
	union address address = { 0 }, bound;
	if (world.is_replaying || !to || size < sizeof to->sa_family || size > sizeof address)
		return;
	memcpy(&address, to, size);
	for (int other = next_socket(0, fd); other >= 0; other = next_socket(other + 1, fd)) {
		const uint32_t bound_size = name_of(other, &bound, false);
		if (!bound_size || !is_listening(other) || !leads_to(&address, (uint32_t)size, &bound, bound_size))
			continue;
		descriptor_set_own(fd);
		return;
	}
}

void own_socket_accepted(int fd)
{
	union address peer, name;
	const uint32_t size = world.is_replaying ? 0 : name_of(fd, &peer, true);
	if (size <= sizeof peer.any.sa_family) {
		struct ucred maker = { 0 };
		uint32_t room = sizeof maker;
		/* A local socket without a name: who made it says as much. */
		if (size && sys_call(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, (long)&maker, (long)&room, 0) == 0 &&
		    maker.pid == sys_call(SYS_getpid, 0, 0, 0, 0, 0, 0))
			descriptor_set_own(fd);
		return;
	}
	for (int other = next_socket(0, fd); other >= 0; other = next_socket(other + 1, fd))
		if (name_of(other, &name, false) == size && memcmp(&name, &peer, size) == 0) {
			descriptor_set_own(fd);
			descriptor_set_own(other);
			return;
		}
}
