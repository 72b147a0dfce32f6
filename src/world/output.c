/* output.c: see output.h. */
#include "world/output.h"

#include <errno.h>
#include <sys/uio.h>

#include "rt/sys.h"
#include "world/descriptor.h"

static void hash_output(int stream, const void *from, size_t size)
{
	uint64_t hash = world.channel->output_hash ? world.channel->output_hash : 0xcbf29ce484222325ul;
	hash = (hash ^ (uint64_t)stream) * 0x100000001b3ul;
	for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t), from = (const uint64_t *)from + 1) {
		uint64_t word;
		__builtin_memcpy(&word, from, sizeof word);
		hash ^= word;
		hash = (hash << 29 | hash >> 35) * 0x9e3779b97f4a7c15ul;
	}
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const unsigned char *)from)[i]) * 0x100000001b3ul;
	world.channel->output_hash = hash;
}

void output_note(long number, const uint64_t a[6], long result)
{
	int stream = descriptor_output((int)a[0]);
	struct iovec one = { (void *)a[1], (size_t)result };
	const struct iovec *parts = &one;
	size_t count = 1, left = result > 0 ? (size_t)result : 0;
	if (!stream || !left)
		return;
	if (number == SYS_writev || number == SYS_pwritev || number == SYS_pwritev2) {
		parts = (const struct iovec *)a[1];
		count = a[2];
	} else if (number != SYS_write && number != SYS_pwrite64 && number != SYS_sendto) {
		return;
	}
	for (size_t i = 0; i < count && left; i++) {
		size_t size = parts[i].iov_len < left ? parts[i].iov_len : left;
		hash_output(stream, parts[i].iov_base, size);
		if (world.is_replaying && !(world.channel->flags & HEDDLE_CONTROL_DISCARD))
			for (size_t done = 0; done < size;) {
				ssize_t got = sys_write(stream, (const char *)parts[i].iov_base + done, size - done);
				if (got <= 0 && got != -EINTR && got != -EAGAIN)
					break;
				done += got > 0 ? (size_t)got : 0;
			}
		left -= size;
	}
}

bool output_is_discarded(long number, const uint64_t a[6], long *result)
{
	if (!(world.channel->flags & HEDDLE_CONTROL_DISCARD) || !descriptor_output((int)a[0]))
		return false;
	if (number == SYS_write) {
		*result = (long)a[2];
		return true;
	}
	if (number != SYS_writev)
		return false;
	*result = 0;
	for (size_t i = 0; i < a[2]; i++)
		*result += (long)((const struct iovec *)a[1])[i].iov_len;
	return true;
}
