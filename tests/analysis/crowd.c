/* crowd.c: calls by pointer that may call very many functions, which are passed through together. */
#include "pair.h"

MUTEX(m);
volatile int which;
int inside, behind, released, before;

/* Thirty functions that do nothing, told apart by what they return. */
#define NOTHING(n)                                                                                                     \
	static int nothing_##n(int *p)                                                                                  \
	{                                                                                                              \
		return p == &which ? n : -n;                                                                           \
	}
#define TEN(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9)
#define TEN_MORE(f) f(10) f(11) f(12) f(13) f(14) f(15) f(16) f(17) f(18) f(19)
#define TEN_LAST(f) f(20) f(21) f(22) f(23) f(24) f(25) f(26) f(27) f(28) f(29)
TEN(NOTHING) TEN_MORE(NOTHING) TEN_LAST(NOTHING)
#define NAME(n) nothing_##n,

static int touch(int *p)
{
	inside++; // @INSIDE1
	return *p;
}

static int unlock(int *p)
{
	pthread_mutex_unlock(&m);
	return *p;
}

/* One that uses more than it is given where the others are called is not among them. */
int never;
static int with_two(int *p, int *q)
{
	*q = never++; // @NEVER1
	return *p;
}

static int (*const kind[])(int *) = { TEN(NAME) TEN_MORE(NAME) TEN_LAST(NAME) touch, (int (*)(int *))with_two };
static int (*const rude[])(int *) = { TEN(NAME) TEN_MORE(NAME) TEN_LAST(NAME) unlock };

/* The lock of the program is held inside of all of them, and behind the call. */
THREAD(kind_1)
{
	int given = 0;
	pthread_mutex_lock(&m);
	kind[which](&given);
	behind++; // @BEHIND1
	pthread_mutex_unlock(&m);
	return NULL;
}
THREAD(kind_2)
{
	pthread_mutex_lock(&m);
	inside = 0; // @INSIDE2
	behind = 0; // @BEHIND2
	pthread_mutex_unlock(&m);
	never = 1; // @NEVER2
	return NULL;
}

/* One of them releases it. */
THREAD(rude_1)
{
	int given = 0;
	pthread_mutex_lock(&m);
	before++; // @BEFORE1
	rude[which](&given);
	released++; // @RELEASED1
	return NULL;
}
THREAD(rude_2)
{
	pthread_mutex_lock(&m);
	before = 0;   // @BEFORE2
	released = 0; // @RELEASED2
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	BOTH(kind_1, kind_2);
	BOTH(rude_1, rude_2);
	return 0;
}

/*
 * race: RELEASED1-RELEASED2
 * no: INSIDE1-INSIDE2: locked
 * no: BEHIND1-BEHIND2: locked
 * no: BEFORE1-BEFORE2: locked
 * no: NEVER1-NEVER2: unreached
 */
