/* once.c: what pthread_once orders, and what it does not. */
#include <threads.h>

#include "pair.h"

/* Both wait until it is done. */
pthread_once_t done_once = PTHREAD_ONCE_INIT;
int done;
static void do_done(void)
{
	done = 1; // @DONE1
}
THREAD(done_1)
{
	pthread_once(&done_once, do_done);
	return done ? argument : NULL; // @DONE2
}

/* Called twice in a row, and in a function of its own. */
pthread_once_t deep_once = PTHREAD_ONCE_INIT;
int deep;
static void do_deep(void)
{
	deep++; // @DEEP1
}
__attribute__((noinline)) static int *get_deep(void)
{
	pthread_once(&deep_once, do_deep);
	return &deep;
}
THREAD(deep_1)
{
	int sum = *get_deep(); // @DEEP2
	sum += *get_deep();    // @DEEP3
	return sum ? argument : NULL;
}

/* C11. */
once_flag flag_once = ONCE_FLAG_INIT;
int flag;
static void do_flag(void)
{
	flag = 1; // @FLAG1
}
THREAD(flag_1)
{
	call_once(&flag_once, do_flag);
	return flag ? argument : NULL; // @FLAG2
}

/* One of two routines: whichever was first. */
pthread_once_t either_once = PTHREAD_ONCE_INIT;
int either;
static void do_either_1(void)
{
	either = 1; // @EITHER1
}
static void do_either_2(void)
{
	either = 2; // @EITHER2
}
THREAD(either_1)
{
	pthread_once(&either_once, do_either_1);
	return either ? argument : NULL; // @EITHER3
}
THREAD(either_2)
{
	pthread_once(&either_once, do_either_2);
	return either ? argument : NULL; // @EITHER4
}

/* Behind it, but not of it: both write. */
pthread_once_t behind_once = PTHREAD_ONCE_INIT;
int behind;
static void do_behind(void)
{
	behind = 1; // @BEHIND1
}
THREAD(behind_1)
{
	pthread_once(&behind_once, do_behind);
	behind++; // @BEHIND2
	return NULL;
}

/* One does not ask. */
pthread_once_t unasked_once = PTHREAD_ONCE_INIT;
int unasked;
static void do_unasked(void)
{
	unasked = 1; // @UNASKED1
}
THREAD(unasked_1)
{
	pthread_once(&unasked_once, do_unasked);
	return NULL;
}
THREAD(unasked_2)
{
	return unasked ? argument : NULL; // @UNASKED2
}

/* One looks before it asks. */
pthread_once_t early_once = PTHREAD_ONCE_INIT;
int early;
static void do_early(void)
{
	early = 1; // @EARLY1
}
THREAD(early_1)
{
	if (early) // @EARLY2
		return NULL;
	pthread_once(&early_once, do_early);
	return argument;
}

/* One asks on one way only. */
pthread_once_t some_once = PTHREAD_ONCE_INIT;
int some, is_some;
static void do_some(void)
{
	some = 1; // @SOME1
}
THREAD(some_1)
{
	if (is_some)
		pthread_once(&some_once, do_some);
	return some ? argument : NULL; // @SOME2
}

/* Set back: the routine may run again, when others are behind it. */
pthread_once_t reset_once = PTHREAD_ONCE_INIT;
int reset;
static void do_reset(void)
{
	reset++; // @RESET1
}
THREAD(reset_1)
{
	static const pthread_once_t again = PTHREAD_ONCE_INIT;
	pthread_once(&reset_once, do_reset);
	if (is_some)
		reset_once = again; // @RESET2
	return NULL;
}
THREAD(reset_2)
{
	pthread_once(&reset_once, do_reset);
	return reset ? argument : NULL; // @RESET3
}

/* The same by a pointer, with memset. */
struct {
	int before;
	pthread_once_t once;
} cleared = { 0, PTHREAD_ONCE_INIT };
int clear;
__attribute__((noinline)) static void do_memset(void *at, size_t count)
{
	memset(at, 0, count);
}
static void do_clear(void)
{
	clear++; // @CLEAR1
}
THREAD(clear_1)
{
	pthread_once(&cleared.once, do_clear);
	if (is_some)
		do_memset(&cleared, sizeof cleared);
	return NULL;
}
THREAD(clear_2)
{
	pthread_once(&cleared.once, do_clear);
	return clear ? argument : NULL; // @CLEAR2
}

/* What is beside the control in a structure may be written. */
struct {
	int before;
	pthread_once_t once;
	int after;
} beside = { 0, PTHREAD_ONCE_INIT, 0 };
int besides;
static void do_beside(void)
{
	besides = 1; // @BESIDE1
}
THREAD(beside_1)
{
	pthread_once(&beside.once, do_beside);
	return besides ? argument : NULL; // @BESIDE2
}

/* One for each element: it is not known which. */
pthread_once_t each_once[2] = { PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT };
int each, number;
static void do_each(void)
{
	each++; // @EACH1
}
THREAD(each_1)
{
	pthread_once(&each_once[0], do_each);
	return each ? argument : NULL; // @EACH2
}
THREAD(each_2)
{
	pthread_once(&each_once[number], do_each);
	return each ? argument : NULL; // @EACH3
}

/* Another control. */
pthread_once_t other_once_1 = PTHREAD_ONCE_INIT, other_once_2 = PTHREAD_ONCE_INIT;
int other;
static void do_other(void)
{
	other = 1; // @OTHER1
}
static void do_nothing(void)
{
}
THREAD(other_1)
{
	pthread_once(&other_once_1, do_other);
	return NULL;
}
THREAD(other_2)
{
	pthread_once(&other_once_2, do_nothing);
	return other ? argument : NULL; // @OTHER2
}

/* The routine is also called without it. */
pthread_once_t direct_once = PTHREAD_ONCE_INIT;
int direct;
__attribute__((noinline)) static void do_direct(void)
{
	direct = 1; // @DIRECT1
}
THREAD(direct_1)
{
	pthread_once(&direct_once, do_direct);
	return direct ? argument : NULL; // @DIRECT2
}
THREAD(direct_2)
{
	do_direct();
	return NULL;
}

/* A thread that the routine starts is not part of it. */
pthread_once_t start_once = PTHREAD_ONCE_INIT;
int started;
static void *started_run(void *argument)
{
	started = 1; // @START1
	return argument;
}
static void do_start(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, started_run, NULL);
	pthread_detach(thread);
}
THREAD(start_1)
{
	pthread_once(&start_once, do_start);
	return started ? argument : NULL; // @START2
}

/* That it is done does not make an order of locks. */
pthread_once_t order_once = PTHREAD_ONCE_INIT;
MUTEX(order);
int ordered;
static void do_order(void)
{
	pthread_mutex_lock(&order);
	ordered = 1; // @ORDER1
	pthread_mutex_unlock(&order);
}
THREAD(order_1)
{
	pthread_once(&order_once, do_order);
	pthread_mutex_lock(&order);
	pthread_mutex_unlock(&order);
	return ordered ? argument : NULL; // @ORDER2
}

int main(int argc, char **argv)
{
	(void)argv;
	is_some = argc > 1;
	number = argc > 2;
	beside.before = argc;
	beside.after = argc;
	BOTH(done_1, done_1);
	BOTH(deep_1, deep_1);
	BOTH(flag_1, flag_1);
	BOTH(either_1, either_2);
	BOTH(behind_1, behind_1);
	BOTH(unasked_1, unasked_2);
	BOTH(early_1, early_1);
	BOTH(some_1, some_1);
	BOTH(reset_1, reset_2);
	BOTH(clear_1, clear_2);
	BOTH(beside_1, beside_1);
	BOTH(each_1, each_2);
	BOTH(other_1, other_2);
	BOTH(direct_1, direct_2);
	BOTH(start_1, start_1);
	BOTH(order_1, order_1);
	return 0;
}
/*
 * race: BEHIND2-BEHIND2
 * race: UNASKED1-UNASKED2
 * race: EARLY1-EARLY2
 * race: SOME1-SOME2
 * race: RESET1-RESET3
 * race: CLEAR1-CLEAR2
 * race: EACH1-EACH2
 * race: EACH1-EACH3
 * race: EACH1-EACH1
 * race: OTHER1-OTHER2
 * race: DIRECT1-DIRECT1
 * race: DIRECT1-DIRECT2
 * race: START1-START2
 * race: START1-START1
 * may: RESET2-RESET2
 * no: DONE1-DONE2: locked
 * no: DONE1-DONE1: locked
 * no: DEEP1-DEEP2: locked
 * no: DEEP1-DEEP3: locked
 * no: DEEP1-DEEP1: locked
 * no: FLAG1-FLAG2: locked
 * no: EITHER1-EITHER4: locked
 * no: EITHER2-EITHER3: locked
 * no: EITHER1-EITHER2: locked
 * no: BEHIND1-BEHIND2: locked
 * no: BESIDE1-BESIDE2: locked
 * no: ORDER1-ORDER2: locked
 */
