/*
 * A session is put into the global list before its fields are set.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

struct session {
	volatile int id;
	volatile int user;
};

static struct session storage;
static struct session *volatile newest;

static void *open_session(void *unused)
{
	struct session *session = &storage;
	newest = session;     /*A*/
	session->id = 12;     /*B*/
	session->user = 1000; /*C*/
	return unused;
}

static void *list_sessions(void *argument)
{
	int *listed = argument;
	struct session *session = newest; /*D*/
	if (!session)
		return NULL;
	assert(session->user != 0); /*E*/
	*listed = 1;
	return NULL;
}

int main(void)
{
	pthread_t opener, lister;
	int listed = 0;
	pthread_create(&opener, NULL, open_session, NULL);
	pthread_create(&lister, NULL, list_sessions, &listed);
	pthread_join(opener, NULL);
	pthread_join(lister, NULL);
	printf("session %d\n", storage.id);
	return 0;
}
/*
 * expect: race A D class spec-violated
 * expect: race C E class spec-violated
 * why: a lister that comes after A and before C reads a user of 0.
 */
