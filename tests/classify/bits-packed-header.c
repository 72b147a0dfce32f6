/*
 * A header packs the version, the type and a sequence number into 32 bits. The sender counts the sequence number in
 * the low bits while the parser looks at version and type in the high ones.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { PACKETS = 3 };

#define SEQUENCE_MASK 0x0000ffffu
#define TYPE_SHIFT 16
#define VERSION_SHIFT 28

static volatile uint32_t header = 0x20070000u;

static void *send_packets(void *unused)
{
	for (uint32_t i = 1; i <= PACKETS; i++)
		header = (header & ~SEQUENCE_MASK) | i; /*A*/
	return unused;
}

static void *parse(void *argument)
{
	int *type = argument;
	uint32_t seen = header; /*B*/
	if (seen >> VERSION_SHIFT != 2)
		abort();
	*type = (int)(seen >> TYPE_SHIFT & 0xfff);
	return NULL;
}

int main(void)
{
	pthread_t sender, parser;
	int type = 0;
	pthread_create(&sender, NULL, send_packets, NULL);
	pthread_create(&parser, NULL, parse, &type);
	pthread_join(sender, NULL);
	pthread_join(parser, NULL);
	printf("type %d, sequence %u\n", type, header & SEQUENCE_MASK);
	return 0;
}
/*
 * expect: race A B class harmless reason disjoint-bits
 * why: the sender writes version and type back as they were, and the parser does not use the sequence number.
 */
