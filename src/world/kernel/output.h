/*
 * output.h: handles the program's standard output and standard error, whichever call and descriptor it
 * writes with. A replay writes the output again, and a run reports a hash of it.
 *
 * Two items cannot be derived from the program's memory, so they follow the other buffers of a call in the log, as an
 * additional buffer: the bytes that the kernel moves by itself (sendfile, splice, tee, copy_file_range), and one byte
 * with the stream that an opened file is (opened as /dev/stdout, or by its own name).
 */
#ifndef WORLD_KERNEL_OUTPUT_H
#define WORLD_KERNEL_OUTPUT_H

#include "world/world.h"

/* The state of one call, from before it waits until it is recorded. */
struct output {
	int stream;                    /* the stream that it writes to: 1, 2, or 0 for none */
	uint8_t opened;                /* the stream that it opened, or 0 */
	const unsigned char *moved;    /* the bytes that the kernel moved */
	size_t moved_size, moved_room; /* of the mapping */
};

/* Call it before the first call of a program that is not replayed. Finds out which files the standard streams are. */
void output_start(void);

void output_begin(struct output *output, long number, const uint64_t arguments[6]);

/* While recording. Makes the call itself if its output is discarded or moved by the kernel: then sets *result to its
 * result and returns true. The descriptor that is read from must be ready. */
bool output_call(struct output *output, long number, const uint64_t arguments[6], long *result);

/* While recording, after the call: returns the bytes that the log needs in addition to those that the kernel wrote to
 * memory, or null if there are none. */
const void *output_extra(struct output *output, long number, const uint64_t arguments[6], long result, size_t *size);
/* In a replay: takes these extra bytes from the log. */
void output_replay_extra(struct output *output, long number, const void *extra, size_t size);

/* Call it after the call and after descriptor_after. Adds the output to the hash and, in a replay, writes it. */
void output_end(struct output *output, long number, const uint64_t arguments[6], long result);

/* Returns the number of bytes that a call would write, and a hash of them. Returns false if the call does not write
 * memory of the program to one descriptor. */
bool output_asked(long number, const uint64_t arguments[6], uint64_t *size_bytes, uint64_t *hash);

/* output_move.c: makes a call that moves bytes from a file to a standard stream. The bytes go to memory of the runtime
 * first, which output_end unmaps. */
bool output_is_move(long number);
long output_move(struct output *output, long number, const uint64_t arguments[6]);

/* Writes all bytes. Returns the number of bytes written, or the error of the first attempt. at: the position; null: the
 * current one of the file. */
long output_write(int fd, const void *from, size_t size, const int64_t *at);

#endif
