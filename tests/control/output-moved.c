/* Output by calls where the kernel has the bytes, through high numbers and by other names. */
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>

static int text_in(const char *text)
{
	int file = memfd_create("text", 0);
	CHECK(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text) && lseek(file, 0, SEEK_SET) == 0);
	return file;
}

static void by_sendfile(void)
{
	int file = text_in("sendfile from its place\nleft out\n");
	CHECK(sendfile(1, file, NULL, 24) == 24);
	CHECK(lseek(file, 0, SEEK_CUR) == 24);
	off_t at = 5;
	CHECK(sendfile(1, file, &at, 4) == 4 && at == 9);
	CHECK(sendfile(1, file, NULL, 1000) == 9);
	CHECK(sendfile(1, file, NULL, 1000) == 0);
	CHECK(sendfile(1, -1, NULL, 1000) == -1 && errno == EBADF);
	close(file);
}

static void *write_later(void *argument)
{
	usleep(1000);
	CHECK(write(*(int *)argument, "splice\n", 7) == 7);
	return NULL;
}

/* From a pipe that is empty at first. */
static void by_splice(void)
{
	int ends[2];
	CHECK(pipe(ends) == 0);
	pthread_t thread = start(write_later, &ends[1]);
	CHECK(splice(ends[0], NULL, 1, NULL, 1000, 0) == 7);
	finish(thread);
	CHECK(splice(ends[0], NULL, 1, NULL, 1000, SPLICE_F_NONBLOCK) == -1 && errno == EAGAIN);
	close(ends[0]);
	close(ends[1]);
}

static void by_copy(void)
{
	struct stat status;
	int file = text_in("skipped, copied\n");
	loff_t at = 9;
	CHECK(fstat(1, &status) == 0);
	ssize_t copied = copy_file_range(file, &at, 1, NULL, 100, 0);
	/* Not between all kinds of files. */
	if (copied == -1)
		CHECK(write(1, "copied\n", 7) == 7);
	else
		CHECK(copied == 7 && at == 16);
	close(file);
}

static void by_high_number(void)
{
	struct rlimit limit;
	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	limit.rlim_cur = limit.rlim_max;
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	int high = fcntl(1, F_DUPFD, limit.rlim_max > 70000 ? 70000 : 1500);
	if (high >= 0) {
		CHECK(write(high, "high number\n", 12) == 12 && close(high) == 0);
		CHECK(write(high, "x", 1) == -1 && errno == EBADF);
	} else {
		CHECK(write(1, "high number\n", 12) == 12);
	}
}

static void by_name(const char *name)
{
	int file = open(name, O_WRONLY | O_APPEND);
	CHECK(file > 2);
	CHECK(write(file, name, strlen(name)) == (ssize_t)strlen(name) && write(file, "\n", 1) == 1);
	close(file);
	/* Where the program itself stands in the file it does not know. */
	lseek(1, 0, SEEK_END);
}

static void by_link(void)
{
	char link[] = "/tmp/heddle-test-XXXXXX";
	int file = mkstemp(link);
	CHECK(file >= 0 && close(file) == 0 && unlink(link) == 0 && symlink("/proc/self/fd/1", link) == 0);
	file = open(link, O_WRONLY | O_APPEND);
	CHECK(file >= 0 && unlink(link) == 0);
	struct iovec parts[2] = { { (char[]){ "by a " }, 5 }, { (char[]){ "link\n" }, 5 } };
	CHECK(writev(file, parts, 2) == 10);
	close(file);
	lseek(1, 0, SEEK_END);
}

int main(void)
{
	by_sendfile();
	by_splice();
	by_copy();
	by_high_number();
	by_name("/dev/stdout");
	by_name("/proc/self/fd/1");
	by_link();
	return 0;
}
/*
 * expect: sendfile from its place
 * expect: ile left out
 * expect: splice
 * expect: copied
 * expect: high number
 * expect: /dev/stdout
 * expect: /proc/self/fd/1
 * expect: by a link
 */
