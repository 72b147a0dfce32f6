/*
 * The state of a device and its features share a word of bit-fields. The driver changes the state; others read the
 * features, which never change after the start.
 */
#include <pthread.h>
#include <stdio.h>

struct device {
	unsigned is_open : 1;
	unsigned queue_depth : 4;
	unsigned has_checksum : 1;
	unsigned revision : 6;
};

static volatile struct device device = { .has_checksum = 1, .revision = 9 };

static void *drive(void *unused)
{
	device.is_open = 1;     /*A*/
	device.queue_depth = 7; /*B*/
	device.is_open = 0;     /*C*/
	return unused;
}

static void *choose_path(void *argument)
{
	int *path = argument;
	*path = device.has_checksum ? 2 : 1; /*D*/
	return NULL;
}

int main(void)
{
	pthread_t driver, chooser;
	int path = 0;
	pthread_create(&driver, NULL, drive, NULL);
	pthread_create(&chooser, NULL, choose_path, &path);
	pthread_join(driver, NULL);
	pthread_join(chooser, NULL);
	printf("path %d, depth %u\n", path, device.queue_depth);
	return 0;
}
/*
 * expect: race A D class harmless reason disjoint-bits
 * expect: race B D class harmless reason disjoint-bits maybe
 * expect: race C D class harmless reason disjoint-bits maybe
 * why: one thread writes, and the reader uses a bit that none of the writes changes.
 */
