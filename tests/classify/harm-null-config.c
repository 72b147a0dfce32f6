/*
 * A worker tests the pointer to the current configuration and then reads it again to use it, while a reload sets it to
 * null for a moment.
 */
#include <pthread.h>
#include <stdio.h>

struct configuration {
	int timeout;
};

static struct configuration configurations[2] = { { 30 }, { 30 } };
static pthread_mutex_t file_lock = PTHREAD_MUTEX_INITIALIZER;
static struct configuration *volatile current = &configurations[0];

static void read_file(struct configuration *configuration)
{
	pthread_mutex_lock(&file_lock);
	configuration->timeout = 30; /*E*/
	pthread_mutex_unlock(&file_lock);
}

static void *reload(void *unused)
{
	current = NULL; /*A*/
	read_file(&configurations[1]);
	current = &configurations[1]; /*B*/
	return unused;
}

static void *serve(void *argument)
{
	int *timeout = argument;
	*timeout = 30;
	if (current)                         /*C*/
		*timeout = current->timeout; /*D*/
	return NULL;
}

int main(void)
{
	pthread_t reloader, server;
	int timeout;
	pthread_create(&reloader, NULL, reload, NULL);
	pthread_create(&server, NULL, serve, &timeout);
	pthread_join(reloader, NULL);
	pthread_join(server, NULL);
	printf("timeout %d\n", timeout);
	return 0;
}
/*
 * expect: race A C class spec-violated
 * expect: race A D class spec-violated
 * expect: race B C class harmless reason both-values-valid
 * expect: race B D class spec-violated
 * expect: race D E class single-ordering
 * why: if A comes between C and D the null pointer is used; B after D leaves the null pointer for D to read; B and C alone leave the same timeout; the new configuration is read only after it was published.
 */
