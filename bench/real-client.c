/*
 * real-client.c: a client in the same program, for servers that end only when they are told to. Linked with a server, it starts two threads
 * before main; each gets a file from 127.0.0.1 over HTTP some times and checks its length. Then the program gets SIGQUIT.
 * REAL_PORT, REAL_PATH, REAL_BYTES (of the file) and REAL_REQUESTS (of each thread) say what to do; without REAL_PORT nothing happens.
 * With REAL_TEST one thread gives that command to a shell instead; it must print 0, its status.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLIENTS 2

static struct sockaddr_in server;
static char request[512];
static long bytes_expected, requests;
static atomic_int running = CLIENTS;

/* The server may not be listening yet. */
static int connect_to_server(void)
{
	for (int attempt = 0; attempt < 1000; attempt++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);
		if (fd < 0)
			return -1;
		if (connect(fd, (struct sockaddr *)&server, sizeof server) == 0)
			return fd;
		close(fd);
		usleep(1000);
	}
	return -1;
}

/* Returns the length of what follows the header, or -1. */
static long get_file(void)
{
	char buffer[4096], last[4] = "";
	long body = -1;
	ssize_t count;
	int fd = connect_to_server();
	if (fd < 0)
		return -1;
	if (write(fd, request, strlen(request)) != (ssize_t)strlen(request)) {
		close(fd);
		return -1;
	}
	while ((count = read(fd, buffer, sizeof buffer)) > 0)
		for (ssize_t i = 0; i < count; i++) {
			if (body >= 0) {
				body++;
				continue;
			}
			memmove(last, last + 1, 3);
			last[3] = buffer[i];
			if (memcmp(last, "\r\n\r\n", 4) == 0)
				body = 0;
		}
	close(fd);
	return count < 0 ? -1 : body;
}

static void *client(void *unused)
{
	for (long i = 0; i < requests; i++) {
		long got = get_file();
		if (got != bytes_expected) {
			fprintf(stderr, "client: got %ld bytes, not %ld\n", got, bytes_expected);
			_exit(9);
		}
	}
	if (atomic_fetch_sub(&running, 1) == 1)
		kill(getpid(), SIGQUIT);
	return unused;
}

extern char **environ;
static char **environment; /* as it was before main: servers replace theirs */

/* Starts it with its output in a pipe. Servers wait for all children, so its status cannot be waited for here. */
static bool start_test(char *command, int *output)
{
	char *arguments[] = { "sh", "-c", command, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	pid_t pid;
	int ends[2];
	sigemptyset(&none);
	if (pipe2(ends, O_CLOEXEC) < 0 || posix_spawnattr_init(&attributes) != 0 ||
	    posix_spawnattr_setsigmask(&attributes, &none) != 0 ||
	    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK) != 0 ||
	    posix_spawn_file_actions_init(&actions) != 0 ||
	    posix_spawn_file_actions_adddup2(&actions, ends[1], 1) != 0 ||
	    posix_spawn(&pid, "/bin/sh", &actions, &attributes, arguments, environment) != 0)
		return false;
	close(ends[1]);
	*output = ends[0];
	return true;
}

static void *run_test(void *command)
{
	char said[64];
	size_t size = 0;
	ssize_t count;
	int output;
	if (!start_test(command, &output))
		_exit(9);
	while (size < sizeof said - 1 && (count = read(output, said + size, sizeof said - 1 - size)) > 0)
		size += (size_t)count;
	close(output);
	said[size] = '\0';
	if (strcmp(said, "0\n") != 0) {
		fprintf(stderr, "client: the test failed: %s\n", said);
		_exit(9);
	}
	kill(getpid(), SIGQUIT);
	return NULL;
}

static long number(const char *name)
{
	const char *value = getenv(name);
	return value ? atol(value) : 0;
}

__attribute__((constructor)) static void start_clients(void)
{
	const char *path = getenv("REAL_PATH");
	char *test = getenv("REAL_TEST");
	sigset_t all, before;
	pthread_t thread;
	if (!number("REAL_PORT") || (!path && !test))
		return;
	server.sin_family = AF_INET;
	server.sin_port = htons((uint16_t)number("REAL_PORT"));
	server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	snprintf(request, sizeof request, "GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n", path ? path : "/");
	bytes_expected = number("REAL_BYTES");
	requests = number("REAL_REQUESTS");
	environment = environ;
	/* Signals are the server's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (int i = 0; i < (test ? 1 : CLIENTS); i++)
		if (pthread_create(&thread, NULL, test ? run_test : client, test) != 0 || pthread_detach(thread) != 0)
			_exit(9);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
