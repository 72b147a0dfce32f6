/* clock.c: see clock.h. */
#include "world/kernel/clock.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>

#include "rt/sys.h"
#include "world/kernel/processors.h"
#include "world/parts.h"
#include "world/signals/signal.h"

#define SECOND 1000000000u
/* A host that has been up for a while: programs compare uptime with time-outs. */
#define BOOT_NS (100000ul * SECOND)

static uint64_t realtime(uint64_t monotonic_ns)
{
	return world.channel->date_ns + monotonic_ns;
}

void clock_split(uint64_t ns, struct timespec *out)
{
	out->tv_sec = (time_t)(ns / SECOND);
	out->tv_nsec = (long)(ns % SECOND);
}

bool clock_is_real(int clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ||
	       clock == CLOCK_REALTIME_ALARM;
}

bool clock_is_monotonic(int clock)
{
	return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_MONOTONIC_RAW ||
	       clock == CLOCK_BOOTTIME || clock == CLOCK_BOOTTIME_ALARM;
}

/* Reads since time last jumped. Programs that poll the clock until a certain time would never end if each read took
 * as little as the first: the cost doubles after each thousand reads, up to a millisecond. */
static uint32_t reads;

#define READS_DOUBLE 1000u
#define READS_DOUBLINGS 10u

void clock_jump(uint64_t ns)
{
	if (world.passed_ns + ns < world.passed_ns)
		RT_BUG("time jumps back");
	world.passed_ns += ns;
	reads = 0;
}

static void look(void)
{
	uint32_t doublings = reads++ / READS_DOUBLE;
	world.passed_ns += (uint64_t)CLOCK_READ_NS << (doublings < READS_DOUBLINGS ? doublings : READS_DOUBLINGS);
}

bool clock_read(int clock, struct timespec *out)
{
	look();
	if (clock_is_real(clock))
		clock_split(realtime(clock_now()), out);
	else if (clock_is_monotonic(clock))
		clock_split(BOOT_NS + clock_now(), out);
	else if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID || clock < 0)
		clock_split(clock_now(), out);
	else
		return false;
	return true;
}

uint64_t clock_deadline(int clock, const struct timespec *at)
{
	uint64_t ns = clock_ns(at), base = clock_is_real(clock) ? realtime(0) : clock_is_monotonic(clock) ? BOOT_NS : 0;
	return ns > base ? ns - base : 0;
}

uint64_t clock_after(const struct timespec *time)
{
	return clock_now() + clock_ns(time);
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
		clock_split(deadline > clock_now() ? deadline - clock_now() : 0, left);
	return -EINTR;
}

static long nanosleep_call(int clock, bool is_absolute, const struct timespec *time, struct timespec *left)
{
	if (!clock_is_valid(time))
		return -EINVAL;
	if (!clock_is_real(clock) && !clock_is_monotonic(clock) && clock != CLOCK_PROCESS_CPUTIME_ID)
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
		*result = clock_read((int)r->rdi, &time) ? 0 : -EINVAL;
		if (*result == 0 && r->rsi)
			*(struct timespec *)r->rsi = (struct timespec){ 0, 1 };
		return true;
	case SYS_getcpu:
		if (r->rdi)
			*(unsigned *)r->rdi = processors_number();
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

/* The counter of the processor. */

void clock_forbid_counter(void)
{
	sys_call(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0, 0);
}

void clock_allow_counter(void)
{
	sys_call(SYS_prctl, PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0, 0);
}

bool clock_counter(struct registers *r)
{
	/* Readable: the processor has just tried to execute it, or the fault was to fetch it, and then this is no rdtsc. */
	uint64_t word = spin_look(r->rip & ~7ul), next = spin_look((r->rip & ~7ul) + 8);
	unsigned shift = (unsigned)(r->rip & 7) * 8;
	uint64_t code = shift ? word >> shift | next << (64 - shift) : word;
	bool is_plain = (code & 0xffff) == 0x310f, is_with_processor = (code & 0xffffff) == 0xf9010f;
	if (!is_plain && !is_with_processor)
		return false;
	look();
	uint64_t count = (BOOT_NS + clock_now()) * 2; /* of 2 GHz */
	r->rax = (uint32_t)count;
	r->rdx = count >> 32;
	if (is_with_processor)
		r->rcx = 0;
	r->rip += is_plain ? 2 : 3;
	return true;
}

/* The vdso. */

static long vdso_enter(long number, long a, long b, void *code)
{
	struct registers registers;
	long result = 0;
	memset(&registers, 0, sizeof registers);
	registers.number = (uint64_t)number;
	registers.rdi = (uint64_t)a;
	registers.rsi = (uint64_t)b;
	if (world.is_child && clock_pass(&registers))
		return (long)registers.rax;
	if (!world.is_on)
		return sys_call(number, a, b, 0, 0, 0, 0);
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
	{ "__vdso_clock_gettime", (void *)vdso_clock_gettime },
	{ "__vdso_gettimeofday", (void *)vdso_gettimeofday },
	{ "__vdso_time", (void *)vdso_time },
	{ "__vdso_clock_getres", (void *)vdso_clock_getres },
	{ "__vdso_getcpu", (void *)vdso_getcpu },
	{ "__vdso_getrandom", (void *)vdso_getrandom },
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
