/*
 * Mozilla bugs 341323 and 224911: a value read twice, and another one the second time.
 *
 * Table 1 of Anticipating Invariants has the two under R-R|W: two reads that should see the same value with a write of
 * another thread between them. The table tells no more, so the code here is ours: a document's observers are copied to
 * be told of an event; the count is read to make room for the copies and read again to make them, each time under the
 * lock, and an observer that registers in between is written behind the end. There is no data race.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOM = 4 };

struct observer {
	int told;
};

struct document {
	pthread_mutex_t lock; /* guards the list */
	struct observer *observers[ROOM];
	int count;
};

static struct observer observer[2];
static struct document document = { PTHREAD_MUTEX_INITIALIZER, { &observer[0] }, 1 };

static void register_observer(struct document *of, struct observer *new)
{
	pthread_mutex_lock(&of->lock);
	of->observers[of->count] = new;
	of->count++;
	pthread_mutex_unlock(&of->lock);
}

static struct observer **new_copies(struct document *of, struct observer ***end)
{
	struct observer **copies = malloc(of->count * sizeof(*copies));
	*end = copies + of->count;
	return copies;
}

/* Tells those that are registered now, without the lock: an observer may register others. */
static void notify(struct document *of)
{
	struct observer **end;
	int copied = 0;
	pthread_mutex_lock(&of->lock);
	struct observer **copies = new_copies(of, &end);
#ifndef FIXED
	pthread_mutex_unlock(&of->lock);
	pthread_mutex_lock(&of->lock);
#endif
	for (; copied < of->count; copied++)
		copies[copied] = of->observers[copied];
	pthread_mutex_unlock(&of->lock);
	if (copies + copied > end) {
		fprintf(stderr, "%d observers copied behind the end\n", (int)(copies + copied - end));
		abort();
	}
	for (int i = 0; i < copied; i++)
		copies[i]->told++;
	free(copies);
}

static void *layout(void *argument)
{
	(void)argument;
	register_observer(&document, &observer[1]);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, layout, NULL);
	notify(&document);
	pthread_join(thread, NULL);
	notify(&document);
	printf("last told %d\n", observer[0].told);
	return 0;
}
/*
 * pattern: RWR
 * finds: memory-error assertion
 * source: Anticipating Invariants table 1, R-R|W; Mozilla 341323, 224911 (code ours)
 */
