/*
 * A counter of connections that is as good as a statistic, except that the limit is enforced with it.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { LIMIT = 1, CLIENTS = 2 };

static volatile int connections;
static atomic_int accepted; /* what really is open */

static int try_accept(void)
{
	if (connections >= LIMIT) /*A*/
		return 0;
	connections++; /*B*/
	return 1;
}

static void *connect_client(void *unused)
{
	if (try_accept())
		assert(atomic_fetch_add(&accepted, 1) < LIMIT);
	return unused;
}

int main(void)
{
	pthread_t threads[CLIENTS];
	for (int i = 0; i < CLIENTS; i++)
		pthread_create(&threads[i], NULL, connect_client, NULL);
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(threads[i], NULL);
	printf("accepted %d\n", accepted);
	return 0;
}
/*
 * expect: race A B class spec-violated
 * expect: race B B class spec-violated
 * why: two clients that both read 0 are both accepted; B and B race only where that has happened.
 */
