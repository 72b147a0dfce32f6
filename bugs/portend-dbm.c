/*
 * Portend's DBM, "disjoint bit manipulation": threads use different bits of the same word.
 *
 * One thread sets the state of a device in a word of flags while others read bits of it that never change after the
 * start. They race for the word, but no reader depends on a bit that is written. Portend (ASPLOS 2012) and Kasikci's
 * thesis, section 6.3.1 and Table 6; the class is from Narayanasamy et al. (PLDI 2007). When two threads write, see
 * portend-dbm-lost.c.
 */
#include <pthread.h>
#include <stdio.h>

enum { READERS = 2 };

struct device {
	unsigned is_running : 1;
	unsigned is_stopping : 1;
	unsigned has_interrupt : 1;
	unsigned channels : 4;
#ifdef FIXED
	unsigned : 0; /* the bits above have a word of their own */
#endif
	unsigned can_sleep : 1;
	unsigned version : 6;
};

static struct device device = { .can_sleep = 1, .version = 41 };

static void *control(void *argument)
{
	pthread_mutex_t *control_lock = argument;
	device.is_running = 1; /*A*/
	pthread_mutex_lock(control_lock);
	device.channels = 5; /*B*/
	pthread_mutex_unlock(control_lock);
	device.is_stopping = 1; /*C*/
	return NULL;
}

static void *describe(void *argument)
{
	unsigned *features = argument;
	*features = device.version << 1 | device.can_sleep; /*D*/
	return NULL;
}

int main(void)
{
	pthread_mutex_t control_lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_t controller, readers[READERS];
	unsigned features[READERS];
	for (int i = 0; i < READERS; i++)
		pthread_create(&readers[i], NULL, describe, &features[i]);
	pthread_create(&controller, NULL, control, &control_lock);
	for (int i = 0; i < READERS; i++)
		pthread_join(readers[i], NULL);
	pthread_join(controller, NULL);
	printf("features %u %u, channels %u\n", features[0], features[1], device.channels);
	return 0;
}
/*
 * pattern: harmless
 * finds: data-race
 * race: A D
 * race: B D
 * race: C D
 * source: Portend DBM
 */
