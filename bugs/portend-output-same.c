/*
 * Portend's figure 17: a race on a variable that the output does not depend on.
 *
 * Two threads write different numbers into the same variable, so the memory that they leave depends on who was last.
 * What is printed depends on the input alone. A tool that compares memory calls the race harmful, one that compares
 * output does not. Kasikci's thesis, section 5.5; Portend (ASPLOS 2012).
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

struct configuration {
	int verbosity; /* the input; does not change while threads run */
};

/* Not static: nothing reads it, and the compiler would leave out the writes. */
#ifdef FIXED
extern atomic_int last_writer;
atomic_int last_writer;
#else
extern int last_writer;
int last_writer;
#endif

struct work {
	const struct configuration *configuration;
	int printed;
};

static void *compute(void *argument)
{
	struct work *work = argument;
	last_writer = 1; /*A*/
	if (work->configuration->verbosity >= 0)
		work->printed = 10;
	return NULL;
}

static void *update(void *argument)
{
	(void)argument;
	last_writer = 2; /*B*/
	return NULL;
}

int main(void)
{
	struct configuration configuration = { .verbosity = 1 };
	struct work work = { .configuration = &configuration };
	pthread_t computing, updating;
	pthread_create(&computing, NULL, compute, &work);
	pthread_create(&updating, NULL, update, NULL);
	pthread_join(computing, NULL);
	pthread_join(updating, NULL);
	printf("%d\n", work.printed);
	return 0;
}
/*
 * pattern: harmless
 * finds: data-race
 * race: A B
 * source: Portend figure 17
 */
