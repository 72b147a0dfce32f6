/* stdio from many threads: lines stay whole, flockfile keeps several calls together, and files come out right. */
#include "check.h"

static FILE *file;

static void *work(void *argument)
{
	long index = (long)argument;
	for (int i = 0; i < 20; i++) {
		fprintf(file, "line %ld %d of one call\n", index, i);
		flockfile(file);
		fputs("block ", file);
		if (i % 7 == 0)
			sched_yield();
		fprintf(file, "%ld ", index);
		putc_unlocked('0' + i % 10, file);
		fputs(" of one lock\n", file);
		funlockfile(file);
	}
	return NULL;
}

int main(void)
{
	file = tmpfile();
	CHECK(file);
	pthread_t threads[5];
	for (long i = 0; i < 5; i++)
		threads[i] = start(work, (void *)i);
	for (int i = 0; i < 5; i++)
		finish(threads[i]);
	CHECK(fflush(file) == 0);
	rewind(file);
	char line[100], rest[20];
	int whole = 0, blocks = 0, other = 0, a, b;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "line %d %d of one %19s", &a, &b, rest) == 3 && strcmp(rest, "call") == 0)
			whole++;
		else if (sscanf(line, "block %d %d of one %19s", &a, &b, rest) == 3 && strcmp(rest, "lock") == 0)
			blocks++;
		else
			other++;
	}
	fclose(file);
	printf("whole %d blocks %d other %d\n", whole, blocks, other);
	return 0;
}
/*
 * expect: whole 100 blocks 100 other 0
 */
