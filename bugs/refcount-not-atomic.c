/*
 * A reference count that loses a reference.
 *
 * Taking a reference reads the count and writes it back larger by one. Two threads that take theirs together may both
 * read the same number; the count is then too low by one, and the last but one to release frees the object under the
 * last one's hands. The mechanism of Mozilla bugs 225525, 342577 and 270689 by the pattern that table 1 of Anticipating
 * Invariants gives them (R-W|R-W); the code is ours.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USERS = 2 };

struct certificate {
	char *subject;
	int references;
	pthread_mutex_t lock; /* guards references: in the fixed one always, otherwise only on the way down */
};

/* Out of line, so that the compiler does not drop the last writes to what is freed. */
static void __attribute__((noinline)) memory_free(void *block)
{
	free(block);
}

static void add_reference(struct certificate *certificate)
{
#ifdef FIXED
	pthread_mutex_lock(&certificate->lock);
#endif
	certificate->references++; /*A*/
#ifdef FIXED
	pthread_mutex_unlock(&certificate->lock);
#endif
}

static void release(struct certificate *certificate)
{
	pthread_mutex_lock(&certificate->lock);
	int left = --certificate->references;
	pthread_mutex_unlock(&certificate->lock);
	if (left == 0) {
		pthread_mutex_destroy(&certificate->lock);
		free(certificate->subject);
		certificate->subject = NULL;
		memory_free(certificate);
	}
}

static void *verify(void *argument)
{
	struct certificate *certificate = argument;
	add_reference(certificate);
	long length = (long)strlen(certificate->subject);
	release(certificate);
	return (void *)length;
}

int main(void)
{
	struct certificate *certificate = malloc(sizeof(*certificate));
	pthread_t threads[USERS];
	long sum = 0;
	certificate->subject = malloc(8);
	strcpy(certificate->subject, "nobody");
	certificate->references = 1;
	pthread_mutex_init(&certificate->lock, NULL);
	for (int i = 0; i < USERS; i++)
		pthread_create(&threads[i], NULL, verify, certificate);
	for (int i = 0; i < USERS; i++) {
		void *length;
		pthread_join(threads[i], &length);
		sum += (long)length;
	}
	sum += (long)strlen(certificate->subject);
	release(certificate);
	printf("%ld letters\n", sum);
	return 0;
}
/*
 * pattern: RWW
 * finds: crash data-race memory-error
 * race: A A
 * source: general; Anticipating Invariants table 1, R-W|R-W; Mozilla 225525, 342577, 270689 (code ours)
 */
