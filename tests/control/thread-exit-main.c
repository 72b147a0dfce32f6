/* The main thread ends with pthread_exit; another one goes on, sees that it ended, and the process exits 0 after it. */
#include "check.h"

static pthread_t main_thread;

static void at_exit(void)
{
	printf("at exit\n");
}

static void *work(void *argument)
{
	(void)argument;
	void *result;
	CHECK(pthread_join(main_thread, &result) == 0);
	printf("main ended with %ld\n", (long)result);
	return NULL;
}

int main(void)
{
	atexit(at_exit);
	main_thread = pthread_self();
	start(work, NULL);
	pthread_exit((void *)42);
}
/*
 * expect: main ended with 42
 * expect: at exit
 */
