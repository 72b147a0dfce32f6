/*
 * Every second request is sampled for a profile; the counter that says which is not locked, so now and then one more
 * or one less is sampled.
 */
#include <pthread.h>
#include <stdio.h>

enum { WORKERS = 2, REQUESTS = 3 };

static volatile unsigned ticks;

struct worker {
	int id;
	int answers;
	int samples; /* of this worker */
};

static void answer(struct worker *self, int request)
{
	unsigned tick = ticks + 1; /*A*/
	ticks = tick;              /*B*/
	if (tick % 2 == 0)
		self->samples++;
	self->answers += self->id * request;
}

static void *work(void *argument)
{
	struct worker *self = argument;
	for (int i = 1; i <= REQUESTS; i++)
		answer(self, i);
	return NULL;
}

int main(void)
{
	pthread_t threads[WORKERS];
	struct worker workers[WORKERS] = { { .id = 1 }, { .id = 10 } };
	int samples = 0;
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, work, &workers[i]);
	for (int i = 0; i < WORKERS; i++) {
		pthread_join(threads[i], NULL);
		samples += workers[i].samples;
	}
	printf("answers %d %d\n", workers[0].answers, workers[1].answers);
	return samples <= WORKERS * REQUESTS ? 0 : 1;
}
/*
 * expect: race A B class harmless reason approximate|both-values-valid
 * expect: race B B class harmless reason approximate|both-values-valid
 * why: which requests are sampled does not change their answers, and the number of samples is only bounded.
 */
