/*
 * A table grows: the new size and the old rows.
 *
 * One thread looks values up by index while another makes the table larger. The size is raised before the larger rows
 * are in place, and a reader in between finds the index within the size and no row behind it. The usual shape of a bug
 * with two variables that belong together; about a third of the bugs that are no deadlocks in the study of Lu and
 * others (ASPLOS 2008) have more than one variable.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { OLD_ROWS = 2, NEW_ROWS = 4 };

struct row {
	int value;
};

struct table {
	pthread_mutex_t lock; /* held to grow; in the fixed one to read, too */
	atomic_int size;
	_Atomic(struct row *) rows;
};

static struct row old_rows[OLD_ROWS] = { { 10 }, { 11 } };
static struct table table = { PTHREAD_MUTEX_INITIALIZER, OLD_ROWS, old_rows };

static void *grow(void *argument)
{
	(void)argument;
	struct row *larger = malloc(NEW_ROWS * sizeof(*larger));
	for (int i = 0; i < NEW_ROWS; i++)
		larger[i].value = 10 + i;
	pthread_mutex_lock(&table.lock);
	atomic_store(&table.size, NEW_ROWS);
	atomic_store(&table.rows, larger);
	pthread_mutex_unlock(&table.lock);
	return larger;
}

/* The value at an index, or -1 behind the end. */
static int look_up(int index)
{
	int value = -1;
#ifdef FIXED
	pthread_mutex_lock(&table.lock);
#endif
	if (index < atomic_load(&table.size))
		value = atomic_load(&table.rows)[index].value;
#ifdef FIXED
	pthread_mutex_unlock(&table.lock);
#endif
	return value;
}

static void *read_last(void *argument)
{
	*(int *)argument = look_up(NEW_ROWS - 1);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int last = 0;
	void *larger;
	pthread_create(&threads[0], NULL, grow, NULL);
	pthread_create(&threads[1], NULL, read_last, &last);
	pthread_join(threads[0], &larger);
	pthread_join(threads[1], NULL);
	int right = last == -1 || last == 10 + NEW_ROWS - 1;
	printf("%s\n", right ? "a row or none" : "not a row");
	free(larger);
	return !right;
}
/*
 * pattern: multi-variable
 * finds: bad-exit memory-error output-differs
 * source: general; Lu and others (ASPLOS 2008)
 */
