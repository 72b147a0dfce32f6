/* orders.c: orders in which locks are taken. */
#include "pair.h"

MUTEX(a1);
MUTEX(b1);
THREAD(opposite_1)
{
	pthread_mutex_lock(&a1);
	pthread_mutex_lock(&b1); // @OPPOSITE1
	pthread_mutex_unlock(&b1);
	pthread_mutex_unlock(&a1);
	return NULL;
}
THREAD(opposite_2)
{
	pthread_mutex_lock(&b1);
	pthread_mutex_lock(&a1); // @OPPOSITE2
	pthread_mutex_unlock(&a1);
	pthread_mutex_unlock(&b1);
	return NULL;
}

MUTEX(a2);
MUTEX(b2);
THREAD(same_1)
{
	pthread_mutex_lock(&a2);
	pthread_mutex_lock(&b2); // @SAME1
	pthread_mutex_unlock(&b2);
	pthread_mutex_unlock(&a2);
	return NULL;
}

/* Another lock around both. */
MUTEX(a3);
MUTEX(b3);
MUTEX(gate);
THREAD(gated_1)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_lock(&a3);
	pthread_mutex_lock(&b3); // @GATED1
	pthread_mutex_unlock(&b3);
	pthread_mutex_unlock(&a3);
	pthread_mutex_unlock(&gate);
	return NULL;
}
THREAD(gated_2)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_lock(&b3);
	pthread_mutex_lock(&a3); // @GATED2
	pthread_mutex_unlock(&a3);
	pthread_mutex_unlock(&b3);
	pthread_mutex_unlock(&gate);
	return NULL;
}

/* One thread after the other. */
MUTEX(a4);
MUTEX(b4);
THREAD(alone_1)
{
	pthread_mutex_lock(&a4);
	pthread_mutex_lock(&b4); // @ALONE1
	pthread_mutex_unlock(&b4);
	pthread_mutex_unlock(&a4);
	return NULL;
}
static void alone(void)
{
	pthread_t id;
	pthread_create(&id, NULL, alone_1, NULL);
	pthread_join(id, NULL);
	pthread_mutex_lock(&b4);
	pthread_mutex_lock(&a4); // @ALONE2
	pthread_mutex_unlock(&a4);
	pthread_mutex_unlock(&b4);
}

/* Three locks in a ring. */
MUTEX(a5);
MUTEX(b5);
MUTEX(c5);
THREAD(ring_1)
{
	pthread_mutex_lock(&a5);
	pthread_mutex_lock(&b5); // @RING1
	pthread_mutex_unlock(&b5);
	pthread_mutex_unlock(&a5);
	return NULL;
}
THREAD(ring_2)
{
	pthread_mutex_lock(&b5);
	pthread_mutex_lock(&c5); // @RING2
	pthread_mutex_unlock(&c5);
	pthread_mutex_unlock(&b5);
	return NULL;
}
THREAD(ring_3)
{
	pthread_mutex_lock(&c5);
	pthread_mutex_lock(&a5); // @RING3
	pthread_mutex_unlock(&a5);
	pthread_mutex_unlock(&c5);
	return NULL;
}

/* Readers do not wait for readers. */
pthread_rwlock_t r6 = PTHREAD_RWLOCK_INITIALIZER, s6 = PTHREAD_RWLOCK_INITIALIZER;
THREAD(readers_1)
{
	pthread_rwlock_rdlock(&r6);
	pthread_rwlock_rdlock(&s6); // @READERS1
	pthread_rwlock_unlock(&s6);
	pthread_rwlock_unlock(&r6);
	return NULL;
}
THREAD(readers_2)
{
	pthread_rwlock_rdlock(&s6);
	pthread_rwlock_rdlock(&r6); // @READERS2
	pthread_rwlock_unlock(&r6);
	pthread_rwlock_unlock(&s6);
	return NULL;
}

/* Two of many, by number: nobody knows which. */
pthread_mutex_t forks[5];
static __attribute__((noinline)) void eat(unsigned i)
{
	pthread_mutex_lock(&forks[i % 5]);
	pthread_mutex_lock(&forks[(i + 1) % 5]); // @FORKS
	pthread_mutex_unlock(&forks[(i + 1) % 5]);
	pthread_mutex_unlock(&forks[i % 5]);
}
THREAD(philosopher)
{
	eat((unsigned)(uintptr_t)argument);
	return NULL;
}

int main(void)
{
	pthread_t ids[5];
	BOTH(opposite_1, opposite_2);
	BOTH(same_1, same_1);
	BOTH(gated_1, gated_2);
	alone();
	pthread_create(&ids[0], NULL, ring_1, NULL);
	BOTH(ring_2, ring_3);
	pthread_join(ids[0], NULL);
	BOTH(readers_1, readers_2);
	for (uintptr_t i = 0; i < 5; i++) {
		pthread_mutex_init(&forks[i], NULL);
		pthread_create(&ids[i], NULL, philosopher, (void *)i);
	}
	for (int i = 0; i < 5; i++)
		pthread_join(ids[i], NULL);
	return 0;
}
/*
 * order: OPPOSITE1 OPPOSITE2
 * order: RING1 RING2 RING3
 * order: FORKS
 */
