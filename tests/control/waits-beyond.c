/* Calls that wait although the descriptor is ready: for all bytes, for all messages, for room in somebody else's queue. */
#include "check.h"
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

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

static void all_bytes(void)
{
	char buffer[100];
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	pthread_t thread = start(send_slowly, NULL);
	printf("all %zd\n", recv(ends[0], buffer, sizeof(buffer), MSG_WAITALL));
	finish(thread);

	char first[30], second[70];
	struct iovec parts[2] = { { first, 30 }, { second, 70 } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	thread = start(send_slowly, NULL);
	printf("in parts %zd\n", recvmsg(ends[0], &message, MSG_WAITALL));
	finish(thread);
	CHECK(send(ends[1], "end", 3, 0) == 3 && shutdown(ends[1], SHUT_WR) == 0);
	printf("at the end %zd\n", recvmsg(ends[0], &message, MSG_WAITALL));
	close(ends[0]);
	close(ends[1]);
}

static void *send_two(void *argument)
{
	CHECK(send(ends[1], "one", 3, 0) == 3);
	usleep(100);
	CHECK(send(ends[1], "three", 5, 0) == 5);
	return argument;
}

static void all_messages(void)
{
	char first[8], second[8];
	struct iovec parts[2] = { { first, 8 }, { second, 8 } };
	struct mmsghdr messages[2] = { { .msg_hdr = { .msg_iov = &parts[0], .msg_iovlen = 1 } },
				       { .msg_hdr = { .msg_iov = &parts[1], .msg_iovlen = 1 } } };
	CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
	pthread_t thread = start(send_two, NULL);
	int count = recvmmsg(ends[0], messages, 2, 0, NULL);
	finish(thread);
	printf("messages %d: %u %u\n", count, messages[0].msg_len, messages[1].msg_len);
	close(ends[0]);
	close(ends[1]);
}

static void *drain(void *argument)
{
	char buffer[4096];
	long total = 0;
	ssize_t got;
	while ((got = read(ends[0], buffer, sizeof(buffer))) > 0)
		total += got;
	*(long *)argument = total;
	return NULL;
}

static void whole_file(void)
{
	char path[] = "/tmp/heddle-test-XXXXXX", block[4096] = { 0 };
	long total = 0;
	off_t offset = 0;
	int file = mkstemp(path);
	CHECK(file >= 0 && unlink(path) == 0);
	for (int i = 0; i < 512; i++)
		CHECK(write(file, block, sizeof(block)) == sizeof(block));
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	pthread_t thread = start(drain, &total);
	while (offset < 512 * 4096)
		CHECK(sendfile(ends[1], file, &offset, (size_t)(512 * 4096 - offset)) > 0);
	close(ends[1]);
	finish(thread);
	printf("file %ld\n", total);
	close(ends[0]);
	close(file);
}

static void *take_event(void *argument)
{
	uint64_t value;
	usleep(100);
	CHECK(read(ends[0], &value, sizeof(value)) == sizeof(value));
	*(uint64_t *)argument = value;
	return NULL;
}

static void full_counter(void)
{
	uint64_t most = UINT64_MAX - 1, taken = 0;
	ends[0] = eventfd(5, 0);
	pthread_t thread = start(take_event, &taken);
	CHECK(write(ends[0], &most, sizeof(most)) == sizeof(most));
	finish(thread);
	printf("counter %d\n", (int)taken);
	close(ends[0]);
}

static void *accept_all(void *argument)
{
	for (int i = 0; i < 4; i++) {
		usleep(100);
		int one = accept(*(int *)argument, NULL, NULL);
		CHECK(one >= 0 && close(one) == 0);
	}
	return NULL;
}

static void full_backlog(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), clients[4];
	/* The kernel gives it a name of its own. */
	CHECK(bind(listener, (struct sockaddr *)&address, sizeof(sa_family_t)) == 0 && listen(listener, 0) == 0);
	socklen_t size = sizeof(address);
	CHECK(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
	pthread_t thread = start(accept_all, &listener);
	for (int i = 0; i < 4; i++) {
		clients[i] = socket(AF_UNIX, SOCK_STREAM, 0);
		CHECK(connect(clients[i], (struct sockaddr *)&address, size) == 0);
	}
	finish(thread);
	for (int i = 0; i < 4; i++)
		close(clients[i]);
	close(listener);
	printf("connected 4\n");
}

int main(void)
{
	all_bytes();
	all_messages();
	whole_file();
	full_counter();
	full_backlog();
	return 0;
}
/*
 * expect: all 100
 * expect: in parts 100
 * expect: at the end 3
 * expect: messages 2: 3 5
 * expect: file 2097152
 * expect: counter 5
 * expect: connected 4
 */
