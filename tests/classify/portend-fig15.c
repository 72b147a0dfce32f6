/*
 * Portend's figure 15 (ctrace): statistics read an index without the lock that it is counted under. With the hash
 * table the race does no harm; without it the index is tested and then read again, and may have left the array.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MAX_SIZE = 4, REQUESTS = 4 };

static struct {
	volatile long slots[MAX_SIZE];
	const char *volatile title; /* the first thing behind the slots */
} statistics = { .title = "requests" };

static volatile long hash_table[MAX_SIZE];
static pthread_mutex_t request_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int id;
static int use_hash_table;

static void *handle_requests(void *unused)
{
	for (int i = 0; i < REQUESTS; i++) {
		pthread_mutex_lock(&request_lock);
		id++; /*A*/
		pthread_mutex_unlock(&request_lock);
	}
	return unused;
}

static void update_hash_table(void)
{
	pthread_mutex_lock(&table_lock);
	int tmp = id; /*B*/
	hash_table[tmp % MAX_SIZE] = 1;
	pthread_mutex_unlock(&table_lock);
}

static void update_array(void)
{
	if (id < MAX_SIZE)                /*C*/
		statistics.slots[id] = 1; /*D*/
}

static void *update_statistics(void *unused)
{
	if (use_hash_table)
		update_hash_table();
	else
		update_array();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t handler, updater;
	use_hash_table = argc > 1 && strcmp(argv[1], "--use-hash-table") == 0;
	pthread_create(&handler, NULL, handle_requests, NULL);
	pthread_create(&updater, NULL, update_statistics, NULL);
	pthread_join(handler, NULL);
	pthread_join(updater, NULL);
	printf("%s %d\n", statistics.title, id);
	return 0;
}
/*
 * arguments: --use-hash-table
 * inputs: --no-hash-table
 * expect: race A B class spec-violated
 * expect: race A C class spec-violated maybe
 * expect: race A D class spec-violated maybe
 * source: Portend figure 15
 * why: with --no-hash-table id is tested at C and grows to 4 before D, which writes over the title; B alone does no harm.
 */
