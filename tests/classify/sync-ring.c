/*
 * A ring buffer for one reader and one writer, without locks: the writer alone moves the head, the reader alone the
 * tail, and each only looks at the other's. A sound driver or a log thread has one.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { SLOTS = 2, MESSAGES = 4 };

struct ring {
	volatile unsigned head; /* written by the writer */
	volatile unsigned tail; /* written by the reader */
	volatile int slots[SLOTS];
};

static struct ring ring;

static int ring_put(struct ring *to, int message)
{
	unsigned head = to->head;
	if (head - to->tail == SLOTS) /*A*/
		return 0;
	to->slots[head % SLOTS] = message; /*B*/
	to->head = head + 1;               /*C*/
	return 1;
}

static int ring_get(struct ring *from, int *message)
{
	unsigned tail = from->tail;
	if (from->head == tail) /*D*/
		return 0;
	*message = from->slots[tail % SLOTS]; /*E*/
	from->tail = tail + 1;                /*F*/
	return 1;
}

static void *write_messages(void *unused)
{
	for (int i = 1; i <= MESSAGES; i++)
		while (!ring_put(&ring, i))
			sched_yield();
	return unused;
}

static void *read_messages(void *argument)
{
	int *sum = argument, message;
	for (int i = 0; i < MESSAGES; i++) {
		while (!ring_get(&ring, &message))
			sched_yield();
		*sum = *sum * 10 + message;
	}
	return NULL;
}

int main(void)
{
	pthread_t writer, reader;
	int sum = 0;
	pthread_create(&writer, NULL, write_messages, NULL);
	pthread_create(&reader, NULL, read_messages, &sum);
	pthread_join(writer, NULL);
	pthread_join(reader, NULL);
	printf("messages %d\n", sum);
	return 0;
}
/*
 * expect: race A F class harmless reason user-synchronisation|both-values-valid
 * expect: race C D class harmless reason user-synchronisation|both-values-valid
 * expect: race B E class single-ordering
 * why: an old head or tail only makes the other side try again; a slot is read after the head has passed it and written after the tail has.
 */
