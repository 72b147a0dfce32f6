/* Semaphores, a mutex, a condition and a spin lock in memory that is shared with a forked child: each waits for the
 * other, with other threads beside. */
#include "check.h"

#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define ROUNDS 5

static struct shared {
	sem_t to_child, to_parent;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_spinlock_t spin;
	int turn, count;
} *shared;

/* turn: whose it is; the one passes it on to the other. */
static void pass_turns(int own)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&shared->lock);
		while (shared->turn != own)
			pthread_cond_wait(&shared->changed, &shared->lock);
		shared->turn = !own;
		shared->count++;
		pthread_cond_signal(&shared->changed);
		pthread_mutex_unlock(&shared->lock);
	}
}

static void *count_alone(void *argument)
{
	for (int i = 0; i < 50; i++)
		++*(volatile int *)argument;
	return NULL;
}

static int child(void)
{
	CHECK(sem_wait(&shared->to_child) == 0);
	usleep(20000); /* the parent waits in the meantime */
	CHECK(sem_post(&shared->to_parent) == 0);
	pass_turns(1);
	/* Held while the parent wants it. */
	pthread_spin_lock(&shared->spin);
	sem_post(&shared->to_parent);
	usleep(20000);
	shared->count += 100;
	pthread_spin_unlock(&shared->spin);
	return 7;
}

int main(void)
{
	pthread_t thread;
	int alone = 0, status;
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared != MAP_FAILED);
	pthread_mutexattr_t mutex;
	pthread_condattr_t condition;
	pthread_mutexattr_init(&mutex);
	pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
	pthread_condattr_init(&condition);
	pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->lock, &mutex);
	pthread_cond_init(&shared->changed, &condition);
	pthread_spin_init(&shared->spin, PTHREAD_PROCESS_SHARED);
	sem_init(&shared->to_child, 1, 0);
	sem_init(&shared->to_parent, 1, 0);
	pid_t pid = fork();
	if (pid == 0)
		_exit(child());
	pthread_create(&thread, NULL, count_alone, &alone);
	sem_post(&shared->to_child);
	CHECK(sem_wait(&shared->to_parent) == 0);
	pass_turns(0);
	CHECK(sem_wait(&shared->to_parent) == 0);
	pthread_spin_lock(&shared->spin);
	printf("%d\n", shared->count);
	pthread_spin_unlock(&shared->spin);
	pthread_join(thread, NULL);
	CHECK(waitpid(pid, &status, 0) == pid);
	printf("child %d, alone %d\n", WEXITSTATUS(status), alone);
}

/*
 * expect: 110
 * expect: child 7, alone 50
 * outside: a child process changes memory
 * timing: how long the child takes
 */
