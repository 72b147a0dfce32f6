/*
 * message.h: the runtime's only output for people: single lines on standard error, each one write(2). Also rt_off, its only
 * response to failure. Safe in a signal handler and in any thread.
 */
#ifndef RT_MESSAGE_H
#define RT_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line being built, cut when it is full. Start with message_begin; message_end writes it. */
struct message {
	char text[1024];
	size_t size;
};

void message_begin(struct message *message); /* with "heddle: " */
void message_string(struct message *message, const char *string);
void message_number(struct message *message, uint64_t number);
void message_end(struct message *message);

enum rt_failure {
	RT_UNKNOWN_MODE,
	RT_NO_MEMORY,
	RT_NO_MAPS,
	RT_TEXT_NOT_WRITABLE,
	RT_SWITCH_FILE,
	RT_SWITCH_SIZE,
	RT_WITHOUT,
	RT_COUNT_FILE,
	RT_COUNT_FORMAT,
	RT_NO_CHANNEL,
	RT_OPERATIONS_FILE,
	RT_TRAIN_FILE,
	RT_GUARD_FILE,
	RT_NO_DISPATCH,
	RT_BROKEN, /* see bug.h */
};

/*
 * Stops observing: prints one line with the reason; from here on no object is switched, and the program continues. Objects
 * that were registered before stay as they are, since what they report is correct. subject may be null; code is a negative
 * errno or 0.
 */
void rt_off(enum rt_failure failure, const char *subject, int code);
bool rt_is_off(void);

#endif
