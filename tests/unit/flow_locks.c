/* Locks that are taken and released in many ways. Each variable is written once, under what its name says. */
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <time.h>

struct box {
	pthread_mutex_t lock;
	volatile int inside;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static jmp_buf environment;
static volatile int tried, not_got, wrapped, timed, waited, reading, writing, both, one_branch, in_once, dropped, jumped;
static volatile int asked, failed, twice, recursive;

__attribute__((noinline)) static int try_it(pthread_mutex_t *lock)
{
	return pthread_mutex_trylock(lock);
}

__attribute__((noinline)) static void take(struct box *box)
{
	pthread_mutex_lock(&box->lock);
}

__attribute__((noinline)) static void give(struct box *box)
{
	pthread_mutex_unlock(&box->lock);
}

static void first(void)
{
	in_once = 1;
}

__attribute__((noinline)) static void deeper(struct box *box, int depth)
{
	if (depth)
		deeper(box, depth - 1);
	recursive = 1;
}

static void *work(void *argument)
{
	struct box *box = argument;
	struct timespec soon = { 0 };
	int flag = box->inside;
	if (pthread_mutex_trylock(&m) == 0) {
		tried = 1;
		pthread_mutex_unlock(&m);
	} else {
		not_got = 1;
	}
	if (!try_it(&m)) {
		wrapped = 1;
		pthread_mutex_unlock(&m);
	}
	if (pthread_mutex_timedlock(&m, &soon))
		return NULL;
	timed = 1;
	pthread_cond_wait(&changed, &m);
	waited = 1;
	pthread_mutex_unlock(&m);
	if (pthread_mutex_lock(&m)) {
		failed = 1;
		return NULL;
	}
	asked = 1;
	pthread_mutex_unlock(&m);
	pthread_rwlock_rdlock(&rw);
	reading = 1;
	pthread_rwlock_unlock(&rw);
	pthread_rwlock_wrlock(&rw);
	writing = 1;
	pthread_rwlock_unlock(&rw);
	take(box);
	box->inside = 1;
	give(box);
	dropped = 1;
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&n);
	both = 1;
	if (flag)
		pthread_mutex_unlock(&n);
	one_branch = 1;
	if (!flag)
		pthread_mutex_unlock(&n);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	twice = 1;
	pthread_mutex_unlock(&m);
	pthread_once(&once, first);
	pthread_mutex_lock(&n);
	deeper(box, 3);
	if (setjmp(environment))
		jumped = 1;
	pthread_mutex_unlock(&n);
	return argument;
}

int main(void)
{
	pthread_t t, u;
	struct box *box = calloc(2, sizeof *box);
	pthread_mutex_init(&box[0].lock, NULL);
	pthread_mutex_init(&box[1].lock, NULL);
	pthread_create(&t, NULL, work, &box[0]);
	pthread_create(&u, NULL, work, &box[1]);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
