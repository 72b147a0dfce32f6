/*
 * Mozilla: a state seen between two writes that belong together.
 *
 * Figure 11 of Anticipating Invariants, after Yu and Narayanasamy (ISCA 2009): one thread writes a variable, reads it
 * and writes it again, and expects that nobody sees the value in between. Reads of another thread that fall between can
 * be moved out of each neighbouring pair, so a tool that only looks at pairs calls the run harmless. Here a cache entry
 * is doomed for as long as its validation takes; a second request takes it for really dead.
 */
#include <pthread.h>
#include <stdio.h>

enum state { FRESH, DOOMED };

struct entry {
	pthread_mutex_t lock; /* guards state and validated, for each access on its own in the broken one */
	enum state state;
	int validated;
};

struct answer {
	struct entry *entry;
	int hit;
};

static void set_state(struct entry *entry, enum state state)
{
#ifndef FIXED
	pthread_mutex_lock(&entry->lock);
#endif
	entry->state = state;
#ifndef FIXED
	pthread_mutex_unlock(&entry->lock);
#endif
}

static enum state get_state(struct entry *entry)
{
#ifndef FIXED
	pthread_mutex_lock(&entry->lock);
#endif
	enum state state = entry->state;
#ifndef FIXED
	pthread_mutex_unlock(&entry->lock);
#endif
	return state;
}

static void *validate(void *argument)
{
	struct entry *entry = argument;
#ifdef FIXED
	pthread_mutex_lock(&entry->lock);
#endif
	set_state(entry, DOOMED);
	if (get_state(entry) == DOOMED) {
		entry->validated = 1;
		set_state(entry, FRESH);
	}
#ifdef FIXED
	pthread_mutex_unlock(&entry->lock);
#endif
	return NULL;
}

static void *request(void *argument)
{
	struct answer *answer = argument;
#ifdef FIXED
	pthread_mutex_lock(&answer->entry->lock);
#endif
	answer->hit = get_state(answer->entry) == FRESH;
#ifdef FIXED
	pthread_mutex_unlock(&answer->entry->lock);
#endif
	return NULL;
}

int main(void)
{
	struct entry entry = { PTHREAD_MUTEX_INITIALIZER, FRESH, 0 };
	struct answer answer = { &entry, 0 };
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, validate, &entry);
	pthread_create(&threads[1], NULL, request, &answer);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%s, %svalidated\n", answer.hit ? "hit" : "fetched again", entry.validated ? "" : "not ");
	return !answer.hit;
}
/*
 * pattern: WRW
 * finds: bad-exit output-differs
 * source: Anticipating Invariants figure 11, W-W|R (code ours)
 */
