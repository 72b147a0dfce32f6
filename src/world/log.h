/*
 * log.h: writes the log of a run, and reads it in a replay. See enum heddle_record in abi.h for the format. The
 * functions log_write_* do nothing unless the run is recorded.
 */
#ifndef WORLD_LOG_H
#define WORLD_LOG_H

#include "world/world.h"

/* A record of the log being replayed, decoded up to its buffers. */
struct log_next {
	enum heddle_record tag;
	uint64_t event;             /* number of the event at which it happened; UINT64_MAX for CALL and BLOCK */
	bool is_inside;             /* it happened in the middle of the event's operation, not before it */
	uint64_t value[3];          /* of a call: its number, its result, and its ordinal among the calls, from 1 */
	const unsigned char *bytes; /* the rest of the record: the siginfo; the buffers of a call */
};

extern struct log_next log_next;

/* Maps the log to replay, and reads its first record. Returns 0 or -1 after world_fail. */
void log_open(void);

/* Reads the record after log_next into log_next, and ends the slice where that record is due. */
void log_advance(void);

/* Calls each for every record in the rest of the log, from log_next on, with log_next set to the record and log_asked
 * to its ASKED record. Afterwards the position in the log is the same as before. */
void log_each(void (*each)(void));
/* The arguments of the call in log_next, from the ASKED record before it. */
struct log_asked {
	uint64_t wants, arguments, size_bytes, told, changes;
	uint32_t flags;
	bool is_known; /* there is such a record */
};
extern struct log_asked log_asked;

/* A record of a call that can be read again later. */
struct log_call {
	const unsigned char *start, *buffers, *end; /* of the record, in the log */
	uint64_t number, buffer_count, ordinal;
	long result;
};
/* Returns the record in log_next, which must be a call. */
struct log_call log_this_call(void);
/* Makes the record log_next, and writes it to the log of this run. */
void log_answer(const struct log_call *call);
/* The same for a call that is in no log and has no buffers. */
void log_answer_made(long number, long result, uint64_t ordinal);
/* The run turns: new records follow those that were copied from the log so far, without log_next. */
void log_turn(void);
/* Copies the rest of the log, at the end of a run that followed it. */
void log_copy_rest(void);
void log_write_asked(const struct log_asked *asked);

/* Copies the next buffer of the call in log_next to `to`, at most size bytes; the rest is skipped. Returns the size of
 * the buffer. */
size_t log_take(void *to, size_t size);
/* The same without copying. */
const unsigned char *log_peek_buffer(size_t *size);
bool log_has_buffer(void);

void log_write_timed(enum heddle_record tag, uint64_t a);
void log_write_clock(uint64_t nanoseconds);
void log_write_signal(uint32_t number, const void *info, size_t size);
/* Begins the record of a call: buffer_count calls of log_write_buffer must follow. */
void log_write_call(long number, long result, uint32_t buffer_count);
void log_write_buffer(const void *at, size_t size);
/* Writes one buffer in two parts. */
void log_write_parts(const void *first, size_t first_size, const void *second, size_t second_size);
void log_write_block(void);
/* Writes the bytes that a call changed in a mapped file: see replica.h. */
void log_write_file(uint32_t number, uint64_t offset, const void *bytes, size_t size);
void log_write_event(const struct thread *thread, uint32_t callers);
/* Writes an access that is no event. */
void log_write_touch(const struct thread *thread, enum heddle_event_kind kind, const volatile void *object,
		     const struct heddle_site *site, uint32_t callers);
/* Writes that the wait of a thread ends early. */
void log_write_expiry(const struct thread *thread, bool is_sleep, uint64_t now_ns);
void log_write_callers(const uint64_t *addresses, uint32_t count);
void log_write_end(void);

/* For forked processes with a channel of their own: log_save_prefix keeps a copy of the log so far, log_restore_prefix
 * puts it back. */
void log_save_prefix(void);
void log_restore_prefix(void);

/* Writes channel.log to its file and empties it. */
void log_flush(void);

#endif
