/*
 * report.h: parses what the runtime reports about the end of a run (channel.report, see heddle/abi.h). The text may
 * come from a file or from a program that went wrong: lines that are not understood are skipped.
 */
#ifndef TRACE_REPORT_H
#define TRACE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "heddle/abi.h"

struct report_module {
	uint64_t start, end, offset;
	const char *path;
};

/* Registers, and a copy of the memory from start. size is 0 when there is none. */
struct report_stack {
	uint64_t rip, rsp, rbp, rbx, r12, r13, r14, r15;
	uint64_t start;
	const unsigned char *bytes;
	size_t size;
};

struct report_thread {
	uint32_t index;
	const char *state, *name;
	const char *waits; /* what for, or null */
	uint64_t object;
	uint32_t owner; /* 0: no known thread */
	uint64_t start; /* the function that it began in; 0: not known */
	bool has_words;
	uint64_t words[3]; /* of the heap block that it was given: the first, and the last two */
	uint64_t *code;    /* addresses, innermost first */
	size_t code_count;
	struct report_stack stack;
};

enum report_access_kind {
	REPORT_READ,
	REPORT_WRITE,
	REPORT_ATOMIC_READ,
	REPORT_ATOMIC_WRITE,
	REPORT_FREE,
	REPORT_REALLOC,    /* only if the argument is not a live block */
	REPORT_ALLOCATION, /* only as the earlier access */
	REPORT_ACCESS_COUNT
};

struct report_access {
	uint32_t thread;
	enum report_access_kind kind;
	uint64_t place; /* of a struct heddle_site, or code for a free, realloc or allocation; 0: not known */
};

/* Whether it is an access of woven code, whose place is a site; otherwise a call of the heap. */
static inline bool report_is_site(const struct report_access *access)
{
	return access->kind != REPORT_FREE && access->kind != REPORT_REALLOC && access->kind != REPORT_ALLOCATION;
}

struct report_race {
	uint64_t event, address, size;
	struct report_access later, earlier;
	uint64_t epoch; /* of the earlier one */
	uint64_t key;   /* see heddle/abi.h; 0: none */
};

/* The state of the block or of the address. INSIDE: an error for calls that need the start of a block. */
enum report_block_state { REPORT_FREED, REPORT_INSIDE, REPORT_BEYOND, REPORT_NEVER, REPORT_STATE_COUNT };
extern const char *const report_state_words[REPORT_STATE_COUNT];

/* An access to memory that does not belong to the program, or a call that frees something that is not a live block, which ends the run. */

struct report_memory {
	uint64_t event, address, size;
	struct report_access access;
	enum report_block_state state;
	uint64_t start, block_size;
	uint64_t made, freed; /* numbers of the heap's calls */
	uint64_t key;         /* see heddle/abi.h; 0: none */
};

/* A lock as a thread held it. */
struct report_held {
	uint64_t lock, code;
	uint64_t event; /* when it was taken; not in an order */
	const char *mode;
	/* The calls that it was taken in, as HEDDLE_RECORD_CALLERS has them; not in an order. */
	uint64_t callers[HEDDLE_MAX_CALLERS];
	size_t caller_count;
};

/* A thread took the second lock while it held the first. before and others as in the line: "SLOT:CLOCK,..." or "-", and
 * addresses of locks. */
struct report_order {
	uint32_t thread;
	uint64_t event, epoch;
	const char *before;
	struct report_held first, second;
	const char *others;
};

/* What a watch reported. */
struct report_watch {
	bool is_seen, has_value, has_block;
	uint64_t event;
	uint64_t before, after; /* values */
	struct report_held *held;
	size_t held_count;
	uint64_t block_start, block_size, made, freed;
	bool is_block_live;
	struct report_thread thread; /* the thread, and its stack */
};

/* What orders two accesses to common bytes in all instances of a run. */
enum report_common_order {
	REPORT_COMMON_UNORDERED, /* nothing: it is a race */
	REPORT_COMMON_UNKNOWN,
	REPORT_COMMON_LOCK,    /* one that is held at both */
	REPORT_COMMON_CREATED, /* the later thread was created after the earlier access */
	REPORT_COMMON_ENDED,   /* the earlier thread had ended */
	REPORT_COMMON_ATOMIC,  /* both are atomic */
	REPORT_COMMON_COUNT
};

/* Two threads made accesses of these places to common bytes, one of them a write. */
struct report_common {
	uint64_t places[2];
	enum report_common_order order;
	uint64_t lock; /* the first of the locks that are held at both; 0: none */
};

/* An access to memory that all accesses are reported of. */
#define REPORT_ACCESSED_LOCKS 8u
struct report_accessed {
	uint32_t watch; /* its number */
	uint64_t event; /* there were as many when it was made */
	struct report_access access;
	uint64_t address;       /* of its first byte */
	uint64_t before, after; /* values of the watched bytes */
	size_t lock_count;      /* that the thread had */
	uint64_t locks[REPORT_ACCESSED_LOCKS];
	bool is_shared[REPORT_ACCESSED_LOCKS];
};

/* A statement of inline assembly. */
struct report_opaque {
	uint64_t line; /* 0: not known */
	const char *function, *file;
};

/* How a run ended whose state is compared (heddle/abi.h). */
enum report_compared_end {
	REPORT_NOT_COMPARED,
	REPORT_COMPARED,         /* both regions ended; all of struct report_state is known */
	REPORT_COMPARED_UNKNOWN, /* they did, and the memory is not known */
	REPORT_COMPARED_ENDLESS, /* a region does not end */
	REPORT_COMPARED_NOT,     /* the order could not be had */
};

enum report_memory_of { REPORT_OF_DATA, REPORT_OF_STACK, REPORT_OF_BLOCK, REPORT_OF_MAPPING, REPORT_OF_COUNT };

/* Eight bytes that changed. */
struct report_changed {
	uint64_t address, before, after;
	enum report_memory_of of;
	uint32_t thread;            /* of a stack */
	uint64_t start, size, made; /* of a block: number of the heap's call; 0: since the hold began */
};

/* Ascending addresses; those of visited and touched in no order. */
struct report_state {
	enum report_compared_end end;
	struct report_changed *changed;
	size_t changed_count;
	uint64_t unlisted, unlisted_hash;
	uint64_t live_bytes;
	uint64_t *visited, *touched;
	size_t visited_count, touched_count;
	bool is_more; /* there was no room for all of these */
};

/* Strings and copies of memory point into text. Lookup by index: report_thread. */
struct report {
	char *text;
	struct report_thread *threads;
	size_t thread_count;
	struct report_module *modules;
	size_t module_count;
	const char **notes;
	size_t note_count;
	const char **limits; /* what does not work or is not tested under control */
	size_t limit_count;
	struct report_opaque *opaque; /* inline assembly that ran and is not understood */
	size_t opaque_count;
	const char **missed; /* what was not checked */
	size_t missed_count;
	struct report_race *races;
	size_t race_count;
	struct report_memory *memories;
	size_t memory_count;
	struct report_order *orders;
	size_t order_count;
	uint64_t *reached; /* places of accesses that strategy pair was asked for */
	size_t reached_count;
	struct report_common *commons; /* each two places once */
	size_t common_count;
	struct report_watch *watches; /* by number; those without a report may be missing: see report_watch */
	size_t watch_count;
	struct report_accessed *accessed; /* as they came */
	size_t accessed_count;
	struct report_state state;
};

/* Caller's storage; cannot fail. */
void report_parse(struct report *report, const char *text, size_t size_bytes);
void report_release(struct report *report);

/* What the watch of that number reported; null: nothing. */
const struct report_watch *report_watch(const struct report *report, uint32_t number);

/* Whether a thread came to the access at that place, as strategy pair reports it. */
bool report_is_reached(const struct report *report, uint64_t place);

/* The thread of that index, or null. */
const struct report_thread *report_thread(const struct report *report, uint32_t index);

/* Whether it is a call of free or realloc, not an access. */
bool report_is_bad_free(const struct report_memory *memory);

/* Of such a call: whether it gets the start of a block that was freed before; and a word for what it is, for keys. */
bool report_is_freed_again(const struct report_memory *memory);
const char *report_free_word(const struct report_memory *memory);

/* The call of free or realloc that ended the run; null: there was none. */
const struct report_memory *report_bad_free(const struct report *report);

/* The first thread of a cycle of threads that wait for each other, each for its owner; null when there is none. */
const struct report_thread *report_cycle(const struct report *report);

/* Whether code of a file is mapped at the address. */
bool report_is_code(const struct report *report, uint64_t address);

#endif
