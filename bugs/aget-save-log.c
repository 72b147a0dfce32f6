/*
 * aget 0.4: the progress that is saved on an interrupt does not fit together.
 *
 * On SIGINT the downloader saves how far each of its connections is and how much they have written in all, to go on
 * later. The connections go on while it does: what is added between the two is in the total but not in the parts, or
 * in neither, and the resumed download has a hole. RaceMob (SOSP 2013) and Kasikci's thesis, section 6.1.2 and Table
 * 1 (one race in aget corrupts data); Yu's collection of concurrency bugs, aget-bug2.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { CONNECTIONS = 2, CHUNKS = 2, CHUNK = 512 };

struct progress {
	int offsets[CONNECTIONS];
	int total;
};

static struct progress progress;
static pthread_mutex_t progress_lock = PTHREAD_MUTEX_INITIALIZER;
static struct progress saved;

static void *download(void *argument)
{
	int *offset = argument;
	for (int i = 0; i < CHUNKS; i++) {
#ifdef FIXED
		pthread_mutex_lock(&progress_lock);
		*offset += CHUNK;
		progress.total += CHUNK;
		pthread_mutex_unlock(&progress_lock);
#else
		*offset += CHUNK; /*A*/
		pthread_mutex_lock(&progress_lock);
		progress.total += CHUNK; /*B*/
		pthread_mutex_unlock(&progress_lock);
#endif
	}
	return NULL;
}

static void save_log(void)
{
#ifdef FIXED
	pthread_mutex_lock(&progress_lock);
#endif
	memcpy(saved.offsets, progress.offsets, sizeof(saved.offsets)); /*C*/
	saved.total = progress.total;                                   /*D*/
#ifdef FIXED
	pthread_mutex_unlock(&progress_lock);
#endif
}

static void *wait_for_interrupt(void *argument)
{
	int signal_number;
	sigwait(argument, &signal_number);
	if (signal_number == SIGINT)
		save_log();
	return NULL;
}

int main(void)
{
	pthread_t connections[CONNECTIONS], waiter;
	sigset_t interrupts;
	sigemptyset(&interrupts);
	sigaddset(&interrupts, SIGINT);
	pthread_sigmask(SIG_BLOCK, &interrupts, NULL);
	pthread_create(&waiter, NULL, wait_for_interrupt, &interrupts);
	for (int i = 0; i < CONNECTIONS; i++)
		pthread_create(&connections[i], NULL, download, &progress.offsets[i]);
	pthread_kill(waiter, SIGINT);
	pthread_join(waiter, NULL);
	for (int i = 0; i < CONNECTIONS; i++)
		pthread_join(connections[i], NULL);
	int is_good = saved.offsets[0] + saved.offsets[1] == saved.total;
	printf("downloaded %d, saved progress is %s\n", progress.total, is_good ? "good" : "not consistent");
	return is_good ? 0 : 1;
}
/*
 * pattern: multi-variable
 * finds: bad-exit output-differs data-race
 * race: A C
 * race: B D
 * source: Kasikci's thesis table 1; aget
 */
