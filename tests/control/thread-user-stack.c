/* A thread on a stack that the program gives, used again by a second thread after the first has been joined. */
#include "check.h"
#include <sys/mman.h>

#define SIZE (256 << 10)
static char *stack;

static void *work(void *argument)
{
	char here;
	CHECK(&here >= stack && &here < stack + SIZE);
	char room[64 << 10];
	memset(room, (int)(long)argument, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	return (void *)(long)(room[5] + room[60000]);
}

int main(void)
{
	stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	CHECK(stack != MAP_FAILED);
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	CHECK(pthread_attr_setstack(&attributes, stack, SIZE) == 0);
	long sum = 0;
	for (long i = 1; i <= 5; i++) {
		pthread_t thread;
		CHECK(pthread_create(&thread, &attributes, work, (void *)i) == 0);
		sum += (long)finish(thread);
	}
	pthread_attr_destroy(&attributes);
	CHECK(munmap(stack, SIZE) == 0);
	printf("sum %ld\n", sum);
	return 0;
}
/*
 * expect: sum 30
 */
