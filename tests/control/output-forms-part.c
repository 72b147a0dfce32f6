/* All calls that can write, to the standard output and standard error, whatever they are; prints what came of each. */
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

static int file, ends[2];

static void refill(void)
{
	CHECK(write(ends[1], "piped\n", 6) == 6);
	CHECK(lseek(file, 0, SEEK_SET) == 0);
}

static void all_to(int fd)
{
	struct iovec parts[2] = { { (char[]){ "one, " }, 5 }, { (char[]){ "two\n" }, 4 } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	struct mmsghdr messages[2] = { { .msg_hdr = message },
				       { .msg_hdr = { .msg_iov = &parts[1], .msg_iovlen = 1 } } };
	/* The pipe has the page itself. */
	static char page[4096] __attribute__((aligned(4096))) = "given\n";
	struct iovec kept = { page, 6 };
	char rest[16];
	long results[10];
	refill();
	results[0] = writev(fd, parts, 2);
	results[1] = sendmsg(fd, &message, 0);
	results[2] = sendmmsg(fd, messages, 2, 0);
	results[3] = send(fd, "sent\n", 5, 0);
	results[4] = sendfile(fd, file, NULL, 100);
	results[5] = splice(ends[0], NULL, fd, NULL, 100, 0);
	if (results[5] > 0)
		refill();
	results[6] = tee(ends[0], fd, 100, 0);
	results[7] = vmsplice(fd, &kept, 1, 0);
	loff_t at = 0;
	results[8] = splice(file, &at, fd, NULL, 100, 0);
	results[9] = copy_file_range(file, &at, fd, NULL, 100, 0);
	for (int i = 0; i < 10; i++)
		dprintf(fd, "%ld%c", results[i], i < 9 ? ' ' : '\n');
	CHECK(read(ends[0], rest, sizeof(rest)) == 6);
}

int main(void)
{
	file = memfd_create("text", 0);
	CHECK(file >= 0 && write(file, "filed\n", 6) == 6 && pipe(ends) == 0);
	all_to(1);
	all_to(2);
	return 0;
}
