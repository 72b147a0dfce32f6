/*
 * Portend's sync: a barrier keeps the writes in order, and the races that are left do no harm.
 *
 * Both threads write the same configuration before a barrier, one of them announces it after the barrier. The main
 * thread looks at both without waiting and uses what it sees only as a hint; the output is the same for every order.
 * Kasikci's thesis, section 6.3.6 and figure 31(c); Portend (TOPLAS 2015).
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef FIXED
typedef atomic_int shared_int;
#else
typedef volatile int shared_int;
#endif

static shared_int level, is_announced;
static pthread_barrier_t configured;

static void *configure_and_announce(void *argument)
{
	(void)argument;
	level = 2; /*A*/
	pthread_barrier_wait(&configured);
	is_announced = 1; /*B*/
	return NULL;
}

static void *configure(void *argument)
{
	(void)argument;
	level = 2; /*C*/
	pthread_barrier_wait(&configured);
	return NULL;
}

int main(void)
{
	pthread_t first, second;
	pthread_barrier_init(&configured, NULL, 2);
	pthread_create(&first, NULL, configure_and_announce, NULL);
	pthread_create(&second, NULL, configure, NULL);
	int hint = is_announced ? level : 0; /*D*/
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	if (hint != 0 && hint != level)
		abort();
	printf("level %d, announced %d\n", level, is_announced);
	pthread_barrier_destroy(&configured);
	return 0;
}
/*
 * pattern: harmless
 * finds: data-race
 * race: A C
 * race: A D
 * race: C D
 * race: B D
 * source: Portend sync, figure 31c
 */
