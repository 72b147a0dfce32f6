/*
 * calls_socket.c: the memory that calls on sockets write. The kernel returns the full length of an address, even when
 * it is longer than the room for it; so the room must be read before the call. tests/unit/calls.t asks the kernel.
 */
#include <errno.h>
#include <linux/filter.h>
#include <sys/socket.h>
#include <time.h>

#include "world/kernel/calls_priv.h"

/* Linux cuts the length of a vector of messages to this. */
#define MESSAGES_MAX 1024u
/* No address is longer (struct sockaddr_storage). */
#define ADDRESS_MAX 128u

static bool is_socket_filter(const uint64_t arguments[6])
{
	return (int)arguments[1] == SOL_SOCKET && (int)arguments[2] == SO_GET_FILTER;
}

void message_lengths(long number, const uint64_t arguments[6], struct call_lengths *before)
{
	const void *at = (const void *)(uintptr_t)arguments[1];
	if (!at)
		return;
	if (number == SYS_recvmsg) {
		const struct msghdr *message = at;
		before->length = message->msg_namelen;
		before->control_length = message->msg_controllen;
		return;
	}
	const struct mmsghdr *messages = at;
	for (size_t i = 0; i < smaller((uint32_t)arguments[2], CALL_NAME_LENGTHS); i++)
		before->names[i] = (uint8_t)smaller(messages[i].msg_hdr.msg_namelen, ADDRESS_MAX);
}

/* An address, and before it its length. */
static void address(const struct outputs *outputs, void *at, socklen_t *length, size_t room)
{
	if (!length)
		return;
	piece(outputs, length, sizeof *length);
	piece(outputs, at, smaller(*length, room));
}

static void message(const struct outputs *outputs, struct msghdr *header, size_t received, size_t name_room,
		    size_t control_room)
{
	if (header->msg_name)
		piece(outputs, &header->msg_namelen, sizeof header->msg_namelen);
	piece(outputs, &header->msg_controllen, sizeof header->msg_controllen);
	piece(outputs, &header->msg_flags, sizeof header->msg_flags);
	piece(outputs, header->msg_name, smaller(header->msg_namelen, name_room));
	piece(outputs, header->msg_control, smaller(header->msg_controllen, control_room));
	scattered(outputs, header->msg_iov, header->msg_iovlen, received);
}

static void messages_received(const struct outputs *outputs)
{
	struct mmsghdr *messages = pointer(outputs, 1);
	size_t count = smaller((size_t)outputs->result, smaller((uint32_t)outputs->arguments[2], MESSAGES_MAX));
	for (size_t i = 0; i < count; i++) {
		piece(outputs, &messages[i].msg_len, sizeof messages[i].msg_len);
		message(outputs, &messages[i].msg_hdr, messages[i].msg_len,
			i < CALL_NAME_LENGTHS ? outputs->before->names[i] : ADDRESS_MAX, SIZE_MAX);
	}
	if (count)
		fixed(outputs, 4, sizeof(struct timespec));
}

static void messages_sent(const struct outputs *outputs)
{
	struct mmsghdr *messages = pointer(outputs, 1);
	size_t count = smaller((size_t)outputs->result, smaller((uint32_t)outputs->arguments[2], MESSAGES_MAX));
	for (size_t i = 0; i < count; i++)
		piece(outputs, &messages[i].msg_len, sizeof messages[i].msg_len);
}

static void option(const struct outputs *outputs)
{
	const uint32_t *length = pointer(outputs, 4);
	/* ERANGE: there was too little room, and the length says how much is needed. */
	if (outputs->result < 0 && outputs->result != -ERANGE)
		return;
	fixed(outputs, 4, sizeof *length);
	if (outputs->result < 0 || !length)
		return;
	size_t size = smaller(*length, outputs->before->length);
	fixed(outputs, 3, is_socket_filter(outputs->arguments) ? size * sizeof(struct sock_filter) : size);
}

bool socket_outputs(long number, const struct outputs *outputs)
{
	const struct call_lengths *before = outputs->before;
	struct msghdr *header;

	if (number == SYS_getsockopt) {
		option(outputs);
		return true;
	}
	if (outputs->result < 0)
		return false;
	switch (number) {
	case SYS_accept:
	case SYS_accept4:
		if (outputs->arguments[1])
			address(outputs, pointer(outputs, 1), pointer(outputs, 2), before->length);
		return true;
	case SYS_getsockname:
	case SYS_getpeername:
		address(outputs, pointer(outputs, 1), pointer(outputs, 2), before->length);
		return true;
	case SYS_socketpair:
		fixed(outputs, 3, 2 * sizeof(int));
		return true;
	case SYS_recvfrom:
		fixed(outputs, 1, smaller((size_t)outputs->result, outputs->arguments[2]));
		if (outputs->arguments[4])
			address(outputs, pointer(outputs, 4), pointer(outputs, 5), before->length);
		return true;
	case SYS_recvmsg:
		header = pointer(outputs, 1);
		message(outputs, header, (size_t)outputs->result, before->length, before->control_length);
		return true;
	case SYS_recvmmsg:
		messages_received(outputs);
		return true;
	case SYS_sendmmsg:
		messages_sent(outputs);
		return true;
	}
	return false;
}
