/*
 * Portend's no-sync-bug: a crash that only a weak memory can show.
 *
 * A thread fills a message and then marks it as sent; the main thread looks at the mark first and at the message
 * after it. Where writes keep their order the mark implies the message, so no schedule of Heddle fails: what it must
 * report is the race, which is what lets a compiler or another machine change the order. (The figure reads the two in
 * the other order, for which an ordinary switch is enough; the text says that it takes a reordering.) Kasikci's
 * thesis, section 6.3.6 and figure 31(b); Portend (TOPLAS 2015).
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef FIXED
typedef atomic_int shared_int;
#else
typedef volatile int shared_int;
#endif

struct mailbox {
	shared_int message;
	shared_int is_sent;
};

static struct mailbox mailbox;

static void *send_message(void *argument)
{
	struct mailbox *to = argument;
	to->message = 2; /*A*/
	to->is_sent = 1; /*B*/
	return NULL;
}

static void *send_default(void *argument)
{
	struct mailbox *to = argument;
	to->message = 2; /*C*/
	return NULL;
}

int main(void)
{
	pthread_t sender, other;
	pthread_create(&sender, NULL, send_message, &mailbox);
	pthread_create(&other, NULL, send_default, &mailbox);
	if (mailbox.is_sent && !mailbox.message) /*D*/
		abort();
	pthread_join(sender, NULL);
	pthread_join(other, NULL);
	printf("message %d\n", mailbox.message);
	return 0;
}
/*
 * pattern: weak-memory
 * finds: data-race
 * race: A C
 * race: A D
 * race: B D
 * race: C D
 * source: Portend no-sync-bug, figure 31b
 */
