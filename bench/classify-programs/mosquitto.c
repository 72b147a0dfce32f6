/*
 * mosquitto.c: libmosquitto's threaded interface. A small broker in a thread of the same program sends each message back to the client that
 * published it. Two threads publish with the qualities of service 0, 1 and 2 while the library's own thread receives; the number of
 * messages and the sum of their payloads are printed.
 */
#include <arpa/inet.h>
#include <mosquitto.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PUBLISHERS 2
#define EACH 3

static int listener;
static struct mosquitto *client;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
/* Guarded by the lock. */
static int connected, subscribed, received, sum;

static void fail(const char *what)
{
	fprintf(stderr, "mosquitto driver: %s\n", what);
	_exit(9);
}

static int read_all(int fd, unsigned char *to, size_t size)
{
	while (size > 0) {
		ssize_t count = read(fd, to, size);
		if (count <= 0)
			return 0;
		to += count;
		size -= (size_t)count;
	}
	return 1;
}

static void write_all(int fd, const unsigned char *from, size_t size)
{
	if (write(fd, from, size) != (ssize_t)size)
		fail("the broker cannot write");
}

static void answer(int fd, unsigned char type, const unsigned char *id)
{
	unsigned char packet[] = { type, 2, id[0], id[1] };
	write_all(fd, packet, sizeof packet);
}

/* The message goes back with the same quality of service and the same number. */
static void take_message(int fd, unsigned char head, const unsigned char *body, unsigned char size)
{
	unsigned char packet[130] = { head, size };
	int quality = head >> 1 & 3;
	const unsigned char *id = body + 2 + body[0] * 256 + body[1];
	if (quality == 1)
		answer(fd, 0x40, id);
	else if (quality == 2)
		answer(fd, 0x50, id);
	memcpy(packet + 2, body, size);
	write_all(fd, packet, size + 2u);
}

static void *broker(void *unused)
{
	unsigned char head[2], body[128];
	int fd = accept(listener, NULL, NULL);
	if (fd < 0)
		fail("the broker cannot accept");
	/* Packets here have fewer than 128 bytes. */
	while (read_all(fd, head, 2) && head[1] < 128 && read_all(fd, body, head[1])) {
		switch (head[0] >> 4) {
		case 1: /* CONNECT */
			write_all(fd, (unsigned char[]){ 0x20, 2, 0, 0 }, 4);
			break;
		case 3: /* PUBLISH */
			take_message(fd, head[0], body, head[1]);
			break;
		case 5: /* PUBREC */
			answer(fd, 0x62, body);
			break;
		case 6: /* PUBREL */
			answer(fd, 0x70, body);
			break;
		case 8: /* SUBSCRIBE */
			write_all(fd, (unsigned char[]){ 0x90, 3, body[0], body[1], 2 }, 5);
			break;
		case 12: /* PINGREQ */
			write_all(fd, (unsigned char[]){ 0xd0, 0 }, 2);
			break;
		}
	}
	close(fd);
	return unused;
}

static void set(int *what)
{
	pthread_mutex_lock(&lock);
	*what = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void wait_for(const int *what, int least)
{
	pthread_mutex_lock(&lock);
	while (*what < least)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void on_connect(struct mosquitto *m, void *unused, int code)
{
	(void)m;
	(void)unused;
	if (code)
		fail("no connection");
	set(&connected);
}

static void on_subscribe(struct mosquitto *m, void *unused, int id, int count, const int *granted)
{
	(void)m;
	(void)unused;
	(void)id;
	(void)count;
	(void)granted;
	set(&subscribed);
}

static void on_message(struct mosquitto *m, void *unused, const struct mosquitto_message *message)
{
	(void)m;
	(void)unused;
	pthread_mutex_lock(&lock);
	received++;
	sum += *(const unsigned char *)message->payload;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void *publish(void *argument)
{
	int number = *(int *)argument;
	for (int i = 0; i < EACH; i++) {
		unsigned char value = (unsigned char)(10 * number + i);
		if (mosquitto_publish(client, NULL, "a", 1, &value, i % 3, false) != MOSQ_ERR_SUCCESS)
			fail("cannot publish");
	}
	return NULL;
}

static int listen_somewhere(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof address;
	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &size))
		fail("cannot listen");
	return ntohs(address.sin_port);
}

int main(void)
{
	pthread_t threads[PUBLISHERS], served;
	int numbers[PUBLISHERS], port = listen_somewhere();
	if (pthread_create(&served, NULL, broker, NULL))
		fail("no thread");
	mosquitto_lib_init();
	client = mosquitto_new("heddle", true, NULL);
	if (!client)
		fail("no client");
	mosquitto_connect_callback_set(client, on_connect);
	mosquitto_subscribe_callback_set(client, on_subscribe);
	mosquitto_message_callback_set(client, on_message);
	if (mosquitto_connect(client, "127.0.0.1", port, 60) || mosquitto_loop_start(client))
		fail("cannot connect");
	wait_for(&connected, 1);
	if (mosquitto_subscribe(client, NULL, "a", 2))
		fail("cannot subscribe");
	wait_for(&subscribed, 1);
	for (int i = 0; i < PUBLISHERS; i++) {
		numbers[i] = i;
		if (pthread_create(&threads[i], NULL, publish, &numbers[i]))
			fail("no thread");
	}
	for (int i = 0; i < PUBLISHERS; i++)
		pthread_join(threads[i], NULL);
	wait_for(&received, PUBLISHERS * EACH);
	mosquitto_disconnect(client);
	mosquitto_loop_stop(client, false);
	mosquitto_destroy(client);
	mosquitto_lib_cleanup();
	pthread_join(served, NULL);
	close(listener);
	printf("%d messages, sum %d\n", received, sum);
	return 0;
}
