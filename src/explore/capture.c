/* capture.c: see capture.h. */
#include "explore/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* FNV-1a: short, and good enough for what a program prints. */
#define HASH_START 0xcbf29ce484222325u
#define HASH_FACTOR 0x100000001b3u

static void set_state(struct capture_stream *stream, struct capture_state state)
{
	stream->now = state;
	stream->kept.size = state.kept_bytes;
	if (stream->kept.data)
		stream->kept.data[stream->kept.size] = '\0';
}

int capture_open(struct capture *self, size_t room, int ends[2], struct err *err)
{
	*self = (struct capture){ { { .fd = -1 }, { .fd = -1 } }, room };
	ends[0] = ends[1] = -1;
	for (int i = 0; i < 2; i++) {
		int pair[2];
		if (pipe2(pair, O_CLOEXEC) < 0)
			return err_set(err, errno, "cannot create a pipe: %s", strerror(errno));
		/* Only our end: how the program finds its own must not depend on us. */
		fcntl(pair[0], F_SETFL, O_NONBLOCK);
		self->streams[i].fd = pair[0];
		ends[i] = pair[1];
		self->streams[i].now.line_hash = self->streams[i].start.line_hash = HASH_START;
	}
	return 0;
}

void capture_release(struct capture *self)
{
	for (int i = 0; i < 2; i++) {
		if (self->streams[i].fd >= 0)
			close(self->streams[i].fd);
		self->streams[i].fd = -1;
		buf_release(&self->streams[i].kept);
	}
}

/* A line that is empty counts too: the end of a line is part of it. */
static void add_lines(struct capture_stream *stream, const unsigned char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		stream->now.line_hash = (stream->now.line_hash ^ bytes[i]) * HASH_FACTOR;
		if (bytes[i] != '\n')
			continue;
		stream->now.lines_sum += stream->now.line_hash;
		stream->now.line_hash = HASH_START;
	}
}

static void drain_stream(struct capture_stream *stream, size_t limit)
{
	unsigned char bytes[8192];
	ssize_t got;
	while (stream->fd >= 0) {
		got = read(stream->fd, bytes, sizeof bytes);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return;
		size_t room = limit - stream->kept.size;
		buf_add(&stream->kept, bytes, (size_t)got < room ? (size_t)got : room);
		stream->now.kept_bytes = stream->kept.size;
		add_lines(stream, bytes, (size_t)got);
		stream->now.size_bytes += (uint64_t)got;
	}
}

void capture_drain(struct capture *self)
{
	for (int i = 0; i < 2; i++)
		drain_stream(&self->streams[i], self->room);
}

void capture_begin(struct capture *self)
{
	for (int i = 0; i < 2; i++)
		self->streams[i].start = self->streams[i].now;
}

void capture_clear(struct capture *self)
{
	for (int i = 0; i < 2; i++)
		set_state(&self->streams[i], self->streams[i].start);
}

uint64_t capture_lines(const struct capture *self)
{
	uint64_t sum = 0;
	for (int i = 0; i < 2; i++) {
		const struct capture_stream *stream = &self->streams[i];
		uint64_t all =
			stream->now.lines_sum + (stream->now.line_hash == HASH_START ? 0 : stream->now.line_hash);
		/* The same line on the other stream is another one. */
		sum += i == 0 ? all : all * HASH_FACTOR;
	}
	return sum;
}
