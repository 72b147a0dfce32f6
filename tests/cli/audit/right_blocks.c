/* Blocks of the heap that one thread leaves to the next. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct box {
	int n;
	char text[40];
};
static __attribute__((noinline)) void set(struct box *box, int n)
{
	box->n = n;
	memset(box->text, n, sizeof box->text);
}
static void *work(void *x)
{
	int sum = 0;
	for (int i = 0; i < 4; i++) {
		struct box *box = malloc(sizeof *box);
		set(box, i);
		box = realloc(box, 2 * sizeof *box);
		set(box + 1, i);
		sum += box->n + box[1].n;
		free(box);
	}
	return (char *)x + sum;
}
int main(void)
{
	pthread_t t[3];
	void *got;
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, 0);
	work(0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], &got);
	printf("%p\n", got);
	return 0;
}
