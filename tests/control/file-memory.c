/* memfd_create, sendfile, copy_file_range, fallocate, statx, getcwd and chdir, umask, /dev/null and /dev/zero. */
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

int main(void)
{
	int a = memfd_create("a", MFD_CLOEXEC), b = memfd_create("b", 0);
	char text[32] = { 0 }, folder[4096];
	CHECK(a >= 0 && b >= 0 && write(a, "some contents", 13) == 13);
	off_t at = 5;
	CHECK(sendfile(b, a, &at, 100) == 8 && at == 13);
	CHECK(pread(b, text, sizeof(text), 0) == 8);
	printf("%s\n", text);
	struct statx about;
	CHECK(statx(b, "", AT_EMPTY_PATH, STATX_SIZE, &about) == 0 && about.stx_size == 8);
	CHECK(fallocate(b, 0, 0, 10000) == 0 && lseek(b, 0, SEEK_END) == 10000);
	CHECK(getcwd(folder, sizeof(folder)) && chdir("/") == 0);
	char root[10];
	CHECK(getcwd(root, sizeof(root)) && strcmp(root, "/") == 0 && chdir(folder) == 0);
	mode_t mask = umask(077);
	CHECK(umask(mask) == 077);
	int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_WRONLY);
	memset(text, 1, sizeof(text));
	CHECK(read(zero, text, sizeof(text)) == sizeof(text) && text[31] == 0);
	CHECK(write(null, text, sizeof(text)) == sizeof(text));
	CHECK(!isatty(null) && errno == ENOTTY);
	printf("ok\n");
	return 0;
}
/*
 * expect: contents
 * expect: ok
 */
