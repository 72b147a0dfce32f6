/* stop.c: see stop.h. */
#include "cmd/stop.h"

#include <stddef.h>

static volatile sig_atomic_t *flag;

static void on_stop(int number)
{
	(void)number;
	*flag = 1;
}

void stop_catch(volatile sig_atomic_t *is_stopped)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_stop, .sa_flags = (int)SA_RESETHAND }, old;
	flag = is_stopped;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
}
