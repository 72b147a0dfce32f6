/*
 * Disjoint bits that are not disjoint: two threads write different bits of a word.
 *
 * Portend's DBM has threads that modify disjoint bits, which its authors and others call harmless. It is only as long
 * as each modification is one step: a bit-field is written by reading the word, changing it and writing it back, and
 * the bit that another thread has set in between is lost. Portend (ASPLOS 2012), DBM; "race on bit field" in
 * ThreadSanitizer's list of popular data races.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { IS_READABLE = 1, IS_WRITABLE = 2, IS_CLOSED_BY_PEER = 4, IS_REGISTERED = 8 };

struct channel {
#ifdef FIXED
	atomic_uint flags;
#else
	unsigned flags;
#endif
	int descriptor;
};

static struct channel channel = { .descriptor = 3 };

static void *poll_loop(void *argument)
{
	struct channel *polled = argument;
	polled->flags |= IS_READABLE; /*A*/
	atomic_thread_fence(memory_order_seq_cst);
	polled->flags |= IS_CLOSED_BY_PEER; /*B*/
	return NULL;
}

static void *register_writer(void *argument)
{
	struct channel *registered = argument;
	registered->flags |= IS_REGISTERED; /*C*/
	atomic_thread_fence(memory_order_seq_cst);
	registered->flags |= IS_WRITABLE; /*D*/
	return NULL;
}

int main(void)
{
	pthread_t poller, writer;
	pthread_create(&poller, NULL, poll_loop, &channel);
	pthread_create(&writer, NULL, register_writer, &channel);
	pthread_join(poller, NULL);
	pthread_join(writer, NULL);
	printf("channel %d, flags %x\n", channel.descriptor, channel.flags);
	return channel.flags == (IS_READABLE | IS_WRITABLE | IS_CLOSED_BY_PEER | IS_REGISTERED) ? 0 : 1;
}
/*
 * pattern: RWW
 * finds: bad-exit output-differs data-race
 * race: A C
 * race: A D
 * race: B C
 * race: B D
 * source: Portend DBM, with two writers
 */
