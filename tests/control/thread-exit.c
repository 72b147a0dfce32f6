/* pthread_exit from a nested function, with cleanup handlers that run in reverse order. */
#include "check.h"

struct note {
	char text[16];
	int length;
};

static void note_add(void *argument, char letter)
{
	struct note *note = argument;
	note->text[note->length++] = letter;
}

static void cleanup_first(void *argument)
{
	note_add(argument, 'a');
}

static void cleanup_second(void *argument)
{
	note_add(argument, 'b');
}

static void inner(struct note *note, int is_exiting)
{
	pthread_cleanup_push(cleanup_second, note);
	if (is_exiting)
		pthread_exit(note->text);
	pthread_cleanup_pop(0);
}

static void *work(void *argument)
{
	struct note *note = argument;
	pthread_cleanup_push(cleanup_first, note);
	inner(note, 0);
	inner(note, 1);
	note_add(note, '?');
	pthread_cleanup_pop(1);
	return NULL;
}

int main(void)
{
	struct note notes[3] = { { "", 0 }, { "", 0 }, { "", 0 } };
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		threads[i] = start(work, &notes[i]);
	for (int i = 0; i < 3; i++)
		printf("%s\n", (char *)finish(threads[i]));
	return 0;
}
/*
 * expect: ba
 * expect: ba
 * expect: ba
 */
