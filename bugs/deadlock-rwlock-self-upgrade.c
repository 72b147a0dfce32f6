/*
 * A reader asks for the write lock without letting go.
 *
 * pthread_rwlock_t cannot be upgraded: pthread_rwlock_wrlock() waits until all readers have left, also the one that
 * asks. The path is taken only when a name is not in the table yet, and a thread that fills the table runs at the same
 * time, so it is a matter of the schedule whether anybody ever gets there. A general mechanism.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 4 };

static pthread_rwlock_t guard = PTHREAD_RWLOCK_INITIALIZER; /* guards names and count */
static const char *names[ROOM];
static int count;

/* The caller holds the lock. */
static int find(const char *name)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

static void add(const char *name)
{
	if (find(name) < 0)
		names[count++] = name;
}

static void *fill(void *argument)
{
	static const char *const common[] = { "a", "b", "c" };
	(void)argument;
	for (int i = 0; i < 3; i++) {
		pthread_rwlock_wrlock(&guard);
		add(common[i]);
		pthread_rwlock_unlock(&guard);
	}
	return NULL;
}

static int intern(const char *name)
{
	pthread_rwlock_rdlock(&guard);
	int found = find(name);
	if (found < 0) {
#ifdef FIXED
		pthread_rwlock_unlock(&guard);
#endif
		pthread_rwlock_wrlock(&guard);
		add(name);
		found = find(name);
	}
	pthread_rwlock_unlock(&guard);
	return found;
}

static void *use(void *argument)
{
	*(int *)argument = intern("b") >= 0;
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int was_found = 0;
	pthread_create(&threads[0], NULL, fill, NULL);
	pthread_create(&threads[1], NULL, use, &was_found);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%s, %d names\n", was_found ? "found" : "not found", count);
	return 0;
}
/*
 * pattern: deadlock
 * finds: deadlock
 * source: general
 */
