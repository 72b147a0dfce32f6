/* options: -pthread */
/* units: 2 */
/* Thread-local variables: static, extern, of every model, with addresses that escape to other threads. */
#include <pthread.h>
#include <stdio.h>

extern _Thread_local int shared_tls;
extern _Thread_local struct node { struct node *next; int value; } list_tls;
static _Thread_local int *published;
int read_tls(void);
int *address_of_tls(void);

#if UNIT == 1
_Thread_local int shared_tls = 5;
static _Thread_local int private_tls = 7;
static _Thread_local int array_tls[10];
static __thread int escaping_tls;
__attribute__((tls_model("global-dynamic"))) _Thread_local int dynamic_tls = 3;
__attribute__((tls_model("initial-exec"))) _Thread_local int exec_tls = 4;
static int *seen[4];
static int results[4];
static pthread_barrier_t barrier;

static void *work(void *argument)
{
	int me = (int)(long)argument;
	for (int i = 0; i < 100; i++)
		shared_tls += me, private_tls++, array_tls[i % 10] += i, dynamic_tls += 2, exec_tls += 3, *address_of_tls() += 1, list_tls.value += me;
	seen[me] = &escaping_tls;
	escaping_tls = me;
	pthread_barrier_wait(&barrier);
	int got = *seen[(me + 1) % 4];
	pthread_barrier_wait(&barrier);
	*seen[(me + 1) % 4] += 10;
	pthread_barrier_wait(&barrier);
	results[me] = got * 100000 + escaping_tls * 1000 + shared_tls + private_tls + array_tls[3] + dynamic_tls + exec_tls + read_tls() + list_tls.value + (list_tls.next != 0);
	return NULL;
}
int main(void)
{
	pthread_t threads[4];
	pthread_barrier_init(&barrier, NULL, 4);
	for (long i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL), printf("%d\n", results[i]);
	printf("%d %d %d %d\n", shared_tls, private_tls, dynamic_tls, read_tls());
	return 0;
}
#else
static _Thread_local int private_tls = 100;
_Thread_local struct node list_tls = { 0, 1 };
int read_tls(void) { return shared_tls + private_tls++; }
int *address_of_tls(void) { published = &private_tls; return published; }
#endif
