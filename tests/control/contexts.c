/* makecontext and swapcontext: coroutines of the program's own inside threads, which block and lock in them. */
#include "check.h"
#include <ucontext.h>

struct coroutine {
	ucontext_t context, back;
	char *stack;
	int value;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long total;
static __thread struct coroutine *current;

static void body(void)
{
	struct coroutine *self = current;
	for (int i = 1; i <= 5; i++) {
		pthread_mutex_lock(&mutex);
		total += i;
		pthread_mutex_unlock(&mutex);
		self->value += i;
		usleep(10);
		swapcontext(&self->context, &self->back);
	}
}

static void make(struct coroutine *part)
{
	part->stack = malloc(64 << 10);
	CHECK(getcontext(&part->context) == 0);
	part->context.uc_stack.ss_sp = part->stack;
	part->context.uc_stack.ss_size = 64 << 10;
	part->context.uc_link = &part->back;
	makecontext(&part->context, body, 0);
}

static void *work(void *argument)
{
	struct coroutine parts[2];
	(void)argument;
	memset(parts, 0, sizeof(parts));
	make(&parts[0]);
	make(&parts[1]);
	for (int round = 0; round < 6; round++)
		for (int i = 0; i < 2; i++) {
			current = &parts[i];
			CHECK(swapcontext(&parts[i].back, &parts[i].context) == 0);
		}
	long sum = parts[0].value + parts[1].value;
	free(parts[0].stack);
	free(parts[1].stack);
	return (void *)sum;
}

int main(void)
{
	pthread_t threads[3];
	long sum = 0;
	for (int i = 0; i < 3; i++)
		threads[i] = start(work, NULL);
	for (int i = 0; i < 3; i++)
		sum += (long)finish(threads[i]);
	printf("sum %ld total %ld\n", sum, total);
	return 0;
}
/*
 * expect: sum 90 total 90
 */
