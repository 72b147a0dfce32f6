/* events.c: what the library calls by itself: in a thread of its own each time that a timer is over, and where a file is written. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int ticks, written;

static void tick(union sigval value)
{
	++*(int *)value.sival_ptr; // @TICK
}

static void install(struct sigevent *event, int *counter)
{
	timer_t timer;
	struct itimerspec when = { .it_value = { 0, 1000 } };
	event->sigev_notify = SIGEV_THREAD;
	event->sigev_notify_function = tick;
	event->sigev_value.sival_ptr = counter;
	ticks = 0; // @BEFORE
	timer_create(CLOCK_MONOTONIC, event, &timer);
	timer_settime(timer, 0, &when, NULL);
}

static ssize_t count(void *cookie, const char *bytes, size_t size)
{
	(void)cookie, (void)bytes;
	written++; // @WRITTEN
	return (ssize_t)size;
}

static void *print(void *unused)
{
	cookie_io_functions_t functions = { .write = count };
	FILE *file = fopencookie(NULL, "w", functions);
	fputs("text", file);
	fclose(file);
	return unused;
}

int main(void)
{
	pthread_t thread;
	struct sigevent event = { 0 };
	install(&event, &ticks);
	ticks++; // @MAIN
	pthread_create(&thread, NULL, print, NULL);
	written++; // @MAINWRITTEN
	pthread_join(thread, NULL);
	usleep(1000);
	return 0;
}

/*
 * race: TICK-TICK
 * race: MAIN-TICK
 * no: BEFORE-TICK: ordered
 * race: MAINWRITTEN-WRITTEN
 * may: WRITTEN-WRITTEN
 */
