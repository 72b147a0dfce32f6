/* Four megabytes over a TCP connection in both directions at once; buffers fill and both sides block in turn. */
#include "check.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#define SIZE (4 << 20)
static int ends[2];

static void *sends(void *argument)
{
	int end = *(int *)argument;
	static const char block[100000] = "block";
	for (size_t left = SIZE; left > 0;) {
		ssize_t wrote = send(end, block, left < sizeof(block) ? left : sizeof(block), 0);
		CHECK(wrote > 0);
		left -= (size_t)wrote;
	}
	CHECK(shutdown(end, SHUT_WR) == 0);
	return NULL;
}

static void *receives(void *argument)
{
	int end = *(int *)argument;
	char *block = malloc(70000);
	long total = 0;
	ssize_t got;
	while ((got = recv(end, block, 70000, 0)) > 0)
		total += got;
	CHECK(got == 0);
	free(block);
	return (void *)total;
}

int main(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	CHECK(bind(listener, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(listener, 1) == 0);
	CHECK(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
	ends[0] = socket(AF_INET, SOCK_STREAM, 0);
	CHECK(connect(ends[0], (struct sockaddr *)&address, sizeof(address)) == 0);
	ends[1] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	CHECK(ends[1] >= 0);
	pthread_t threads[4] = { start(sends, &ends[0]), start(sends, &ends[1]), start(receives, &ends[0]),
				 start(receives, &ends[1]) };
	finish(threads[0]);
	finish(threads[1]);
	long a = (long)finish(threads[2]), b = (long)finish(threads[3]);
	printf("%ld %ld\n", a, b);
	return 0;
}
/*
 * expect: 4194304 4194304
 * timing: how much fits into the buffers of the kernel
 */
