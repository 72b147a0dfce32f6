/* A named semaphore: made, opened twice under one address, exclusive creation refused, removed. */
#include "check.h"
#include <fcntl.h>
#include <semaphore.h>
#include <sys/stat.h>

static sem_t *first, *second;
static int count;

static void *work(void *argument)
{
	for (int i = 0; i < 20; i++) {
		CHECK(sem_wait(second) == 0);
		count++;
		CHECK(sem_post(first) == 0);
	}
	return argument;
}

int main(void)
{
	char name[64];
	struct stat folder;
	/* Names are shared by all processes, and under control the process ids and the time are always the same. */
	CHECK(stat(".", &folder) == 0);
	snprintf(name, sizeof(name), "/heddle-test-%d-%lu", getpid(), (unsigned long)folder.st_ino);
	CHECK(sem_open(name, 0) == SEM_FAILED && errno == ENOENT);
	first = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
	CHECK(first != SEM_FAILED);
	CHECK(sem_open(name, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED && errno == EEXIST);
	second = sem_open(name, 0);
	CHECK(second == first);
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		threads[i] = start(work, NULL);
	for (int i = 0; i < 3; i++)
		finish(threads[i]);
	CHECK(sem_unlink(name) == 0);
	CHECK(sem_close(second) == 0 && sem_close(first) == 0);
	CHECK(sem_unlink(name) == -1 && errno == ENOENT);
	printf("count %d\n", count);
	return 0;
}
/*
 * expect: count 60
 * flags: -lrt
 */
