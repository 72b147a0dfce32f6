/* One megabyte through a pipe between threads in one blocking write: it waits for the reader again and again. */
#include "check.h"

#define SIZE (1 << 20)
static int ends[2];
static unsigned char data[SIZE];

static void *writes(void *argument)
{
	size_t done = 0;
	while (done < SIZE) {
		ssize_t wrote = write(ends[1], data + done, SIZE - done);
		CHECK(wrote > 0);
		done += (size_t)wrote;
	}
	CHECK(close(ends[1]) == 0);
	return argument;
}

int main(void)
{
	unsigned long sent = 0, received = 0, count = 0;
	for (int i = 0; i < SIZE; i++) {
		data[i] = (unsigned char)(i * 7 + i / 1000);
		sent += data[i];
	}
	CHECK(pipe(ends) == 0);
	pthread_t thread = start(writes, NULL);
	static unsigned char buffer[10000];
	ssize_t got;
	while ((got = read(ends[0], buffer, sizeof(buffer))) > 0) {
		for (ssize_t i = 0; i < got; i++)
			received += buffer[i];
		count += (unsigned long)got;
	}
	CHECK(got == 0);
	finish(thread);
	printf("count %lu same %d\n", count, sent == received);
	return 0;
}
/*
 * expect: count 1048576 same 1
 */
