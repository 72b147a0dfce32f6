/*
 * liburcu.c: read-copy-update. Two readers look at a shared record while main replaces it, with synchronize_rcu and with call_rcu; then
 * both put numbers into a wait-free queue and a lock-free hash table, which main empties and counts. The flavour is that of the header.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <urcu.h>
#include <urcu/rculfhash.h>
#include <urcu/wfcqueue.h>

#define READERS 2
#define ROUNDS 3

struct record {
	int first, second;
	struct rcu_head head;
};
struct item {
	int number;
	struct cds_wfcq_node queued;
	struct cds_lfht_node hashed;
};

static struct record *current;
static struct cds_wfcq_head queue_head;
static struct cds_wfcq_tail queue_tail;
static struct cds_lfht *table;

static struct record *new_record(int number)
{
	struct record *record = malloc(sizeof *record);
	if (!record)
		exit(9);
	record->first = number;
	record->second = -number;
	return record;
}

static void free_record(struct rcu_head *head)
{
	free(caa_container_of(head, struct record, head));
}

static void *reader(void *argument)
{
	struct item *items = argument;
	rcu_register_thread();
	for (int i = 0; i < ROUNDS; i++) {
		rcu_read_lock();
		struct record *record = rcu_dereference(current);
		if (record->first + record->second != 0)
			abort();
		rcu_read_unlock();
	}
	for (int i = 0; i < ROUNDS; i++) {
		cds_wfcq_node_init(&items[i].queued);
		cds_wfcq_enqueue(&queue_head, &queue_tail, &items[i].queued);
		cds_lfht_node_init(&items[i].hashed);
		rcu_read_lock();
		cds_lfht_add(table, (unsigned long)items[i].number, &items[i].hashed);
		rcu_read_unlock();
	}
	rcu_unregister_thread();
	return NULL;
}

static int empty_queue(void)
{
	struct cds_wfcq_node *node;
	int sum = 0;
	while ((node = cds_wfcq_dequeue_blocking(&queue_head, &queue_tail)))
		sum += caa_container_of(node, struct item, queued)->number;
	return sum;
}

static int empty_table(void)
{
	struct cds_lfht_iter iterator;
	struct item *item;
	int sum = 0;
	rcu_read_lock();
	cds_lfht_for_each_entry (table, &iterator, item, hashed) {
		sum += item->number;
		if (cds_lfht_del(table, &item->hashed))
			abort();
	}
	rcu_read_unlock();
	return sum;
}

static void replace(int number, int is_delayed)
{
	struct record *record = new_record(number), *old = rcu_xchg_pointer(&current, record);
	if (is_delayed) {
		call_rcu(&old->head, free_record);
	} else {
		synchronize_rcu();
		free(old);
	}
}

int main(void)
{
	static struct item items[READERS][ROUNDS];
	pthread_t threads[READERS];
	rcu_register_thread();
	cds_wfcq_init(&queue_head, &queue_tail);
	table = cds_lfht_new(1, 1, 0, CDS_LFHT_AUTO_RESIZE, NULL);
	current = new_record(0);
	for (int i = 0; i < READERS; i++) {
		for (int j = 0; j < ROUNDS; j++)
			items[i][j].number = 10 * i + j;
		if (!table || pthread_create(&threads[i], NULL, reader, items[i]))
			return 9;
	}
	replace(1, 0);
	replace(2, 1);
	replace(3, 1);
	int early = empty_queue();
	for (int i = 0; i < READERS; i++)
		pthread_join(threads[i], NULL);
	printf("queue %d, ", early + empty_queue());
	printf("table %d\n", empty_table());
	rcu_barrier();
	if (cds_lfht_destroy(table, NULL))
		return 8;
	rcu_unregister_thread();
	free(current);
	return 0;
}
