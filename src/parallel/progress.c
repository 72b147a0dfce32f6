/*
 * progress.c: see progress.h. Each thread counts in a cache line of its own. Others look at it in two ways: the kernel clears the word in which the
 * C library has the thread's id before anybody who joins the thread goes on; and /proc says whether it sleeps in a system call.
 */
#include "parallel/progress.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>

#include "rt/sys.h"

#define CREDIT 4096      /* looks without success that are made at once; */
#define CREDIT_GAIN 16   /* a success gives as many back, */
#define REFUSED_LOOKS 64 /* and one of that many that are refused is made */

struct thread {
	uint64_t count;        /* announced */
	uint64_t seen;         /* up to here others found it made */
	uint32_t tid;          /* 0: not to be looked at */
	uint32_t looks;        /* odd while it looks at others: then it is in system calls of ours */
	uintptr_t tid_address; /* where its id is until it ends; 0: not known */
	struct progress_waiting waiting;
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct thread) == 64, "one cache line");

static struct thread *threads;
static int32_t credit = CREDIT;
static uint32_t refused;

static struct thread *state_of(uint32_t thread)
{
	return &threads[thread % PROGRESS_THREADS];
}

int progress_start(void)
{
	long at = sys_mmap(PROGRESS_THREADS * sizeof *threads, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sys_failed(at))
		return -ENOMEM;
	threads = (struct thread *)at;
	sys_madvise(threads, PROGRESS_THREADS * sizeof *threads, MADV_WIPEONFORK);
	return 0;
}

void progress_begin_thread(uint32_t thread)
{
	struct thread *self = state_of(thread);
	uintptr_t address = 0;
	if (sys_call(SYS_prctl, PR_GET_TID_ADDRESS, (long)&address, 0, 0, 0, 0) < 0)
		address = 0;
	self->tid_address = address;
	/* Release: partner of the acquire in look. */
	__atomic_store_n(&self->tid, sys_tid(), __ATOMIC_RELEASE);
}

void progress_next(uint32_t thread)
{
	struct thread *self = state_of(thread);
	/* Release: partner of the acquire in progress_is_made. */
	__atomic_store_n(&self->count, self->count + 1, __ATOMIC_RELEASE);
}

uint64_t progress_of(uint32_t thread)
{
	return state_of(thread)->count;
}

struct progress_waiting *progress_waiting(uint32_t thread)
{
	return &state_of(thread)->waiting;
}

/* Reads the word of the id, which may not be mapped any more. */
static bool has_ended(const struct thread *self, uint32_t tid)
{
	uint32_t word = 0;
	struct iovec to = { &word, sizeof word }, from = { (void *)self->tid_address, sizeof word };
	if (sys_call(SYS_tgkill, sys_pid(), tid, 0, 0, 0, 0) == -ESRCH)
		return true;
	if (!self->tid_address)
		return false;
	long got = sys_call(SYS_process_vm_readv, sys_pid(), (long)&to, 1, (long)&from, 1, 0);
	return got == -EFAULT || (got == sizeof word && word != tid);
}

/* "/proc/self/task/TID/syscall" begins with the number of the call in which the thread sleeps, with "running", or with -1. */
static bool sleeps_in_call(uint32_t tid)
{
	char path[sizeof "/proc/self/task/4294967295/syscall"] = "/proc/self/task/", digits[10], first = 0;
	size_t length = sizeof "/proc/self/task/" - 1, count = 0;
	const char *end = "/syscall";
	for (uint32_t rest = tid; count == 0 || rest; rest /= 10)
		digits[count++] = (char)('0' + rest % 10);
	while (count)
		path[length++] = digits[--count];
	while ((path[length] = *end++))
		length++;
	int fd = sys_open(path, O_RDONLY);
	if (fd < 0)
		return false;
	ssize_t got = sys_read(fd, &first, 1);
	sys_close(fd);
	return got == 1 && first >= '0' && first <= '9';
}

static bool is_allowed(void)
{
	return __atomic_load_n(&credit, __ATOMIC_RELAXED) > 0 ||
	       __atomic_add_fetch(&refused, 1, __ATOMIC_RELAXED) % REFUSED_LOOKS == 0;
}

static void settle(bool is_success)
{
	int32_t old = __atomic_load_n(&credit, __ATOMIC_RELAXED);
	int32_t next = is_success ? old + CREDIT_GAIN : old - 1;
	if (next >= 0 && next <= CREDIT)
		__atomic_store_n(&credit, next, __ATOMIC_RELAXED);
}

static bool look(const struct thread *state)
{
	/* Acquire: partner of the release in progress_begin_thread. */
	uint32_t tid = __atomic_load_n(&state->tid, __ATOMIC_ACQUIRE);
	uint32_t looks = __atomic_load_n(&state->looks, __ATOMIC_SEQ_CST);
	if (!tid)
		return false;
	return has_ended(state, tid) ||
	       (looks % 2 == 0 && sleeps_in_call(tid) && __atomic_load_n(&state->looks, __ATOMIC_SEQ_CST) == looks);
}

bool progress_is_made(uint32_t self, uint32_t thread, uint64_t when)
{
	struct thread *state = state_of(thread), *own = state_of(self);
	/* Acquire: partner of the release in progress_next. */
	if (__atomic_load_n(&state->count, __ATOMIC_ACQUIRE) != when ||
	    __atomic_load_n(&state->seen, __ATOMIC_RELAXED) >= when)
		return true;
	if (!is_allowed())
		return false;
	__atomic_store_n(&own->looks, own->looks + 1, __ATOMIC_SEQ_CST);
	bool is_made = look(state);
	__atomic_store_n(&own->looks, own->looks + 1, __ATOMIC_SEQ_CST);
	settle(is_made);
	/* If it has announced more since, that is not made. */
	if (is_made)
		__atomic_store_n(&state->seen, when, __ATOMIC_RELAXED);
	return is_made;
}
