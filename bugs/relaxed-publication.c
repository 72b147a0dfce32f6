/*
 * A message is published with a relaxed store.
 *
 * The writer fills the message and sets a flag; the reader waits for the flag and reads the message. The flag is atomic
 * but relaxed, so nothing orders the message with it: in C11 the two accesses to the message are a data race, on
 * machines other than x86 the reader may see the flag and an empty message, and on x86 the compiler may bring the same
 * about. Every run that keeps to program order gives the right answer, so only a look at the orders finds it. The
 * message passing test of Maranget and others.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#ifdef FIXED
#define PUBLISH memory_order_release /* with the load by CONSUME */
#define CONSUME memory_order_acquire /* with the store by PUBLISH */
#else
#define PUBLISH memory_order_relaxed
#define CONSUME memory_order_relaxed
#endif

struct message {
	int length;
	char text[8];
};

static struct message message;
static atomic_int is_ready;

static void *write_message(void *argument)
{
	const char *text = argument;
	int length = 0;
	for (; text[length]; length++)
		message.text[length] = text[length];
	message.length = length; /*A*/
	atomic_store_explicit(&is_ready, 1, PUBLISH);
	return NULL;
}

static int wait_for_message(void)
{
	while (!atomic_load_explicit(&is_ready, CONSUME))
		sched_yield();
	return message.length; /*B*/
}

int main(void)
{
	static char text[] = "hello";
	pthread_t writer;
	pthread_create(&writer, NULL, write_message, text);
	int length = wait_for_message();
	pthread_join(writer, NULL);
	printf("%d letters\n", length);
	return 0;
}
/*
 * pattern: weak-memory
 * finds: data-race
 * race: A B
 * source: general; message passing litmus test
 */
