/* Coroutines with stacks of the program's: each thread has its own, and one goes from thread to thread with a lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static ucontext_t shared, caller;
static char shared_stack[65536];
static __thread ucontext_t own, back;
static __attribute__((noinline)) void count(long *a, int n)
{
	for (int i = 0; i < n; i++)
		a[i]++;
}
static void body(void)
{
	long a[8] = { 0 };
	for (int i = 0; i < 3; i++) {
		count(a, 8);
		swapcontext(&own, &back);
	}
}
static void body_of_all(void)
{
	long a[8] = { 0 };
	for (;;) {
		count(a, 8);
		swapcontext(&shared, &caller);
	}
}
static void *work(void *x)
{
	char *stack = malloc(32768);
	getcontext(&own);
	own.uc_stack.ss_sp = stack;
	own.uc_stack.ss_size = 32768;
	own.uc_link = &back;
	makecontext(&own, body, 0);
	for (int i = 0; i < 4; i++) {
		long a[4] = { 0 };
		swapcontext(&back, &own);
		count(a, 4);
	}
	free(stack);
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&m);
		swapcontext(&caller, &shared);
		pthread_mutex_unlock(&m);
	}
	return x;
}
int main(void)
{
	pthread_t t[3];
	getcontext(&shared);
	shared.uc_stack.ss_sp = shared_stack;
	shared.uc_stack.ss_size = sizeof shared_stack;
	makecontext(&shared, body_of_all, 0);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	puts("done");
	return 0;
}
