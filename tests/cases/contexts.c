/* options: -pthread */
/* Stacks that are switched under a clone, threads that are cancelled or exit in one, small stacks, backtraces. */
#include <execinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

static ucontext_t main_context, one, two;
static int steps, order[40];
static char stack_one[32768], stack_two[32768];
static void first(int n) { for (int i = 0; i < n; i++) { order[steps++] = 1; swapcontext(&one, &two); } }
static void second(int n) { for (int i = 0; i < n; i++) { order[steps++] = 2; swapcontext(&two, &one); } }
static int cleaned;
static void cleanup(void *p) { cleaned += *(int *)p; }
static int ready, value = 3;
static void *cancelled(void *p)
{
	pthread_cleanup_push(cleanup, &value);
	__atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
	for (;;)
		usleep(100), pthread_testcancel();
	pthread_cleanup_pop(0);
	return p;
}
static void *spinning(void *p)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	__atomic_store_n(&ready, 2, __ATOMIC_RELEASE);
	for (;;)
		*(volatile int *)&order[39] += 1;
	return p;
}
__attribute__((noinline)) static void quit(int depth) { value++; if (depth == 0) pthread_exit((void *)7l); quit(depth - 1); value--; }
static void *exits(void *p) { pthread_cleanup_push(cleanup, &value); quit(5); pthread_cleanup_pop(0); return p; }
__attribute__((noinline)) static int frames(int depth) { cleaned++; if (depth) { int r = frames(depth - 1); cleaned--; return r; } void *list[64]; return backtrace(list, 64); }
static void *little(void *p) { int room[512]; for (int i = 0; i < 512; i++) room[i] = i + value; order[38] = room[100]; return p; }

int main(void)
{
	getcontext(&one), getcontext(&two);
	one.uc_stack.ss_sp = stack_one, one.uc_stack.ss_size = sizeof stack_one, one.uc_link = &main_context;
	two.uc_stack.ss_sp = stack_two, two.uc_stack.ss_size = sizeof stack_two, two.uc_link = &main_context;
	makecontext(&one, (void (*)(void))first, 1, 5);
	makecontext(&two, (void (*)(void))second, 1, 5);
	swapcontext(&main_context, &one);
	for (int i = 0; i < steps; i++)
		printf("%d", order[i]);
	printf("\n");
	volatile int again = 0;
	ucontext_t here;
	getcontext(&here);
	if (again++ < 3)
		setcontext(&here);
	printf("%d\n", again);
	pthread_t thread;
	void *result;
	pthread_create(&thread, NULL, cancelled, NULL);
	while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) != 1)
		;
	pthread_cancel(thread);
	pthread_join(thread, &result);
	printf("%d %d\n", result == PTHREAD_CANCELED, cleaned);
	pthread_create(&thread, NULL, spinning, NULL);
	while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) != 2)
		;
	pthread_cancel(thread);
	pthread_join(thread, &result);
	printf("%d\n", result == PTHREAD_CANCELED);
	pthread_create(&thread, NULL, exits, NULL);
	pthread_join(thread, &result);
	printf("%ld %d %d\n", (long)result, cleaned, value);
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 16384);
	pthread_create(&thread, &attributes, little, NULL);
	pthread_join(thread, NULL);
	printf("%d %d\n", order[38], frames(5) >= 7);
	return 0;
}
