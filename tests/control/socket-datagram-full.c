/* Datagrams to a socket whose queue is full: poll says that the sender can send, and yet it has to wait. By sendto and by
 * sendmsg; without waiting it is EAGAIN. */
#include "check.h"
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

#define MESSAGES 2000

static int receiver;

static void *receive(void *argument)
{
	char buffer[16];
	long sum = 0;
	for (int i = 0; i < MESSAGES; i++) {
		if (i % 500 == 0)
			usleep(100);
		ssize_t got = recv(receiver, buffer, sizeof(buffer), 0);
		CHECK(got == (i % 2 ? 3 : 2));
		sum += got;
	}
	*(long *)argument = sum;
	return NULL;
}

int main(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t size = sizeof(address);
	int sender = socket(AF_UNIX, SOCK_DGRAM, 0);
	receiver = socket(AF_UNIX, SOCK_DGRAM, 0);
	/* The kernel gives it a name of its own. */
	CHECK(bind(receiver, (struct sockaddr *)&address, sizeof(sa_family_t)) == 0);
	CHECK(getsockname(receiver, (struct sockaddr *)&address, &size) == 0);

	int fits = 0;
	char byte;
	while (sendto(sender, "x", 1, MSG_DONTWAIT, (struct sockaddr *)&address, size) == 1)
		fits++;
	CHECK(errno == EAGAIN && fits > 0 && fits < MESSAGES);
	for (int i = 0; i < fits; i++)
		CHECK(recv(receiver, &byte, 1, 0) == 1);

	long sum = 0;
	pthread_t thread = start(receive, &sum);
	struct iovec part = { (char[]){ "abc" }, 3 };
	struct msghdr message = { .msg_name = &address, .msg_namelen = size, .msg_iov = &part, .msg_iovlen = 1 };
	for (int i = 0; i < MESSAGES; i++)
		if (i % 2)
			CHECK(sendmsg(sender, &message, 0) == 3);
		else
			CHECK(sendto(sender, "ab", 2, 0, (struct sockaddr *)&address, size) == 2);
	finish(thread);
	printf("%ld bytes\n", sum);
	return 0;
}
/*
 * expect: 5000 bytes
 */
