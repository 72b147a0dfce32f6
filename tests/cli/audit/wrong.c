/*
 * wrong.c: programs that break what the static analysis assumes (docs/design/analysis.md, What is assumed), so that it proves accesses which race. The
 * macro says which: each has one proved access in the line with the tag "proved: MACRO".
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* How the address gets to the other thread. */
static char text[32];
static int ends[2];
static void *by_text(void)
{
	void *p;
	sscanf(text, "%p", &p);
	return p;
}

#if defined TEXT || defined VECTOR || defined BYTES || defined HANDLER
static int counter;
static char bytes[8], key;
static void mix(char *to, const char *from)
{
	for (int i = 0; i < 8; i++)
		to[i] = from[i] ^ key;
}
static __attribute__((noinline)) void send_address(void *p)
{
#ifdef VECTOR
	struct iovec part = { &p, sizeof p };
	writev(ends[1], &part, 1);
#elif defined BYTES
	mix(bytes, (char *)&p);
#else
	snprintf(text, sizeof text, "%p", p);
#endif
}
static __attribute__((noinline)) int *receive(void)
{
	int *p;
#ifdef VECTOR
	struct iovec part = { &p, sizeof p };
	readv(ends[0], &part, 1);
#elif defined BYTES
	mix((char *)&p, bytes);
#else
	p = by_text();
#endif
	return p;
}
#ifdef HANDLER
static void handle(int number)
{
	*receive() += number;
}
static void *work(void *x)
{
	raise(SIGUSR1);
	return x;
}
#else
static void *work(void *x)
{
	*receive() += 1;
	return x;
}
#endif
int main(int argc, char **argv)
{
	pthread_t t;
	(void)argv;
	key = (char)argc;
	pipe(ends);
	send_address(&counter);
#ifdef HANDLER
	signal(SIGUSR1, handle);
#endif
	pthread_create(&t, 0, work, 0);
	counter++; // proved: TEXT VECTOR BYTES HANDLER
	pthread_join(t, 0);
	return counter == 99;
}

#elif defined DISTANCE
static int here[4], there[4];
static long apart;
static void *work(void *x)
{
	*(int *)((char *)here + apart) += 1;
	return x;
}
int main(int argc, char **argv)
{
	pthread_t t;
	(void)argv;
	apart = (char *)there - (char *)here;
	pthread_create(&t, 0, work, 0);
	there[0]++; // proved: DISTANCE
	pthread_join(t, 0);
	return there[0] == 99 || here[argc] == 99;
}

#elif defined INDEX
static struct {
	int a[4], b;
} both;
static volatile int last = 4;
static void *work(void *x)
{
	both.a[last] += 1;
	return x;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, work, 0);
	both.b++; // proved: INDEX
	pthread_join(t, 0);
	return both.b == 99;
}

#elif defined TURNS
/* The thread that is joined is another one. */
static int counter;
static void *work(void *x)
{
	counter++;
	return x;
}
static void *idle(void *x)
{
	return x;
}
int main(void)
{
	pthread_t t, other;
	pthread_create(&other, 0, idle, 0);
	snprintf(text, sizeof text, "%p", (void *)&t);
	pthread_create(&t, 0, work, 0);
	pthread_t kept = t;
	*(pthread_t *)by_text() = other;
	pthread_join(t, 0);
	counter++; // proved: TURNS
	pthread_join(kept, 0);
	return counter == 99;
}

#elif defined GUARDED
/* All that the analysis sees has the lock. */
static struct {
	int first;
	pthread_mutex_t lock;
	int counter;
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER };
static void *work(void *x)
{
	pthread_mutex_lock(&pool.lock);
	pool.counter++; // proved: GUARDED
	pthread_mutex_unlock(&pool.lock);
	return x;
}
static void *secret(void *x)
{
	*(int *)by_text() = 7;
	return x;
}
int main(void)
{
	pthread_t t, other;
	snprintf(text, sizeof text, "%p", (void *)&pool.counter);
	pthread_create(&t, 0, work, 0);
	pthread_create(&other, 0, secret, 0);
	work(0);
	pthread_join(t, 0);
	pthread_join(other, 0);
	return pool.counter == 99;
}

#elif defined RELEASED || defined HEAP_RELEASED
/* A library gives the lock back that the analysis takes to be held. */
void learn(const char *address), release(void), take(void);
struct box {
	pthread_mutex_t lock;
	int n;
};
static struct box room;
static void *work(void *x)
{
	struct box *box = x;
	pthread_mutex_lock(&box->lock);
	release();
	box->n++; // proved: RELEASED HEAP_RELEASED
	take();
	pthread_mutex_unlock(&box->lock);
	return x;
}
int main(void)
{
	pthread_t t[2];
#ifdef RELEASED
	struct box *box = &room;
#else
	struct box *box = malloc(sizeof *box);
#endif
	pthread_mutex_init(&box->lock, 0);
	box->n = 0;
	snprintf(text, sizeof text, "%p", (void *)&box->lock);
	learn(text);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, box);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	int n = box->n;
	return n == 99;
}

#elif defined HEAP
struct box {
	int n, m;
};
static void *work(void *x)
{
	struct box *box = by_text();
	box->n++;
	return x;
}
int main(void)
{
	pthread_t t;
	struct box *box = malloc(sizeof *box);
	box->n = 0;
	snprintf(text, sizeof text, "%p", (void *)box);
	pthread_create(&t, 0, work, 0);
	box->n++; // proved: HEAP
	pthread_join(t, 0);
	int n = box->n;
	return n == 99;
}
#endif
