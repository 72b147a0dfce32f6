/* Handlers on stacks of their own, in the middle of what the thread does with its variables. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static __thread volatile int seen;
static __attribute__((noinline)) void count(int *a, int n)
{
	for (int i = 0; i < n; i++)
		a[i]++;
}
static void handle(int n, siginfo_t *info, void *context)
{
	int a[8] = { n };
	(void)info;
	(void)context;
	count(a, 8);
	seen++;
}
static void *work(void *x)
{
	int a[8] = { 0 };
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 }, none = { .ss_flags = SS_DISABLE };
	sigaltstack(&stack, 0);
	for (int i = 0; i < 3; i++) {
		count(a, 8);
		pthread_kill(pthread_self(), SIGUSR1);
	}
	sigaltstack(&none, 0);
	free(stack.ss_sp);
	return x;
}
int main(void)
{
	pthread_t t[2];
	struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	sigaction(SIGUSR1, &action, 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, 0);
	work(0);
	pthread_kill(t[0], 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	puts("done");
	return 0;
}
