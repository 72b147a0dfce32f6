/* calls_priv.h: declarations that the files world/kernel/calls*.c share. */
#ifndef WORLD_KERNEL_CALLS_PRIV_H
#define WORLD_KERNEL_CALLS_PRIV_H

#include <sys/syscall.h>
#include <sys/uio.h>

#include "heddle/syscalls.h"
#include "world/kernel/calls.h"

/* A call whose outputs are being enumerated. */
struct outputs {
	const uint64_t *arguments;
	long result;
	const struct call_lengths *before;
	call_each *each;
	void *data;
};

static inline size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static inline void *pointer(const struct outputs *outputs, int argument)
{
	return (void *)(uintptr_t)outputs->arguments[argument];
}

/* One piece; none when at is null. */
static inline void piece(const struct outputs *outputs, void *at, size_t size)
{
	if (at && size)
		outputs->each(outputs->data, at, size);
}

/* What the argument points to. */
static inline void fixed(const struct outputs *outputs, int argument, size_t size)
{
	piece(outputs, pointer(outputs, argument), size);
}

/* The first total bytes of the buffers. */
static inline void scattered(const struct outputs *outputs, const struct iovec *vector, size_t count, size_t total)
{
	for (size_t i = 0; i < count && total; i++) {
		size_t part = smaller(vector[i].iov_len, total);
		piece(outputs, vector[i].iov_base, part);
		total -= part;
	}
}

/* Sockets: accept, the recv family, getsockopt ... False when the call is none of them. */
bool socket_outputs(long number, const struct outputs *outputs);

/* call_lengths of recvmsg and recvmmsg. */
void message_lengths(long number, const uint64_t arguments[6], struct call_lengths *before);

/* Calls with many operations: ioctl, fcntl, prctl, the ipc *ctl, keyctl ... False when the call is none of them. */
bool control_outputs(long number, const struct outputs *outputs);

/* The decision about a call. */
struct verdict {
	enum call_class class;
	int error;       /* if it is declined */
	const char *why; /* if it is declined or refused */
};

/* The verdict on this very call; class is the one of the table. */
struct verdict control_verdict(long number, const uint64_t arguments[6], enum call_class class);

struct verdict ioctl_verdict(uint32_t request);

static inline struct verdict taken(enum call_class class)
{
	return (struct verdict){ class, 0, NULL };
}

static inline struct verdict declined(int error, const char *why)
{
	return (struct verdict){ CALL_DECLINED, error, why };
}

static inline struct verdict refused(const char *why)
{
	return (struct verdict){ CALL_REFUSED, 0, why };
}

void ioctl_outputs(const struct outputs *outputs);

#endif
