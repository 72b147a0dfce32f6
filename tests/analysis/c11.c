/* c11.c: threads and locks of C11. */
#include <threads.h>

#include "pair.h"

mtx_t mutex;
int locked, plain;
static int run(void *argument)
{
	(void)argument;
	mtx_lock(&mutex);
	locked++; // @LOCKED
	mtx_unlock(&mutex);
	plain++; // @PLAIN
	return 0;
}

int tried;
static int run_tried(void *argument)
{
	(void)argument;
	if (mtx_trylock(&mutex) == thrd_success) {
		tried++; // @TRIED
		mtx_unlock(&mutex);
	}
	return 0;
}

int main(void)
{
	thrd_t ids[4];
	mtx_init(&mutex, mtx_plain);
	thrd_create(&ids[0], run, NULL);
	thrd_create(&ids[1], run, NULL);
	thrd_create(&ids[2], run_tried, NULL);
	thrd_create(&ids[3], run_tried, NULL);
	for (int i = 0; i < 4; i++)
		thrd_join(ids[i], NULL);
	return 0;
}
/*
 * race: PLAIN-PLAIN
 * no: LOCKED-LOCKED: locked
 * no: TRIED-TRIED: locked
 */
