/* A mutex and a condition variable shared between processes, in memory that a child inherits. */
#include "check.h"
#include <sys/mman.h>
#include <sys/wait.h>

struct shared {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	int count, is_ready;
};

int main(void)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared != MAP_FAILED);
	pthread_mutexattr_t mutex_attributes;
	pthread_condattr_t cond_attributes;
	pthread_mutexattr_init(&mutex_attributes);
	CHECK(pthread_mutexattr_setpshared(&mutex_attributes, PTHREAD_PROCESS_SHARED) == 0);
	pthread_condattr_init(&cond_attributes);
	CHECK(pthread_condattr_setpshared(&cond_attributes, PTHREAD_PROCESS_SHARED) == 0);
	pthread_mutex_init(&shared->mutex, &mutex_attributes);
	pthread_cond_init(&shared->cond, &cond_attributes);
	pid_t child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		for (int i = 0; i < 100; i++) {
			pthread_mutex_lock(&shared->mutex);
			shared->count++;
			pthread_mutex_unlock(&shared->mutex);
		}
		pthread_mutex_lock(&shared->mutex);
		shared->is_ready = 1;
		pthread_cond_signal(&shared->cond);
		pthread_mutex_unlock(&shared->mutex);
		_exit(0);
	}
	int status;
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	pthread_mutex_lock(&shared->mutex);
	while (!shared->is_ready)
		pthread_cond_wait(&shared->cond, &shared->mutex);
	pthread_mutex_unlock(&shared->mutex);
	printf("count %d\n", shared->count);
	return 0;
}
/*
 * expect: count 100
 * outside: memory shared with another process: a replay has no other process
 */
