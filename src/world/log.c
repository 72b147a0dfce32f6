/* log.c: see log.h. */
#include "world/log.h"

#include <errno.h>
#include <string.h>

#include "rt/sys.h"
#include "world/parts.h"

#define LOG_OFFSET 0x1000000000ul

struct log_next log_next;

/* Writing. */

static uint64_t written_event; /* of the last timed record */

void log_flush(void)
{
	struct heddle_channel *channel = world.channel;
	size_t done = 0;
	while (done < channel->log_used) {
		ssize_t got = sys_write(HEDDLE_FD_OUT, channel->log + done, channel->log_used - done);
		if (got == -EINTR)
			continue;
		if (got <= 0) {
			/* What is in the channel stays there for the tool; the file ends where it ends. */
			memmove(channel->log, channel->log + done, channel->log_used - done);
			channel->log_used -= (uint32_t)done;
			channel->out_bytes += done;
			channel->log_error = got == 0 ? EIO : (int32_t)-got;
			world.is_recording = false;
			world_fail(HEDDLE_OUTCOME_LOG_FAILED, "the log of the run cannot be written", NULL);
		}
		done += (size_t)got;
	}
	channel->out_bytes += done;
	channel->log_used = 0;
}

static void put_bytes(const void *from, size_t size)
{
	struct heddle_channel *channel = world.channel;
	const unsigned char *at = from;
	while (size) {
		size_t room = HEDDLE_LOG_ROOM - channel->log_used, part = size < room ? size : room;
		memcpy(channel->log + channel->log_used, at, part);
		channel->log_used += (uint32_t)part;
		at += part;
		size -= part;
		if (channel->log_used == HEDDLE_LOG_ROOM)
			log_flush();
	}
}

static unsigned char *put_number(unsigned char *at, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*at++ = (unsigned char)(number | 0x80);
	*at++ = (unsigned char)number;
	return at;
}

static unsigned char *put_when(unsigned char *at, enum heddle_record tag)
{
	uint64_t now = world_events();
	if (now < written_event)
		RT_BUG("a record of the log is of an event before the last one");
	*at++ = (unsigned char)tag;
	at = put_number(at, (now - written_event) * 2 + !world.is_deciding);
	written_event = now;
	return at;
}

void log_write_timed(enum heddle_record tag, uint64_t a)
{
	unsigned char record[32], *at = record;
	if (!world.is_recording)
		return;
	at = put_when(at, tag);
	at = put_number(at, a);
	put_bytes(record, (size_t)(at - record));
}

void log_write_clock(uint64_t nanoseconds)
{
	log_write_timed(HEDDLE_RECORD_CLOCK, nanoseconds);
}

void log_write_signal(uint32_t number, const void *info, size_t size)
{
	unsigned char record[40], *at = record;
	if (!world.is_recording)
		return;
	at = put_when(at, HEDDLE_RECORD_SIGNAL);
	at = put_number(at, number);
	at = put_number(at, size);
	put_bytes(record, (size_t)(at - record));
	put_bytes(info, size);
}

void log_write_call(long number, long result, uint32_t buffer_count)
{
	unsigned char record[40], *at = record;
	if (!world.is_recording)
		return;
	*at++ = HEDDLE_RECORD_CALL;
	at = put_number(at, (uint64_t)number);
	at = put_number(at, (uint64_t)result << 1 ^ (uint64_t)(result >> 63));
	at = put_number(at, buffer_count);
	put_bytes(record, (size_t)(at - record));
}

void log_write_buffer(const void *from, size_t size)
{
	unsigned char record[16];
	if (!world.is_recording)
		return;
	put_bytes(record, (size_t)(put_number(record, size) - record));
	put_bytes(from, size);
}

void log_write_parts(const void *first, size_t first_size, const void *second, size_t second_size)
{
	unsigned char record[16];
	if (!world.is_recording)
		return;
	put_bytes(record, (size_t)(put_number(record, first_size + second_size) - record));
	put_bytes(first, first_size);
	put_bytes(second, second_size);
}

void log_write_block(void)
{
	unsigned char tag = HEDDLE_RECORD_BLOCK;
	if (world.is_recording)
		put_bytes(&tag, 1);
}

void log_write_file(uint32_t number, uint64_t offset, const void *bytes, size_t size)
{
	unsigned char record[40], *at = record;
	if (!world.is_recording)
		return;
	*at++ = HEDDLE_RECORD_FILE;
	at = put_number(at, number);
	at = put_number(at, offset);
	at = put_number(at, size);
	put_bytes(record, (size_t)(at - record));
	put_bytes(bytes, size);
}

static void write_detail(enum heddle_record tag, uint32_t thread, uint32_t kind, uintptr_t object, uintptr_t code,
			 uint32_t callers)
{
	unsigned char record[64], *at = record;
	*at++ = (unsigned char)tag;
	at = put_number(at, thread);
	at = put_number(at, kind);
	at = put_number(at, object);
	at = put_number(at, code);
	at = put_number(at, callers);
	put_bytes(record, (size_t)(at - record));
}

void log_write_event(const struct thread *thread, uint32_t callers)
{
	write_detail(HEDDLE_RECORD_EVENT, thread->index, thread->kind, (uintptr_t)thread->object, thread->code,
		     callers);
}

void log_write_touch(const struct thread *thread, enum heddle_event_kind kind, const volatile void *object,
		     const struct heddle_site *site, uint32_t callers)
{
	write_detail(HEDDLE_RECORD_TOUCH, thread->index, kind, (uintptr_t)object, (uintptr_t)site, callers);
}

void log_write_expiry(const struct thread *thread, bool is_sleep, uint64_t now_ns)
{
	uint64_t deadline = thread->wait.length_ns ? thread->wait.end_ns : 0;
	write_detail(HEDDLE_RECORD_EXPIRY, thread->index, is_sleep, thread->wait.length_ns,
		     deadline > now_ns ? deadline - now_ns : 0, 0);
}

void log_write_callers(const uint64_t *addresses, uint32_t count)
{
	static unsigned char
		record[16 + 10 * HEDDLE_MAX_CALLERS]; /* not on a stack of the program, which may be small */
	unsigned char *at = record;
	*at++ = HEDDLE_RECORD_CALLERS;
	at = put_number(at, count);
	for (uint32_t i = 0; i < count; i++)
		at = put_number(at, addresses[i]);
	put_bytes(record, (size_t)(at - record));
}

void log_write_end(void)
{
	unsigned char record[16];
	if (world.is_recording)
		put_bytes(record, (size_t)(put_when(record, HEDDLE_RECORD_END) - record));
}

static unsigned char *prefix;
static uint32_t prefix_size;

void log_save_prefix(void)
{
	prefix_size = world.channel->log_used;
	prefix = world_pages(prefix_size + 1);
	if (prefix)
		memcpy(prefix, world.channel->log, prefix_size);
}

void log_restore_prefix(void)
{
	memcpy(world.channel->log, prefix, prefix_size);
	world.channel->log_used = prefix_size;
	if (world.channel->out_bytes) {
		world.channel->out_bytes = 0;
		sys_call(SYS_ftruncate, HEDDLE_FD_OUT, 0, 0, 0, 0, 0);
		sys_call(SYS_lseek, HEDDLE_FD_OUT, 0, 0 /* SEEK_SET */, 0, 0, 0);
	}
}

/* Reading. The log may come from anywhere: every read is bounds-checked. */

static const unsigned char *read_at, *read_end;
static const unsigned char *record_start; /* of log_next; null: it is none of the log */
static uint64_t read_event;
static uint64_t copied_event; /* of the last timed record before log_next */
static uint64_t buffers_left;
static uint64_t call_ordinal; /* of the last call that was read */
static bool is_listing;       /* nothing is copied */
struct log_asked log_asked;

_Noreturn static void log_bad(const char *why)
{
	world_fail(HEDDLE_OUTCOME_DIVERGED, "the log of the trace is damaged:", why);
}

static uint64_t get_number(void)
{
	uint64_t number = 0;
	for (unsigned shift = 0;; shift += 7) {
		if (read_at >= read_end || shift > 63)
			log_bad("unterminated number");
		number |= (uint64_t)(*read_at & 0x7f) << shift;
		if (!(*read_at++ & 0x80))
			return number;
	}
}

static const unsigned char *get_bytes(uint64_t size)
{
	const unsigned char *at = read_at;
	if (size > (uint64_t)(read_end - read_at))
		log_bad("bytes are missing");
	read_at += size;
	return at;
}

static void get_when(void)
{
	uint64_t coded = get_number();
	log_next.event = read_event += coded / 2;
	log_next.is_inside = coded & 1;
}

const unsigned char *log_peek_buffer(size_t *size)
{
	if (!buffers_left)
		log_bad("a call has too few results");
	buffers_left--;
	*size = get_number();
	return get_bytes(*size);
}

bool log_has_buffer(void)
{
	return buffers_left != 0;
}

size_t log_take(void *to, size_t size)
{
	size_t have;
	const unsigned char *from = log_peek_buffer(&have);
	memcpy(to, from, have < size ? have : size);
	return have;
}

static void read_asked(void)
{
	read_at++;
	log_asked.is_known = true;
	log_asked.wants = get_number();
	log_asked.arguments = get_number();
	log_asked.size_bytes = get_number();
	log_asked.told = get_number();
	log_asked.changes = get_number();
	log_asked.flags = (uint32_t)get_number();
}

static void read_record(void)
{
	size_t ignored;
	while (buffers_left)
		log_peek_buffer(&ignored);
	if (world.is_copying && record_start && !is_listing)
		put_bytes(record_start, (size_t)(read_at - record_start));
	log_asked.is_known = false;
	if (read_at < read_end && *read_at == HEDDLE_RECORD_ASKED)
		read_asked();
	record_start = read_at;
	copied_event = read_event;
	if (read_at >= read_end) {
		/* The log of a killed run has no end record: nothing is known after its last record. */
		log_next = (struct log_next){ .tag = HEDDLE_RECORD_END, .event = UINT64_MAX };
		return;
	}
	log_next = (struct log_next){ .tag = (enum heddle_record) * read_at++, .event = UINT64_MAX };
	/* The byte may be that of no kind. */
	switch (log_next.tag) {
	case HEDDLE_RECORD_END:
		get_when();
		break;
	case HEDDLE_RECORD_SWITCH:
	case HEDDLE_RECORD_READY:
	case HEDDLE_RECORD_CLOCK:
	case HEDDLE_RECORD_FAIR:
	case HEDDLE_RECORD_EARLY:
		get_when();
		log_next.value[0] = get_number();
		break;
	case HEDDLE_RECORD_SIGNAL:
		get_when();
		log_next.value[0] = get_number();
		log_next.value[1] = get_number();
		log_next.bytes = get_bytes(log_next.value[1]);
		break;
	case HEDDLE_RECORD_CALL: {
		log_next.value[0] = get_number();
		uint64_t coded = get_number();
		log_next.value[1] = coded >> 1 ^ -(coded & 1);
		buffers_left = get_number();
		log_next.value[2] = ++call_ordinal;
		break;
	}
	case HEDDLE_RECORD_BLOCK:
		break;
	case HEDDLE_RECORD_FILE:
		log_next.value[0] = get_number();
		log_next.value[1] = get_number();
		log_next.value[2] = get_number();
		log_next.bytes = get_bytes(log_next.value[2]);
		break;
	case HEDDLE_RECORD_EVENT:
	case HEDDLE_RECORD_CALLERS:
	case HEDDLE_RECORD_TOUCH:
	case HEDDLE_RECORD_EXPIRY:
	case HEDDLE_RECORD_ASKED: /* of what a replay writes, and answers.c reads */
	default:
		log_bad("a record has an unknown kind");
	}
}

void log_advance(void)
{
	if (world.has_turned) {
		log_next = (struct log_next){ .tag = HEDDLE_RECORD_END, .event = UINT64_MAX };
		buffers_left = 0;
		return;
	}
	read_record();
	world_replay_slice();
}

void log_each(void (*each)(void))
{
	const struct log_next next = log_next;
	const struct log_asked asked = log_asked;
	const unsigned char *at = read_at, *start = record_start;
	const uint64_t left = buffers_left, event = read_event, before = copied_event, ordinal = call_ordinal;
	is_listing = true;
	for (;;) {
		each();
		if (log_next.tag == HEDDLE_RECORD_END)
			break;
		read_record();
	}
	is_listing = false;
	log_next = next;
	log_asked = asked;
	read_at = at;
	record_start = start;
	buffers_left = left;
	read_event = event;
	copied_event = before;
	call_ordinal = ordinal;
}

struct log_call log_this_call(void)
{
	const unsigned char *at = read_at;
	struct log_call call = { .start = record_start,
				 .buffers = at,
				 .number = log_next.value[0],
				 .result = (long)log_next.value[1],
				 .buffer_count = buffers_left,
				 .ordinal = log_next.value[2] };
	size_t ignored;
	while (buffers_left)
		log_peek_buffer(&ignored);
	call.end = read_at;
	buffers_left = call.buffer_count;
	read_at = at;
	return call;
}

void log_answer_made(long number, long result, uint64_t ordinal)
{
	log_next = (struct log_next){ .tag = HEDDLE_RECORD_CALL,
				      .event = UINT64_MAX,
				      .value = { (uint64_t)number, (uint64_t)result, ordinal } };
	buffers_left = 0;
	log_write_call(number, result, 0);
}

void log_answer(const struct log_call *call)
{
	log_next = (struct log_next){ .tag = HEDDLE_RECORD_CALL,
				      .event = UINT64_MAX,
				      .value = { call->number, (uint64_t)call->result, call->ordinal } };
	read_at = call->buffers;
	buffers_left = call->buffer_count;
	if (world.is_recording)
		put_bytes(call->start, (size_t)(call->end - call->start));
}

void log_turn(void)
{
	written_event = copied_event;
	world.is_recording = world.is_copying;
	world.is_copying = false;
	world.has_turned = true;
	log_advance();
}

void log_copy_rest(void)
{
	/* From the record that comes next: what is before it was copied when it was read. */
	if (world.is_copying && record_start)
		put_bytes(record_start, (size_t)(read_end - record_start));
	record_start = NULL;
}

void log_write_asked(const struct log_asked *asked)
{
	unsigned char record[80], *at = record;
	*at++ = HEDDLE_RECORD_ASKED;
	at = put_number(at, asked->wants);
	at = put_number(at, asked->arguments);
	at = put_number(at, asked->size_bytes);
	at = put_number(at, asked->told);
	at = put_number(at, asked->changes);
	at = put_number(at, asked->flags);
	put_bytes(record, (size_t)(at - record));
}

void log_open(void)
{
	uint64_t size = world.channel->in_bytes;
	int64_t real = sys_file_size(HEDDLE_FD_IN);
	if (real < 0 || (uint64_t)real < size)
		log_bad("it is too short");
	/* At a place of ours: a run that is recorded has no such mapping, and where the kernel puts others must not differ. */
	long at = size ? sys_call(SYS_mmap, (long)(PLACE_WORLD + LOG_OFFSET), (long)size, PROT_READ,
				  MAP_PRIVATE | MAP_FIXED_NOREPLACE, HEDDLE_FD_IN, 0)
		       : 0;
	if (sys_failed(at))
		log_bad("it cannot be mapped");
	read_at = (const unsigned char *)at;
	read_end = read_at + size;
	log_advance();
}
