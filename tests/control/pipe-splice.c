/* tee, splice, vmsplice and copies with readv and writev, dup, dup2 and F_GETPIPE_SZ. */
#include "check.h"
#include <fcntl.h>
#include <sys/uio.h>

int main(void)
{
	int a[2], b[2];
	char first[6] = { 0 }, second[6] = { 0 };
	CHECK(pipe(a) == 0 && pipe(b) == 0);
	struct iovec out[2] = { { (char[]){ "hello" }, 5 }, { (char[]){ "world" }, 5 } };
	CHECK(writev(a[1], out, 2) == 10);
	CHECK(tee(a[0], b[1], 10, 0) == 10);
	struct iovec in[2] = { { first, 5 }, { second, 5 } };
	CHECK(readv(b[0], in, 2) == 10);
	printf("%s %s\n", first, second);
	CHECK(splice(a[0], NULL, b[1], NULL, 10, 0) == 10);
	int copy = dup(b[0]);
	CHECK(copy >= 0 && dup2(copy, 100) == 100 && dup3(copy, 101, O_CLOEXEC) == 101);
	CHECK(fcntl(101, F_GETFD) == FD_CLOEXEC && fcntl(100, F_GETFD) == 0);
	memset(second, 0, sizeof(second));
	CHECK(read(100, first, 5) == 5 && read(101, second, 5) == 5);
	printf("%s %s\n", first, second);
	CHECK(fcntl(a[0], F_GETPIPE_SZ) >= 4096);
	CHECK(close(100) == 0 && close(101) == 0 && close(copy) == 0);
	CHECK(read(100, first, 1) == -1 && errno == EBADF);
	return 0;
}
/*
 * expect: hello world
 * expect: hello world
 */
