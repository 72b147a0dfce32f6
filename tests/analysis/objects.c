/* objects.c: locks and data that belong together by the object they are in. */
#include "pair.h"

struct queue {
	pthread_mutex_t lock;
	int head, tail, size;
};

/* A lock in the object guards it, whichever object it is. */
struct queue *queues[2];
static __attribute__((noinline)) void push(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->head++; // @PUSH
	pthread_mutex_unlock(&q->lock);
	q->size++; // @SIZE
}
static __attribute__((noinline)) int pop(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	int head = q->head--; // @POP
	pthread_mutex_unlock(&q->lock);
	return head;
}
THREAD(queue_1)
{
	push(queues[0]);
	push(queues[1]);
	return NULL;
}
THREAD(queue_2)
{
	return pop(queues[1]) || pop(queues[0]) ? argument : NULL;
}

/* The lock of one object, the data of another. */
struct queue pair[2] = { { .lock = PTHREAD_MUTEX_INITIALIZER }, { .lock = PTHREAD_MUTEX_INITIALIZER } };
static __attribute__((noinline)) void cross(struct queue *locked, struct queue *changed)
{
	pthread_mutex_lock(&locked->lock);
	changed->tail++; // @CROSS
	pthread_mutex_unlock(&locked->lock);
}
THREAD(cross_1)
{
	cross(&pair[0], &pair[0]);
	return NULL;
}
THREAD(cross_2)
{
	cross(&pair[1], &pair[0]);
	return NULL;
}

/* An array of objects, each with its lock. */
struct queue table[16];
static __attribute__((noinline)) void add(unsigned i)
{
	struct queue *q = &table[i % 16];
	pthread_mutex_lock(&q->lock);
	q->size++; // @TABLE
	pthread_mutex_unlock(&q->lock);
}
THREAD(table_1)
{
	for (unsigned i = 0; i < 32; i++)
		add(i);
	return NULL;
}
THREAD(table_2)
{
	for (unsigned i = 0; i < 32; i += 3)
		add(i);
	return NULL;
}

/* The lock of the neighbour. */
struct queue ring[16];
static __attribute__((noinline)) void turn(unsigned i)
{
	pthread_mutex_lock(&ring[i % 16].lock);
	ring[(i + 1) % 16].size++; // @RING
	pthread_mutex_unlock(&ring[i % 16].lock);
}
THREAD(ring_1)
{
	for (unsigned i = 0; i < 32; i++)
		turn(i);
	return NULL;
}
THREAD(ring_2)
{
	for (unsigned i = 0; i < 32; i += 3)
		turn(i);
	return NULL;
}

/* One lock for all elements. */
MUTEX(all_lock);
int all[16];
THREAD(all_1)
{
	pthread_mutex_lock(&all_lock);
	for (int i = 0; i < 16; i++)
		all[i]++; // @ALL1
	pthread_mutex_unlock(&all_lock);
	return NULL;
}
THREAD(all_2)
{
	int sum = 0;
	pthread_mutex_lock(&all_lock);
	for (int i = 0; i < 16; i++)
		sum += all[i]; // @ALL2
	pthread_mutex_unlock(&all_lock);
	return sum ? argument : NULL;
}

/* Fields beside each other. */
struct queue fields;
THREAD(fields_1)
{
	fields.head = 1; // @FIELD1
	return NULL;
}
THREAD(fields_2)
{
	fields.tail = 1; // @FIELD2
	return NULL;
}

/* A list, with one lock for all of it; one access forgets the lock. */
struct node {
	struct node *next;
	int value;
};
MUTEX(list_lock);
struct node *list;
THREAD(list_1)
{
	struct node *node = malloc(sizeof *node);
	if (!node)
		abort();
	node->value = 1; // @FRESH
	pthread_mutex_lock(&list_lock);
	node->next = list; // @LINK
	list = node;	   // @HEAD
	pthread_mutex_unlock(&list_lock);
	return NULL;
}
THREAD(list_2)
{
	int sum = 0;
	pthread_mutex_lock(&list_lock);
	for (struct node *node = list; node; node = node->next) // @WALK
		node->value++;					 // @LISTVALUE
	pthread_mutex_unlock(&list_lock);
	if (list)		   // @PEEK
		sum = list->value; // @PEEKVALUE
	return sum ? argument : NULL;
}

int main(void)
{
	for (int i = 0; i < 2; i++) {
		queues[i] = calloc(1, sizeof *queues[i]);
		pthread_mutex_init(&queues[i]->lock, NULL);
	}
	for (int i = 0; i < 16; i++) {
		pthread_mutex_init(&table[i].lock, NULL);
		pthread_mutex_init(&ring[i].lock, NULL);
	}
	pthread_t pushing;
	pthread_create(&pushing, NULL, queue_1, NULL);
	BOTH(queue_1, queue_2);
	pthread_join(pushing, NULL);
	BOTH(cross_1, cross_2);
	BOTH(table_1, table_2);
	BOTH(ring_1, ring_2);
	BOTH(all_1, all_2);
	BOTH(fields_1, fields_2);
	BOTH(list_1, list_2);
	return 0;
}
/*
 * race: SIZE-SIZE
 * race: CROSS-CROSS
 * race: RING-RING
 * race: HEAD-PEEK
 * may: HEAD-PEEKVALUE
 * may: FRESH-PEEKVALUE
 * may: FRESH-LISTVALUE
 * no: PUSH-POP: locked
 * no: PUSH-PUSH: locked
 * no: TABLE-TABLE: locked
 * no: ALL1-ALL2: locked
 * no: FIELD1-FIELD2: other-part
 * no: HEAD-WALK: locked
 * no: LINK-WALK: locked
 */
