/*
 * Two ways to shut down, a signal thread and an error path, both test a flag before they free the pool. The flag is
 * not locked.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct pool {
	int *blocks;
	volatile int is_released;
};

static struct pool pool;

static void pool_release(struct pool *self)
{
	if (self->is_released) /*A*/
		return;
	self->is_released = 1; /*B*/
	free(self->blocks);    /*C*/
}

static void *on_signal(void *unused)
{
	pool_release(&pool);
	return unused;
}

static void *on_error(void *unused)
{
	pool_release(&pool);
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	pool.blocks = calloc(8, sizeof *pool.blocks);
	pthread_create(&threads[0], NULL, on_signal, NULL);
	pthread_create(&threads[1], NULL, on_error, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	printf("released\n");
	return 0;
}
/*
 * expect: race A B class spec-violated
 * expect: race B B class spec-violated
 * expect: race C C class spec-violated maybe
 * why: two threads that both read 0 both free the blocks; writes of the flag race only in that case.
 */
