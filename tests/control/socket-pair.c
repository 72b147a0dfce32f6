/* Socket pairs between threads: streams, datagrams, packets, shutdown, peeking, and a descriptor sent along. */
#include "check.h"
#include <sys/socket.h>

static void *echoes(void *argument)
{
	int end = *(int *)argument;
	char buffer[1000];
	ssize_t got;
	while ((got = recv(end, buffer, sizeof(buffer), 0)) > 0)
		CHECK(send(end, buffer, (size_t)got, 0) == got);
	CHECK(got == 0);
	return NULL;
}

static void send_descriptor(int end, int descriptor)
{
	char byte = 'd', control[CMSG_SPACE(sizeof(int))];
	struct iovec part = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
	CHECK(sendmsg(end, &message, 0) == 1);
}

static int receive_descriptor(int end)
{
	char byte, control[CMSG_SPACE(sizeof(int))];
	int descriptor;
	struct iovec part = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
	};
	CHECK(recvmsg(end, &message, 0) == 1);
	memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
	return descriptor;
}

int main(void)
{
	int stream[2], datagram[2], ends[2];
	char buffer[100] = { 0 };
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, stream) == 0);
	CHECK(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, datagram) == 0);
	pthread_t thread = start(echoes, &stream[1]);
	int sum = 0;
	for (int i = 0; i < 20; i++) {
		int back = 0;
		CHECK(send(stream[0], &i, sizeof(i), 0) == sizeof(i));
		CHECK(recv(stream[0], &back, sizeof(back), MSG_WAITALL) == sizeof(back));
		sum += back;
	}
	CHECK(shutdown(stream[0], SHUT_WR) == 0);
	finish(thread);
	CHECK(send(datagram[0], "one", 3, 0) == 3 && send(datagram[0], "three", 5, 0) == 5);
	CHECK(recv(datagram[1], buffer, sizeof(buffer), MSG_PEEK) == 3);
	CHECK(recv(datagram[1], buffer, 2, MSG_TRUNC) == 3);
	CHECK(recv(datagram[1], buffer, sizeof(buffer), MSG_DONTWAIT) == 5);
	CHECK(recv(datagram[1], buffer, sizeof(buffer), MSG_DONTWAIT) == -1 && errno == EAGAIN);
	CHECK(pipe(ends) == 0 && write(ends[1], "through", 7) == 7);
	send_descriptor(datagram[0], ends[0]);
	int received = receive_descriptor(datagram[1]);
	CHECK(received != ends[0] && read(received, buffer, 7) == 7);
	printf("sum %d %.7s\n", sum, buffer);
	return 0;
}
/*
 * expect: sum 190 through
 */
