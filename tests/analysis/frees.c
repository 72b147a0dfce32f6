/* frees.c: a call that frees a block is a write to all of it. */
#include "pair.h"

struct block {
	int first, last;
	struct block *next;
};

/* Freed while another thread reads, without a lock. */
struct block *plain;
THREAD(plain_1)
{
	free(plain); // @FREE
	return NULL;
}
THREAD(plain_2)
{
	printf("%d\n", plain->last); // @READ
	return NULL;
}
/* The same with one lock. */
struct block *guarded;
MUTEX(guard);
THREAD(guarded_1)
{
	pthread_mutex_lock(&guard);
	free(guarded); // @LOCKEDFREE
	guarded = NULL;
	pthread_mutex_unlock(&guard);
	return NULL;
}
THREAD(guarded_2)
{
	pthread_mutex_lock(&guard);
	if (guarded)
		guarded->last = 1; // @LOCKEDUSE
	pthread_mutex_unlock(&guard);
	return NULL;
}
/* With two. */
struct block *wrongly;
MUTEX(other_guard);
THREAD(wrongly_1)
{
	pthread_mutex_lock(&guard);
	free(wrongly); // @WRONGFREE
	pthread_mutex_unlock(&guard);
	return NULL;
}
THREAD(wrongly_2)
{
	pthread_mutex_lock(&other_guard);
	wrongly->first = 1; // @WRONGUSE
	pthread_mutex_unlock(&other_guard);
	return NULL;
}
/* Twice. */
struct block *twice;
THREAD(twice_1)
{
	free(twice); // @TWICE1
	return NULL;
}
THREAD(twice_2)
{
	twice = realloc(twice, 64); // @TWICE2
	return NULL;
}
/* Behind the join. */
struct block *later;
THREAD(later_1)
{
	later->first++; // @LATER
	return NULL;
}
/* What is on no heap is not freed, whatever the pointer is. */
struct block fixed, *either;
THREAD(either_1)
{
	if (either != &fixed)
		free(either); // @EITHERFREE
	return NULL;
}
THREAD(either_2)
{
	fixed.first = 1; // @FIXED
	return NULL;
}

int main(int argc, char **argv)
{
	(void)argv;
	plain = calloc(1, sizeof *plain);
	guarded = calloc(1, sizeof *guarded);
	wrongly = calloc(1, sizeof *wrongly);
	twice = calloc(1, sizeof *twice);
	later = calloc(1, sizeof *later);
	either = argc > 1 ? &fixed : malloc(sizeof *either);
	BOTH(plain_1, plain_2);
	BOTH(guarded_1, guarded_2);
	BOTH(wrongly_1, wrongly_2);
	BOTH(twice_1, twice_2);
	pthread_t thread;
	pthread_create(&thread, NULL, later_1, NULL);
	pthread_join(thread, NULL);
	free(later); // @LATERFREE
	BOTH(either_1, either_2);
	return 0;
}
/*
 * race: FREE-READ
 * race: WRONGFREE-WRONGUSE
 * race: TWICE1-TWICE2
 * no: LOCKEDFREE-LOCKEDUSE: locked
 * no: LATER-LATERFREE: ordered
 */
