/* Locks that are named by how one comes to them: elements of arrays, what is behind pointers, what functions return. */
#include <pthread.h>
#include <stdlib.h>

struct slot {
	pthread_mutex_t lock;
	volatile long count;
};

struct pool {
	struct slot *slots;
};

static struct slot table[64];
static pthread_mutex_t locks[4];
static struct pool *pool;
static struct slot *moving;
static struct slot *volatile published;
static volatile long fixed, some, none;

__attribute__((noinline)) static void look_at(struct slot *given)
{
	none = given->count;
}

__attribute__((noinline)) static void bump(struct slot *given)
{
	given->count = 1;
}

__attribute__((noinline)) static void lock_at(unsigned i)
{
	pthread_mutex_lock(&table[i].lock);
}

__attribute__((noinline)) static struct slot *lock_one(unsigned i)
{
	struct slot *slot = &table[i];
	pthread_mutex_lock(&slot->lock);
	return slot;
}

static void *work(void *argument)
{
	unsigned k = (unsigned)(long)argument;
	unsigned i = k * 7 % 64;
	/* An element, and the function that is given it. */
	pthread_mutex_lock(&table[i].lock);
	bump(&table[i]);
	pthread_mutex_unlock(&table[i].lock);
	/* The index goes to a function that locks; the lock comes back from one. */
	lock_at(i);
	table[i].count = 2;
	pthread_mutex_unlock(&table[i].lock);
	struct slot *locked = lock_one(i);
	locked->count = 3;
	pthread_mutex_unlock(&locked->lock);
	/* One of an array by number, one of an array by index; releasing one may release the other. */
	pthread_mutex_lock(&locks[2]);
	fixed = 1;
	pthread_mutex_unlock(&locks[2]);
	pthread_mutex_lock(&locks[i % 4]);
	some = 1;
	pthread_mutex_unlock(&locks[2]);
	none = 1;
	pthread_mutex_unlock(&locks[i % 4]);
	/* Loaded twice, from memory that nobody changes any more, and from memory that somebody does. */
	pthread_mutex_lock(&pool->slots[i].lock);
	pool->slots[i].count = 4;
	pthread_mutex_unlock(&pool->slots[i].lock);
	pthread_mutex_lock(&moving->lock);
	moving->count = 5;
	pthread_mutex_unlock(&moving->lock);
	moving = &table[i];
	/* Nobody knows a new block, until somebody can. */
	struct slot *made = malloc(sizeof *made);
	if (!made)
		return NULL;
	pthread_mutex_init(&made->lock, NULL);
	look_at(made);
	made->count = 7;
	published = made;
	made->count = 8;
	return argument;
}

/* The lock of the element before is not the lock of this one. */
static void *walk(void *argument)
{
	unsigned last = 0;
	for (unsigned n = 0; n < (unsigned)(long)argument; n++) {
		table[n].count = 6;
		if (last)
			pthread_mutex_unlock(&table[n - 1].lock);
		pthread_mutex_lock(&table[n].lock);
		last = 1;
	}
	return argument;
}

int main(void)
{
	pthread_t t, u;
	pool = malloc(sizeof *pool);
	pool->slots = calloc(64, sizeof *pool->slots);
	moving = table;
	pthread_create(&t, NULL, work, (void *)1);
	pthread_create(&u, NULL, walk, (void *)9);
	pthread_join(u, NULL);
	pthread_join(t, NULL);
	return 0;
}
