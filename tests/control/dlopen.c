/* Libraries opened while threads run: constructors, thread-local variables, destructors of threads, dlclose. */
#include "check.h"
#include <dlfcn.h>
#include <libgen.h>
#include <semaphore.h>

static void *library;
static int (*part_add)(int);
static int (*part_destroyed)(void);
static sem_t is_open;

/* Started before the library is there, so its thread-local block is made late. */
static void *work(void *argument)
{
	CHECK(sem_wait(&is_open) == 0);
	int value = 0;
	for (int i = 0; i < 5; i++) {
		value = part_add((int)(long)argument);
		sched_yield();
	}
	return (void *)(long)value;
}

static void *opens(void *argument)
{
	void *again = dlopen(argument, RTLD_NOW);
	CHECK(again == library);
	CHECK(dlsym(again, "part_add") == (void *)part_add);
	CHECK(dlclose(again) == 0);
	return NULL;
}

int main(int count, char **arguments)
{
	char path[4096], copy[4096];
	pthread_t threads[6];
	long sum = 0;
	(void)count;
	sem_init(&is_open, 0, 0);
	snprintf(copy, sizeof(copy), "%s", arguments[0]);
	snprintf(path, sizeof(path), "%s/dlopen-part.so", dirname(copy));
	CHECK(dlopen("/there/is/no/library.so", RTLD_NOW) == NULL && dlerror() != NULL);
	for (long i = 0; i < 4; i++)
		threads[i] = start(work, (void *)i);
	library = dlopen(path, RTLD_NOW);
	CHECK(library);
	*(void **)&part_add = dlsym(library, "part_add");
	*(void **)&part_destroyed = dlsym(library, "part_destroyed");
	CHECK(part_add && part_destroyed && dlsym(library, "nothing") == NULL);
	threads[4] = start(opens, path);
	threads[5] = start(opens, path);
	for (int i = 0; i < 4; i++)
		sem_post(&is_open);
	for (int i = 0; i < 6; i++)
		sum += (long)finish(threads[i]);
	printf("sum %ld destroyed %d\n", sum, part_destroyed());
	Dl_info info;
	CHECK(dladdr((void *)part_add, &info) != 0 && strcmp(info.dli_sname, "part_add") == 0);
	fflush(stdout);
	CHECK(dlclose(library) == 0);
	CHECK(dlopen(path, RTLD_NOW | RTLD_NOLOAD) == NULL);
	printf("closed\n");
	return 0;
}
/*
 * part: dlopen-part.cc
 * expect: part begins
 * expect: sum 430 destroyed 4
 * expect: part ends
 * expect: closed
 */
