/*
 * clock_child.c: the clocks of a forked child, see clock.h. A child runs outside the world, in real time, but its dates must not
 * differ from its parent's: its clocks are the kernel's, shifted so that they continue from where the parent's
 * were. So absolute times in its calls are shifted back.
 *
 * Nothing here changes except what a call of the child concerns: the child may have real threads.
 */
#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/time.h>
#include <sys/timerfd.h>

#include "rt/sys.h"
#include "world/kernel/clock.h"

#define SECOND 1000000000
#define CLOCKS 12
#define TIMERS 1024

static int64_t shifts[CLOCKS]; /* what the child sees, less what the kernel says */
/* Clocks of timers that the child made, by id and by descriptor; the others are assumed to be monotonic. */
static uint8_t timer_clocks[TIMERS], descriptor_clocks[TIMERS];

static int64_t signed_ns(const struct timespec *time)
{
	return (int64_t)time->tv_sec * SECOND + time->tv_nsec;
}

static bool is_shifted(int clock)
{
	return clock >= 0 && clock < CLOCKS && (clock_is_real(clock) || clock_is_monotonic(clock));
}

static void shift(struct timespec *time, int64_t by)
{
	int64_t ns = time->tv_nsec + by % SECOND;
	time->tv_sec += by / SECOND + (ns >= SECOND) - (ns < 0);
	time->tv_nsec = ns >= SECOND ? ns - SECOND : ns < 0 ? ns + SECOND : ns;
}

void clock_leave(void)
{
	struct timespec virtual, real;
	/* Where calls do not come to us, shifted clocks would not match absolute times. */
	for (int clock = 0; world.is_patched && clock < CLOCKS; clock++)
		if (is_shifted(clock) && clock_read(clock, &virtual) &&
		    sys_call(SYS_clock_gettime, clock, (long)&real, 0, 0, 0, 0) == 0)
			shifts[clock] = signed_ns(&virtual) - signed_ns(&real);
	memset(timer_clocks, CLOCK_MONOTONIC, sizeof timer_clocks);
	memset(descriptor_clocks, CLOCK_MONOTONIC, sizeof descriptor_clocks);
}

static long make(const struct registers *r)
{
	return sys_call((long)r->number, (long)r->rdi, (long)r->rsi, (long)r->rdx, (long)r->r10, (long)r->r8,
			(long)r->r9);
}

static long read_shifted(int clock, struct timespec *out)
{
	long code = sys_call(SYS_clock_gettime, clock, (long)out, 0, 0, 0, 0);
	if (code == 0 && is_shifted(clock))
		shift(out, shifts[clock]);
	return code;
}

/* The call with an absolute time, which one of its registers points to. */
static long with_time(struct registers *r, uint64_t *pointer, int clock)
{
	uint64_t kept = *pointer;
	struct timespec time;
	if (!kept || !is_shifted(clock) || !clock_is_valid((const struct timespec *)kept))
		return make(r);
	time = *(const struct timespec *)kept;
	shift(&time, -shifts[clock]);
	if (time.tv_sec < 0)
		time = (struct timespec){ 0, 0 }; /* long ago */
	*pointer = (uint64_t)&time;
	long code = make(r);
	*pointer = kept;
	return code;
}

static long with_interval(struct registers *r, int clock)
{
	const struct itimerspec *given = (const struct itimerspec *)r->rdx;
	struct itimerspec set;
	if (!(r->rsi & TFD_TIMER_ABSTIME) || !given || !clock_is_valid(&given->it_value) || !clock_ns(&given->it_value))
		return make(r);
	set = *given;
	shift(&set.it_value, -shifts[clock]);
	if (set.it_value.tv_sec < 0)
		set.it_value = (struct timespec){ 0, 1 };
	r->rdx = (uint64_t)&set;
	long code = make(r);
	r->rdx = (uint64_t)given;
	return code;
}

/* Which clock the absolute time of a futex call is of; -1: it has none. */
static int futex_clock(uint64_t operation)
{
	switch (operation & FUTEX_CMD_MASK) {
	case FUTEX_LOCK_PI:
		return CLOCK_REALTIME;
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
	case 13: /* FUTEX_LOCK_PI2 */
		return operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
	default:
		return -1;
	}
}

static long read_date(const struct registers *r)
{
	struct timespec now;
	read_shifted(CLOCK_REALTIME, &now);
	if (r->number == SYS_time) {
		if (r->rdi)
			*(time_t *)r->rdi = now.tv_sec;
		return now.tv_sec;
	}
	if (r->rdi)
		*(struct timeval *)r->rdi = (struct timeval){ now.tv_sec, now.tv_nsec / 1000 };
	if (r->rsi)
		*(struct timezone *)r->rsi = (struct timezone){ 0, 0 };
	return 0;
}

static void remember(uint8_t *clocks, long id, uint64_t clock)
{
	if (id >= 0 && id < TIMERS)
		clocks[id] = is_shifted((int)clock) ? (uint8_t)clock : CLOCK_MONOTONIC;
}

bool clock_pass(struct registers *r)
{
	struct timespec now;
	long code;
	switch (r->number) {
	case SYS_clock_gettime:
		code = read_shifted((int)r->rdi, &now);
		if (code == 0)
			*(struct timespec *)r->rsi = now;
		break;
	case SYS_gettimeofday:
	case SYS_time:
		code = read_date(r);
		break;
	case SYS_clock_nanosleep:
		code = r->rsi & TIMER_ABSTIME ? with_time(r, &r->rdx, (int)r->rdi) : make(r);
		break;
	case SYS_futex:
		code = with_time(r, &r->r10, futex_clock(r->rsi));
		break;
	case SYS_futex_waitv:
		code = with_time(r, &r->r10, (int)r->r8);
		break;
	case SYS_mq_timedsend:
	case SYS_mq_timedreceive:
		code = with_time(r, &r->r8, CLOCK_REALTIME);
		break;
	case SYS_timer_create:
		code = make(r);
		if (code == 0)
			remember(timer_clocks, *(const int *)r->rdx, r->rdi);
		break;
	case SYS_timerfd_create:
		code = make(r);
		remember(descriptor_clocks, code, r->rdi);
		break;
	case SYS_timer_settime:
		code = with_interval(r, r->rdi < TIMERS ? timer_clocks[r->rdi] : CLOCK_MONOTONIC);
		break;
	case SYS_timerfd_settime:
		code = with_interval(r, r->rdi < TIMERS ? descriptor_clocks[r->rdi] : CLOCK_MONOTONIC);
		break;
	default:
		return false;
	}
	r->rax = (uint64_t)code;
	return true;
}
