/* pthread_getattr_np tells each thread, and main, a stack that holds its own variables. */
#include "check.h"

static int knows_stack(void)
{
	pthread_attr_t attributes;
	void *base;
	size_t size;
	char here;
	CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0);
	CHECK(pthread_attr_getstack(&attributes, &base, &size) == 0);
	pthread_attr_destroy(&attributes);
	return &here >= (char *)base && &here < (char *)base + size;
}

static void *work(void *argument)
{
	(void)argument;
	return (void *)(long)knows_stack();
}

int main(void)
{
	pthread_t a = start(work, NULL), b = start(work, NULL);
	int of_main = knows_stack();
	long of_a = (long)finish(a), of_b = (long)finish(b);
	printf("%d %ld %ld\n", of_main, of_a, of_b);
	return 0;
}
/*
 * expect: 1 1 1
 */
