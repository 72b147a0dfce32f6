/*
 * Mozilla's nsTextFrame: an offset of one paragraph and a length of another.
 *
 * A frame shows a part of a text and keeps where it begins and how long it is. A reflow wrote the two one after the
 * other while another thread painted with them; new offset and old length together reach behind the end of the text.
 * The example that Lu and others give of variables that belong together (ASPLOS 2008).
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct text_frame {
	pthread_mutex_t lock; /* guards each field; in the fixed one both together */
	int content_offset;
	int content_length;
};

static const char text[] = "a long first part, the rest";
static struct text_frame frame = { PTHREAD_MUTEX_INITIALIZER, 0, 18 };

static void set_field(int *field, int value)
{
#ifndef FIXED
	pthread_mutex_lock(&frame.lock);
#endif
	*field = value;
#ifndef FIXED
	pthread_mutex_unlock(&frame.lock);
#endif
}

static void *reflow(void *argument)
{
	(void)argument;
#ifdef FIXED
	pthread_mutex_lock(&frame.lock);
#endif
	set_field(&frame.content_offset, 19);
	set_field(&frame.content_length, (int)strlen(text) - 19);
#ifdef FIXED
	pthread_mutex_unlock(&frame.lock);
#endif
	return NULL;
}

static void *paint(void *argument)
{
	int *painted = argument;
	pthread_mutex_lock(&frame.lock);
	int offset = frame.content_offset;
	int length = frame.content_length;
	pthread_mutex_unlock(&frame.lock);
	assert(offset + length < (int)sizeof(text));
	for (int i = offset; i < offset + length; i++)
		*painted += text[i] != ' ';
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int painted = 0;
	pthread_create(&threads[0], NULL, reflow, NULL);
	pthread_create(&threads[1], NULL, paint, &painted);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%s\n", painted > 0 ? "painted" : "nothing painted");
	return 0;
}
/*
 * pattern: multi-variable
 * finds: assertion
 * source: Lu and others (ASPLOS 2008)
 */
