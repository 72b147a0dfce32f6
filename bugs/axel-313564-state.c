/*
 * Axel bug 313564: the state of a connection is set after its thread has ended.
 *
 * axel_start() created the thread that sets a connection up and marked the connection as being set up afterwards. A
 * thread that was done before that had its own result overwritten, and the main loop waited for the connection for
 * ever. Found by the authors of Anticipating Invariants (section 5.3 and figure 15; table 1, W-R: the mark is meant to
 * come before all that the thread does). The loop asks again and again, as the original does.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { CONNECTIONS = 2 };
enum state { IDLE, SETTING_UP, READY };

struct connection {
	pthread_t setup_thread;
	pthread_mutex_t lock; /* guards state */
	enum state state;
	int descriptor;
};

static struct connection connections[CONNECTIONS];

static void set_state(struct connection *of, enum state state)
{
	pthread_mutex_lock(&of->lock);
	of->state = state;
	pthread_mutex_unlock(&of->lock);
}

static enum state get_state(struct connection *of)
{
	pthread_mutex_lock(&of->lock);
	enum state state = of->state;
	pthread_mutex_unlock(&of->lock);
	return state;
}

static void *set_up(void *argument)
{
	struct connection *of = argument;
	of->descriptor = 10 + (int)(of - connections);
	set_state(of, READY);
	return NULL;
}

static void start(void)
{
	for (int i = 0; i < CONNECTIONS; i++) {
		pthread_mutex_init(&connections[i].lock, NULL);
#ifdef FIXED
		set_state(&connections[i], SETTING_UP);
#endif
		pthread_create(&connections[i].setup_thread, NULL, set_up, &connections[i]);
#ifndef FIXED
		set_state(&connections[i], SETTING_UP);
#endif
	}
}

int main(void)
{
	int sum = 0;
	start();
	for (int ready = 0; ready < CONNECTIONS;) {
		ready = 0;
		for (int i = 0; i < CONNECTIONS; i++)
			ready += get_state(&connections[i]) == READY;
		if (ready < CONNECTIONS)
			usleep(100000);
	}
	for (int i = 0; i < CONNECTIONS; i++) {
		pthread_join(connections[i].setup_thread, NULL);
		sum += connections[i].descriptor;
	}
	printf("descriptors %d\n", sum);
	return 0;
}
/*
 * pattern: order
 * finds: hang
 * source: Anticipating Invariants table 1, W-R order, section 5.3; Axel 313564
 */
