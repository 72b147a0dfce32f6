/* capture.c: see capture.h. */
#include "explore/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* FNV-1a: short, and good enough for what a program prints. */
#define HASH_START 0xcbf29ce484222325u
#define HASH_FACTOR 0x100000001b3u

static void clear_stream(struct capture_stream *stream)
{
	stream->kept.size = 0;
	stream->size_bytes = 0;
	stream->line_hash = HASH_START;
	stream->lines_sum = 0;
}

int capture_open(struct capture *self, int ends[2], struct err *err)
{
	*self = (struct capture){ { { .fd = -1 }, { .fd = -1 } } };
	ends[0] = ends[1] = -1;
	for (int i = 0; i < 2; i++) {
		int pair[2];
		if (pipe2(pair, O_CLOEXEC) < 0)
			return err_set(err, errno, "cannot make a pipe: %s", strerror(errno));
		/* Only our end: how the program finds its own must not depend on us. */
		fcntl(pair[0], F_SETFL, O_NONBLOCK);
		self->streams[i].fd = pair[0];
		ends[i] = pair[1];
		clear_stream(&self->streams[i]);
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
		stream->line_hash = (stream->line_hash ^ bytes[i]) * HASH_FACTOR;
		if (bytes[i] != '\n')
			continue;
		stream->lines_sum += stream->line_hash;
		stream->line_hash = HASH_START;
	}
}

static void drain_stream(struct capture_stream *stream)
{
	unsigned char bytes[65536];
	ssize_t got;
	while (stream->fd >= 0) {
		got = read(stream->fd, bytes, sizeof bytes);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return;
		size_t room = CAPTURE_ROOM - stream->kept.size;
		buf_add(&stream->kept, bytes, (size_t)got < room ? (size_t)got : room);
		add_lines(stream, bytes, (size_t)got);
		stream->size_bytes += (uint64_t)got;
	}
}

void capture_drain(struct capture *self)
{
	for (int i = 0; i < 2; i++)
		drain_stream(&self->streams[i]);
}

void capture_clear(struct capture *self)
{
	for (int i = 0; i < 2; i++)
		clear_stream(&self->streams[i]);
}

uint64_t capture_lines(const struct capture *self)
{
	uint64_t sum = 0;
	for (int i = 0; i < 2; i++) {
		const struct capture_stream *stream = &self->streams[i];
		uint64_t all = stream->lines_sum + (stream->line_hash == HASH_START ? 0 : stream->line_hash);
		/* The same line on the other stream is another one. */
		sum += i == 0 ? all : all * HASH_FACTOR;
	}
	return sum;
}
