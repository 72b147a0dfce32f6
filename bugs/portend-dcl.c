/*
 * Portend's DCL: double-checked locking.
 *
 * The first thread that needs the table makes it under a lock; to save the lock, a thread looks first whether the
 * table is there already. The look without the lock races with the write of the pointer. The pointer is written last,
 * so under sequential consistency nobody sees an unfinished table; a compiler or a weaker machine may change that.
 * Portend (ASPLOS 2012) and Kasikci's thesis, section 6.3.1 and Table 6.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { SQUARES = 8, THREADS = 5 };

struct table {
	int squares[SQUARES];
};

#ifdef FIXED
static _Atomic(struct table *) table;
#else
static struct table *table;
#endif
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static int made;

static struct table *make_table(void)
{
	struct table *new_table = malloc(sizeof(*new_table));
	for (int i = 0; i < SQUARES; i++)
		new_table->squares[i] = i * i;
	made++;
	return new_table;
}

static struct table *get_table(void)
{
	if (!table) { /*A*/
		pthread_mutex_lock(&table_lock);
		if (!table)
			table = make_table(); /*B*/
		pthread_mutex_unlock(&table_lock);
	}
	return table; /*C*/
}

static void *look_up(void *argument)
{
	int *number = argument;
	*number = get_table()->squares[*number];
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	int numbers[THREADS], sum = 0;
	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i + 2;
		pthread_create(&threads[i], NULL, look_up, &numbers[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		sum += numbers[i];
	}
	printf("sum %d, tables %d\n", sum, made);
	free(table);
	return 0;
}
/*
 * pattern: harmless
 * finds: data-race
 * race: A B
 * race: B C
 * source: Portend DCL
 */
