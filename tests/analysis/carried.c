/* carried.c: pointers that leave the program and come back, through files, pipes and sockets; and structures among variable arguments. */
#include <stdarg.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pair.h"

/* A pointer through a pipe. */
int ends[2], piped;
THREAD(pipe_1)
{
	int *pointer;
	if (read(ends[0], &pointer, sizeof pointer) == sizeof pointer)
		*pointer = 1; // @PIPE1
	return NULL;
}
THREAD(pipe_2)
{
	int *pointer = &piped;
	if (write(ends[1], &pointer, sizeof pointer) < 0)
		abort();
	piped = 2; // @PIPE2
	return NULL;
}

/* In a message. */
struct message {
	int kind;
	int *counter;
};
int sockets[2], sent;
THREAD(socket_1)
{
	struct message message;
	if (recv(sockets[0], &message, sizeof message, 0) > 0)
		*message.counter = message.kind; // @SOCKET1
	return NULL;
}
THREAD(socket_2)
{
	struct message message = { 1, &sent };
	send(sockets[1], &message, sizeof message, 0);
	sent = 2; // @SOCKET2
	return NULL;
}

/* As a number. */
int event, counted;
THREAD(event_1)
{
	eventfd_t number;
	if (eventfd_read(event, &number) == 0)
		*(int *)number = 1; // @EVENT1
	return NULL;
}
THREAD(event_2)
{
	eventfd_write(event, (eventfd_t)&counted);
	counted = 2; // @EVENT2
	return NULL;
}

/* A structure that is passed in memory. */
struct large {
	int *counter;
	int values[10];
};
int passed;
__attribute__((noinline)) static void take(int count, ...)
{
	va_list list;
	va_start(list, count);
	struct large large = va_arg(list, struct large);
	*large.counter = large.values[0]; // @LARGE1
	va_end(list);
}
THREAD(large_1)
{
	struct large large = { .counter = &passed };
	take(1, large);
	return NULL;
}
THREAD(large_2)
{
	passed = 2; // @LARGE2
	return NULL;
}

int main(void)
{
	if (pipe(ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		return 1;
	event = eventfd(0, 0);
	BOTH(pipe_1, pipe_2);
	BOTH(socket_1, socket_2);
	BOTH(event_1, event_2);
	BOTH(large_1, large_2);
	return 0;
}

/*
 * race: PIPE1-PIPE2
 * race: SOCKET1-SOCKET2
 * race: EVENT1-EVENT2
 * race: LARGE1-LARGE2
 */
