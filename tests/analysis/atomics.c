/* atomics.c: atomic accesses, and plain ones beside them. */
#include <stdatomic.h>

#include "pair.h"

atomic_int both_atomic;
THREAD(both_1)
{
	atomic_fetch_add(&both_atomic, 1); // @BOTH1
	return NULL;
}
THREAD(both_2)
{
	return atomic_load(&both_atomic) ? argument : NULL; // @BOTH2
}

/* Atomic on one side only. */
int mixed;
THREAD(mixed_1)
{
	__atomic_store_n(&mixed, 1, __ATOMIC_RELEASE); // @MIXED1
	return NULL;
}
THREAD(mixed_2)
{
	return mixed ? argument : NULL; // @MIXED2
}

/* Handed over by a flag: right, but only who runs it knows. */
int payload;
atomic_int flag;
THREAD(flag_1)
{
	payload = 42; // @PAYLOAD1
	atomic_store(&flag, 1); // @FLAG1
	return NULL;
}
THREAD(flag_2)
{
	if (atomic_load(&flag)) // @FLAG2
		payload++; // @PAYLOAD2
	return NULL;
}

/* A flag that is no atomic one. */
volatile int stop;
THREAD(stop_1)
{
	stop = 1; // @STOP1
	return NULL;
}
THREAD(stop_2)
{
	while (!stop) // @STOP2
		;
	return NULL;
}

/* A counter by gcc's old built-in functions. */
int synced;
THREAD(synced_1)
{
	__sync_fetch_and_add(&synced, 1); // @SYNC1
	return NULL;
}
THREAD(synced_2)
{
	return __sync_val_compare_and_swap(&synced, 1, 2) ? argument : NULL; // @SYNC2
}

int main(void)
{
	BOTH(both_1, both_2);
	BOTH(mixed_1, mixed_2);
	BOTH(flag_1, flag_2);
	BOTH(stop_1, stop_2);
	BOTH(synced_1, synced_2);
	return 0;
}
/*
 * race: MIXED1-MIXED2
 * race: STOP1-STOP2
 * may: PAYLOAD1-PAYLOAD2
 * no: BOTH1-BOTH2: both-atomic
 * no: FLAG1-FLAG2: both-atomic
 * no: SYNC1-SYNC2: both-atomic
 */
