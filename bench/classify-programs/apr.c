/*
 * apr.c: threads of APR and APR-util. A thread pool runs tasks, some of them scheduled or cancelled, that put numbers into a bounded
 * queue; two threads take them out and borrow a resource from a resource list for each. The sums are printed.
 *   apr pool|queue|reslist|all
 */
#include <apr_atomic.h>
#include <apr_general.h>
#include <apr_queue.h>
#include <apr_reslist.h>
#include <apr_thread_cond.h>
#include <apr_thread_pool.h>
#include <apr_thread_proc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TASKS 4
#define TAKERS 2

static apr_pool_t *root;
static apr_thread_pool_t *pool;
static apr_queue_t *queue;
static apr_reslist_t *resources;
static volatile apr_uint32_t tasks_sum, taken_sum, made, resources_used;

static void check(apr_status_t status, const char *what)
{
	char text[100];
	if (status == APR_SUCCESS)
		return;
	fprintf(stderr, "apr driver: %s: %s\n", what, apr_strerror(status, text, sizeof text));
	_Exit(9);
}

static void *APR_THREAD_FUNC task(apr_thread_t *thread, void *number)
{
	(void)thread;
	apr_atomic_add32(&tasks_sum, (apr_uint32_t)(uintptr_t)number);
	return NULL;
}

static void run_pool(void)
{
	check(apr_thread_pool_create(&pool, 1, 2, root), "thread pool");
	apr_thread_pool_threshold_set(pool, 1);
	for (uintptr_t i = 1; i <= TASKS; i++)
		check(apr_thread_pool_push(pool, task, (void *)i, APR_THREAD_TASK_PRIORITY_NORMAL, &queue), "push");
	check(apr_thread_pool_top(pool, task, (void *)(uintptr_t)10, APR_THREAD_TASK_PRIORITY_HIGH, NULL), "top");
	check(apr_thread_pool_schedule(pool, task, (void *)(uintptr_t)20, 1000, NULL), "schedule");
	while (apr_atomic_read32(&tasks_sum) != TASKS * (TASKS + 1) / 2 + 30)
		apr_sleep(100);
	check(apr_thread_pool_tasks_cancel(pool, &queue), "cancel");
	apr_thread_pool_idle_max_set(pool, 0);
	apr_thread_pool_thread_max_set(pool, 1);
	int is_idle = apr_thread_pool_idle_count(pool) <= 2 && apr_thread_pool_tasks_count(pool) == 0;
	check(apr_thread_pool_destroy(pool), "destroy");
	printf("tasks %u, %s\n", tasks_sum, is_idle ? "idle" : "busy");
}

static apr_status_t make_resource(void **resource, void *unused, apr_pool_t *from)
{
	(void)unused;
	int *made_now = apr_palloc(from, sizeof *made_now);
	*made_now = (int)apr_atomic_inc32(&made);
	*resource = made_now;
	return APR_SUCCESS;
}

static apr_status_t drop_resource(void *resource, void *unused, apr_pool_t *from)
{
	(void)unused;
	(void)from;
	*(int *)resource = -1;
	return APR_SUCCESS;
}

static void use_resource(void)
{
	void *resource;
	check(apr_reslist_acquire(resources, &resource), "acquire");
	if (*(int *)resource < 0)
		abort();
	apr_atomic_inc32(&resources_used);
	check(apr_reslist_release(resources, resource), "release");
}

static void *APR_THREAD_FUNC take(apr_thread_t *thread, void *unused)
{
	void *value;
	apr_status_t status;
	while ((status = apr_queue_pop(queue, &value)) != APR_EOF) {
		if (status == APR_EINTR)
			continue;
		check(status, "pop");
		apr_atomic_add32(&taken_sum, (apr_uint32_t)(uintptr_t)value);
		if (resources)
			use_resource();
	}
	apr_thread_exit(thread, APR_SUCCESS);
	return unused;
}

static void run_queue(int has_resources)
{
	apr_thread_t *threads[TAKERS];
	check(apr_queue_create(&queue, 2, root), "queue");
	if (has_resources)
		check(apr_reslist_create(&resources, 0, 1, 2, 0, make_resource, drop_resource, NULL, root),
		      "resources");
	for (int i = 0; i < TAKERS; i++)
		check(apr_thread_create(&threads[i], NULL, take, NULL, root), "thread");
	for (uintptr_t i = 1; i <= TASKS; i++)
		while (apr_queue_push(queue, (void *)i) != APR_SUCCESS)
			;
	while (apr_queue_size(queue) > 0)
		apr_thread_yield();
	check(apr_queue_term(queue), "term");
	for (int i = 0; i < TAKERS; i++) {
		apr_status_t status;
		check(apr_thread_join(&status, threads[i]), "join");
	}
	printf("taken %u, resources used %u times\n", taken_sum, resources_used);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "all";
	check(apr_initialize(), "initialize");
	check(apr_pool_create(&root, NULL), "root pool");
	if (strcmp(what, "pool") == 0 || strcmp(what, "all") == 0)
		run_pool();
	if (strcmp(what, "queue") == 0)
		run_queue(0);
	if (strcmp(what, "reslist") == 0 || strcmp(what, "all") == 0)
		run_queue(1);
	apr_pool_destroy(root);
	apr_terminate();
	return 0;
}
