/* self, equal, names set by itself and by others, thread ids that differ, and gettid of main equal to getpid. */
#include "check.h"
#include <semaphore.h>

static sem_t named, seen;
static pid_t tids[3];
static char names[3][16];
static pthread_t selves[3];

static void *work(void *argument)
{
	long index = (long)argument;
	tids[index] = gettid();
	selves[index] = pthread_self();
	if (index == 0)
		CHECK(pthread_setname_np(pthread_self(), "zero") == 0);
	sem_post(&seen);
	while (sem_wait(&named) != 0)
		;
	CHECK(pthread_getname_np(pthread_self(), names[index], 16) == 0);
	return NULL;
}

int main(void)
{
	sem_init(&named, 0, 0);
	sem_init(&seen, 0, 0);
	CHECK(getpid() == gettid());
	pthread_t threads[3];
	for (long i = 0; i < 3; i++)
		threads[i] = start(work, (void *)i);
	for (int i = 0; i < 3; i++)
		sem_wait(&seen);
	CHECK(pthread_setname_np(threads[1], "one") == 0);
	CHECK(pthread_setname_np(threads[2], "a name that is too long") == ERANGE);
	CHECK(pthread_setname_np(threads[2], "fifteen letters") == 0);
	char name[16];
	CHECK(pthread_getname_np(threads[0], name, sizeof(name)) == 0);
	printf("seen from main: %s\n", name);
	for (int i = 0; i < 3; i++)
		sem_post(&named);
	for (int i = 0; i < 3; i++) {
		CHECK(pthread_equal(threads[i], selves[i]));
		CHECK(!pthread_equal(threads[i], pthread_self()));
		finish(threads[i]);
	}
	CHECK(tids[0] != tids[1] && tids[1] != tids[2] && tids[0] != tids[2] && tids[0] != getpid());
	printf("%s, %s, %s\n", names[0], names[1], names[2]);
	return 0;
}
/*
 * expect: seen from main: zero
 * expect: zero, one, fifteen letters
 */
