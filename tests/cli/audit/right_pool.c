/* An allocator of the program's own over a static array; blocks go from thread to thread. */
#include <pthread.h>
#include <stdio.h>
struct block {
	struct block *next;
	int n[6];
};
static struct block room[8], *free_list;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct block *take(void)
{
	pthread_mutex_lock(&m);
	struct block *b = free_list;
	if (b)
		free_list = b->next;
	pthread_mutex_unlock(&m);
	return b;
}
static void give(struct block *b)
{
	pthread_mutex_lock(&m);
	b->next = free_list;
	free_list = b;
	pthread_mutex_unlock(&m);
}
static void *work(void *x)
{
	for (int i = 0; i < 4; i++) {
		struct block *b = take();
		for (int k = 0; b && k < 6; k++)
			b->n[k] = k;
		if (b)
			give(b);
	}
	return x;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 8; i++)
		give(&room[i]);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	printf("%d\n", room[3].n[2]);
	return 0;
}
