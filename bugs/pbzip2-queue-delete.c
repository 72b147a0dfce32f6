/*
 * pbzip2 0.9.4: the queue is deleted while consumers still hold its lock.
 *
 * The main thread waits for the last compressed block, not for the consumers that made the blocks, and then deletes
 * the queue, with the mutex that it has on the heap. A consumer that is between its last block and its end locks or
 * unlocks a mutex that is freed, or through a pointer that is null by then: SIGSEGV. Frost (SOSP 2011), section 4.1.2
 * and Table 2; Yu's collection of concurrency bugs, pbzip2-0.9.4.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 4, CONSUMERS = 2 };

struct queue {
	int blocks[BLOCKS];
	int head, tail;
	bool is_producer_done;
	pthread_mutex_t *lock;
	pthread_cond_t *not_empty;
};

static struct queue *fifo;

static struct {
	pthread_mutex_t lock;
	pthread_cond_t written;
	int blocks[BLOCKS], count;
} output = { .lock = PTHREAD_MUTEX_INITIALIZER, .written = PTHREAD_COND_INITIALIZER };

static struct queue *queue_new(void)
{
	struct queue *queue = calloc(1, sizeof(*queue));
	queue->lock = malloc(sizeof(*queue->lock));
	queue->not_empty = malloc(sizeof(*queue->not_empty));
	pthread_mutex_init(queue->lock, NULL);
	pthread_cond_init(queue->not_empty, NULL);
	return queue;
}

static void queue_delete(struct queue *queue)
{
	pthread_mutex_destroy(queue->lock);
	free(queue->lock);
	queue->lock = NULL; /*A*/
	free(queue->not_empty);
	queue->not_empty = NULL;
}

static void output_write(int block, int compressed)
{
	pthread_mutex_lock(&output.lock);
	output.blocks[block] = compressed;
	output.count++;
	pthread_cond_signal(&output.written);
	pthread_mutex_unlock(&output.lock);
}

static void *consume(void *argument)
{
	(void)argument;
	for (;;) {
		pthread_mutex_lock(fifo->lock); /*B*/
		while (fifo->head == fifo->tail && !fifo->is_producer_done)
			pthread_cond_wait(fifo->not_empty, fifo->lock);
		if (fifo->head == fifo->tail) {
			pthread_mutex_unlock(fifo->lock); /*C*/
			return NULL;
		}
		int block = fifo->blocks[fifo->head++];
		pthread_mutex_unlock(fifo->lock);
		output_write(block, block * block);
	}
}

int main(void)
{
	pthread_t consumers[CONSUMERS];
	fifo = queue_new();
	for (int i = 0; i < CONSUMERS; i++)
		pthread_create(&consumers[i], NULL, consume, NULL);

	for (int i = 0; i < BLOCKS; i++) {
		pthread_mutex_lock(fifo->lock);
		fifo->blocks[fifo->tail++] = i;
		pthread_cond_signal(fifo->not_empty);
		pthread_mutex_unlock(fifo->lock);
	}
	pthread_mutex_lock(fifo->lock);
	fifo->is_producer_done = true;
	pthread_cond_broadcast(fifo->not_empty);
	pthread_mutex_unlock(fifo->lock);

	pthread_mutex_lock(&output.lock);
	while (output.count < BLOCKS)
		pthread_cond_wait(&output.written, &output.lock);
	int sum = 0;
	for (int i = 0; i < BLOCKS; i++)
		sum += output.blocks[i];
	pthread_mutex_unlock(&output.lock);
#ifdef FIXED
	for (int i = 0; i < CONSUMERS; i++)
		pthread_join(consumers[i], NULL);
#endif
	queue_delete(fifo);
	printf("wrote %d\n", sum);
#ifdef FIXED
	free(fifo);
#endif
	return 0;
}
/*
 * pattern: order
 * finds: crash memory-error data-race
 * race: A B
 * race: A C
 * source: Frost table 2; pbzip2 0.9.4
 */
