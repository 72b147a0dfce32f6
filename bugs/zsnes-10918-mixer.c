/*
 * ZSNES bug 10918: the sound thread starts before what it waits on is made.
 *
 * Anticipating Invariants names ZSNES among its programs; the order expected is W-R: what a thread uses is set up
 * first. The paper shows no code, so this is ours, in the shape of an emulator's sound: the mixer thread is started and
 * told the size of its buffer and given its samples afterwards. If it runs at once it mixes a buffer of size 0 and the
 * game is silent.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 8 };

struct sound {
	pthread_t mixer;
	int *samples;
	int count;
	int mixed;
};

static struct sound sound;

static void *mix(void *argument)
{
	struct sound *of = argument;
	int count = of->count; /*B*/
	for (int i = 0; i < count; i++)
		of->mixed += of->samples[i];
	return NULL;
}

static void set_up_buffer(struct sound *of)
{
	of->samples = malloc(SAMPLES * sizeof(*of->samples));
	for (int i = 0; i < SAMPLES; i++)
		of->samples[i] = i;
	of->count = SAMPLES; /*A*/
}

static void start_sound(struct sound *of)
{
#ifdef FIXED
	set_up_buffer(of);
	pthread_create(&of->mixer, NULL, mix, of);
#else
	pthread_create(&of->mixer, NULL, mix, of);
	set_up_buffer(of);
#endif
}

int main(void)
{
	start_sound(&sound);
	pthread_join(sound.mixer, NULL);
	printf("mixed %d\n", sound.mixed);
	free(sound.samples);
	return sound.mixed == 0;
}
/*
 * pattern: order
 * finds: bad-exit data-race output-differs
 * race: A B
 * source: Anticipating Invariants section 5.1, W-R order; ZSNES 10918 (code ours)
 */
