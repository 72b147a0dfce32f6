/*
 * output.h: what the program writes to its standard output and error, by whatever call and through whatever
 * descriptor. A replay writes it again, and a run reports a hash of it.
 *
 * Two things cannot be derived from the program's memory, so they follow the other buffers of a call in the log, as
 * one more buffer: the bytes that the kernel moves by itself (sendfile, splice, tee, copy_file_range), and one byte
 * that says which stream an opened file is (opened as /dev/stdout, or by its own name).
 */
#ifndef WORLD_KERNEL_OUTPUT_H
#define WORLD_KERNEL_OUTPUT_H

#include "world/world.h"

/* About one call, from before it waits until it is recorded. */
struct output {
	int stream;                    /* that it writes to: 1, 2, or 0 for none */
	uint8_t opened;                /* which it opened, or 0 */
	const unsigned char *moved;    /* what the kernel moved */
	size_t moved_size, moved_room; /* of the mapping */
};

/* Before the first call of a program that is not replayed: what the standard streams are. */
void output_start(void);

void output_begin(struct output *output, long number, const uint64_t arguments[6]);

/* While recording. True when the call is made here, as for output that goes nowhere or is moved by the kernel:
 * *result is what it returns. The descriptor that is read from must be ready. */
bool output_call(struct output *output, long number, const uint64_t arguments[6], long *result);

/* While recording, after the call: what the log needs in addition to what the kernel wrote to memory. Null:
 * nothing. */
const void *output_extra(struct output *output, long number, const uint64_t arguments[6], long result, size_t *size);
/* In a replay: takes these extra bytes from the log. */
void output_replay_extra(struct output *output, long number, const void *extra, size_t size);

/* After the call and after descriptor_after: into the hash and, in a replay, out again. */
void output_end(struct output *output, long number, const uint64_t arguments[6], long result);

/* The bytes that a call would write, with a hash of them; false: it is none that writes memory of the program's to one descriptor. */
bool output_asked(long number, const uint64_t arguments[6], uint64_t *size_bytes, uint64_t *hash);

/* output_move.c: makes a call that moves bytes from a file to a standard stream. They go to memory of ours first, which
 * output_end gives back. */
bool output_is_move(long number);
long output_move(struct output *output, long number, const uint64_t arguments[6]);

/* Writes all of it; returns how much that was, or the error of the first attempt. at: where, or null: where the file is. */
long output_write(int fd, const void *from, size_t size, const int64_t *at);

#endif
