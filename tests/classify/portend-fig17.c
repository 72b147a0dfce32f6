/*
 * Portend's figure 17: two threads write different values that nobody reads; what is printed depends on the input.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int global_x;
static int input;

static void *work0(void *unused)
{
	global_x = 1; /*A*/
	if (input >= 0)
		printf("10\n");
	return unused;
}

static void *work1(void *unused)
{
	global_x = 2; /*B*/
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t first, second;
	input = argc > 1 ? atoi(argv[1]) : 0;
	pthread_create(&first, NULL, work0, NULL);
	pthread_create(&second, NULL, work1, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	return 0;
}
/*
 * arguments: 1
 * inputs: 0
 * inputs: -1
 * expect: race A B class harmless reason both-values-valid
 * source: Portend figure 17
 * why: the value that the race leaves is never read; memory differs, and the output depends on the input alone.
 */
