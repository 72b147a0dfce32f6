/* recv with MSG_PEEK and MSG_WAITALL, from TCP: waits for all bytes and leaves them, or for the end. */
#include "check.h"
#include <netinet/in.h>
#include <sys/socket.h>

static int ends[2];

static void *send_slowly(void *argument)
{
	char byte = 'x';
	for (int i = 0; i < 100; i++) {
		if (i % 25 == 0)
			usleep(100);
		CHECK(send(ends[1], &byte, 1, 0) == 1);
	}
	return argument;
}

static void connect_ends(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	CHECK(bind(listener, (struct sockaddr *)&address, size) == 0 && listen(listener, 1) == 0);
	CHECK(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
	ends[1] = socket(AF_INET, SOCK_STREAM, 0);
	CHECK(connect(ends[1], (struct sockaddr *)&address, size) == 0);
	ends[0] = accept(listener, NULL, NULL);
	CHECK(ends[0] >= 0 && close(listener) == 0);
}

int main(void)
{
	char buffer[100];
	connect_ends();
	pthread_t thread = start(send_slowly, NULL);
	printf("peeked %zd, ", recv(ends[0], buffer, 60, MSG_WAITALL | MSG_PEEK));
	CHECK(recv(ends[0], buffer, 60, MSG_WAITALL) == 60);
	finish(thread);
	CHECK(shutdown(ends[1], SHUT_WR) == 0);
	printf("at the end %zd\n", recv(ends[0], buffer, sizeof(buffer), MSG_WAITALL | MSG_PEEK));
	return 0;
}
/*
 * expect: peeked 60, at the end 40
 * timing: bytes through TCP arrive in real time
 */
