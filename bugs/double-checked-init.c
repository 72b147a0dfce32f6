/*
 * Double-checked locking: the flag is up before the work is done.
 *
 * Threads ask a flag without the lock whether the table is made, and take the lock only if it is not. The one that
 * makes it raises the flag first, to keep itself from coming back here on the way. Another thread then uses a table
 * that is half made. Described for years as "the double-checked locking is broken declaration" (Bacon and others); the
 * flag must be written last, and with release.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <threads.h>

enum { SIZE = 5, USERS = 2 };

static mtx_t making; /* guards the making of squares */
static atomic_int is_made;
static int squares[SIZE];

static void make(void)
{
	for (int i = 0; i < SIZE; i++)
		squares[i] = i * i; /*A*/
}

static int square(int number)
{
	if (!atomic_load_explicit(&is_made, memory_order_acquire)) { /* with the store below */
		mtx_lock(&making);
		if (!atomic_load_explicit(&is_made, memory_order_relaxed)) {
#ifdef FIXED
			make();
			atomic_store_explicit(&is_made, 1, memory_order_release); /* with the load above */
#else
			atomic_store_explicit(&is_made, 1, memory_order_release);
			make();
#endif
		}
		mtx_unlock(&making);
	}
	return squares[number]; /*B*/
}

static int use(void *argument)
{
	(void)argument;
	return square(SIZE - 1);
}

int main(void)
{
	thrd_t threads[USERS];
	int sum = 0;
	mtx_init(&making, mtx_plain);
	for (int i = 0; i < USERS; i++)
		thrd_create(&threads[i], use, NULL);
	for (int i = 0; i < USERS; i++) {
		int got;
		thrd_join(threads[i], &got);
		sum += got;
	}
	mtx_destroy(&making);
	printf("sum %d\n", sum);
	return sum != USERS * 16;
}
/*
 * pattern: order
 * finds: bad-exit data-race output-differs
 * race: A B
 * source: general; Bacon and others, "Double-checked locking is broken" declaration
 */
