/* Files: made, written, read at places, renamed, listed, truncated, removed, by several threads in one folder. */
#include "check.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

static char folder[] = "heddle-test-XXXXXX";

static void *work(void *argument)
{
	char path[64], other[64], buffer[16] = { 0 };
	struct stat about;
	long index = (long)argument;
	snprintf(path, sizeof(path), "%s/file-%ld", folder, index);
	snprintf(other, sizeof(other), "%s/renamed-%ld", folder, index);
	int file = open(path, O_RDWR | O_CREAT | O_EXCL, 0644);
	CHECK(file >= 0 && open(path, O_RDWR | O_CREAT | O_EXCL, 0644) == -1 && errno == EEXIST);
	for (int i = 0; i < 10; i++)
		CHECK(pwrite(file, "0123456789", 10, i * 10) == 10);
	CHECK(lseek(file, 25, SEEK_SET) == 25 && read(file, buffer, 5) == 5 && strcmp(buffer, "56789") == 0);
	CHECK(pread(file, buffer, 3, 97) == 3 && strncmp(buffer, "789", 3) == 0);
	CHECK(ftruncate(file, 42 + index) == 0 && fsync(file) == 0);
	CHECK(fstat(file, &about) == 0 && about.st_size == 42 + index);
	CHECK(rename(path, other) == 0 && access(path, F_OK) == -1 && access(other, R_OK | W_OK) == 0);
	CHECK(close(file) == 0);
	CHECK(stat(other, &about) == 0);
	return (void *)(long)about.st_size;
}

int main(void)
{
	CHECK(mkdtemp(folder));
	pthread_t threads[4];
	long sum = 0;
	for (long i = 0; i < 4; i++)
		threads[i] = start(work, (void *)i);
	for (int i = 0; i < 4; i++)
		sum += (long)finish(threads[i]);
	DIR *listing = opendir(folder);
	int files = 0;
	for (struct dirent *entry; (entry = readdir(listing));) {
		if (strncmp(entry->d_name, "renamed-", 8) != 0)
			continue;
		files++;
		CHECK(unlinkat(dirfd(listing), entry->d_name, 0) == 0);
	}
	closedir(listing);
	char path[64], target[64] = { 0 };
	snprintf(path, sizeof(path), "%s/link", folder);
	CHECK(symlink("nowhere", path) == 0 && readlink(path, target, sizeof(target)) == 7 && unlink(path) == 0);
	snprintf(path, sizeof(path), "%s/inner", folder);
	CHECK(mkdir(path, 0700) == 0 && rmdir(folder) == -1 && errno == ENOTEMPTY && rmdir(path) == 0);
	CHECK(rmdir(folder) == 0);
	printf("sum %ld files %d %s\n", sum, files, target);
	return 0;
}
/*
 * expect: sum 174 files 4 nowhere
 */
