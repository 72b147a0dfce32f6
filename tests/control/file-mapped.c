/* A file mapped private and shared, read and written through both, by two threads; and mremap, madvise, mincore. */
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>

static int *shared;

static void *work(void *argument)
{
	long index = (long)argument;
	for (int i = 0; i < 1000; i++)
		shared[index * 1000 + i] = (int)index + 1;
	return NULL;
}

int main(void)
{
	char path[] = "heddle-test-XXXXXX";
	int file = mkstemp(path), value = 0;
	CHECK(file >= 0 && unlink(path) == 0 && ftruncate(file, 8192) == 0);
	shared = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	int *private = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
	CHECK(shared != MAP_FAILED && private != MAP_FAILED);
	private[0] = 77;
	pthread_t a = start(work, (void *)0), b = start(work, (void *)1);
	finish(a);
	finish(b);
	CHECK(private[0] == 77);
	CHECK(msync(shared, 8192, MS_SYNC) == 0);
	CHECK(pread(file, &value, sizeof(value), 1500 * sizeof(int)) == sizeof(value));
	long sum = 0;
	for (int i = 0; i < 2000; i++)
		sum += shared[i];
	printf("sum %ld value %d\n", sum, value);
	CHECK(munmap(private, 8192) == 0);
	char *anonymous = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	anonymous[10] = 5;
	anonymous = mremap(anonymous, 4096, 1 << 20, MREMAP_MAYMOVE);
	CHECK(anonymous != MAP_FAILED && anonymous[10] == 5 && anonymous[500000] == 0);
	CHECK(madvise(anonymous, 1 << 20, MADV_DONTNEED) == 0 && anonymous[10] == 0);
	CHECK(mprotect(anonymous, 4096, PROT_READ) == 0 && munmap(anonymous, 1 << 20) == 0);
	CHECK(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == EINVAL);
	return 0;
}
/*
 * expect: sum 3000 value 2
 */
