/*
 * Portend's sync-bug: a barrier that comes too late to keep two writes in order.
 *
 * A thread writes a frame and then its number, and only then comes to the barrier; a viewer outside of the barrier
 * looks at the number and then at the frame. As in portend-no-sync-bug.c, a weak memory may show the number before
 * the frame and end in the abort; sequential consistency does not, so the race is what there is to report. Kasikci's
 * thesis, section 6.3.6 and figure 31(d); Portend (TOPLAS 2015).
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int frame, frame_number;
static pthread_barrier_t drawn;

static void *draw(void *argument)
{
	(void)argument;
	frame = 2;        /*A*/
	frame_number = 1; /*B*/
	pthread_barrier_wait(&drawn);
	return NULL;
}

static void *draw_background(void *argument)
{
	(void)argument;
#ifndef FIXED
	frame = 2; /*C*/
#endif
	pthread_barrier_wait(&drawn);
	return NULL;
}

static void view(void)
{
	if (frame_number == 1 && frame == 0) /*D*/
		abort();
}

int main(void)
{
	pthread_t first, second;
#ifdef FIXED
	/* The viewer takes part in the barrier, and looks after it. */
	pthread_barrier_init(&drawn, NULL, 3);
#else
	pthread_barrier_init(&drawn, NULL, 2);
#endif
	pthread_create(&first, NULL, draw, NULL);
	pthread_create(&second, NULL, draw_background, NULL);
#ifdef FIXED
	pthread_barrier_wait(&drawn);
#endif
	view();
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	printf("frame %d, number %d\n", frame, frame_number);
	pthread_barrier_destroy(&drawn);
	return 0;
}
/*
 * pattern: weak-memory
 * finds: data-race
 * race: A C
 * race: A D
 * race: B D
 * race: C D
 * source: Portend sync-bug, figure 31d
 */
