/*
 * Every component calls log_setup() when it starts, which sets the values that the log has anyway, while other
 * components log already.
 */
#include <pthread.h>
#include <stdio.h>

enum level { LEVEL_ERROR = 1, LEVEL_INFO = 2, LEVEL_DEBUG = 3 };
enum { COMPONENTS = 2 };

static struct {
	volatile int level;
	volatile int width;
} log_settings = { .level = LEVEL_INFO, .width = 72 };

static void log_setup(void)
{
	log_settings.level = LEVEL_INFO; /*A*/
	log_settings.width = 72;         /*B*/
}

static int log_line(enum level level, int length)
{
	if ((int)level > log_settings.level) /*C*/
		return 0;
	int width = log_settings.width; /*D*/
	return length > width ? width : length;
}

static void *run_component(void *argument)
{
	int *written = argument;
	log_setup();
	*written += log_line(LEVEL_INFO, 100);
	*written += log_line(LEVEL_DEBUG, 50);
	return NULL;
}

int main(void)
{
	pthread_t threads[COMPONENTS];
	int written[COMPONENTS] = { 0 };
	for (int i = 0; i < COMPONENTS; i++)
		pthread_create(&threads[i], NULL, run_component, &written[i]);
	for (int i = 0; i < COMPONENTS; i++)
		pthread_join(threads[i], NULL);
	printf("written %d\n", written[0] + written[1]);
	return 0;
}
/*
 * expect: race A A class harmless reason redundant-write
 * expect: race A C class harmless reason redundant-write
 * expect: race B B class harmless reason redundant-write
 * expect: race B D class harmless reason redundant-write
 * why: the writes leave the values that were there before.
 */
