/* allocators.c: functions of the program's own that hand out blocks: their code says what they do, not their name; unless the source says
 * that what they return is fresh. */
#include <heddle/heddle.h>

#include "pair.h"

struct slot {
	int count;
	struct slot *next;
};

/* Names that allocators of well-known programs have. Here they return one block that all share. */
static struct slot *only;
static __attribute__((noinline)) struct slot *cache_alloc(void)
{
	return only;
}
static __attribute__((noinline)) struct slot *sqlite3DbMallocRaw(void *database, unsigned long size)
{
	return database ? malloc(size) : only;
}
static __attribute__((noinline)) struct slot *event_new(void)
{
	return only;
}
static void *named_1(void *argument)
{
	cache_alloc()->count++; // @CACHE
	sqlite3DbMallocRaw(NULL, sizeof(struct slot))->count++; // @RAW
	event_new()->count++; // @EVENT
	return argument;
}

/* A list of free blocks, which the source calls an allocator. What threads take is their own. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct slot *free_slots;
HEDDLE_ALLOCATOR __attribute__((alloc_size(1))) static void *take(unsigned long size)
{
	pthread_mutex_lock(&lock);
	struct slot *slot = free_slots;
	if (slot)
		free_slots = slot->next;
	pthread_mutex_unlock(&lock);
	return slot ? slot : malloc(size);
}
static __attribute__((noinline)) void give(struct slot *slot)
{
	pthread_mutex_lock(&lock);
	slot->next = free_slots;
	free_slots = slot;
	pthread_mutex_unlock(&lock);
}
static void *taken_1(void *argument)
{
	struct slot *slot = take(sizeof *slot);
	slot->count = 1; // @TAKEN1
	give(slot);
	return argument;
}
static void *taken_2(void *argument)
{
	struct slot *slot = take(sizeof *slot);
	slot->count = 2; // @TAKEN2
	give(slot);
	return argument;
}
/* What is taken once and shared is shared. */
static struct slot *shared;
static void *shared_1(void *argument)
{
	shared->count = 3; // @SHARED
	return argument;
}

int main(void)
{
	only = calloc(1, sizeof *only);
	BOTH(named_1, named_1);
	BOTH(taken_1, taken_2);
	shared = take(sizeof *shared);
	BOTH(shared_1, shared_1);
	return 0;
}
/*
 * race: CACHE-CACHE
 * race: CACHE-RAW
 * race: CACHE-EVENT
 * race: RAW-RAW
 * race: EVENT-RAW
 * race: EVENT-EVENT
 * race: SHARED-SHARED
 * no: TAKEN1-TAKEN2: no-alias
 */
