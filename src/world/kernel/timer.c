/*
 * timer.c: timers in virtual time: alarm, setitimer, timer_create, and those with a descriptor, which is an event counter
 * of the kernel that we write to.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "rt/sys.h"
#include "world/kernel/clock.h"
#include "world/kernel/descriptor.h"
#include "world/parts.h"
#include "world/signals/signal.h"

#define SECOND 1000000000u

#define TIMERS 1024u

struct timer {
	bool is_used, is_armed;
	int clock;
	struct sigevent event;
	uint64_t due_ns, interval_ns;
	int overrun; /* of the signal that was delivered last */
	int fd;      /* of timerfd_create, one of those that it has; else 0 */
};

#define INTERVALS 3u /* those of setitimer come first, by ITIMER_*; alarm is the first of them */

static struct timer timers[TIMERS];
static bool is_timed; /* any was ever armed */

uint64_t timer_next(void)
{
	uint64_t first = NO_DEADLINE;
	for (uint32_t i = 0; is_timed && i < TIMERS; i++)
		if (timers[i].is_armed && timers[i].due_ns < first)
			first = timers[i].due_ns;
	return first;
}

static void go_on(struct timer *timer);

/* How often an interval timer has expired since it was due, not counting that expiration. */
static uint64_t late_by(const struct timer *timer)
{
	uint64_t now = clock_now();
	return timer->interval_ns && now > timer->due_ns ? (now - timer->due_ns) / timer->interval_ns : 0;
}

static void fire(struct timer *timer, uint32_t id)
{
	siginfo_t info;
	uint64_t late = late_by(timer);
	memset(&info, 0, sizeof info);
	if (timer->event.sigev_notify != SIGEV_NONE) {
		info.si_signo = timer->event.sigev_signo;
		info.si_code = id >= INTERVALS ? SI_TIMER : SI_KERNEL;
		info.si_timerid = (int)id;
		info.si_overrun = late < INT_MAX ? (int)late : INT_MAX;
		info.si_value = timer->event.sigev_value;
		signal_from_outside(info.si_signo, &info,
				    timer->event.sigev_notify == SIGEV_THREAD_ID ? timer->event._sigev_un._tid : 0);
	}
	uint64_t due = timer->due_ns;
	go_on(timer);
	if (timer->fd > 0) {
		uint64_t count = timer->interval_ns ? (timer->due_ns - due) / timer->interval_ns : 1;
		sys_write(timer->fd, &count, sizeof count);
		outside_touch();
	}
}

static void go_on(struct timer *timer)
{
	if (timer->interval_ns) {
		timer->due_ns += (late_by(timer) + 1) * timer->interval_ns;
	} else {
		timer->is_armed = false;
	}
}

void timer_replayed(int id)
{
	if (id >= 0 && (uint32_t)id < TIMERS && timers[id].is_armed)
		go_on(&timers[id]);
}

void timer_delivered(int id, int overrun)
{
	if (id >= (int)INTERVALS && (uint32_t)id < TIMERS)
		timers[id].overrun = overrun;
}

void timer_expire(void)
{
	uint64_t now = clock_now();
	for (uint32_t i = 0; i < TIMERS; i++)
		if (timers[i].is_armed && timers[i].due_ns <= now)
			fire(&timers[i], i);
}

static void timer_arm(struct timer *timer, uint64_t due_ns, uint64_t interval_ns)
{
	timer->is_armed = due_ns != 0;
	timer->due_ns = due_ns;
	timer->interval_ns = interval_ns;
	is_timed = true;
	world.next_deadline_ns = 0;
}

static uint64_t timer_left(const struct timer *timer)
{
	uint64_t now = clock_now();
	return !timer->is_armed ? 0 : timer->due_ns > now ? timer->due_ns - now : 1;
}

static void fill_interval(const struct timer *timer, struct itimerval *out)
{
	uint64_t left = (timer_left(timer) + 999) / 1000, interval = timer->interval_ns / 1000;
	out->it_value = (struct timeval){ (time_t)(left / 1000000), (suseconds_t)(left % 1000000) };
	out->it_interval = (struct timeval){ (time_t)(interval / 1000000), (suseconds_t)(interval % 1000000) };
}

static uint64_t timeval_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_usec * 1000;
}

void timer_hand_over(void)
{
	struct itimerval left;
	for (uint32_t i = 0; i < INTERVALS; i++) {
		fill_interval(&timers[i], &left);
		if (timers[i].is_armed)
			sys_call(SYS_setitimer, i, (long)&left, 0, 0, 0, 0);
	}
}

void timer_take_back(void)
{
	static const struct itimerval none;
	for (uint32_t i = 0; i < INTERVALS; i++)
		if (timers[i].is_armed)
			sys_call(SYS_setitimer, i, (long)&none, 0, 0, 0, 0);
}

static bool timeval_is_valid(const struct timeval *time)
{
	return time->tv_sec >= 0 && time->tv_usec >= 0 && time->tv_usec < 1000000;
}

static long set_interval(int which, const struct itimerval *set, struct itimerval *old)
{
	/* Processor time is virtual time like any other: one thread runs. */
	static const int signals[INTERVALS] = { SIGALRM, SIGVTALRM, SIGPROF };
	struct itimerval before;
	if (which < ITIMER_REAL || which > ITIMER_PROF)
		return -EINVAL;
	struct timer *timer = &timers[which];
	fill_interval(timer, &before);
	if (set) {
		struct itimerval copy = *set;
		if (!timeval_is_valid(&copy.it_value) || !timeval_is_valid(&copy.it_interval))
			return -EINVAL;
		uint64_t value = timeval_ns(&copy.it_value);
		timer->event = (struct sigevent){ .sigev_signo = signals[which], .sigev_notify = SIGEV_SIGNAL };
		timer_arm(timer, value ? clock_now() + value : 0, timeval_ns(&copy.it_interval));
	}
	if (old)
		*old = before;
	return 0;
}

static long alarm_after(uint64_t seconds)
{
	struct itimerval set = { .it_value = { .tv_sec = (time_t)(uint32_t)seconds } }, old;
	set_interval(ITIMER_REAL, &set, &old);
	return old.it_value.tv_sec + (old.it_value.tv_usec ? 1 : 0);
}

static long create(int clock, const struct sigevent *event, int *id)
{
	uint32_t i = INTERVALS;
	while (i < TIMERS && timers[i].is_used)
		i++;
	if (i == TIMERS)
		return -EAGAIN;
	if (!clock_is_real(clock) && !clock_is_monotonic(clock) && clock != CLOCK_PROCESS_CPUTIME_ID)
		return -EINVAL;
	struct sigevent own = { .sigev_signo = SIGALRM,
				.sigev_notify = SIGEV_SIGNAL,
				.sigev_value = { .sival_int = (int)i } };
	if (event)
		own = *event;
	*id = (int)i;
	timers[i] = (struct timer){ .is_used = true, .clock = clock, .event = own };
	return 0;
}

static long set_time(struct timer *timer, int flags, const struct itimerspec *set, struct itimerspec *old)
{
	struct itimerspec copy = *set, before;
	if (!clock_is_valid(&copy.it_value) || !clock_is_valid(&copy.it_interval))
		return -EINVAL;
	clock_split(timer_left(timer), &before.it_value);
	clock_split(timer->interval_ns, &before.it_interval);
	uint64_t value = clock_ns(&copy.it_value), due = 0;
	if (value)
		due = flags & TIMER_ABSTIME ? clock_deadline(timer->clock, &copy.it_value) : clock_now() + value;
	timer_arm(timer, value && !due ? 1 : due, clock_ns(&copy.it_interval));
	if (old)
		*old = before;
	return 0;
}

bool timer_syscall(struct registers *r, long *result)
{
	struct timer *timer = r->rdi < TIMERS && r->rdi >= INTERVALS && timers[r->rdi].is_used && !timers[r->rdi].fd
				      ? &timers[r->rdi]
				      : NULL;
	switch (r->number) {
	case SYS_alarm:
		*result = alarm_after(r->rdi);
		return true;
	case SYS_setitimer:
		*result = set_interval((int)r->rdi, (const struct itimerval *)r->rsi, (struct itimerval *)r->rdx);
		return true;
	case SYS_getitimer:
		*result = r->rdi <= ITIMER_PROF ? 0 : -EINVAL;
		if (*result == 0)
			fill_interval(&timers[r->rdi], (struct itimerval *)r->rsi);
		return true;
	case SYS_timer_create:
		*result = create((int)r->rdi, (const struct sigevent *)r->rsi, (int *)r->rdx);
		return true;
	case SYS_timer_settime:
		*result = timer ? set_time(timer, (int)r->rsi, (const struct itimerspec *)r->rdx,
					   (struct itimerspec *)r->r10)
				: -EINVAL;
		return true;
	case SYS_timer_gettime:
		if (timer) {
			clock_split(timer_left(timer), &((struct itimerspec *)r->rsi)->it_value);
			clock_split(timer->interval_ns, &((struct itimerspec *)r->rsi)->it_interval);
		}
		*result = timer ? 0 : -EINVAL;
		return true;
	case SYS_timer_getoverrun:
		*result = timer ? timer->overrun : -EINVAL;
		return true;
	case SYS_timer_delete:
		if (timer)
			timer->is_used = timer->is_armed = false;
		*result = timer ? 0 : -EINVAL;
		return true;
	default:
		return false;
	}
}

/* Descriptors. */

/* A timer belongs to the file, which may have several descriptors. */
#define DESCRIPTORS 4096u

static struct {
	int fd;
	struct timer *timer;
} descriptors[DESCRIPTORS];
static uint32_t descriptor_count;

static struct timer *timer_of(int fd)
{
	for (uint32_t i = 0; i < descriptor_count; i++)
		if (descriptors[i].fd == fd)
			return descriptors[i].timer;
	return NULL;
}

static bool add_descriptor(int fd, struct timer *timer)
{
	if (descriptor_count == DESCRIPTORS)
		return false;
	descriptors[descriptor_count].fd = fd;
	descriptors[descriptor_count++].timer = timer;
	return true;
}

void timer_copied(int from, int to)
{
	struct timer *timer = timer_of(from);
	if (timer)
		add_descriptor(to, timer);
}

static long make_descriptor(int clock, uint64_t flags)
{
	int id;
	struct sigevent none = { .sigev_notify = SIGEV_NONE };
	long code = create(clock, &none, &id);
	if (code < 0)
		return code == -EAGAIN ? -EMFILE : code;
	long fd = sys_call(SYS_eventfd2, 0, (long)flags, 0, 0, 0, 0);
	if (fd >= 0 && add_descriptor((int)fd, &timers[id])) {
		timers[id].fd = (int)fd;
		return fd;
	}
	timers[id].is_used = false;
	if (fd >= 0)
		sys_close((int)fd);
	return fd < 0 ? fd : -EMFILE;
}

static void forget_expirations(int fd)
{
	uint64_t count;
	if (descriptor_is_ready(fd, 1 /* POLLIN */))
		sys_read(fd, &count, sizeof count);
}

long timer_descriptor_call(long number, const uint64_t a[6])
{
	struct timer *timer = number == SYS_timerfd_create ? NULL : timer_of((int)a[0]);
	if (number == SYS_timerfd_create)
		return make_descriptor((int)a[0], a[1]);
	if (!timer)
		return -EINVAL;
	if (number == SYS_timerfd_settime) {
		long code = set_time(timer, (int)a[1], (const struct itimerspec *)a[2], (struct itimerspec *)a[3]);
		if (code == 0)
			forget_expirations(timer->fd);
		return code;
	}
	clock_split(timer_left(timer), &((struct itimerspec *)a[1])->it_value);
	clock_split(timer->interval_ns, &((struct itimerspec *)a[1])->it_interval);
	return 0;
}

void timer_closed(int fd)
{
	struct timer *timer = NULL;
	for (uint32_t i = 0; i < descriptor_count && !timer; i++)
		if (descriptors[i].fd == fd) {
			timer = descriptors[i].timer;
			descriptors[i] = descriptors[--descriptor_count];
		}
	if (!timer || timer->fd != fd)
		return;
	for (uint32_t i = 0; i < descriptor_count; i++)
		if (descriptors[i].timer == timer) {
			timer->fd = descriptors[i].fd;
			return;
		}
	timer->is_used = timer->is_armed = false;
}
