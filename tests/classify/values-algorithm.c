/*
 * Two implementations of the same checksum; a monitor thread switches to the one with the table once the program is
 * busy. Whatever the reader sees, the checksum is the same: the second example of both values valid in PLDI 2007.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { WORKERS = 2, BYTES = 3 };

static volatile int use_table;

static uint8_t step_slow(uint8_t crc)
{
	for (int bit = 0; bit < 2; bit++)
		crc = (uint8_t)(crc & 0x80 ? (crc << 1) ^ 0x07 : crc << 1);
	return crc;
}

static uint8_t step_fast(uint8_t crc)
{
	static const uint8_t table[4] = { 0x00, 0x07, 0x0e, 0x09 };
	return (uint8_t)((crc << 2) ^ table[crc >> 6]);
}

static void *checksum(void *argument)
{
	uint8_t *crc = argument;
	for (int i = 0; i < BYTES; i++) {
		*crc ^= (uint8_t)(0x5a + i);
		*crc = use_table ? step_fast(*crc) : step_slow(*crc); /*A*/
	}
	return NULL;
}

static void *monitor(void *unused)
{
	use_table = 1; /*B*/
	return unused;
}

int main(void)
{
	pthread_t workers[WORKERS], monitoring;
	uint8_t sums[WORKERS] = { 0x11, 0xee };
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, checksum, &sums[i]);
	pthread_create(&monitoring, NULL, monitor, NULL);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	pthread_join(monitoring, NULL);
	printf("%02x %02x\n", sums[0], sums[1]);
	return 0;
}
/*
 * expect: race A B class harmless reason both-values-valid
 * why: both implementations compute the same step, so either value of the switch gives the same checksum.
 */
