/*
 * A function that returns its result in a static buffer, called by two threads.
 *
 * Like asctime() and inet_ntoa(): the text is good until the next call, and the next call may come from another thread
 * while the caller still copies. Each thread's write and its reads afterwards should see one value, and another one's
 * write comes between: W-R|W in the terms of Anticipating Invariants.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { CALLERS = 2 };

struct address {
	unsigned char bytes[4];
	char shown[16];
};

static const char *address_to_text(const struct address *address, char *text)
{
#ifndef FIXED
	static char shared[16];
	text = shared;
#endif
	char *at = text;
	for (int i = 0; i < 4; i++) {
		*at++ = (char)('0' + address->bytes[i] % 10); /*A*/
		*at++ = i < 3 ? '.' : 0;
	}
	return text;
}

static void *show(void *argument)
{
	struct address *address = argument;
	char own[16];
	const char *text = address_to_text(address, own);
	int i = 0;
	do
		address->shown[i] = text[i]; /*B*/
	while (text[i++]);
	return NULL;
}

int main(void)
{
	struct address addresses[CALLERS] = { { .bytes = { 1, 2, 3, 4 } }, { .bytes = { 5, 6, 7, 8 } } };
	pthread_t threads[CALLERS];
	for (int i = 0; i < CALLERS; i++)
		pthread_create(&threads[i], NULL, show, &addresses[i]);
	for (int i = 0; i < CALLERS; i++)
		pthread_join(threads[i], NULL);
	printf("%s %s\n", addresses[0].shown, addresses[1].shown);
	return strcmp(addresses[0].shown, "1.2.3.4") || strcmp(addresses[1].shown, "5.6.7.8");
}
/*
 * pattern: WWR
 * finds: bad-exit data-race output-differs
 * race: A B
 * source: general
 */
