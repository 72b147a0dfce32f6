/*
 * Mozilla: the script that is being loaded is another one when its loading is complete.
 *
 * LoadScript() noted the script in a global and started loading; OnLoadComplete(), called later, compiled whatever the
 * global named then. Every access held the lock, but the write and the read it was meant for did not hold it together,
 * and a second script or the end of the page could change the global in between. An example of Lu and others (AVIO,
 * ASPLOS 2006); pattern W-R|W as in Anticipating Invariants, table 1. There is no data race.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct script {
	const char *source;
	int compiled;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards current_script */
static struct script *current_script;

static void compile(struct script *script)
{
	for (const char *at = script->source; *at; at++)
		script->compiled += *at == ';';
}

static void on_load_complete(void)
{
#ifndef FIXED
	pthread_mutex_lock(&lock);
#endif
	compile(current_script);
	pthread_mutex_unlock(&lock);
}

static void load_script(struct script *script)
{
	pthread_mutex_lock(&lock);
	current_script = script;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
#endif
	on_load_complete();
}

static void *loader(void *argument)
{
	load_script(argument);
	return NULL;
}

static void *page_closer(void *argument)
{
	(void)argument;
	pthread_mutex_lock(&lock);
	current_script = NULL;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	struct script script = { "a = 1; b = 2;", 0 };
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, loader, &script);
	pthread_create(&threads[1], NULL, page_closer, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d statements\n", script.compiled);
	return 0;
}
/*
 * pattern: WWR
 * finds: crash
 * source: AVIO (ASPLOS 2006); Anticipating Invariants table 1, W-R|W, for the pattern
 */
