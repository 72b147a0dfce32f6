/*
 * events.h: reads the events that a replay with HEDDLE_CONTROL_DETAIL wrote (HEDDLE_RECORD_EVENT in heddle/abi.h): from
 * a file, and then from memory. Among them are touches, accesses that are no events: no scheduling decision is made
 * there, and they have no numbers; and expiries, where a sleep or a time-out ends early. What is read is not trusted.
 */
#ifndef TRACE_EVENTS_H
#define TRACE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event {
	uint32_t thread;
	uint32_t kind; /* enum heddle_event_kind, or one this version does not know */
	uint64_t object, code;
	uint32_t callers; /* number of a sequence of calls, from 1; 0: not known */
	bool is_touch;
	bool is_expiry; /* no event: a wait of thread ends early. kind: 1 for a sleep; object: its length (0: not known), code: what is left, in ns */
	uint64_t number; /* in the run, from 1; of a touch that of the event before it, of all threads */
};

/* Sequences of calls: code addresses, the innermost first. */
struct callers {
	uint64_t *addresses;
	size_t *starts; /* by number - 1; that of the next one is its end */
	size_t count, address_count, room, address_room;
};

/* The addresses of a number, and how many; 0 when there are none. They live as long as callers. */
size_t callers_get(const struct callers *callers, uint32_t number, const uint64_t **addresses);
void callers_release(struct callers *callers);

struct events {
	int fd;
	uint64_t fd_bytes; /* of fd, from its start */
	const unsigned char *tail;
	size_t tail_bytes;
	struct callers callers; /* those that were read so far; to be released, or taken */
	/* Private. */
	uint64_t at; /* of the byte after what is in chunk */
	uint64_t number;
	size_t used, size;
	unsigned char chunk[65536];
};

/* The next event, touch or expiry. Returns 1; 0 at the end; -EINVAL when something else is there or the last one is cut, -errno when the
 * file cannot be read. Start with the fields that are not private set and the rest 0. */
int events_next(struct events *events, struct event *event);

/* From the start again. */
void events_rewind(struct events *events);

#endif
