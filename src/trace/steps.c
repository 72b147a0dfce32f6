/* steps.c: see steps.h. Between two switches all events are of one thread, so its own are counted by subtraction. */
#include "trace/steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/events.h"

/* No index is as large: a log that has one is damaged. */
#define INDEX_MOST (1u << 22)

struct reader {
	struct events events;
	uint64_t event;   /* number of the last record that has one */
	uint64_t since;   /* that of the last switch */
	uint32_t current; /* index of the thread that runs */
	uint64_t *own;    /* how many events each has had until then */
	uint32_t room;
};

static uint64_t *own_of(struct reader *self, uint32_t index)
{
	while (index >= self->room) {
		uint32_t room = self->room ? 2 * self->room : 64;
		self->own = mem_resize(self->own, room * sizeof *self->own);
		memset(self->own + self->room, 0, (room - self->room) * sizeof *self->own);
		self->room = room;
	}
	return &self->own[index];
}

static int skip_bytes(struct reader *self, uint64_t size)
{
	unsigned char byte;
	int code = 1;
	for (uint64_t i = 0; i < size && code > 0; i++)
		code = events_byte(&self->events, &byte);
	return code > 0 ? 1 : code < 0 ? code : -EINVAL;
}

static int skip_buffer(struct reader *self)
{
	uint64_t size;
	int code = events_number(&self->events, &size);
	return code > 0 ? skip_bytes(self, size) : code;
}

static int skip_numbers(struct reader *self, unsigned count)
{
	uint64_t ignored;
	int code = 1;
	for (unsigned i = 0; i < count && code > 0; i++)
		code = events_number(&self->events, &ignored);
	return code;
}

static int skip_call(struct reader *self)
{
	uint64_t buffers;
	int code = skip_numbers(self, 2);
	if (code > 0)
		code = events_number(&self->events, &buffers);
	for (uint64_t i = 0; code > 0 && i < buffers; i++)
		code = skip_buffer(self);
	return code;
}

static int read_when(struct reader *self, bool *is_inside)
{
	uint64_t when;
	int code = events_number(&self->events, &when);
	if (code > 0) {
		self->event += when / 2;
		*is_inside = when & 1;
	}
	return code;
}

static int read_switch(struct reader *self, bool is_inside, struct steps *steps)
{
	uint64_t coded;
	int code = events_number(&self->events, &coded);
	if (code <= 0)
		return code;
	if (coded / 2 == 0 || coded / 2 >= INDEX_MOST)
		return -EINVAL;
	uint64_t *own = own_of(self, self->current);
	*own += self->event - self->since;
	self->since = self->event;
	uint32_t next = (uint32_t)(coded / 2);
	if (next != self->current) {
		uint64_t when = *own * 4 + is_inside + 2 * (coded & 1);
		steps_add(steps, &(struct heddle_step){ self->current, next, when });
	}
	self->current = next;
	return 1;
}

/* Returns 1; 0 at the end; or a negative errno. */
static int read_record(struct reader *self, struct steps *steps)
{
	unsigned char tag;
	bool is_inside = false;
	int code = events_byte(&self->events, &tag);
	if (code <= 0)
		return code;
	switch (tag) {
	case HEDDLE_RECORD_END:
		return 0;
	case HEDDLE_RECORD_SWITCH:
		code = read_when(self, &is_inside);
		return code > 0 ? read_switch(self, is_inside, steps) : code;
	case HEDDLE_RECORD_READY:
	case HEDDLE_RECORD_CLOCK:
		code = read_when(self, &is_inside);
		return code > 0 ? skip_numbers(self, 1) : code;
	case HEDDLE_RECORD_SIGNAL:
		code = read_when(self, &is_inside);
		if (code > 0)
			code = skip_numbers(self, 1);
		return code > 0 ? skip_buffer(self) : code;
	case HEDDLE_RECORD_CALL:
		return skip_call(self);
	case HEDDLE_RECORD_BLOCK:
		return 1;
	default:
		return -EINVAL;
	}
}

int steps_read(struct steps *self, const struct trace *trace, struct err *err)
{
	struct reader *reader = mem_alloc(sizeof *reader);
	reader->events.fd = trace->log_fd;
	reader->events.fd_bytes = trace->log_bytes;
	reader->events.tail = trace->tail;
	reader->events.tail_bytes = trace->tail_bytes;
	reader->current = 1;
	int code;
	do
		code = read_record(reader, self);
	while (code > 0);
	free(reader->own);
	free(reader);
	return code < 0 ? err_set(err, -code, "the log of the run is damaged: its switches cannot be read") : 0;
}

void steps_add(struct steps *self, const struct heddle_step *step)
{
	if (self->count == self->room) {
		self->room = self->room ? 2 * self->room : 64;
		self->items = mem_resize(self->items, self->room * sizeof *self->items);
	}
	self->items[self->count++] = *step;
}

void steps_release(struct steps *self)
{
	free(self->items);
	*self = (struct steps){ 0 };
}

/* A merge sort keeps what is equal in its order, which qsort does not promise. */
void steps_sort(struct heddle_step *steps, size_t count)
{
	struct heddle_step *other = mem_alloc((count + 1) * sizeof *other), *from = steps, *to = other;
	for (size_t width = 1; width < count; width *= 2) {
		for (size_t start = 0; start < count; start += 2 * width) {
			size_t middle = start + width < count ? start + width : count;
			size_t end = start + 2 * width < count ? start + 2 * width : count;
			for (size_t a = start, b = middle, at = start; at < end; at++)
				to[at] = a < middle && (b == end || from[a].thread <= from[b].thread) ? from[a++]
												      : from[b++];
		}
		struct heddle_step *swap = from;
		from = to;
		to = swap;
	}
	for (size_t i = 0; from != steps && i < count; i++)
		steps[i] = from[i];
	free(other);
}
