/*
 * Events that descriptors wait for, a bit each. Threads set and clear the bit of their own descriptor under a lock;
 * the poll loop tests the bit of the wake-up pipe, which is set at the start, without it.
 */
#include <pthread.h>
#include <stdio.h>

enum { WAKE_UP = 1u << 0, FIRST_CLIENT = 1u << 4, CLIENTS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned event_mask = WAKE_UP;

static void change_mask(unsigned clear, unsigned set)
{
	pthread_mutex_lock(&lock);
	event_mask = (event_mask & ~clear) | set; /*A*/
	pthread_mutex_unlock(&lock);
}

static void *run_client(void *argument)
{
	unsigned bit = (unsigned)FIRST_CLIENT << *(int *)argument;
	change_mask(0, bit);
	change_mask(bit, 0);
	return NULL;
}

static void *poll_events(void *argument)
{
	int *woken = argument;
	for (int i = 0; i < 2; i++)
		if (event_mask & WAKE_UP) /*B*/
			*woken += 1;
	return NULL;
}

int main(void)
{
	pthread_t clients[CLIENTS], poller;
	int numbers[CLIENTS] = { 0, 1 }, woken = 0;
	for (int i = 0; i < CLIENTS; i++)
		pthread_create(&clients[i], NULL, run_client, &numbers[i]);
	pthread_create(&poller, NULL, poll_events, &woken);
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(clients[i], NULL);
	pthread_join(poller, NULL);
	printf("woken %d, mask %x\n", woken, event_mask);
	return 0;
}
/*
 * expect: race A B class harmless reason disjoint-bits
 * why: writers exclude each other by the lock, and the loop tests a bit that no writer changes.
 */
