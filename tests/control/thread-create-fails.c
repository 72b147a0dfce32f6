/* A thread that cannot be had: pthread_create returns an error and the program goes on. */
#include "check.h"

static void *work(void *argument)
{
	return argument;
}

int main(void)
{
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	CHECK(pthread_attr_setstacksize(&attributes, 1ul << 46) == 0);
	pthread_t thread;
	int error = pthread_create(&thread, &attributes, work, NULL);
	printf("error %d\n", error == EAGAIN || error == ENOMEM);
	pthread_attr_destroy(&attributes);
	printf("then %ld\n", (long)finish(start(work, (void *)5)));
	return 0;
}
/*
 * expect: error 1
 * expect: then 5
 */
