/* A semaphore in memory that was shared with a child: while that lived it could have been posted; now nobody can. */
#include "check.h"

#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>

int main(void)
{
	sem_t *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared != MAP_FAILED);
	sem_init(shared, 1, 0);
	pid_t pid = fork();
	if (pid == 0) {
		usleep(20000);
		_exit(0);
	}
	printf("waiting\n");
	fflush(stdout);
	sem_wait(shared);
	printf("never\n");
}

/*
 * ends: deadlock
 * report: waits for semaphore
 * timing: how long the child takes
 */
