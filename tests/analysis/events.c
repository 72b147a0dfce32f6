/* events.c: threads that the library starts by itself: each time that a timer is over. */
#include <signal.h>
#include <time.h>
#include <unistd.h>

static int ticks, other;

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

int main(void)
{
	struct sigevent event = { 0 };
	install(&event, &ticks);
	ticks++; // @MAIN
	other++; // @OTHER
	usleep(1000);
	return 0;
}

/*
 * race: TICK-TICK
 * race: MAIN-TICK
 * no: BEFORE-TICK: ordered
 */
