/*
 * HTTrack 3.43: a download is cancelled before its options exist.
 *
 * The thread that runs a mirror makes the options and keeps them in a global; a thread that serves the user's clicks
 * uses the global to cancel a file. Nothing makes the first come before the second. A click that is too early uses a
 * null pointer. Described in HTTrack's forum (20247) and in the collection of Yu and Narayanasamy (httrack-3.43.9);
 * Anticipating Invariants, table 1 and figure 8, W-R order.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES = 3 };

struct options {
	pthread_mutex_t state_lock; /* guards cancelled and finished */
	char cancelled[FILES];
	int finished;
};

static struct options *global_options;
#ifdef FIXED
static pthread_mutex_t global_lock = PTHREAD_MUTEX_INITIALIZER; /* guards global_options */
static pthread_cond_t global_set = PTHREAD_COND_INITIALIZER;
#endif

static struct options *create_options(void)
{
	struct options *options = malloc(sizeof(*options));
	memset(options, 0, sizeof(*options));
	pthread_mutex_init(&options->state_lock, NULL);
	return options;
}

static void *run_mirror(void *argument)
{
	struct options *options = create_options();
	(void)argument;
#ifdef FIXED
	pthread_mutex_lock(&global_lock);
#endif
	global_options = options; /*A*/
#ifdef FIXED
	pthread_cond_signal(&global_set);
	pthread_mutex_unlock(&global_lock);
#endif
	for (int file = 0; file < FILES; file++) {
		pthread_mutex_lock(&options->state_lock);
		options->finished++;
		pthread_mutex_unlock(&options->state_lock);
	}
	return NULL;
}

static void cancel_file(struct options *options, int file)
{
	pthread_mutex_lock(&options->state_lock);
	options->cancelled[file] = 1;
	pthread_mutex_unlock(&options->state_lock);
}

static void *serve_click(void *argument)
{
	(void)argument;
#ifdef FIXED
	pthread_mutex_lock(&global_lock);
	while (!global_options)
		pthread_cond_wait(&global_set, &global_lock);
	struct options *options = global_options;
	pthread_mutex_unlock(&global_lock);
	cancel_file(options, 1);
#else
	cancel_file(global_options, 1); /*B*/
#endif
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, run_mirror, NULL);
	pthread_create(&threads[1], NULL, serve_click, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d finished, file 1 %s\n", global_options->finished,
	       global_options->cancelled[1] ? "cancelled" : "not cancelled");
	pthread_mutex_destroy(&global_options->state_lock);
	free(global_options);
	return 0;
}
/*
 * pattern: order
 * finds: crash data-race
 * race: A B
 * source: Anticipating Invariants table 1, W-R order and figure 8; HTTrack forum 20247
 */
