/* flock between two descriptors in two threads, and fcntl locks of open file descriptions: they exclude each other. */
#include "check.h"
#include <fcntl.h>
#include <sys/file.h>

static char path[] = "heddle-test-XXXXXX";
static int count, is_inside;

static void *work(void *argument)
{
	int file = open(path, O_RDWR);
	CHECK(file >= 0);
	for (int i = 0; i < 10; i++) {
		if (argument) {
			CHECK(flock(file, LOCK_EX) == 0);
		} else {
			struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
			CHECK(fcntl(file, F_OFD_SETLKW, &lock) == 0);
		}
		CHECK(is_inside++ == 0);
		int seen = count;
		usleep(50);
		count = seen + 1;
		is_inside--;
		if (argument) {
			CHECK(flock(file, LOCK_UN) == 0);
		} else {
			struct flock lock = { .l_type = F_UNLCK, .l_whence = SEEK_SET };
			CHECK(fcntl(file, F_OFD_SETLKW, &lock) == 0);
		}
	}
	CHECK(close(file) == 0);
	return NULL;
}

int main(void)
{
	int file = mkstemp(path);
	CHECK(file >= 0);
	for (long way = 0; way < 2; way++) {
		pthread_t threads[3];
		for (int i = 0; i < 3; i++)
			threads[i] = start(work, (void *)way);
		for (int i = 0; i < 3; i++)
			finish(threads[i]);
	}
	int other = open(path, O_RDWR);
	CHECK(flock(file, LOCK_EX) == 0 && flock(other, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK);
	CHECK(flock(file, LOCK_SH) == 0 && flock(other, LOCK_SH | LOCK_NB) == 0);
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 10 };
	CHECK(fcntl(file, F_SETLK, &lock) == 0 && fcntl(file, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK);
	CHECK(unlink(path) == 0);
	printf("count %d\n", count);
	return 0;
}
/*
 * expect: count 60
 */
