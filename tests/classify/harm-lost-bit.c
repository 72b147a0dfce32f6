/*
 * Two threads own different bits of a word of flags, and both write it: reading, changing and writing back loses the
 * other's bit. It looks like disjoint bits and is not.
 */
#include <pthread.h>
#include <stdio.h>

enum { IS_LINKED = 1, IS_CONFIGURED = 2 };

struct interface {
	volatile unsigned flags;
};

static struct interface interface;

static void *link_up(void *argument)
{
	struct interface *self = argument;
	self->flags |= IS_LINKED; /*A*/
	return NULL;
}

static void *configure(void *argument)
{
	struct interface *self = argument;
	self->flags |= IS_CONFIGURED; /*B*/
	return NULL;
}

int main(void)
{
	pthread_t linker, configurer;
	pthread_create(&linker, NULL, link_up, &interface);
	pthread_create(&configurer, NULL, configure, &interface);
	pthread_join(linker, NULL);
	pthread_join(configurer, NULL);
	if (interface.flags != (IS_LINKED | IS_CONFIGURED)) {
		fprintf(stderr, "interface is down\n");
		return 2;
	}
	printf("interface is up\n");
	return 0;
}
/*
 * expect: race A B class spec-violated
 * why: the bit that the other thread set between reading and writing is lost, and the program exits with 2.
 */
