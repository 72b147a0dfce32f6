/* locks.c: one lock at both accesses, or not. */
#include "pair.h"

int plain;
THREAD(plain_1)
{
	plain = 1; // @PLAIN1
	return NULL;
}
THREAD(plain_2)
{
	return plain ? argument : NULL; // @PLAIN2
}

MUTEX(m);
int locked;
THREAD(locked_1)
{
	pthread_mutex_lock(&m);
	locked++; // @LOCKED1
	pthread_mutex_unlock(&m);
	return NULL;
}
THREAD(locked_2)
{
	pthread_mutex_lock(&m);
	locked += 2; // @LOCKED2
	pthread_mutex_unlock(&m);
	return NULL;
}

MUTEX(m1);
MUTEX(m2);
int different;
THREAD(different_1)
{
	pthread_mutex_lock(&m1);
	different = 1; // @DIFFERENT1
	pthread_mutex_unlock(&m1);
	return NULL;
}
THREAD(different_2)
{
	pthread_mutex_lock(&m2);
	different = 2; // @DIFFERENT2
	pthread_mutex_unlock(&m2);
	return NULL;
}

/* One of the ways to the access has no lock. */
int branch, is_branch;
THREAD(branch_1)
{
	if (is_branch)
		pthread_mutex_lock(&m);
	branch++; // @BRANCH1
	if (is_branch)
		pthread_mutex_unlock(&m);
	return NULL;
}
THREAD(branch_2)
{
	pthread_mutex_lock(&m);
	branch = 5; // @BRANCH2
	pthread_mutex_unlock(&m);
	return NULL;
}

/* Behind the unlock. */
int late;
THREAD(late_1)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	late = 1; // @LATE1
	return NULL;
}
THREAD(late_2)
{
	pthread_mutex_lock(&m);
	late = 2; // @LATE2
	pthread_mutex_unlock(&m);
	return NULL;
}

int tried;
THREAD(tried_1)
{
	if (pthread_mutex_trylock(&m) == 0) {
		tried = 1; // @TRIED1
		pthread_mutex_unlock(&m);
	}
	return NULL;
}
THREAD(tried_2)
{
	if (pthread_mutex_trylock(&m))
		return NULL;
	tried = 2; // @TRIED2
	pthread_mutex_unlock(&m);
	return NULL;
}

/* The lock that was not got. */
int untried;
THREAD(untried_1)
{
	if (pthread_mutex_trylock(&m) == 0)
		pthread_mutex_unlock(&m);
	else
		untried = 1; // @UNTRIED1
	return NULL;
}
THREAD(untried_2)
{
	pthread_mutex_lock(&m);
	untried = 2; // @UNTRIED2
	pthread_mutex_unlock(&m);
	return NULL;
}

pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
int modes, shared_write;
THREAD(modes_1)
{
	pthread_rwlock_wrlock(&rw);
	modes = 1; // @MODES1
	pthread_rwlock_unlock(&rw);
	return NULL;
}
THREAD(modes_2)
{
	int is_set;
	pthread_rwlock_rdlock(&rw);
	is_set = modes;	  // @MODES2
	shared_write = 1; // @SHARED1
	pthread_rwlock_unlock(&rw);
	return is_set ? argument : NULL;
}
THREAD(modes_3)
{
	int is_set;
	pthread_rwlock_rdlock(&rw);
	is_set = shared_write; // @SHARED2
	pthread_rwlock_unlock(&rw);
	return is_set ? argument : NULL;
}

/* Functions that lock and unlock for others. */
static __attribute__((noinline)) void enter(pthread_mutex_t *mutex)
{
	pthread_mutex_lock(mutex);
}
static __attribute__((noinline)) void leave(pthread_mutex_t *mutex)
{
	pthread_mutex_unlock(mutex);
}
MUTEX(m3);
int wrapped, wrapped_other;
THREAD(wrapped_1)
{
	enter(&m3);
	wrapped = 1; // @WRAPPED1
	leave(&m3);
	enter(&m1);
	wrapped_other = 1; // @OTHER1
	leave(&m1);
	return NULL;
}
THREAD(wrapped_2)
{
	enter(&m3);
	wrapped = 2; // @WRAPPED2
	leave(&m3);
	enter(&m2);
	wrapped_other = 2; // @OTHER2
	leave(&m2);
	return NULL;
}

/* Held by who calls. */
int called;
static __attribute__((noinline)) void called_inside(void)
{
	called++; // @CALLED
}
THREAD(called_1)
{
	pthread_mutex_lock(&m);
	called_inside();
	pthread_mutex_unlock(&m);
	return NULL;
}
THREAD(called_2)
{
	pthread_mutex_lock(&m);
	called_inside();
	pthread_mutex_unlock(&m);
	return NULL;
}

/* Held by one of those that call. */
int half_called;
static __attribute__((noinline)) void half_inside(void)
{
	half_called++; // @HALF
}
THREAD(half_1)
{
	pthread_mutex_lock(&m);
	half_inside();
	pthread_mutex_unlock(&m);
	return NULL;
}
THREAD(half_2)
{
	half_inside();
	return NULL;
}

pthread_spinlock_t spin;
int spun;
THREAD(spun_1)
{
	pthread_spin_lock(&spin);
	spun = 1; // @SPUN1
	pthread_spin_unlock(&spin);
	return NULL;
}
THREAD(spun_2)
{
	pthread_spin_lock(&spin);
	spun = 2; // @SPUN2
	pthread_spin_unlock(&spin);
	return NULL;
}

/* In a loop: locked in each turn, and once around all. */
int looped;
THREAD(looped_1)
{
	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&m);
		looped += i; // @LOOPED1
		pthread_mutex_unlock(&m);
	}
	return NULL;
}
THREAD(looped_2)
{
	pthread_mutex_lock(&m);
	for (int i = 0; i < 10; i++)
		looped -= i; // @LOOPED2
	pthread_mutex_unlock(&m);
	return NULL;
}

/* Every way out of a function unlocks, but for one. */
int leaked, is_leaked;
static __attribute__((noinline)) int leak(void)
{
	pthread_mutex_lock(&m3);
	if (is_leaked)
		return 1;
	pthread_mutex_unlock(&m3);
	return 0;
}
THREAD(leaked_1)
{
	leak();
	leaked = 1; // @LEAKED1
	return NULL;
}
THREAD(leaked_2)
{
	pthread_mutex_lock(&m3);
	leaked = 2; // @LEAKED2
	pthread_mutex_unlock(&m3);
	return NULL;
}

int main(int argc, char **argv)
{
	(void)argv;
	is_branch = argc > 1;
	is_leaked = argc > 2;
	pthread_spin_init(&spin, 0);
	BOTH(plain_1, plain_2);
	BOTH(locked_1, locked_2);
	BOTH(different_1, different_2);
	BOTH(branch_1, branch_2);
	BOTH(late_1, late_2);
	BOTH(tried_1, tried_2);
	BOTH(untried_1, untried_2);
	BOTH(modes_1, modes_2);
	BOTH(modes_2, modes_3);
	BOTH(wrapped_1, wrapped_2);
	BOTH(called_1, called_2);
	BOTH(half_1, half_2);
	BOTH(spun_1, spun_2);
	BOTH(looped_1, looped_2);
	BOTH(leaked_1, leaked_2);
	return 0;
}
/*
 * race: PLAIN1-PLAIN2
 * race: DIFFERENT1-DIFFERENT2
 * race: BRANCH1-BRANCH2
 * race: LATE1-LATE2
 * race: UNTRIED1-UNTRIED2
 * race: SHARED1-SHARED2
 * race: OTHER1-OTHER2
 * race: HALF-HALF
 * race: LEAKED1-LEAKED2
 * no: LOCKED1-LOCKED2: locked
 * no: TRIED1-TRIED2: locked
 * no: MODES1-MODES2: locked
 * no: WRAPPED1-WRAPPED2: locked
 * no: CALLED-CALLED: locked
 * no: SPUN1-SPUN2: locked
 * no: LOOPED1-LOOPED2: locked
 */
