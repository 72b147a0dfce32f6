/* Corners of libc with locks of their own: qsort, strtok_r, getenv, setlocale, syslog-free functions, in threads. */
#include "check.h"
#include <grp.h>
#include <locale.h>
#include <pwd.h>
#include <wchar.h>

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void *work(void *argument)
{
	int values[50];
	long sum = 0;
	for (int i = 0; i < 50; i++)
		values[i] = (i * 37 + (int)(long)argument) % 50;
	qsort(values, 50, sizeof(int), compare);
	for (int i = 0; i < 50; i++)
		sum += values[i] == i;
	char text[] = "a,b,c,d", *rest = NULL;
	for (char *part = strtok_r(text, ",", &rest); part; part = strtok_r(NULL, ",", &rest))
		sum++;
	struct passwd entry, *found;
	char buffer[1000];
	CHECK(getpwuid_r(0, &entry, buffer, sizeof(buffer), &found) == 0 && found &&
	      strcmp(entry.pw_name, "root") == 0);
	CHECK(setlocale(LC_ALL, "C") && getenv("PATH"));
	wchar_t wide[10];
	CHECK(swprintf(wide, 10, L"%d", 12345) == 5 && wcslen(wide) == 5);
	char error[100];
	CHECK(strcmp(strerror_r(ENOENT, error, sizeof(error)), "No such file or directory") == 0);
	return (void *)sum;
}

int main(void)
{
	pthread_t threads[4];
	long sum = 0;
	for (long i = 0; i < 4; i++)
		threads[i] = start(work, (void *)i);
	for (int i = 0; i < 4; i++)
		sum += (long)finish(threads[i]);
	printf("sum %ld\n", sum);
	return 0;
}
/*
 * expect: sum 216
 */
