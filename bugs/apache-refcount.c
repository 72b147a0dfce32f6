/*
 * Apache 21287: the last reference to a cached object is dropped twice.
 *
 * mod_mem_cache decrements an object's reference count with one atomic operation and asks with another whether it has
 * become zero. Two requests that end together both decrement, both see zero, and both free the object. Frost (SOSP
 * 2011), section 4.1.2 and Table 2; Gist's failure sketch of it is figure 21 of Kasikci's thesis.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cache_object {
	char *url;
	char *headers;
	char *body;
	_Atomic unsigned refcount;
};

static struct cache_object *cached;
static atomic_uint served;

static struct cache_object *object_new(const char *url, const char *body, unsigned requests)
{
	struct cache_object *object = malloc(sizeof(*object));
	object->url = strdup(url);
	object->headers = strdup("200 OK");
	object->body = strdup(body);
	atomic_init(&object->refcount, requests);
	return object;
}

static void cleanup_object(struct cache_object *object)
{
	free(object->url);
	free(object->headers);
	free(object->body);
	free(object); /*A*/
}

static void decrement_refcount(struct cache_object *object)
{
#ifdef FIXED
	if (atomic_fetch_sub(&object->refcount, 1) == 1)
		cleanup_object(object);
#else
	atomic_fetch_sub(&object->refcount, 1);
	if (atomic_load(&object->refcount) == 0) /*B*/
		cleanup_object(object);
#endif
}

static void *serve(void *argument)
{
	const char *url = argument;
	if (strcmp(cached->url, url) == 0)
		atomic_fetch_add(&served, (unsigned)strlen(cached->body));
	decrement_refcount(cached);
	return NULL;
}

int main(void)
{
	pthread_t requests[2];
	cached = object_new("/index", "hello", 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&requests[i], NULL, serve, "/index");
	for (int i = 0; i < 2; i++)
		pthread_join(requests[i], NULL);
	printf("served %u bytes\n", atomic_load(&served));
	return 0;
}
/*
 * pattern: RWR
 * finds: memory-error crash data-race
 * race: A B
 * source: Frost table 2; Apache 21287
 */
