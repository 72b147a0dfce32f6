/*
 * MySQL bug 12228: the cache of stored procedures is emptied under a running one.
 *
 * Each session keeps the procedures it has parsed. Dropping a procedure anywhere raises a global version, and a session
 * that sees a newer version than its own throws its cache away. It looked at the version at every lookup, so the lookup
 * of an inner call freed the outer procedure that was being executed. Every access to the version is under its lock:
 * there is no data race, the two reads are just not one step. Described in the bug report and in the collection of Yu
 * and Narayanasamy (mysql-12228); Anticipating Invariants, table 1.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUTER, INNER, OTHER, PROCEDURES };
enum { STOP = -1, ADD = -2 }; /* anything else calls the procedure of that number */

struct procedure {
	int *body;
	struct procedure *next;
	int number;
};

struct session {
	unsigned version;
	struct procedure *cache;
	int result;
};

static const int catalogue[PROCEDURES][4] = {
	[OUTER] = { ADD, INNER, ADD, STOP },
	[INNER] = { ADD, STOP },
	[OTHER] = { STOP },
};
static pthread_mutex_t version_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned version = 1;

/* Out of line, so that the compiler does not drop the last writes to what is freed. */
static void __attribute__((noinline)) memory_free(void *block)
{
	free(block);
}

static void cache_remove_all(struct session *session)
{
	while (session->cache) {
		struct procedure *first = session->cache;
		session->cache = first->next;
		free(first->body);
		first->body = NULL;
		memory_free(first);
	}
}

static void cache_refresh(struct session *session)
{
	pthread_mutex_lock(&version_lock);
	unsigned newest = version;
	pthread_mutex_unlock(&version_lock);
	if (session->version < newest) {
		cache_remove_all(session);
		session->version = newest;
	}
}

static struct procedure *find_procedure(struct session *session, int number)
{
#ifndef FIXED
	cache_refresh(session);
#endif
	for (struct procedure *cached = session->cache; cached; cached = cached->next)
		if (cached->number == number)
			return cached;
	struct procedure *parsed = malloc(sizeof(*parsed));
	parsed->body = malloc(sizeof(catalogue[number]));
	memcpy(parsed->body, catalogue[number], sizeof(catalogue[number]));
	parsed->number = number;
	parsed->next = session->cache;
	session->cache = parsed;
	return parsed;
}

static void call(struct session *session, int number)
{
	struct procedure *procedure = find_procedure(session, number);
	for (int at = 0; procedure->body[at] != STOP; at++) {
		if (procedure->body[at] == ADD)
			session->result++;
		else
			call(session, procedure->body[at]);
	}
}

static void *caller(void *argument)
{
	struct session *session = argument;
#ifdef FIXED
	cache_refresh(session);
#endif
	call(session, OUTER);
	return NULL;
}

static void *dropper(void *argument)
{
	struct session *session = argument;
	find_procedure(session, OTHER);
	pthread_mutex_lock(&version_lock);
	version++;
	pthread_mutex_unlock(&version_lock);
	return NULL;
}

int main(void)
{
	struct session sessions[2] = { { 0 }, { 0 } };
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, caller, &sessions[0]);
	pthread_create(&threads[1], NULL, dropper, &sessions[1]);
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		cache_remove_all(&sessions[i]);
	}
	printf("result %d\n", sessions[0].result);
	return 0;
}
/*
 * pattern: RWR
 * finds: crash memory-error
 * source: Anticipating Invariants table 1, R-R|W; MySQL 12228
 */
