/*
 * client.c: clients in the same program, for servers with a text protocol that end only when they are told to. Linked with a server, it
 * starts a thread for each script before main. A line of a script is a request, a tab, and how the answer must end; "~" means the end
 * of a line of the protocol. After all scripts the request CLIENT_LAST is sent, which has no answer.
 * CLIENT_PORT, CLIENT_SCRIPTS (files, with spaces between) and CLIENT_LAST say what to do; without CLIENT_PORT nothing happens.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_CLIENTS 4
#define MAX_BYTES 8192

static struct sockaddr_in server;
static char scripts[MAX_CLIENTS][MAX_BYTES], last_request[100];
static atomic_int running;

static void fail(const char *what, const char *about)
{
	fprintf(stderr, "client: %s: %s\n", what, about);
	_exit(9);
}

/* The server may not be listening yet. */
static int connect_to_server(void)
{
	for (int attempt = 0; attempt < 1000; attempt++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);
		if (fd >= 0 && connect(fd, (struct sockaddr *)&server, sizeof server) == 0)
			return fd;
		close(fd);
		usleep(1000);
	}
	fail("cannot connect", "the server does not listen");
	return -1;
}

/* Copies TEXT and replaces each "~". Returns the length. */
static size_t expand(char *to, const char *text)
{
	size_t size = 0;
	for (; *text; text++) {
		if (*text == '~') {
			to[size++] = '\r';
			to[size++] = '\n';
		} else {
			to[size++] = *text;
		}
	}
	to[size] = '\0';
	return size;
}

static void send_request(int fd, const char *text)
{
	char bytes[2 * MAX_BYTES];
	size_t size = expand(bytes, text);
	if (write(fd, bytes, size) != (ssize_t)size)
		fail("cannot send", text);
}

static void await(int fd, const char *request, const char *text)
{
	char want[2 * MAX_BYTES], got[MAX_BYTES];
	size_t size = expand(want, text), count = 0;
	while (count < size || memcmp(got + count - size, want, size) != 0) {
		ssize_t more = count < sizeof got ? read(fd, got + count, sizeof got - count) : 0;
		if (more <= 0)
			fail("no right answer", request);
		count += (size_t)more;
	}
}

/* Some servers look whether they should end only when something happens: one more connection, of which nothing is expected. */
static void end_server(int fd)
{
	char byte;
	send_request(fd, last_request);
	while (read(fd, &byte, 1) > 0)
		;
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(fd, (struct sockaddr *)&server, sizeof server) != 0)
		close(fd);
}

static void *client(void *script)
{
	char *state, *tab;
	int fd = connect_to_server();
	for (char *line = strtok_r(script, "\n", &state); line; line = strtok_r(NULL, "\n", &state)) {
		tab = strchr(line, '\t');
		if (!tab)
			fail("no tab", line);
		*tab = '\0';
		send_request(fd, line);
		await(fd, line, tab + 1);
	}
	if (atomic_fetch_sub(&running, 1) == 1)
		end_server(fd);
	else
		close(fd);
	return NULL;
}

static void read_script(const char *path, char *to)
{
	FILE *file = fopen(path, "r");
	if (!file)
		fail("cannot read", path);
	to[fread(to, 1, MAX_BYTES - 1, file)] = '\0';
	fclose(file);
}

__attribute__((constructor)) static void start_clients(void)
{
	const char *port = getenv("CLIENT_PORT"), *paths = getenv("CLIENT_SCRIPTS"), *last = getenv("CLIENT_LAST");
	char *state, *copy;
	sigset_t all, before;
	pthread_t thread;
	int count = 0;
	if (!port || !paths || !last)
		return;
	server.sin_family = AF_INET;
	server.sin_port = htons((uint16_t)atoi(port));
	server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	snprintf(last_request, sizeof last_request, "%s", last);
	copy = strdup(paths);
	for (char *path = strtok_r(copy, " ", &state); path && count < MAX_CLIENTS; path = strtok_r(NULL, " ", &state))
		read_script(path, scripts[count++]);
	free(copy);
	running = count;
	/* Signals are the server's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (int i = 0; i < count; i++)
		if (pthread_create(&thread, NULL, client, scripts[i]) != 0 || pthread_detach(thread) != 0)
			_exit(9);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
