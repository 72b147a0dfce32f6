/*
 * operations.c: mode operations: the program runs as it would without Heddle, its threads in parallel, and each thread
 * counts its operations and system calls in its own block (struct heddle_operation_thread).
 *
 * Invariants:
 *  1. Counting an operation uses no memory that two threads write: a thread finds its block through its own variable
 *     and a page that is never written after the start.
 *  2. Counting is one instruction, so a signal handler of the same thread loses nothing. Threads beyond the blocks
 *     share the first one, by atomic additions.
 *     Assured by tests/cli/operations.t.
 *  3. A forked child has no block until it counts: the kernel wipes the page in the child, however it was forked.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "heddle/abi.h"
#include "rt/bug.h"
#include "rt/enter/entrance.h"
#include "rt/enter/interpose.h"
#include "rt/enter/patch.h"
#include "rt/message.h"
#include "rt/mode.h"
#include "rt/option.h"
#include "rt/sys.h"

_Static_assert(INTERPOSE_COUNT <= HEDDLE_OPERATION_FUNCTIONS, "each function has a counter");

typedef struct heddle_operation_thread block;

/* Wiped in a forked child. */
static struct {
	uintptr_t mask; /* all ones; 0: this process has no blocks yet, and own is of another one */
	char rest[4096 - sizeof(uintptr_t)];
} forgotten __attribute__((aligned(4096)));

static struct heddle_operations *header;
static uint32_t process; /* see struct heddle_operation_thread */

/* Before the start there is no file: one thread counts here. */
static block early[2] __attribute__((aligned(4096)));

/* This thread's block; 0: none, or the shared one. */
static __thread uintptr_t own;

static inline block *block_at(uint32_t number)
{
	return (block *)((uintptr_t)header + HEDDLE_OPERATIONS_BLOCKS) + number;
}

/* For a thread that has no block, the shared one. */
static inline block *block_of_thread(void)
{
	return own ? (block *)own : block_at(0);
}

/* This process, or this program after an exec, is a new one. */
static void enter_process(void)
{
	if (forgotten.mask || own)
		RT_BUG("a process is new and has counters");
	process = __atomic_add_fetch(&header->process_count, 1, __ATOMIC_RELAXED);
	forgotten.mask = ~(uintptr_t)0;
}

/* Gives the thread a block, once; a signal handler may come between. */
static void take_block(void)
{
	uint32_t number = __atomic_fetch_add(&header->thread_count, 1, __ATOMIC_RELAXED);
	uintptr_t none = 0;
	if (number >= HEDDLE_OPERATION_THREADS)
		return;
	block *mine = block_at(number);
	if (!number || mine->tid) {
		RT_BUG("two threads have the same counters");
		return;
	}
	mine->process = process;
	mine->pid = sys_pid();
	mine->tid = sys_tid();
	__atomic_compare_exchange_n(&own, &none, (uintptr_t)mine, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static void operations_thread_begin(void)
{
	if (header && forgotten.mask && !own)
		take_block();
}

/* The slow ways of counting: the first operation of a process, one before the start, and one of a thread without a
 * block. */
__attribute__((noinline, cold)) static void count_slowly(size_t offset)
{
	if (offset > sizeof(block) - sizeof(uint64_t)) {
		RT_BUG("a counter that is none");
		return;
	}
	if (!header) {
		++*(uint64_t *)((char *)&early[1] + offset);
		return;
	}
	if (!forgotten.mask) {
		own = 0;
		entrance_knows_thread = false;
		enter_process();
	}
	entrance_thread();
	__atomic_fetch_add((uint64_t *)((char *)block_of_thread() + offset), 1, __ATOMIC_RELAXED);
}

static inline __attribute__((always_inline)) void increment(uintptr_t counter)
{
	__asm__ volatile("incq %0" : "+m"(*(uint64_t *)counter) : : "cc");
}

/* offset: of the counter in a block. */
static inline __attribute__((always_inline)) void count(size_t offset)
{
	uintptr_t mine = own & forgotten.mask;
	if (__builtin_expect(!mine, 0))
		count_slowly(offset);
	else
		increment(mine + offset);
}

static void operations_announce(const struct operation_row *row, const volatile void *object, uintptr_t code)
{
	(void)object;
	(void)code;
	count(offsetof(block, made) + row->number * sizeof(uint64_t));
}

static enum operation_next operations_before(struct operation *operation)
{
	count(offsetof(block, made) + operation->row->number * sizeof(uint64_t));
	return OPERATION_CALL;
}

static void operations_after(struct operation *operation)
{
	if (operation->end == OPERATION_UNWOUND)
		count(offsetof(block, unwound) + operation->row->number * sizeof(uint64_t));
	else if (!operation_succeeded(operation))
		count(offsetof(block, failed) + operation->row->number * sizeof(uint64_t));
}

static void operations_syscall(struct registers *registers)
{
	uint64_t number = registers->number;
	if (number >= HEDDLE_OPERATION_CALLS - 1)
		number = HEDDLE_OPERATION_CALLS - 1;
	count(offsetof(block, calls) + number * sizeof(uint64_t));
	entrance_make_call(registers);
}

/* All of most calls: what is slow is for operations_syscall. */
static __attribute__((no_caller_saved_registers)) bool operations_glance(uint64_t number)
{
	uintptr_t mine = own & forgotten.mask;
	if (__builtin_expect(!mine || number >= HEDDLE_OPERATION_CALLS - 1, 0) || entrance_is_special(number))
		return false;
	increment(mine + offsetof(block, calls) + number * sizeof(uint64_t));
	return true;
}

static void operations_thread_end(void)
{
	if (!forgotten.mask || !own)
		return;
	block *mine = (block *)own;
	sys_call(SYS_prctl, PR_GET_NAME, (long)mine->name, 0, 0, 0, 0);
	mine->is_ended = 1;
}

static void operations_exit(int status)
{
	(void)status;
	operations_thread_end();
}

/* In the child; where the kernel has not wiped the page, this clears it. */
static void operations_fork(void)
{
	forgotten.mask = 0;
	own = 0;
	entrance_knows_thread = false;
	enter_process();
}

static void *operations_slot(size_t index)
{
	void *checked = operation_checked(index);
	return checked ? checked : operation_function(index);
}

static int map_file(const char *path)
{
	int fd = sys_open(path, O_RDWR);
	int64_t size = fd < 0 ? fd : sys_file_size(fd);
	long at = size < 0                                  ? size
		  : size < (int64_t)HEDDLE_OPERATIONS_BYTES ? -EBADMSG
							    : sys_mmap(HEDDLE_OPERATIONS_BYTES, PROT_READ | PROT_WRITE,
								       MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (fd >= 0)
		sys_close(fd);
	if (sys_failed(at))
		return (int)at;
	struct heddle_operations *mapped = (struct heddle_operations *)at;
	if (memcmp(mapped->magic, HEDDLE_OPERATIONS_MAGIC, sizeof mapped->magic) != 0 ||
	    mapped->version != HEDDLE_ABI_VERSION) {
		sys_munmap(mapped, HEDDLE_OPERATIONS_BYTES);
		return -EBADMSG;
	}
	sys_madvise(mapped, HEDDLE_OPERATIONS_BYTES, MADV_DONTDUMP);
	header = mapped;
	return 0;
}

/* Two programs that start at once write the same. */
static void write_names(void)
{
	for (size_t i = 0; i < INTERPOSE_COUNT; i++) {
		const struct operation_row *row = &operation_rows[i];
		const char *kind = operation_kind_name((enum operation_kind)row->kind);
		struct heddle_operation_function *function = &header->functions[i];
		for (size_t at = 0; row->name && at < sizeof function->name - 1 && row->name[at]; at++)
			function->name[at] = row->name[at];
		for (size_t at = 0; row->name && at < sizeof function->kind - 1 && kind[at]; at++)
			function->kind[at] = kind[at];
	}
}

static void take_early(void)
{
	block *mine = block_of_thread();
	for (size_t i = 0; i < HEDDLE_OPERATION_FUNCTIONS; i++) {
		mine->made[i] += early[1].made[i];
		mine->failed[i] += early[1].failed[i];
		mine->unwound[i] += early[1].unwound[i];
	}
}

/* The calls of libraries that the tool has decoded. Without them only the rest is counted. */
static void take_calls(void)
{
	int fd = options.patches_path[0] ? sys_open(options.patches_path, O_RDONLY) : -1;
	int patched = fd < 0 ? 0 : patch_system_calls(fd);
	if (fd >= 0)
		sys_close(fd);
	entrance.serves = patched > 0;
	__atomic_fetch_add(patched > 0 ? &header->patched_count : &header->unpatched_count, 1, __ATOMIC_RELAXED);
}

static int operations_start(void)
{
	int code = map_file(options.operations_path);
	if (code < 0) {
		rt_off(RT_OPERATIONS_FILE, options.operations_path[0] ? options.operations_path : NULL, code);
		return -1;
	}
	sys_madvise(&forgotten, sizeof forgotten, MADV_WIPEONFORK);
	write_names();
	__atomic_fetch_add(&header->image_count, 1, __ATOMIC_RELAXED);
	enter_process();
	entrance_thread();
	take_early();
	take_calls();
	return 0;
}

const struct mode mode_operations = {
	.name = "operations",
	.start = operations_start,
	.slot = operations_slot,
	.before = operations_before,
	.after = operations_after,
	.announce = operations_announce,
	.glance = operations_glance,
	.syscall = operations_syscall,
	.thread_begin = operations_thread_begin,
	.thread_end = operations_thread_end,
	.fork = operations_fork,
	.exit = operations_exit,
};
