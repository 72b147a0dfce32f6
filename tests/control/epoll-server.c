/* An event loop over TCP: one thread with epoll and nonblocking sockets serves six blocking clients. */
#include "check.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#define CLIENTS 6
static struct sockaddr_in address = { .sin_family = AF_INET };

static void *asks(void *argument)
{
	int connection = socket(AF_INET, SOCK_STREAM, 0);
	long sum = 0;
	CHECK(connect(connection, (struct sockaddr *)&address, sizeof(address)) == 0);
	for (int i = 0; i < 5; i++) {
		unsigned char byte = (unsigned char)((long)argument + i);
		CHECK(send(connection, &byte, 1, 0) == 1 && recv(connection, &byte, 1, 0) == 1);
		sum += byte;
	}
	close(connection);
	return (void *)sum;
}

int main(void)
{
	socklen_t size = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), set = epoll_create1(0), closed = 0;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(bind(listener, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(listener, 10) == 0);
	CHECK(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
	struct epoll_event what = { .events = EPOLLIN, .data.fd = listener }, got[8];
	CHECK(epoll_ctl(set, EPOLL_CTL_ADD, listener, &what) == 0);
	pthread_t threads[CLIENTS];
	for (long i = 0; i < CLIENTS; i++)
		threads[i] = start(asks, (void *)i);
	while (closed < CLIENTS) {
		int count = epoll_wait(set, got, 8, -1);
		CHECK(count > 0);
		for (int i = 0; i < count; i++) {
			int from = got[i].data.fd;
			if (from == listener) {
				int connection = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
				CHECK(connection >= 0);
				what = (struct epoll_event){ .events = EPOLLIN, .data.fd = connection };
				CHECK(epoll_ctl(set, EPOLL_CTL_ADD, connection, &what) == 0);
				continue;
			}
			unsigned char buffer[16];
			ssize_t bytes = recv(from, buffer, sizeof(buffer), 0);
			if (bytes == 0) {
				CHECK(close(from) == 0);
				closed++;
				continue;
			}
			CHECK(bytes > 0);
			for (ssize_t n = 0; n < bytes; n++)
				buffer[n] = (unsigned char)(buffer[n] * 2);
			CHECK(send(from, buffer, (size_t)bytes, 0) == bytes);
		}
	}
	long sum = 0;
	for (int i = 0; i < CLIENTS; i++)
		sum += (long)finish(threads[i]);
	printf("sum %ld\n", sum);
	return 0;
}
/*
 * expect: sum 270
 */
