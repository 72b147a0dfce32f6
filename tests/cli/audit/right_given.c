/* Variables on a stack that their owner lends to threads and uses again when they are joined. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
struct job {
	int in, out;
	sem_t ready, done;
};
static void *work(void *x)
{
	struct job *j = x;
	sem_wait(&j->ready);
	j->out = j->in * 2;
	sem_post(&j->done);
	return 0;
}
static __attribute__((noinline)) int ask(int n)
{
	struct job j = { .in = 0 };
	pthread_t t;
	sem_init(&j.ready, 0, 0);
	sem_init(&j.done, 0, 0);
	pthread_create(&t, 0, work, &j);
	j.in = n;
	sem_post(&j.ready);
	sem_wait(&j.done);
	int out = j.out;
	pthread_join(t, 0);
	j.in = out;
	return j.in;
}
static void *asks(void *x)
{
	return (char *)x + ask(3) + ask(4);
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, asks, 0);
	int sum = ask(1) + ask(2);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	printf("%d\n", sum);
	return 0;
}
