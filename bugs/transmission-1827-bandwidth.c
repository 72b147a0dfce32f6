/*
 * Transmission 1.42: the bandwidth of a session is used before it is there.
 *
 * tr_sessionInitFull() made the peer manager, whose timer runs in the event thread, before it made the session's
 * bandwidth object. The timer was thought to be slow enough; when it was not, its callback failed the assertion that
 * there is a bandwidth. Described in Transmission's tickets and in the collection of Yu and Narayanasamy
 * (transmission-1.42); Anticipating Invariants, table 1 and figure 9, W-R order.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { BANDWIDTH_MAGIC = 43143 };

struct bandwidth {
	int magic;
	int bytes_left;
};

struct session {
	pthread_mutex_t lock; /* the session's, taken by every callback */
	struct bandwidth *bandwidth;
	pthread_t event_thread;
	int has_peer_manager;
	int given;
};

static struct bandwidth *bandwidth_new(int bytes)
{
	struct bandwidth *bandwidth = malloc(sizeof(*bandwidth));
	bandwidth->magic = BANDWIDTH_MAGIC;
	bandwidth->bytes_left = bytes;
	return bandwidth;
}

static int is_bandwidth(const struct bandwidth *bandwidth)
{
	return bandwidth && bandwidth->magic == BANDWIDTH_MAGIC;
}

static void *allocate_bandwidth(void *argument)
{
	struct session *session = argument;
	pthread_mutex_lock(&session->lock);
	assert(is_bandwidth(session->bandwidth)); /*B*/
	session->given = session->bandwidth->bytes_left / 2;
	session->bandwidth->bytes_left -= session->given;
	pthread_mutex_unlock(&session->lock);
	return NULL;
}

static void peer_manager_new(struct session *session)
{
	session->has_peer_manager = 1;
	pthread_create(&session->event_thread, NULL, allocate_bandwidth, session);
}

static struct session *session_init(void)
{
	struct session *session = calloc(1, sizeof(*session));
	pthread_mutex_init(&session->lock, NULL);
#ifdef FIXED
	session->bandwidth = bandwidth_new(1000);
#endif
	peer_manager_new(session);
#ifndef FIXED
	session->bandwidth = bandwidth_new(1000); /*A*/
#endif
	return session;
}

int main(void)
{
	struct session *session = session_init();
	pthread_join(session->event_thread, NULL);
	printf("given %d, left %d\n", session->given, session->bandwidth->bytes_left);
	pthread_mutex_destroy(&session->lock);
	free(session->bandwidth);
	free(session);
	return 0;
}
/*
 * pattern: order
 * finds: assertion data-race
 * race: A B
 * source: Anticipating Invariants table 1, W-R order and figure 9; Transmission 1.42
 */
