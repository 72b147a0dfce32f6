/*
 * A reference count that is not atomic: two releases may both read 2, nobody frees; or both see 0 and free twice.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct buffer {
	volatile int references;
	int size;
};

static void buffer_release(struct buffer *self)
{
	self->references--;        /*A*/
	if (self->references == 0) /*B*/
		free(self);        /*C*/
}

static void *use(void *argument)
{
	buffer_release(argument);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	struct buffer *buffer = malloc(sizeof *buffer);
	buffer->references = 2;
	buffer->size = 16;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, use, buffer);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("done\n");
	return 0;
}
/*
 * expect: race A A class spec-violated
 * expect: race A B class spec-violated
 * expect: race A C class spec-violated
 * expect: race B C class spec-violated maybe
 * expect: race C C class spec-violated maybe
 * why: if both decrements come before both tests, both threads free the buffer, or one tests it after the other has freed it.
 */
