/* errno belongs to a thread: failures of others between a call and the look at errno do not show. */
#include "check.h"
#include <fcntl.h>

static void *work(void *argument)
{
	int bad_descriptor = (int)(long)argument % 2, wrong = 0;
	for (int i = 0; i < 200; i++) {
		int want;
		if (bad_descriptor) {
			want = EBADF;
			CHECK(close(-1) == -1);
		} else {
			want = ENOENT;
			CHECK(open("/there/is/no/such/file", O_RDONLY) == -1);
		}
		sched_yield();
		wrong += errno != want;
	}
	return (void *)(long)wrong;
}

int main(void)
{
	pthread_t threads[4];
	long wrong = 0;
	for (long i = 0; i < 4; i++)
		threads[i] = start(work, (void *)i);
	for (int i = 0; i < 4; i++)
		wrong += (long)finish(threads[i]);
	printf("wrong %ld\n", wrong);
	return 0;
}
/*
 * expect: wrong 0
 */
