/* longjmp over frames, siglongjmp out of a handler, and what is behind them on the stack. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
static __thread sigjmp_buf *out;
static __attribute__((noinline)) void write_all(volatile int *a, int n)
{
	for (int i = 0; i < n; i++)
		a[i]++;
}
static __attribute__((noinline)) void leave(jmp_buf *to, int n)
{
	int a[8] = { n };
	write_all(a, 8);
	if (n)
		leave(to, n - 1);
	longjmp(*to, 1);
}
static void handle(int n)
{
	int a[4] = { n };
	write_all(a, 4);
	siglongjmp(*out, 1);
}
static void *work(void *x)
{
	jmp_buf back;
	sigjmp_buf from_handler;
	volatile int rounds = 0;
	int a[16] = { 0 };
	while (rounds < 3) {
		write_all(a, 16);
		if (!setjmp(back))
			leave(&back, 3);
		rounds++;
	}
	out = &from_handler;
	if (!sigsetjmp(from_handler, 1))
		raise(SIGUSR1);
	write_all(a, 16);
	return (char *)x + a[0];
}
int main(void)
{
	pthread_t t[2];
	signal(SIGUSR1, handle);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, 0);
	work(0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	puts("done");
	return 0;
}
