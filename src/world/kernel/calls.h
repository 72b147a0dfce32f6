/*
 * calls.h: facts about each system call of x86-64: how it uses memory and descriptors, so that calls to the outside can
 * be recorded and replayed. Nothing here makes a system call, keeps state or deals with threads. Any code may call
 * these functions at any time.
 *
 * To add a call, add a row to calls.c: its class, whether it may block, its descriptor. The memory that the kernel
 * writes is described in calls_outputs.c (in calls_socket.c and calls_ioctl.c for their calls), and facts that depend
 * on the arguments in calls_control.c. The number and the name are in include/heddle/syscalls.h.
 *
 * To record a call: call_lengths, make the call, call_outputs with an each() that appends the bytes to the log. To
 * replay it: call_lengths, take the result from the log, call_outputs with an each() that copies the bytes from the log
 * to where they were. Both see the same pieces in the same order. Two rules for each() in a replay:
 *  1. The bytes must be in place when it returns: lengths that the kernel wrote are read from there afterwards.
 *     Assured by tests/unit/calls.t.
 *  2. It must not write bytes that are the same already: the kernel forgives a time-out in memory that cannot be
 *     written, and some pieces are longer than what the kernel changed.
 *     Assured by tests/unit/calls.t.
 */
#ifndef WORLD_KERNEL_CALLS_H
#define WORLD_KERNEL_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum call_class {
	CALL_WORLD, /* served by the world itself: threads, signals, time, this process */
	CALL_LOCAL, /* changes only this process's memory or settings: made in a replay too, the result is not recorded */
	CALL_OUTSIDE,  /* made while recording; its result and what it wrote are recorded, and reproduced in a replay */
	CALL_DECLINED, /* fails as on a kernel that lacks or refuses it: programs can do without; see call_error_of */
	CALL_REFUSED,  /* cannot be recorded, and no kernel lacks it: the run ends */
};

enum call_flag {
	CALL_BLOCKS_READ = 1u << 0,   /* may wait until the descriptor can be read (or a connection accepted) */
	CALL_BLOCKS_WRITE = 1u << 1,  /* may wait until the descriptor can be written */
	CALL_POLL = 1u << 2,          /* waits for several descriptors: poll, select, epoll_wait and their variants */
	CALL_BLOCKS_OTHER = 1u << 3,  /* may wait for something that cannot be polled */
	CALL_OPENS = 1u << 4,         /* the result, if not negative, is a new descriptor (of ioctl: rarely) */
	CALL_CLOSES = 1u << 5,        /* closes descriptors: close, close_range, dup2, dup3 */
	CALL_MAY_WAKE = 1u << 6,      /* may end another thread's wait for a descriptor, a lock, a queue or a child */
	CALL_WRITES_OUTPUT = 1u << 7, /* bytes of the caller's memory go to the descriptor */
};

struct call {
	bool is_present; /* the number has a row */
	enum call_class class;
	uint8_t flags;
	/* Index of the argument that is the descriptor which the flags are about; -1: none. sendfile and splice wait
	 * for two: this is the one that is read, the one that is written is argument 0 of sendfile, 1 of tee and 2 of
	 * splice. */
	int8_t descriptor;
	/* Index of an argument that names a process or thread by its id, which may be one of the world's own; -1: none.
	 * The second argument of setpgid and kcmp is one, too. */
	int8_t process;
};

/* Returns the row of any number. Never returns null: numbers that no kernel is known to have are declined, under the
 * name "unknown". */
const struct call *call_of(long number);

const char *call_name(long number);

/* The class of this very call: as call_of(number)->class, except where it depends on the arguments: ioctl, fcntl,
 * prctl, arch_prctl, getsockopt, keyctl, seccomp, semctl, ... Reads no memory of the caller's. */
enum call_class call_class_of(long number, const uint64_t arguments[6]);

/* Whether this very call can be recorded or is served otherwise. */
static inline bool call_is_known(long number, const uint64_t arguments[6])
{
	return call_class_of(number, arguments) < CALL_DECLINED;
}

/* The enum call_flag of this very call: as call_of(number)->flags, without those that the arguments exclude
 * (MSG_DONTWAIT, WNOHANG, open's O_NONBLOCK, an fcntl that does not lock, ...). Whether the descriptor itself is
 * non-blocking is not known here. */
unsigned call_flags_of(long number, const uint64_t arguments[6]);

/* Why this very call is declined or refused, for a message that names the call already; null when it is neither. */
const char *call_why_not(long number, const uint64_t arguments[6]);

/* The errno that this very call fails with when it is declined; else 0. */
int call_error_of(long number, const uint64_t arguments[6]);

#define CALL_NAME_LENGTHS 64

/* Lengths that the caller provided and the kernel may replace. */
struct call_lengths {
	uint64_t length, control_length;
	uint8_t names[CALL_NAME_LENGTHS]; /* of the first messages of recvmmsg */
};

/* Fills before from the caller's memory as it is before the call. Only calls that replace a length use it. A length at
 * a wild address faults here, where the kernel would return EFAULT; a null address does not. */
void call_lengths(long number, const uint64_t arguments[6], struct call_lengths *before);

typedef void call_each(void *data, void *at, size_t size);

/*
 * Calls each for every piece of the caller's memory that the kernel wrote in this call, which returned result
 * (negative: an errno; some errors write too). The pieces depend only on the arguments, the result, before, memory
 * that the caller provided (iovec, msghdr) and pieces that were given to each already. They are never longer than the
 * room that the caller declared, but may include bytes that the kernel left alone. Pieces of size 0 are left out.
 *
 * Complete for calls of CALL_OUTSIDE, and for those of CALL_WORLD that ask for clocks, identity or scheduling, should
 * the world make them. Not known: what a call that failed with EFAULT wrote before it failed.
 */
void call_outputs(long number, const uint64_t arguments[6], long result, const struct call_lengths *before,
		  call_each *each, void *data);

#endif
