/* clock.c: see clock.h. */
#include "world/clock.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "rt/sys.h"
#include "world/parts.h"
#include "world/signal.h"

#define SECOND 1000000000u
/* A host that has been up for a while: programs compare uptime with time-outs. */
#define BOOT_NS (100000ul * SECOND)

static uint64_t realtime(uint64_t monotonic_ns)
{
	return world.channel->date_ns + monotonic_ns;
}

static void split(uint64_t ns, struct timespec *out)
{
	out->tv_sec = (time_t)(ns / SECOND);
	out->tv_nsec = (long)(ns % SECOND);
}

static bool is_real(int clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ||
	       clock == CLOCK_REALTIME_ALARM;
}

static bool is_monotonic(int clock)
{
	return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_MONOTONIC_RAW ||
	       clock == CLOCK_BOOTTIME || clock == CLOCK_BOOTTIME_ALARM;
}

bool clock_read(int clock, struct timespec *out)
{
	world.passed_ns += CLOCK_READ_NS;
	if (is_real(clock))
		split(realtime(clock_now()), out);
	else if (is_monotonic(clock))
		split(BOOT_NS + clock_now(), out);
	else if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID || clock < 0)
		split(clock_now(), out);
	else
		return false;
	return true;
}

uint64_t clock_deadline(int clock, const struct timespec *at)
{
	uint64_t ns = clock_ns(at), base = is_real(clock) ? realtime(0) : is_monotonic(clock) ? BOOT_NS : 0;
	return ns > base ? ns - base : 0;
}

uint64_t clock_after(const struct timespec *time)
{
	return clock_now() + clock_ns(time);
}

/* Timers. */

#define TIMERS 64u

struct timer {
	bool is_used, is_armed;
	int clock;
	struct sigevent event;
	uint64_t due_ns, interval_ns;
	int overrun;
};

static struct timer timers[TIMERS]; /* [0]: of setitimer and alarm */
static bool is_timed;               /* any was ever armed */

uint64_t timer_next(void)
{
	uint64_t first = NO_DEADLINE;
	for (uint32_t i = 0; is_timed && i < TIMERS; i++)
		if (timers[i].is_armed && timers[i].due_ns < first)
			first = timers[i].due_ns;
	return first;
}

static void go_on(struct timer *timer);

static void fire(struct timer *timer, uint32_t id)
{
	siginfo_t info;
	memset(&info, 0, sizeof info);
	if (timer->event.sigev_notify != SIGEV_NONE) {
		info.si_signo = timer->event.sigev_signo;
		info.si_code = id ? SI_TIMER : SI_KERNEL;
		info.si_timerid = (int)id;
		info.si_value = timer->event.sigev_value;
		signal_from_timer(info.si_signo, &info,
				  timer->event.sigev_notify == SIGEV_THREAD_ID ? timer->event._sigev_un._tid : 0);
	}
	go_on(timer);
}

static void go_on(struct timer *timer)
{
	if (timer->interval_ns) {
		uint64_t now = clock_now(), late = now > timer->due_ns ? (now - timer->due_ns) / timer->interval_ns : 0;
		timer->overrun = (int)late;
		timer->due_ns += (late + 1) * timer->interval_ns;
	} else {
		timer->is_armed = false;
	}
}

void timer_replayed(int id)
{
	if (id >= 0 && (uint32_t)id < TIMERS && timers[id].is_armed)
		go_on(&timers[id]);
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

static void tell_interval(const struct timer *timer, struct itimerval *out)
{
	uint64_t left = (timer_left(timer) + 999) / 1000, interval = timer->interval_ns / 1000;
	out->it_value = (struct timeval){ (time_t)(left / 1000000), (suseconds_t)(left % 1000000) };
	out->it_interval = (struct timeval){ (time_t)(interval / 1000000), (suseconds_t)(interval % 1000000) };
}

static uint64_t timeval_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_usec * 1000;
}

static long set_interval(int which, const struct itimerval *set, struct itimerval *old)
{
	struct timer *timer = &timers[0];
	struct itimerval before;
	if (which < ITIMER_REAL || which > ITIMER_PROF)
		return -EINVAL;
	if (which != ITIMER_REAL)
		return -EINVAL; /* profiling by processor time has no meaning in virtual time */
	tell_interval(timer, &before);
	if (set) {
		uint64_t value = timeval_ns(&set->it_value);
		timer->event = (struct sigevent){ .sigev_signo = SIGALRM, .sigev_notify = SIGEV_SIGNAL };
		timer_arm(timer, value ? clock_now() + value : 0, timeval_ns(&set->it_interval));
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
	uint32_t i = 1;
	while (i < TIMERS && timers[i].is_used)
		i++;
	if (i == TIMERS)
		return -EAGAIN;
	if (!is_real(clock) && !is_monotonic(clock) && clock != CLOCK_PROCESS_CPUTIME_ID)
		return -EINVAL;
	timers[i] = (struct timer){ .is_used = true, .clock = clock };
	if (event)
		timers[i].event = *event;
	else
		timers[i].event = (struct sigevent){ .sigev_signo = SIGALRM, .sigev_notify = SIGEV_SIGNAL,
						     .sigev_value = { .sival_int = (int)i } };
	*id = (int)i;
	return 0;
}

static long set_time(struct timer *timer, int flags, const struct itimerspec *set, struct itimerspec *old)
{
	if (!clock_is_valid(&set->it_value) || !clock_is_valid(&set->it_interval))
		return -EINVAL;
	if (old) {
		split(timer_left(timer), &old->it_value);
		split(timer->interval_ns, &old->it_interval);
	}
	uint64_t value = clock_ns(&set->it_value), due = 0;
	if (value)
		due = flags & TIMER_ABSTIME ? clock_deadline(timer->clock, &set->it_value) : clock_now() + value;
	timer_arm(timer, value && !due ? 1 : due, clock_ns(&set->it_interval));
	return 0;
}

static bool timer_syscall(struct registers *r, long *result)
{
	struct timer *timer = r->rdi < TIMERS && r->rdi && timers[r->rdi].is_used ? &timers[r->rdi] : NULL;
	switch (r->number) {
	case SYS_alarm:
		*result = alarm_after(r->rdi);
		return true;
	case SYS_setitimer:
		*result = set_interval((int)r->rdi, (const struct itimerval *)r->rsi, (struct itimerval *)r->rdx);
		return true;
	case SYS_getitimer:
		tell_interval(&timers[0], (struct itimerval *)r->rsi);
		*result = r->rdi <= ITIMER_PROF ? 0 : -EINVAL;
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
			split(timer_left(timer), &((struct itimerspec *)r->rsi)->it_value);
			split(timer->interval_ns, &((struct itimerspec *)r->rsi)->it_interval);
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

/* Sleeping and reading. */

static long sleep_until(uint64_t deadline, struct timespec *left)
{
	struct thread *self = world.current;
	if (deadline <= clock_now()) {
		thread_yield();
		return 0;
	}
	self->wait = (struct wait){ .kind = WAIT_SLEEP, .deadline_ns = deadline, .is_interruptible = true };
	if (thread_block(self) != WAKE_SIGNAL)
		return 0;
	if (left)
		split(deadline > clock_now() ? deadline - clock_now() : 0, left);
	return -EINTR;
}

static long nanosleep_call(int clock, bool is_absolute, const struct timespec *time, struct timespec *left)
{
	if (!clock_is_valid(time))
		return -EINVAL;
	if (!is_real(clock) && !is_monotonic(clock) && clock != CLOCK_PROCESS_CPUTIME_ID)
		return -EINVAL;
	return is_absolute ? sleep_until(clock_deadline(clock, time), NULL) : sleep_until(clock_after(time), left);
}

bool clock_syscall(struct registers *r, long *result)
{
	struct timespec time;
	switch (r->number) {
	case SYS_clock_gettime:
		*result = clock_read((int)r->rdi, &time) ? 0 : -EINVAL;
		if (*result == 0)
			*(struct timespec *)r->rsi = time;
		return true;
	case SYS_gettimeofday:
		clock_read(CLOCK_REALTIME, &time);
		if (r->rdi)
			*(struct timeval *)r->rdi = (struct timeval){ time.tv_sec, time.tv_nsec / 1000 };
		if (r->rsi)
			*(struct timezone *)r->rsi = (struct timezone){ 0, 0 };
		*result = 0;
		return true;
	case SYS_time:
		clock_read(CLOCK_REALTIME, &time);
		if (r->rdi)
			*(time_t *)r->rdi = time.tv_sec;
		*result = time.tv_sec;
		return true;
	case SYS_clock_getres:
		if (r->rsi)
			*(struct timespec *)r->rsi = (struct timespec){ 0, 1 };
		*result = clock_read((int)r->rdi, &time) ? 0 : -EINVAL;
		return true;
	case SYS_getcpu:
		if (r->rdi)
			*(unsigned *)r->rdi = 0;
		if (r->rsi)
			*(unsigned *)r->rsi = 0;
		*result = 0;
		return true;
	case SYS_nanosleep:
		*result = nanosleep_call(CLOCK_MONOTONIC, false, (const struct timespec *)r->rdi,
					 (struct timespec *)r->rsi);
		return true;
	case SYS_clock_nanosleep:
		*result = nanosleep_call((int)r->rdi, r->rsi & TIMER_ABSTIME, (const struct timespec *)r->rdx,
					 (struct timespec *)r->r10);
		return true;
	case SYS_times: {
		/* struct tms: all in ticks of 10 ms. */
		long ticks = (long)(clock_now() / 10000000);
		if (r->rdi)
			((long *)r->rdi)[0] = ticks, ((long *)r->rdi)[1] = 0, ((long *)r->rdi)[2] = 0,
			((long *)r->rdi)[3] = 0;
		*result = ticks + (long)(BOOT_NS / 10000000);
		return true;
	}
	default:
		return timer_syscall(r, result);
	}
}

/* The vdso. */

static long vdso_enter(long number, long a, long b, void *code)
{
	if (!world.is_on)
		return sys_call(number, a, b, 0, 0, 0, 0);
	struct registers registers;
	long result = 0;
	memset(&registers, 0, sizeof registers);
	registers.number = (uint64_t)number;
	registers.rdi = (uint64_t)a;
	registers.rsi = (uint64_t)b;
	world_event(HEDDLE_EVENT_SYSCALL, (void *)number, (uintptr_t)code);
	clock_syscall(&registers, &result);
	return result;
}

static long vdso_clock_gettime(long clock, long out)
{
	return vdso_enter(SYS_clock_gettime, clock, out, __builtin_return_address(0));
}

static long vdso_gettimeofday(long out, long zone)
{
	return vdso_enter(SYS_gettimeofday, out, zone, __builtin_return_address(0));
}

static long vdso_time(long out)
{
	return vdso_enter(SYS_time, out, 0, __builtin_return_address(0));
}

static long vdso_clock_getres(long clock, long out)
{
	return vdso_enter(SYS_clock_getres, clock, out, __builtin_return_address(0));
}

static long vdso_getcpu(long cpu, long node)
{
	return vdso_enter(SYS_getcpu, cpu, node, __builtin_return_address(0));
}

static long vdso_getrandom(void)
{
	return -ENOSYS; /* libc falls back to the system call */
}

static const struct {
	const char *name;
	void *function;
} replacements[] = {
	{ "__vdso_clock_gettime", (void *)vdso_clock_gettime }, { "__vdso_gettimeofday", (void *)vdso_gettimeofday },
	{ "__vdso_time", (void *)vdso_time },			{ "__vdso_clock_getres", (void *)vdso_clock_getres },
	{ "__vdso_getcpu", (void *)vdso_getcpu },		{ "__vdso_getrandom", (void *)vdso_getrandom },
};

static void replace(unsigned char *code, void *function)
{
	uint64_t target = (uint64_t)function;
	code[0] = 0x48; /* movabs $target, %rax */
	code[1] = 0xb8;
	memcpy(code + 2, &target, sizeof target);
	code[10] = 0xff; /* jmp *%rax */
	code[11] = 0xe0;
}

void clock_take_vdso(uintptr_t vdso)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)vdso;
	if (!vdso)
		return;
	const Elf64_Phdr *segments = (const Elf64_Phdr *)(vdso + header->e_phoff);
	const Elf64_Dyn *dynamic = NULL;
	uintptr_t base = vdso, size = 0;
	for (unsigned i = 0; i < header->e_phnum; i++) {
		if (segments[i].p_type == PT_LOAD) {
			base = vdso - segments[i].p_vaddr + segments[i].p_offset;
			size = segments[i].p_memsz;
		}
		if (segments[i].p_type == PT_DYNAMIC)
			dynamic = (const Elf64_Dyn *)(vdso + segments[i].p_offset);
	}
	const Elf64_Sym *symbols = NULL;
	const char *strings = NULL;
	const uint32_t *hash = NULL;
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
		if (dynamic->d_tag == DT_SYMTAB)
			symbols = (const Elf64_Sym *)(base + dynamic->d_un.d_ptr);
		if (dynamic->d_tag == DT_STRTAB)
			strings = (const char *)(base + dynamic->d_un.d_ptr);
		if (dynamic->d_tag == DT_HASH)
			hash = (const uint32_t *)(base + dynamic->d_un.d_ptr);
	}
	/* Without a hash table the symbols end where the strings begin. */
	size_t count = hash ? hash[1] : symbols && strings ? (size_t)((const Elf64_Sym *)strings - symbols) : 0;
	size = (size + 4095) & ~4095ul;
	if (!symbols || !strings || sys_mprotect(vdso, size, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
		return;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < sizeof replacements / sizeof *replacements; k++)
			if (symbols[i].st_value && strcmp(strings + symbols[i].st_name, replacements[k].name) == 0)
				replace((unsigned char *)(base + symbols[i].st_value), replacements[k].function);
	sys_mprotect(vdso, size, PROT_READ | PROT_EXEC);
}
