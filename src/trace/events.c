/* events.c: see events.h. */
#include "trace/events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "heddle/abi.h"

#define MAX_CALLERS (1u << 20)

static int fill(struct events *self)
{
	self->used = self->size = 0;
	if (self->at < self->fd_bytes) {
		uint64_t left = self->fd_bytes - self->at;
		ssize_t got = pread(self->fd, self->chunk, left < sizeof self->chunk ? left : sizeof self->chunk,
				    (off_t)self->at);
		if (got <= 0)
			return got < 0 ? -errno : -EINVAL;
		self->size = (size_t)got;
	} else {
		size_t done = (size_t)(self->at - self->fd_bytes), left = self->tail_bytes - done;
		self->size = left < sizeof self->chunk ? left : sizeof self->chunk;
		if (self->size)
			memcpy(self->chunk, self->tail + done, self->size);
	}
	self->at += self->size;
	return self->size > 0;
}

/* Returns 1 with the byte, 0 at the end, or a negative errno. */
static int next_byte(struct events *self, unsigned char *byte)
{
	if (self->used == self->size) {
		int code = fill(self);
		if (code <= 0)
			return code;
	}
	*byte = self->chunk[self->used++];
	return 1;
}

static int next_number(struct events *self, uint64_t *number)
{
	unsigned char byte;
	*number = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		int code = next_byte(self, &byte);
		if (code <= 0)
			return code < 0 ? code : -EINVAL;
		*number |= (uint64_t)(byte & 127) << shift;
		if (!(byte & 128))
			return 1;
	}
	return -EINVAL;
}

static void add_address(struct callers *self, uint64_t address)
{
	if (self->address_count == self->address_room) {
		self->address_room = self->address_room ? 2 * self->address_room : 1024;
		self->addresses = mem_resize(self->addresses, self->address_room * sizeof *self->addresses);
	}
	self->addresses[self->address_count++] = address;
}

static int read_callers(struct events *self)
{
	struct callers *callers = &self->callers;
	uint64_t count, address;
	int code = next_number(self, &count);
	if (code < 0 || count > HEDDLE_MAX_CALLERS || callers->count == MAX_CALLERS)
		return code < 0 ? code : -EINVAL;
	if (callers->count == callers->room) {
		callers->room = callers->room ? 2 * callers->room : 256;
		callers->starts = mem_resize(callers->starts, callers->room * sizeof *callers->starts);
	}
	callers->starts[callers->count++] = callers->address_count;
	for (uint64_t i = 0; i < count; i++) {
		code = next_number(self, &address);
		if (code < 0)
			return code;
		add_address(callers, address);
	}
	return 1;
}

size_t callers_get(const struct callers *self, uint32_t number, const uint64_t **addresses)
{
	if (!number || number > self->count)
		return 0;
	size_t start = self->starts[number - 1];
	*addresses = self->addresses + start;
	return (number < self->count ? self->starts[number] : self->address_count) - start;
}

void callers_release(struct callers *self)
{
	free(self->addresses);
	free(self->starts);
	*self = (struct callers){ 0 };
}

int events_next(struct events *self, struct event *event)
{
	uint64_t fields[5];
	unsigned char tag;
	int code;
	while ((code = next_byte(self, &tag)) > 0 && tag == HEDDLE_RECORD_CALLERS)
		if ((code = read_callers(self)) < 0)
			return code;
	if (code <= 0)
		return code;
	if (tag == HEDDLE_RECORD_END)
		return 0;
	if (tag != HEDDLE_RECORD_EVENT && tag != HEDDLE_RECORD_TOUCH && tag != HEDDLE_RECORD_EXPIRY)
		return -EINVAL;
	for (size_t i = 0; i < 5; i++) {
		code = next_number(self, &fields[i]);
		if (code < 0)
			return code;
	}
	if (fields[0] > UINT32_MAX || fields[1] > UINT32_MAX || fields[4] > UINT32_MAX)
		return -EINVAL;
	self->number += tag == HEDDLE_RECORD_EVENT;
	*event = (struct event){ .thread = (uint32_t)fields[0],
				 .kind = (uint32_t)fields[1],
				 .object = fields[2],
				 .code = fields[3],
				 .callers = (uint32_t)fields[4],
				 .is_touch = tag == HEDDLE_RECORD_TOUCH,
				 .is_expiry = tag == HEDDLE_RECORD_EXPIRY,
				 .number = self->number };
	return 1;
}

void events_rewind(struct events *self)
{
	self->at = self->number = 0;
	self->used = self->size = 0;
	callers_release(&self->callers);
}
