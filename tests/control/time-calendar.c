/* Dates: localtime, gmtime, mktime, strftime in several threads; TZ is taken from the environment. */
#include "check.h"

static void *work(void *argument)
{
	struct tm parts;
	char text[64];
	time_t at = 86400l * 365 * (long)argument;
	CHECK(localtime_r(&at, &parts));
	CHECK(strftime(text, sizeof(text), "%Y-%m-%d %H:%M %Z", &parts) > 0);
	CHECK(mktime(&parts) == at);
	return strdup(text);
}

int main(void)
{
	pthread_t threads[4];
	for (long i = 0; i < 4; i++)
		threads[i] = start(work, (void *)(i + 1));
	for (int i = 0; i < 4; i++) {
		char *text = finish(threads[i]);
		printf("%s\n", text);
		free(text);
	}
	return 0;
}
/*
 * environment: TZ=XYZ-3
 * expect: 1971-01-01 03:00 XYZ
 * expect: 1972-01-01 03:00 XYZ
 * expect: 1972-12-31 03:00 XYZ
 * expect: 1973-12-31 03:00 XYZ
 */
