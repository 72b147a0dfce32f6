/*
 * reduced_program.c SEED: two or three threads with a few operations each that follow from the seed, on two atomic variables, two mutexes and
 * a semaphore, some on a plain variable under a lock. Prints what each thread saw, and what is in the variables in the end. Some seeds deadlock.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, VARIABLES = 2, OPERATIONS = 4 };

static atomic_uint variables[VARIABLES];
static unsigned plain;
static pthread_mutex_t locks[VARIABLES] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static sem_t semaphore;
static struct {
	unsigned kind, which, value;
} programs[THREADS][OPERATIONS];
static unsigned operations[THREADS], seen[THREADS];

static unsigned draw(uint64_t *state, unsigned bound)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*state >> 33) % bound;
}

static void *work(void *argument)
{
	const unsigned self = (unsigned)(uintptr_t)argument;
	unsigned sum = self;
	for (unsigned i = 0; i < operations[self]; i++) {
		const unsigned value = programs[self][i].value, which = programs[self][i].which;
		unsigned expected = value;
		switch (programs[self][i].kind) {
		case 0:
			sum = sum * 7 + atomic_load(&variables[which]);
			break;
		case 1:
			atomic_store(&variables[which], value + self);
			break;
		case 2:
			sum = sum * 7 + atomic_fetch_add(&variables[which], value);
			break;
		case 3:
			sum = sum * 7 + atomic_compare_exchange_strong(&variables[which], &expected, value + 1);
			break;
		case 4:
			pthread_mutex_lock(&locks[which]);
			sum = sum * 7 + plain;
			plain = sum % 5;
			if (value == 0)
				sum += atomic_fetch_add(&variables[which], 1);
			pthread_mutex_unlock(&locks[which]);
			break;
		case 5:
		case 8:
		case 9:
			pthread_mutex_lock(&locks[which]);
			pthread_mutex_lock(&locks[!which]);
			sum = sum * 7 + atomic_load(&variables[0]);
			pthread_mutex_unlock(&locks[!which]);
			pthread_mutex_unlock(&locks[which]);
			break;
		case 6:
			if (pthread_mutex_trylock(&locks[which]) == 0) {
				sum = sum * 7 + atomic_fetch_add(&variables[value % VARIABLES], 3);
				pthread_mutex_unlock(&locks[which]);
			} else {
				sum = sum * 7 + 1;
			}
			break;
		case 7:
			if (value)
				sem_post(&semaphore);
			else
				sum = sum * 7 + (unsigned)sem_trywait(&semaphore);
			break;
		}
	}
	seen[self] = sum;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	uint64_t state = argc > 1 ? strtoull(argv[1], NULL, 10) * 977 : 0;
	const unsigned count = 2 + draw(&state, 2);
	sem_init(&semaphore, 0, 0);
	for (unsigned i = 0; i < count; i++) {
		operations[i] = count == 2 ? 4 : 2 + draw(&state, 2);
		for (unsigned j = 0; j < operations[i]; j++) {
			programs[i][j].kind = draw(&state, 10);
			programs[i][j].which = draw(&state, VARIABLES);
			programs[i][j].value = draw(&state, 3);
		}
	}
	/* Not locks of both kinds for one plain variable: it would race. */
	for (unsigned i = 0; i < count; i++)
		for (unsigned j = 0; j < operations[i]; j++)
			if (programs[i][j].kind == 4)
				programs[i][j].which = 0;
	for (unsigned i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i);
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < count; i++)
		printf("%u ", seen[i]);
	printf("%u %u %u\n", variables[0], variables[1], plain);
	return 0;
}
