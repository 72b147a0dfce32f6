/*
 * MySQL 2011: the slave reads the wrong relay log after a rotation.
 *
 * The slave's I/O thread appends to a relay log and goes on to the next one from time to time. The SQL thread reads
 * the log that is being written through the writer's cache and older ones from their files. When it moves to the next
 * log it compares names to learn which it is, and then takes the cache: if the log is rotated between the two, the
 * cache belongs to another log by then. Two variables, each read in one piece. Frost (SOSP 2011), section 4.1.2 and
 * Table 2.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

enum { LOGS = 3, EVENTS_PER_LOG = 2, MAGIC = 0xfe62 };

struct log_file {
	int magic;
	int events[EVENTS_PER_LOG], count;
};

static struct {
	struct log_file files[LOGS]; /* as on disk */
	struct log_file cache;       /* of the log that is written to */
	int name, open_count;        /* of that log */
	bool is_finished;
	pthread_mutex_t lock;
	pthread_cond_t update;
} relay = { .cache = { .magic = MAGIC }, .lock = PTHREAD_MUTEX_INITIALIZER, .update = PTHREAD_COND_INITIALIZER };

/* Where the SQL thread reads. */
static struct {
	int name, position, open_count;
	bool is_hot;
} reader;

static const char *failure;

static void rotate(void)
{
	relay.files[relay.name] = relay.cache;
	relay.cache.magic = 0;
	relay.cache.count = 0;
	if (relay.name + 1 < LOGS) {
		relay.name++; /*A*/
		relay.open_count++;
		relay.cache.magic = MAGIC; /*B*/
	} else {
		relay.is_finished = true;
		relay.name++;
	}
}

static void *receive_events(void *argument)
{
	(void)argument;
	for (int event = 1; event <= LOGS * EVENTS_PER_LOG; event++) {
		pthread_mutex_lock(&relay.lock);
		relay.cache.events[relay.cache.count++] = event;
		if (relay.cache.count == EVENTS_PER_LOG)
			rotate();
		pthread_cond_signal(&relay.update);
		pthread_mutex_unlock(&relay.lock);
	}
	return NULL;
}

/* Called with the lock held, as is next_event. */
static void open_log(int name)
{
#ifndef FIXED
	pthread_mutex_unlock(&relay.lock);
#endif
	reader.is_hot = relay.name == name; /*C*/
	if (reader.is_hot) {
		reader.open_count = relay.open_count;
		if (relay.cache.magic != MAGIC) /*D*/
			failure = "bad magic number in the relay log";
	}
#ifndef FIXED
	pthread_mutex_lock(&relay.lock);
#endif
	reader.name = name;
	reader.position = 0;
}

static int next_event(void)
{
	while (!failure) {
		if (reader.is_hot && (relay.open_count != reader.open_count || relay.is_finished))
			reader.is_hot = false;
		struct log_file *file = reader.is_hot ? &relay.cache : &relay.files[reader.name];
		if (reader.position < file->count)
			return file->events[reader.position++];
		if (reader.is_hot || reader.name > relay.name)
			pthread_cond_wait(&relay.update, &relay.lock);
		else if (reader.name + 1 < LOGS)
			open_log(reader.name + 1);
		else
			return 0;
	}
	return 0;
}

int main(void)
{
	pthread_t receiver;
	int executed = 0, event;
	pthread_create(&receiver, NULL, receive_events, NULL);
	pthread_mutex_lock(&relay.lock);
	open_log(0);
	while ((event = next_event()) != 0) {
		if (event != ++executed)
			failure = "an event is missing or comes twice";
	}
	pthread_mutex_unlock(&relay.lock);
	pthread_join(receiver, NULL);
	printf("executed %d events: %s\n", executed, failure ? failure : "ok");
	return failure || executed != LOGS * EVENTS_PER_LOG ? 1 : 0;
}
/*
 * pattern: multi-variable
 * finds: bad-exit output-differs data-race
 * race: A C
 * race: B D
 * source: Frost table 2; MySQL 2011
 */
