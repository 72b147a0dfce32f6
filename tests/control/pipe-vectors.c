/* Vectors that are too long, and parts that are: EINVAL or EMSGSIZE, and nothing is written. */
#include "check.h"
#include <limits.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

static char bytes[IOV_MAX + 1];
static struct iovec parts[IOV_MAX + 1];

static int waiting_in(int fd)
{
	int count = -1;
	CHECK(ioctl(fd, FIONREAD, &count) == 0);
	return count;
}

int main(void)
{
	int ends[2], pair[2];
	CHECK(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	for (int i = 0; i <= IOV_MAX; i++)
		parts[i] = (struct iovec){ &bytes[i], 1 };
	CHECK(writev(ends[1], parts, IOV_MAX) == IOV_MAX);
	CHECK(read(ends[0], bytes, sizeof(bytes)) == IOV_MAX);
	CHECK(writev(ends[1], parts, IOV_MAX + 1) == -1 && errno == EINVAL);
	CHECK(writev(pair[1], parts, IOV_MAX + 1) == -1 && errno == EINVAL);
	CHECK(writev(ends[1], parts, -1) == -1 && errno == EINVAL);
	CHECK(writev(ends[1], parts, 0) == 0);
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = IOV_MAX + 1 };
	CHECK(sendmsg(pair[1], &message, 0) == -1 && errno == EMSGSIZE);
	printf("too many parts: %d %d\n", waiting_in(ends[0]), waiting_in(pair[0]));

	struct iovec wide[2] = { { bytes, 1 }, { bytes, SIZE_MAX } };
	CHECK(writev(ends[1], wide, 2) == -1 && errno == EINVAL);
	CHECK(writev(pair[1], wide, 2) == -1 && errno == EINVAL);
	printf("parts too long: %d %d\n", waiting_in(ends[0]), waiting_in(pair[0]));
	return 0;
}
/*
 * expect: too many parts: 0 0
 * expect: parts too long: 0 0
 */
