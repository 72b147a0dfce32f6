/*
 * Peterson's algorithm, as embedded code has it: a lock for two threads from three plain variables. It guards an
 * account that both threads pay into.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { PAYMENTS = 2 };

static volatile int is_interested[2];
static volatile int victim;
static volatile int balance;

static void lock(int self)
{
	is_interested[self] = 1;                          /*A*/
	victim = self;                                    /*B*/
	while (is_interested[1 - self] && victim == self) /*C*/
		sched_yield();
}

static void unlock(int self)
{
	is_interested[self] = 0; /*D*/
}

static void *pay(void *argument)
{
	int self = *(int *)argument;
	for (int i = 0; i < PAYMENTS; i++) {
		lock(self);
		int before = balance;   /*E*/
		balance = before + 100; /*F*/
		unlock(self);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int numbers[2] = { 0, 1 };
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, pay, &numbers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("balance %d\n", balance);
	return balance == 2 * PAYMENTS * 100 ? 0 : 1;
}
/*
 * expect: race A C class harmless reason user-synchronisation|both-values-valid
 * expect: race B B class harmless reason user-synchronisation|both-values-valid
 * expect: race B C class harmless reason user-synchronisation|both-values-valid
 * expect: race C D class harmless reason user-synchronisation|both-values-valid maybe
 * expect: race E F class single-ordering
 * expect: race F F class single-ordering
 * why: under sequential consistency the algorithm excludes the threads from the balance, whichever order its own variables are accessed in.
 */
