/* Datagrams over loopback between threads, with time-outs of the socket, and names of hosts and ports resolved. */
#include "check.h"
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

static int server;

static void *serves(void *argument)
{
	for (int i = 0; i < 10; i++) {
		int value;
		struct sockaddr_in peer;
		socklen_t size = sizeof(peer);
		CHECK(recvfrom(server, &value, sizeof(value), 0, (struct sockaddr *)&peer, &size) == sizeof(value));
		value++;
		CHECK(sendto(server, &value, sizeof(value), 0, (struct sockaddr *)&peer, size) == sizeof(value));
	}
	return argument;
}

int main(void)
{
	struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICHOST }, *found;
	CHECK(getaddrinfo("127.0.0.1", "0", &hints, &found) == 0);
	server = socket(AF_INET, SOCK_DGRAM, 0);
	CHECK(bind(server, found->ai_addr, found->ai_addrlen) == 0);
	freeaddrinfo(found);
	struct sockaddr_in address;
	socklen_t size = sizeof(address);
	CHECK(getsockname(server, (struct sockaddr *)&address, &size) == 0);
	pthread_t thread = start(serves, NULL);
	int client = socket(AF_INET, SOCK_DGRAM, 0), sum = 0;
	CHECK(connect(client, (struct sockaddr *)&address, sizeof(address)) == 0);
	for (int i = 0; i < 10; i++) {
		int value = i;
		CHECK(send(client, &value, sizeof(value), 0) == sizeof(value));
		CHECK(recv(client, &value, sizeof(value), 0) == sizeof(value));
		sum += value;
	}
	finish(thread);
	struct timeval soon = { 0, 5000 };
	CHECK(setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon)) == 0);
	long long before = now_ns(CLOCK_MONOTONIC);
	CHECK(recv(client, &sum, sizeof(sum), 0) == -1 && errno == EAGAIN);
	CHECK(now_ns(CLOCK_MONOTONIC) - before >= 4000000);
	printf("sum %d\n", sum);
	return 0;
}
/*
 * expect: sum 55
 */
