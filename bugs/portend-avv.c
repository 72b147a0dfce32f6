/*
 * Portend's AVV, "all values valid": threads race to write values of which each one is right.
 *
 * Connections leave in a shared hint which server answered last, and begin their search there. Whatever value the
 * race leaves, the search tries all servers, so the answer is the same and only the way to it differs. A data race
 * that can do no harm. Portend (ASPLOS 2012) and Kasikci's thesis, section 6.3.1 and Table 6; the class is from
 * Narayanasamy et al. (PLDI 2007).
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { SERVERS = 4, CLIENTS = 3 };

struct server {
	int port;
	int is_up;
};

static const struct server servers[SERVERS] = { { 8001, 1 }, { 8002, 0 }, { 8003, 1 }, { 8004, 1 } };

#ifdef FIXED
static atomic_int last_used;
#else
static int last_used;
#endif

static int is_good(int index, int wanted_port)
{
	return servers[index].is_up && servers[index].port == wanted_port;
}

static int find_server(int wanted_port)
{
	int first = last_used; /*A*/
	for (int i = 0; i < SERVERS; i++) {
		int index = (first + i) % SERVERS;
		if (is_good(index, wanted_port)) {
			last_used = index; /*B*/
			return index;
		}
	}
	return -1;
}

static void *connect_client(void *argument)
{
	int *client = argument;
	*client = find_server(*client);
	return NULL;
}

int main(void)
{
	pthread_t threads[CLIENTS];
	int clients[CLIENTS] = { 8003, 8001, 8004 };
	for (int i = 0; i < CLIENTS; i++)
		pthread_create(&threads[i], NULL, connect_client, &clients[i]);
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(threads[i], NULL);
	printf("servers %d %d %d\n", clients[0], clients[1], clients[2]);
	return 0;
}
/*
 * pattern: harmless
 * finds: data-race
 * race: A B
 * race: B B
 * source: Portend AVV
 */
