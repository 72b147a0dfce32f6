/* Threads that are started in many places with a routine that no place knows: one root for each routine. */
#include <pthread.h>

static volatile int shared;
static pthread_t threads[16];

#define ROUTINE(n)                                                                                                     \
	static void *routine_##n(void *argument)                                                                       \
	{                                                                                                              \
		shared = n;                                                                                            \
		return argument;                                                                                       \
	}
#define ALL(do) do(0) do(1) do(2) do(3) do(4) do(5) do(6) do(7) do(8) do(9) do(10) do(11) do(12) do(13) do(14) do(15)
ALL(ROUTINE)

#define NAME(n) routine_##n,
static void *(*const routines[])(void *) = { ALL(NAME) };

#define START(n) pthread_create(&threads[n], NULL, routines[(argc + n) & 15], NULL);
#define JOIN(n) pthread_join(threads[n], NULL);

int main(int argc, char **argv)
{
	(void)argv;
	ALL(START)
	ALL(JOIN)
	shared = -1;
	return 0;
}
