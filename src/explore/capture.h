/*
 * capture.h: captures the standard output and standard error of runs, which write to two pipes. Output beyond the room
 * is counted and discarded, so a program that prints without end does no harm. In addition to the bytes, a sum over the
 * lines is computed, which does not depend on their order.
 */
#ifndef EXPLORE_CAPTURE_H
#define EXPLORE_CAPTURE_H

#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

/* The state of a stream. */
struct capture_state {
	size_t kept_bytes;
	uint64_t size_bytes;           /* including discarded bytes */
	uint64_t line_hash, lines_sum; /* of the line that has not ended yet; over all other lines */
};

struct capture_stream {
	int fd; /* our end; -1: none */
	struct buf kept;
	struct capture_state now, start;
};

/* By number: standard output, standard error. */
struct capture {
	struct capture_stream streams[2];
	size_t room; /* bytes of each stream to keep */
};

/* Makes the pipes. ends become descriptors 1 and 2 of the program; the caller closes them. Returns 0, or a
 * negative errno with err set. */
int capture_open(struct capture *self, size_t room, int ends[2], struct err *err);
void capture_release(struct capture *self);

/* Reads the available output without waiting. */
void capture_drain(struct capture *self);

/* capture_begin: the output that was read so far precedes each run. capture_clear drops all output that was read after
 * that. */
void capture_begin(struct capture *self);
void capture_clear(struct capture *self);

/* The sum over all lines of both streams, including unfinished ones. */
uint64_t capture_lines(const struct capture *self);

#endif
