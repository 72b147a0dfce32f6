/*
 * An object is freed while another thread still reads it.
 *
 * A session is closed when its last request has been handed out, not when it has been answered. The thread that answers
 * still reads the session's name. The read was meant to come before the write that ends the session: an R-W order
 * violation, in Anticipating Invariants table 1 the pattern of PBZip2's. The fixed one waits for the answer.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct session {
	char *name;
	pthread_mutex_t lock; /* guards open_requests */
	pthread_cond_t answered;
	int open_requests;
};

struct answer {
	struct session *session;
	size_t length;
};

/* Out of line, so that the compiler does not drop the last writes to what is freed. */
static void __attribute__((noinline)) memory_free(void *block)
{
	free(block);
}

static struct session *session_open(const char *name)
{
	struct session *session = malloc(sizeof(*session));
	session->name = malloc(strlen(name) + 1);
	strcpy(session->name, name);
	session->open_requests = 1;
	pthread_mutex_init(&session->lock, NULL);
	pthread_cond_init(&session->answered, NULL);
	return session;
}

static void session_close(struct session *session)
{
#ifdef FIXED
	pthread_mutex_lock(&session->lock);
	while (session->open_requests)
		pthread_cond_wait(&session->answered, &session->lock);
	pthread_mutex_unlock(&session->lock);
#endif
	char *name = session->name;
	session->name = NULL; /*B*/
	pthread_cond_destroy(&session->answered);
	pthread_mutex_destroy(&session->lock);
	free(name);
	memory_free(session);
}

static void *answer_request(void *argument)
{
	struct answer *answer = argument;
	struct session *session = answer->session;
	answer->length = strlen(session->name); /*A*/
#ifdef FIXED
	pthread_mutex_lock(&session->lock);
	session->open_requests = 0;
	pthread_cond_signal(&session->answered);
	pthread_mutex_unlock(&session->lock);
#endif
	return NULL;
}

int main(void)
{
	struct answer answer = { session_open("somebody"), 0 };
	pthread_t thread;
	pthread_create(&thread, NULL, answer_request, &answer);
	session_close(answer.session);
	pthread_join(thread, NULL);
	printf("name of %zu letters\n", answer.length);
	return 0;
}
/*
 * pattern: order
 * finds: crash data-race memory-error
 * race: A B
 * source: general; Anticipating Invariants table 1, R-W order, for the pattern
 */
