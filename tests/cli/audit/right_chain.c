/* What a thread made is handed to the next, and each ends before the last knows. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int ends[2];
struct item {
	int n;
	struct item *next;
};
static void *maker(void *x)
{
	for (int i = 0; i < 3; i++) {
		struct item *item = calloc(1, sizeof *item);
		item->n = i;
		write(ends[1], &item, sizeof item);
	}
	pthread_detach(pthread_self());
	return x;
}
static void *starter(void *x)
{
	pthread_t t;
	pthread_create(&t, 0, maker, 0);
	int local[4] = { 1 };
	local[1]++;
	return (char *)x + local[1];
}
int main(void)
{
	pthread_t t;
	int sum = 0;
	pipe(ends);
	for (int round = 0; round < 2; round++) {
		pthread_create(&t, 0, starter, 0);
		pthread_join(t, 0);
		for (int i = 0; i < 3; i++) {
			struct item *item;
			read(ends[0], &item, sizeof item);
			sum += item->n++;
			free(item);
		}
	}
	printf("%d\n", sum);
	return 0;
}
