/*
 * clock.h: virtual time. It is a function of the run: every event takes a little, reading a clock takes more, and
 * when no thread can run it jumps to the next deadline. Only waiting for the outside takes real time, and its
 * duration is in the log.
 */
#ifndef WORLD_KERNEL_CLOCK_H
#define WORLD_KERNEL_CLOCK_H

#include <time.h>

#include "world/world.h"

#define CLOCK_EVENT_NS 50u
#define CLOCK_READ_NS 1000u

/* The world's monotonic time. */
static inline uint64_t clock_now(void)
{
	return world.passed_ns + world_events() * CLOCK_EVENT_NS;
}

/* Time passes without events. */
void clock_jump(uint64_t ns);

/* Time of a clock of clock_gettime; false when there is no such clock. Takes CLOCK_READ_NS, and more when called
 * often. */
bool clock_read(int clock, struct timespec *out);

/* An absolute time of that clock, as a deadline in monotonic time. */
uint64_t clock_deadline(int clock, const struct timespec *at);

/* A relative time as a deadline. */
uint64_t clock_after(const struct timespec *time);

static inline uint64_t clock_ns(const struct timespec *time)
{
	return (uint64_t)time->tv_sec > (UINT64_MAX >> 1) / 1000000000u
		       ? UINT64_MAX >> 1
		       : (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

static inline bool clock_is_valid(const struct timespec *time)
{
	return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < 1000000000;
}

/* The processor's own counter (rdtsc) traps while the world is on, and is served from virtual time. */
void clock_forbid_counter(void);
void clock_allow_counter(void);
/* Called on a fault: if that instruction caused it, serves it and returns true. */
bool clock_counter(struct registers *registers);

/* In a forked child: from here on its clocks are the kernel's, shifted so that they continue from the parent's. */
void clock_leave(void);
/* Makes a call of such a child that returns or takes absolute times, and returns true. Returns false if the call is
 * none of these. */
bool clock_pass(struct registers *registers);

/* Replaces the functions of the vdso, which read the hardware's clock. */
void clock_take_vdso(uintptr_t vdso);

/* The system calls of clocks and sleeping; false: not one of these. */
bool clock_syscall(struct registers *registers, long *result);

bool clock_is_real(int clock);
bool clock_is_monotonic(int clock);
void clock_split(uint64_t ns, struct timespec *out);

/* Timers: setitimer, alarm, timer_create, timerfd_create. timer_next returns the time at which the next one is due;
 * call timer_expire then. */
bool timer_syscall(struct registers *registers, long *result);
/* timerfd_*: while recording only. */
long timer_descriptor_call(long number, const uint64_t a[6]);
/* A descriptor became another one for the same file, or was closed. */
void timer_copied(int from, int to);
void timer_closed(int fd);
uint64_t timer_next(void);
void timer_expire(void);
/* The log says that it expired. */
void timer_replayed(int id);
/* The signal of a timer_create was taken. overrun: how often the timer expired while the signal was pending. */
void timer_delivered(int id, int overrun);
/* timer_hand_over, before an exec: lets the timers of setitimer and alarm continue in the kernel. timer_take_back
 * undoes this if the exec failed. */
void timer_hand_over(void);
void timer_take_back(void);

#endif
