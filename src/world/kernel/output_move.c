/*
 * output_move.c: see output.h. The call is made as it is, but to a file of ours of the kind that the stream is: a
 * pipe if it is a pipe, else memory. So the kernel itself checks the arguments, whatever the source is, and we get
 * the bytes. Then they are written to the stream as by write.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "rt/sys.h"
#include "world/kernel/descriptor.h"
#include "world/kernel/output.h"

struct move {
	int in, out;
	size_t size;
	int64_t *in_at, *out_at; /* null: where the file is */
	uint64_t flags;
};

bool output_is_move(long number)
{
	return number == SYS_sendfile || number == SYS_splice || number == SYS_tee || number == SYS_copy_file_range;
}

static struct move move_of(long number, const uint64_t a[6])
{
	switch (number) {
	case SYS_sendfile:
		return (struct move){ (int)a[1], (int)a[0], a[3], (int64_t *)a[2], NULL, 0 };
	case SYS_tee:
		return (struct move){ (int)a[0], (int)a[1], a[2], NULL, NULL, a[3] };
	default:
		return (struct move){ (int)a[0], (int)a[2], a[4], (int64_t *)a[1], (int64_t *)a[3], a[5] };
	}
}

static long make(long number, const struct move *move, int out, int64_t *out_at, size_t size)
{
	if (number == SYS_sendfile)
		return sys_call(number, out, move->in, (long)move->in_at, (long)size, 0, 0);
	if (number == SYS_tee)
		return sys_call(number, move->in, out, (long)size, (long)move->flags, 0, 0);
	return sys_call(number, move->in, (long)move->in_at, out, (long)out_at, (long)size, (long)move->flags);
}

/* To a pipe of ours, and from there to memory. Files are moved to their end, or to the end of what was asked for. */
static long move_by_pipe(long number, const struct move *move, int memory)
{
	int ends[2];
	long total = 0, got, code = sys_call(SYS_pipe2, (long)ends, O_NONBLOCK | O_CLOEXEC, 0, 0, 0, 0);
	if (code < 0)
		return code;
	do {
		int64_t ignored = 0;
		got = make(number, move, ends[1], move->out_at ? &ignored : NULL, move->size - (size_t)total);
		for (long left = got; left > 0;) {
			long moved = sys_call(SYS_splice, ends[0], 0, memory, 0, left, 0);
			if (moved <= 0)
				break;
			left -= moved;
		}
		total += got > 0 ? got : 0;
	} while (got > 0 && (size_t)total < move->size && descriptor_is_plain(move->in));
	sys_close(ends[0]);
	sys_close(ends[1]);
	return total ? total : got;
}

static long move_to(long number, const struct move *move, int memory)
{
	struct stat status;
	int64_t at = 0;
	if (number == SYS_copy_file_range) /* it requires both in one file system, so it only reads */
		return sys_call(SYS_sendfile, memory, move->in, (long)move->in_at, (long)move->size, 0, 0);
	if (sys_call(SYS_fstat, move->out, (long)&status, 0, 0, 0, 0) == 0 && S_ISFIFO(status.st_mode))
		return move_by_pipe(number, move, memory);
	long flags = sys_call(SYS_fcntl, move->out, F_GETFL, 0, 0, 0, 0);
	sys_call(SYS_fcntl, memory, F_SETFL, flags & O_APPEND, 0, 0, 0);
	return make(number, move, memory, move->out_at ? &at : NULL, move->size);
}

/* What copy_file_range itself says to them, of no bytes. */
static long check_copy(const struct move *move)
{
	return sys_call(SYS_copy_file_range, move->in, (long)move->in_at, move->out, (long)move->out_at, 0,
			(long)move->flags);
}

long output_move(struct output *output, long number, const uint64_t a[6])
{
	struct move move = move_of(number, a);
	long code = number == SYS_copy_file_range ? check_copy(&move) : 0;
	if (code < 0)
		return code;
	long memory = sys_call(SYS_memfd_create, (long)"heddle", MFD_CLOEXEC, 0, 0, 0, 0);
	if (memory < 0)
		return memory;
	long result = move_to(number, &move, (int)memory);
	size_t room = result > 0 ? (size_t)result : 0;
	long at = room ? sys_mmap(room, PROT_READ, MAP_PRIVATE, (int)memory, 0) : 0;
	sys_close((int)memory);
	if (sys_failed(at))
		return at;
	if (room && !(world.channel->flags & HEDDLE_CONTROL_DISCARD))
		result = output_write(move.out, (void *)at, room, move.out_at);
	if (result <= 0) {
		if (room)
			sys_munmap((void *)at, room);
		return result;
	}
	output->moved = (const unsigned char *)at;
	output->moved_size = (size_t)result;
	output->moved_room = room;
	if (move.out_at)
		*move.out_at += result;
	return result;
}
