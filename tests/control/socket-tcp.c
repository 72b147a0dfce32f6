/* A TCP server over loopback with a thread for each connection, and clients in threads: accept, connect, read, write block. */
#include "check.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#define CLIENTS 4
static int listener;
static struct sockaddr_in address = { .sin_family = AF_INET };

static void *serves(void *argument)
{
	int connection = (int)(long)argument, value;
	while (recv(connection, &value, sizeof(value), MSG_WAITALL) == sizeof(value)) {
		value *= 3;
		CHECK(write(connection, &value, sizeof(value)) == sizeof(value));
	}
	CHECK(close(connection) == 0);
	return NULL;
}

static void *accepts(void *argument)
{
	pthread_t threads[CLIENTS];
	for (int i = 0; i < CLIENTS; i++) {
		struct sockaddr_in peer;
		socklen_t size = sizeof(peer);
		int connection = accept(listener, (struct sockaddr *)&peer, &size);
		CHECK(connection >= 0 && peer.sin_addr.s_addr == htonl(INADDR_LOOPBACK) && peer.sin_port != 0);
		threads[i] = start(serves, (void *)(long)connection);
	}
	for (int i = 0; i < CLIENTS; i++)
		finish(threads[i]);
	return argument;
}

static void *asks(void *argument)
{
	long sum = 0;
	int connection = socket(AF_INET, SOCK_STREAM, 0), one = 1;
	CHECK(connection >= 0);
	CHECK(setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) == 0);
	CHECK(connect(connection, (struct sockaddr *)&address, sizeof(address)) == 0);
	for (int i = 0; i < 10; i++) {
		int value = (int)(long)argument * 10 + i;
		CHECK(write(connection, &value, sizeof(value)) == sizeof(value));
		CHECK(recv(connection, &value, sizeof(value), MSG_WAITALL) == sizeof(value));
		sum += value;
	}
	CHECK(close(connection) == 0);
	return (void *)sum;
}

int main(void)
{
	socklen_t size = sizeof(address);
	listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(listener >= 0 && bind(listener, (struct sockaddr *)&address, sizeof(address)) == 0);
	CHECK(listen(listener, 8) == 0 && getsockname(listener, (struct sockaddr *)&address, &size) == 0);
	pthread_t server = start(accepts, NULL), clients[CLIENTS];
	long sum = 0;
	for (long i = 0; i < CLIENTS; i++)
		clients[i] = start(asks, (void *)i);
	for (int i = 0; i < CLIENTS; i++)
		sum += (long)finish(clients[i]);
	finish(server);
	CHECK(close(listener) == 0);
	/* Nobody listens there any more. */
	int connection = socket(AF_INET, SOCK_STREAM, 0);
	CHECK(connect(connection, (struct sockaddr *)&address, sizeof(address)) == -1 && errno == ECONNREFUSED);
	printf("sum %ld\n", sum);
	return 0;
}
/*
 * expect: sum 2340
 */
