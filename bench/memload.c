/*
 * memload.c: a fixed load for a memcached on this machine. Each of the connections has a thread and keys of its own,
 * so what the server must answer is known whatever the interleaving; every answer is checked. Prints one line with the
 * number of operations and a checksum of the answers, the same in each run; exits 1 at the first wrong answer.
 *
 *   memload PORT CONNECTIONS OPERATIONS [quit]
 *
 * OPERATIONS is per connection. With "quit" the server is told to end (it must run with -A).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define KEYS 512
#define VALUE_MAX 1800
#define BATCH 8

struct connection {
	pthread_t thread;
	int number;
	int fd;
	long operations;
	uint64_t random;
	uint64_t checksum;
	/* What the server must have: the version of each key's value; 0: not there. */
	uint32_t version[KEYS];
	uint64_t counter;
	char request[BATCH * (VALUE_MAX + 128)];
	size_t request_size;
	char expected[BATCH * (VALUE_MAX + 128)];
	size_t expected_size;
};

static int port;

static void die(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	fputs("memload: ", stderr);
	vfprintf(stderr, format, list);
	fputs("\n", stderr);
	va_end(list);
	exit(1);
}

static int open_connection(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	/* The server may still be starting: 20 seconds. */
	for (int i = 0; i < 1000; i++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0) {
			int one = 1;
			setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
			return fd;
		}
		if (fd >= 0)
			close(fd);
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	}
	die("nobody listens on port %d", port);
	return -1;
}

static uint64_t next_random(struct connection *c)
{
	c->random ^= c->random << 13;
	c->random ^= c->random >> 7;
	c->random ^= c->random << 17;
	return c->random;
}

__attribute__((format(printf, 2, 3))) static void request(struct connection *c, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	c->request_size += (size_t)vsnprintf(c->request + c->request_size, sizeof c->request - c->request_size, format, list);
	va_end(list);
}

__attribute__((format(printf, 2, 3))) static void expect(struct connection *c, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	c->expected_size +=
		(size_t)vsnprintf(c->expected + c->expected_size, sizeof c->expected - c->expected_size, format, list);
	va_end(list);
}

/* The value follows from key and version alone. */
static size_t make_value(const struct connection *c, unsigned key, char *value)
{
	uint32_t seed = (uint32_t)(c->number * 7919 + 1) * 2654435761u ^ key * 40503u ^ c->version[key] * 69069u;
	size_t size = 16 + seed % (VALUE_MAX - 16);
	for (size_t i = 0; i < size; i++) {
		seed = seed * 1664525u + 1013904223u;
		value[i] = (char)('a' + (seed >> 24) % 26);
	}
	value[size] = '\0';
	return size;
}

static void add_operation(struct connection *c)
{
	char value[VALUE_MAX + 1];
	uint64_t choice = next_random(c);
	unsigned key = (unsigned)(choice >> 8) % KEYS;
	switch (choice % 16) {
	case 0:
		request(c, "delete k%d.%u\r\n", c->number, key);
		expect(c, c->version[key] ? "DELETED\r\n" : "NOT_FOUND\r\n");
		c->version[key] = 0;
		break;
	case 1:
		request(c, "incr n%d 3\r\n", c->number);
		c->counter += 3;
		expect(c, "%" PRIu64 "\r\n", c->counter);
		break;
	case 2:
	case 3:
	case 4:
	case 5: {
		c->version[key] = (uint32_t)(choice >> 32) | 1;
		size_t size = make_value(c, key, value);
		request(c, "set k%d.%u 0 0 %zu\r\n%s\r\n", c->number, key, size, value);
		expect(c, "STORED\r\n");
		break;
	}
	default:
		request(c, "get k%d.%u\r\n", c->number, key);
		if (c->version[key]) {
			size_t size = make_value(c, key, value);
			expect(c, "VALUE k%d.%u 0 %zu\r\n%s\r\n", c->number, key, size, value);
		}
		expect(c, "END\r\n");
		break;
	}
}

/* Sends the batch, and reads and compares as many bytes as the answers must have. */
static void flush_batch(struct connection *c)
{
	for (size_t at = 0; at < c->request_size;) {
		ssize_t sent = send(c->fd, c->request + at, c->request_size - at, MSG_NOSIGNAL);
		if (sent < 0 && errno != EINTR)
			die("send: %s", strerror(errno));
		at += sent > 0 ? (size_t)sent : 0;
	}
	char answer[sizeof c->expected];
	for (size_t at = 0; at < c->expected_size;) {
		ssize_t got = recv(c->fd, answer + at, c->expected_size - at, 0);
		if (got == 0 || (got < 0 && errno != EINTR))
			die("the server closed the connection");
		at += got > 0 ? (size_t)got : 0;
	}
	if (memcmp(answer, c->expected, c->expected_size) != 0)
		die("connection %d: got \"%.*s\", want \"%.*s\"", c->number, (int)c->expected_size, answer,
		    (int)c->expected_size, c->expected);
	for (size_t i = 0; i < c->expected_size; i++)
		c->checksum = (c->checksum ^ (unsigned char)answer[i]) * 0x100000001b3u;
	c->request_size = c->expected_size = 0;
}

static void *run_connection(void *argument)
{
	struct connection *c = argument;
	c->fd = open_connection();
	request(c, "set n%d 0 0 1\r\n0\r\n", c->number);
	expect(c, "STORED\r\n");
	flush_batch(c);
	for (long i = 0; i < c->operations; i++) {
		add_operation(c);
		if (i % BATCH == BATCH - 1 || i == c->operations - 1)
			flush_batch(c);
	}
	close(c->fd);
	return NULL;
}

int main(int argc, char **argv)
{
	bool is_quit = argc == 5 && strcmp(argv[4], "quit") == 0;
	int connections = argc >= 4 ? atoi(argv[2]) : 0;
	long operations = argc >= 4 ? atol(argv[3]) : 0;
	if ((argc != 4 && !is_quit) || connections < 1 || connections > 64 || operations < 1) {
		fputs("usage: memload PORT CONNECTIONS OPERATIONS [quit]\n", stderr);
		return 2;
	}
	port = atoi(argv[1]);
	struct connection *all = calloc((size_t)connections, sizeof *all);
	for (int i = 0; i < connections; i++) {
		all[i].number = i;
		all[i].operations = operations;
		all[i].random = 0x9e3779b97f4a7c15u * (uint64_t)(i + 1);
		if (pthread_create(&all[i].thread, NULL, run_connection, &all[i]))
			die("cannot start a thread");
	}
	uint64_t checksum = 0;
	for (int i = 0; i < connections; i++) {
		pthread_join(all[i].thread, NULL);
		checksum = checksum * 31 + all[i].checksum;
	}
	if (is_quit) {
		int fd = open_connection();
		if (send(fd, "shutdown\r\n", 10, MSG_NOSIGNAL) != 10)
			die("cannot tell the server to end");
		/* It closes when it is on its way out. */
		char rest[64];
		while (recv(fd, rest, sizeof rest, 0) > 0)
			;
		close(fd);
	}
	printf("%ld operations, checksum %016" PRIx64 "\n", operations * connections, checksum);
	free(all);
	return 0;
}
