/* Two counters sell three tickets each. Between the look at what is left and the sale lies the payment, which takes as many
 * microseconds as the argument says. During a slow one the other counter sells, too, and one of the two sales is lost: a bug that
 * tests with quick payments do not show. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int left = 6;

static void *counter(void *argument)
{
	int pay_us = *(int *)argument;
	for (int i = 0; i < 3; i++) {
		int seen = left;
		if (pay_us)
			usleep(pay_us);
		left = seen - 1;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t counters[2];
	int pay_us[2];
	pay_us[0] = pay_us[1] = argc > 1 ? atoi(argv[1]) : 0;
	for (int i = 0; i < 2; i++)
		pthread_create(&counters[i], NULL, counter, &pay_us[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(counters[i], NULL);
	printf("left: %d\n", left);
	return left ? 1 : 0;
}
