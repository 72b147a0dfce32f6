/*
 * A copy reports its progress: the worker counts chunks, the display thread reads the count now and then and makes a
 * percentage of it. Any count that was ever right is right for a display.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHUNKS = 4, LOOKS = 3 };

static volatile int done_chunks;
static char target[CHUNKS * 2];

static void *copy(void *source)
{
	const char *bytes = source;
	for (int i = 0; i < CHUNKS; i++) {
		target[2 * i] = bytes[2 * i];
		target[2 * i + 1] = bytes[2 * i + 1];
		done_chunks = i + 1; /*A*/
	}
	return NULL;
}

static void draw_bar(char *bar, int percent)
{
	for (int i = 0; i < 10; i++)
		bar[i] = i * 10 < percent ? '#' : '.';
}

static void *display(void *argument)
{
	char *bar = argument;
	for (int i = 0; i < LOOKS; i++) {
		int percent = done_chunks * 100 / CHUNKS; /*B*/
		if (percent < 0 || percent > 100)
			abort();
		draw_bar(bar, percent);
	}
	return NULL;
}

int main(void)
{
	char source[] = "abcdefgh", bar[10];
	pthread_t copier, displayer;
	pthread_create(&copier, NULL, copy, source);
	pthread_create(&displayer, NULL, display, bar);
	pthread_join(copier, NULL);
	pthread_join(displayer, NULL);
	draw_bar(bar, done_chunks * 100 / CHUNKS);
	printf("%.10s %.8s\n", bar, target);
	return 0;
}
/*
 * expect: race A B class harmless reason both-values-valid|approximate
 * why: the display takes any count from 0 to 4, and the bar that is printed is drawn after the worker was joined.
 */
