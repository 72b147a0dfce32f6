/*
 * abi.h: what woven objects, the runtime and the tools agree on.
 *
 * A woven object (an executable or a shared library linked by heddle-cc) carries read-only tables in allocated
 * sections: one struct heddle_function for each function of the object that heddle-cc compiled, one struct heddle_site
 * for each static memory access of a clone, and the strings they name. Everything in the tables is position
 * independent: a field of type heddle_rel holds the distance from the field itself to what it names, and 0 means
 * "nothing". So the tables need no dynamic relocation, cost nothing at start-up, and can be read from the file as
 * well as from memory.
 *
 * How the tables are found: an ELF note (owner "Heddle", type HEDDLE_NOTE_OBJECT) whose descriptor is a struct
 * heddle_note. In a running process the object's first constructor passes its struct heddle_object to
 * __heddle_register when the runtime is loaded.
 *
 * Invariants:
 *  1. A change to anything here, to the order or the meaning of a field or of an enumerator, bumps HEDDLE_ABI_VERSION.
 *     mk/abi.sum holds the version and a checksum of this header, strategies.h and guard.h without their comments. After a
 *     change, raise HEDDLE_ABI_VERSION if the current version was released, run tests/project/abi.t, and write the
 *     line that it prints into mk/abi.sum.
 *     Assured by tests/project/abi.t.
 *  2. The header compiles alone, in C and C++, and needs nothing but stdint.h and stddef.h.
 *     Assured by tests/project/abi.t.
 *  3. Readers trust nothing: every distance and count read from a file is checked against the file.
 *     Assured by tests/unit/hostile.t.
 */
#ifndef HEDDLE_ABI_H
#define HEDDLE_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "strategies.h"

#define HEDDLE_ABI_VERSION 8u

#define HEDDLE_NOTE_NAME "Heddle"
#define HEDDLE_NOTE_OBJECT 1u
#define HEDDLE_MAGIC "HEDDLEOB"

/* Names of the sections that hold the tables. */
#define HEDDLE_SECTION_FUNCTIONS "heddle_functions"
#define HEDDLE_SECTION_SITES "heddle_sites"
#define HEDDLE_SECTION_INLINES "heddle_inlines"
#define HEDDLE_SECTION_CALLS "heddle_calls"
#define HEDDLE_SECTION_LINES "heddle_lines"
#define HEDDLE_SECTION_CLONES "heddle_text"
#define HEDDLE_SECTION_UNITS ".line.heddle" /* not allocated; the format is that of src/ir/unit.h */

/* A distance in bytes from the field itself to what it names; 0 names nothing. */
typedef int32_t heddle_rel;

/* What a site does to memory. The numbers are part of the ABI. */
enum heddle_access {
	HEDDLE_ACCESS_NONE = 0, /* a placeholder record, which readers skip, or HEDDLE_SITE_NAME */
	HEDDLE_ACCESS_READ = 1,
	HEDDLE_ACCESS_WRITE = 2,
	HEDDLE_ACCESS_ATOMIC_READ = 3,
	HEDDLE_ACCESS_ATOMIC_WRITE = 4,
	HEDDLE_ACCESS_ATOMIC_UPDATE = 5,   /* read-modify-write */
	HEDDLE_ACCESS_ATOMIC_EXCHANGE = 6, /* compare and exchange: may turn out to be a read only */
	HEDDLE_ACCESS_FENCE = 7,
	HEDDLE_ACCESS_OPAQUE = 8, /* inline assembly that is not understood: no event; the address is null */
	HEDDLE_ACCESS_COUNT
};

/* Memory orders, in C11's order of strength. A site packs them: low four bits the order of the access (on success),
 * high four bits the order of a compare and exchange that fails. */
enum heddle_order {
	HEDDLE_ORDER_PLAIN = 0,
	HEDDLE_ORDER_UNORDERED = 1,
	HEDDLE_ORDER_RELAXED = 2,
	HEDDLE_ORDER_ACQUIRE = 3,
	HEDDLE_ORDER_RELEASE = 4,
	HEDDLE_ORDER_ACQ_REL = 5,
	HEDDLE_ORDER_SEQ_CST = 6,
};

enum heddle_site_flag {
	HEDDLE_SITE_VOLATILE = 1u << 0,
	HEDDLE_SITE_RANGE = 1u << 1,  /* the length is known at run time only, or is not 1, 2, 4, 8 or 16 */
	HEDDLE_SITE_MASKED = 1u << 2, /* a vector access under a mask; size is that of one element */
	HEDDLE_SITE_VECTOR = 1u << 3,
	HEDDLE_SITE_VA_ARG = 1u << 4,
	HEDDLE_SITE_MEMORY_INTRINSIC = 1u << 5, /* memcpy, memmove, memset and their kin */
	HEDDLE_SITE_SINGLE_THREAD = 1u << 6,    /* atomic against signal handlers of the same thread only */
	HEDDLE_SITE_ARGUMENT_COPY = 1u << 7,    /* the caller copies a structure passed by value */
	HEDDLE_SITE_FIXED = 1u << 8,            /* always the same address: struct heddle_call says which */
	HEDDLE_SITE_PROVED = 1u << 9, /* cannot race, so its hook is no event: only an audit reports it to detection */
	HEDDLE_SITE_QUIET = 1u << 10, /* the same, and detailed runs record it */
	HEDDLE_SITE_ASSEMBLY = 1u << 12, /* by inline assembly */
	HEDDLE_SITE_LOOP = 1u << 13,     /* by inline assembly with a loop in it: hook number 16 is called there */
	HEDDLE_SITE_PROMISED = 1u << 14, /* not proved but promised by whoever built the program */
	HEDDLE_SITE_ENCODED = 1u << 16,  /* the optimiser encodes the variable: the bytes are not its value */
	HEDDLE_SITE_NAME =
		1u << 17, /* no access: the name of what a call locks or waits for; size: enum heddle_named */
	/* Proved although other threads access the same bytes: never at the same time ... */
	HEDDLE_SITE_SHARED = 1u << 18,
	/* ... or only with locks held: the names of the locks are a second string, after the NUL of the variable name. Either may be empty. */
	HEDDLE_SITE_LOCKED = 1u << 19,
	/* A write of what is computed, by arithmetic, from a value that was read at the same place; ... */
	HEDDLE_SITE_COMPUTED = 1u << 20,
	/* ... and a read of a value that is used for nothing but such writes. */
	HEDDLE_SITE_ONLY_COMPUTED = 1u << 21,
	/* A read of which only some bits are used: the string of them, a hexadecimal number, follows the others. */
	HEDDLE_SITE_BITS = 1u << 22,
};

/* What a record with HEDDLE_SITE_NAME names. Such records follow the sites of their function and are not counted in its site_count. */
enum heddle_named {
	HEDDLE_NAMED_LOCK = 1, /* mutexes, read-write locks, spin locks */
	HEDDLE_NAMED_CONDITION = 2,
	HEDDLE_NAMED_SEMAPHORE = 3,
	HEDDLE_NAMED_BARRIER = 4,
	HEDDLE_NAMED_ONCE = 5,
};

/* A flag in the line of a site or an inlining: the optimiser merged code of several lines, so it has no line of its own, and this is
 * the nearest line of the same function, or the line of its declaration. The column is 0. */
#define HEDDLE_LINE_NEAR 0x80000000u

/* One static memory access in a clone. 32 bytes; the table is dense, so (address - start) / 32 is the site's id. */
struct heddle_site {
	heddle_rel function; /* struct heddle_function that the access was compiled into */
	heddle_rel file;     /* string; where the access is written, which may be inside an inlined function */
	uint32_t line;       /* 0: unknown; may have HEDDLE_LINE_NEAR */
	uint16_t column;     /* 0: unknown; 65535: that or more */
	uint8_t access;      /* enum heddle_access */
	uint8_t order;       /* enum heddle_order, two of them packed */
	uint32_t size;       /* bytes; 0: known at run time only */
	heddle_rel variable; /* string: "q->head", "table[]"; nothing when no name could be found */
	heddle_rel inlined;  /* struct heddle_inline: the innermost inlined function the access is written in */
	uint32_t flags;      /* enum heddle_site_flag */
};

/* One step of an inlining chain: the access (or the step before) is written in function NAME, which was inlined at
 * file:line:column. The chain ends at the function of the site itself. */
struct heddle_inline {
	heddle_rel function; /* string: linkage name where there is one */
	heddle_rel file;     /* string: where the call was */
	uint32_t line;       /* as of a site */
	uint32_t column;
	heddle_rel next; /* struct heddle_inline: the function that contains the call, if that was inlined too */
};

/* Source lines of a unit as they were when it was compiled, without white space and comments: every line that contains an access or a
 * call, and the nearest two lines of code on each side of it. Text in the format of base/lines.h, compressed by zstd, follows, padded
 * with zeros to a multiple of 8 bytes. Empty records are padding. */
struct heddle_lines {
	uint32_t packed_bytes, plain_bytes;
};

/* Why a function has no clone. The numbers are part of the ABI; heddle_plain_names in the tools names them. */
enum heddle_plain {
	HEDDLE_PLAIN_NOT = 0, /* it has a clone */
	HEDDLE_PLAIN_NAKED = 1,
	HEDDLE_PLAIN_IFUNC_RESOLVER = 2,
	HEDDLE_PLAIN_COMPUTED_GOTO = 3,
	HEDDLE_PLAIN_OWN_ENTRY = 4,   /* the program asked for prologue data or a patchable entry of its own */
	HEDDLE_PLAIN_DISCARDED = 5,   /* refers to something that the linker did not keep */
	HEDDLE_PLAIN_EXCLUDED = 6,    /* __attribute__((disable_sanitizer_instrumentation)) */
	HEDDLE_PLAIN_ASM_SYMBOL = 7,  /* its inline assembly defines a symbol, which cannot be defined twice */
	HEDDLE_PLAIN_ASM_PRIVATE = 8, /* needs assembly that only its own unit has */
	HEDDLE_PLAIN_COUNT
};

enum heddle_function_flag {
	HEDDLE_FUNCTION_VARARGS = 1u << 0,
	HEDDLE_FUNCTION_RETURNS_TWICE = 1u << 1, /* calls setjmp or a similar function */
	HEDDLE_FUNCTION_EXCEPTIONS = 1u << 2,    /* has landing pads */
	HEDDLE_FUNCTION_LOCAL = 1u << 3,         /* static in its source */
};

/* One function that heddle-cc compiled and the linker kept. */
struct heddle_function {
	heddle_rel original; /* code; the patchable entry is there, behind an endbr64 if there is one */
	heddle_rel clone;    /* code; nothing when plain is set */
	heddle_rel name;     /* string: linkage name */
	heddle_rel file;     /* string */
	uint32_t line;
	heddle_rel sites; /* struct heddle_site: the first of site_count */
	uint32_t site_count;
	uint32_t skipped_count; /* accesses not instrumented because they are provably not shared */
	uint32_t asm_count;     /* inline assembly statements that are not understood */
	uint16_t plain;         /* enum heddle_plain */
	uint16_t flags;         /* enum heddle_function_flag */
};

/*
 * How a clone announces an access. It calls a stub of its own object (rt/woven.c); the stub leads to an entry of the
 * runtime, which leads to one of these functions. Plain accesses are announced before they happen. An atomic access is
 * bracketed: begin, the access itself, end. The functions may be called in a signal handler. They are ordinary C
 * functions, but must not use vector registers or the x87 stack: clones rely on those being as they were.
 */
struct heddle_hooks {
	void (*read[5])(const volatile void *address, const struct heddle_site *site); /* 1, 2, 4, 8, 16 bytes */
	void (*write[5])(const volatile void *address, const struct heddle_site *site);
	void (*read_range)(const volatile void *address, size_t size_bytes, const struct heddle_site *site);
	void (*write_range)(const volatile void *address, size_t size_bytes, const struct heddle_site *site);
	/* Bit i of lanes set: the element i of site->size bytes at address + i * site->size is accessed. */
	void (*read_masked)(const volatile void *address, uint64_t lanes, const struct heddle_site *site);
	void (*write_masked)(const volatile void *address, uint64_t lanes, const struct heddle_site *site);
	/* address is null for a fence and for what is opaque, which has no end. is_done: 0 if a compare and exchange failed, else 1. */
	void (*atomic_begin)(const volatile void *address, const struct heddle_site *site);
	void (*atomic_end)(const volatile void *address, const struct heddle_site *site, uint32_t is_done);
	/* In between, before inline assembly jumps back: it may wait for another thread. The access is the one that the
	 * thread has begun last with HEDDLE_SITE_LOOP. */
	void (*atomic_again)(void);
};

#define HEDDLE_HOOK_READ 0u
#define HEDDLE_HOOK_WRITE 5u
#define HEDDLE_HOOK_READ_RANGE 10u
#define HEDDLE_HOOK_WRITE_RANGE 11u
#define HEDDLE_HOOK_READ_MASKED 12u
#define HEDDLE_HOOK_WRITE_MASKED 13u
#define HEDDLE_HOOK_ATOMIC_BEGIN 14u
#define HEDDLE_HOOK_ATOMIC_END 15u
#define HEDDLE_HOOK_ATOMIC_AGAIN 16u
#define HEDDLE_HOOK_COUNT 17u

/*
 * Stubs: __heddle_rN_REG and __heddle_wN_REG announce a read or a write of 1 << N bytes, for each general register REG
 * but rsp, r10 and r11, and with "fixed" for REG. The address is that in the register (0 for fixed) plus what the struct
 * heddle_call of the return address says. __heddle_call_K is hook number K with its arguments in rdi, rsi and rdx. A
 * stub changes no register but r11 and the flags, and does not need the stack to be aligned. __heddle_again is hook number 16
 * for use inside inline assembly: it changes no register, and no flag. It jumps to the entry with
 * the context pushed and, for the first kind, the base address in r11. Calls of the first kind allow whoever redirects
 * them to change r10 as well.
 */
struct heddle_gate {
	const void *context; /* the runtime's own, for this object */
	void (*entries[HEDDLE_HOOK_COUNT])(void);
};

/* One call of a stub of the first kind. A site may have several: the compiler may duplicate code. */
struct heddle_call {
	heddle_rel after; /* code: the return address */
	heddle_rel site;
	/* Added to the base; for a site with HEDDLE_SITE_FIXED, a heddle_rel to what is accessed. */
	int32_t displacement;
};

/* Written by the weave for each link: the identity of the object, and what was not woven. */
struct heddle_build {
	uint8_t id[16];           /* of the IR of all units, the options and the version of the weave */
	uint32_t unit_count;      /* translation units compiled by heddle-cc */
	uint32_t foreign_count;   /* functions from other compilers and from assembly */
	uint32_t discarded_count; /* functions that heddle-cc compiled and the linker dropped */
	uint32_t reserved;
};

/* The root of the tables. One in each woven object. heddle-cc writes the bounds after the last link. */
struct heddle_object {
	char magic[8];
	uint32_t version; /* HEDDLE_ABI_VERSION */
	uint32_t size_bytes;
	heddle_rel build; /* struct heddle_build */
	heddle_rel functions, functions_end;
	heddle_rel sites, sites_end;
	heddle_rel inlines, inlines_end;
	heddle_rel calls, calls_end;
	heddle_rel lines, lines_end;
	heddle_rel clones, clones_end; /* code */
	heddle_rel gate;               /* struct heddle_gate, writable; null until the runtime fills it */
	uint64_t check;                /* heddle_check from 0 on: the tables of functions, sites, inlines, calls */
	uint64_t root_check;           /* the same over this structure up to here: whether the bounds can be trusted */
};

/* Mixes a table into a checksum that detects accidental damage: a damaged file must not be mistaken for one with other sites. Sizes of
 * tables are multiples of four bytes, and nothing changes the tables after the link. */
static inline uint64_t heddle_check(uint64_t check, const void *table, size_t size_bytes)
{
	const unsigned char *at = (const unsigned char *)table;
	uint64_t word = size_bytes;
	for (size_t left = size_bytes;; left -= 8, at += 8) {
		check = (check ^ word) * 0x9e3779b97f4a7c15u;
		check ^= check >> 29;
		if (left == 0)
			return check;
		word = 0;
		__builtin_memcpy(&word, at, left < 8 ? 4 : 8);
		if (left < 8)
			left = 8;
	}
}

/* The descriptor of the note. */
struct heddle_note {
	uint32_t version;
	heddle_rel object;
};

/*
 * Counting (HEDDLE_OPTIONS count=FILE). The file is made by the tool, sparse and large; every process that runs with
 * it maps it shared and takes its parts by atomic addition, so nothing is lost when one of them dies.
 *   [0]                    struct heddle_counts
 *   [at each entry.counts] uint64_t [HEDDLE_COUNT_SHARDS][site_count], summed over the shards by the reader
 */
#define HEDDLE_COUNT_SHARDS 16u
#define HEDDLE_COUNT_OBJECTS 1024u
#define HEDDLE_COUNTS_MAGIC "HEDDLECT"

struct heddle_count_object {
	uint32_t is_ready; /* set last, with release; its partner is the reader's acquire */
	uint32_t site_count;
	uint64_t counts; /* offset in the file */
	uint8_t build[16];
	char path[480]; /* of the object; truncated if longer, and then not found by the reader, which reports that */
};

struct heddle_counts {
	char magic[8];
	uint32_t version;
	uint32_t object_count;   /* may exceed HEDDLE_COUNT_OBJECTS: the rest was lost, which the reader reports */
	uint64_t used_bytes;     /* next free offset */
	uint64_t size_bytes;     /* of the file */
	uint32_t process_count;  /* processes that registered at least one woven object */
	uint32_t switched_count; /* functions switched to their clones, over all processes */
	uint64_t lost_objects;   /* no room in the file */
	struct heddle_count_object objects[HEDDLE_COUNT_OBJECTS];
};

/*
 * Control (HEDDLE=control). Tool and runtime share one block of memory, the channel, and up to two files, by descriptors
 * with fixed numbers that the program under control can neither see nor close. What the program did is a log of records;
 * the runtime appends them to channel.log and moves that to HEDDLE_FD_OUT when it is full, so nothing is lost when the
 * program dies. To replay, the same log is read from HEDDLE_FD_IN.
 */
#define HEDDLE_CHANNEL_MAGIC "HEDDLECH"
#define HEDDLE_FD_FIRST 1016   /* the runtime's own descriptors are from here ... */
#define HEDDLE_FD_CHANNEL 1016 /* struct heddle_channel, shared */
#define HEDDLE_FD_OUT 1017     /* log or, in a replay with HEDDLE_CONTROL_DETAIL, the events; optional */
#define HEDDLE_FD_IN 1018      /* the log to replay; optional */
#define HEDDLE_FD_SERVER 1019  /* a socket: a byte from the tool requests a schedule, a byte back reports its end */
#define HEDDLE_FD_PATCHES 1020 /* struct heddle_patches; optional */
#define HEDDLE_FD_LAST 1023    /* ... to here */

enum heddle_control_flag {
	HEDDLE_CONTROL_RECORD = 1u << 0,    /* write the log */
	HEDDLE_CONTROL_REPLAY = 1u << 1,    /* read the log; nothing is read from outside */
	HEDDLE_CONTROL_DETAIL = 1u << 2,    /* write HEDDLE_RECORD_EVENT for each event */
	HEDDLE_CONTROL_SERVER = 1u << 3,    /* stop before main and fork for each schedule */
	HEDDLE_CONTROL_REAL_DATE = 1u << 4, /* the date does not follow from the seed */
	HEDDLE_CONTROL_DISCARD = 1u << 5,   /* discard the program's standard output and error */
	HEDDLE_CONTROL_DETECT = 1u << 6,    /* look for races and memory errors; decided when the program starts */
	HEDDLE_CONTROL_HOT = 1u << 7,       /* plain accesses are points only at the sites in channel.hot */
	HEDDLE_CONTROL_CHOICES = 1u << 8,   /* fill channel.choices; for a steered schedule with HEDDLE_CONTROL_HOT */
	HEDDLE_CONTROL_STEPS = 1u << 9,     /* fill channel.reported_steps */
	HEDDLE_CONTROL_EARLY =
		1u << 10, /* sleeps and time-outs may end while others can run: see world/schedule/early.h */
	HEDDLE_CONTROL_LATE = 1u << 11,  /* with HEDDLE_CONTROL_EARLY: long sleeps, too */
	HEDDLE_CONTROL_AUDIT = 1u << 12, /* detection sees proved accesses too; they are still no events */
	/* A replay that writes the log again, with HEDDLE_RECORD_ASKED before each call. */
	HEDDLE_CONTROL_ASKED = 1u << 13,
	/* A replay of such a log up to hold.event, where the strategy begins: what calls ask of the outside from there on is answered by the rest of
	 * the log (world/answers.h). With HEDDLE_CONTROL_RECORD the run is recorded as a whole. */
	HEDDLE_CONTROL_ONWARD = 1u << 14,
	HEDDLE_CONTROL_ALONE = 1u << 15, /* with HEDDLE_CONTROL_CHOICES: also where only one thread can run */
};

/* How a run ended. The numbers are part of the ABI. */
enum heddle_outcome {
	HEDDLE_OUTCOME_NONE = 0,   /* it did not end, or was killed from outside: see the wait status */
	HEDDLE_OUTCOME_EXIT = 1,   /* status: the exit status */
	HEDDLE_OUTCOME_SIGNAL = 2, /* status: a signal that the program caused itself: crash, abort, failed assertion */
	HEDDLE_OUTCOME_DEADLOCK = 3,   /* no thread can ever run again */
	HEDDLE_OUTCOME_LIVELOCK = 4,   /* the event budget is used up */
	HEDDLE_OUTCOME_DIVERGED = 5,   /* the replay did not follow the log */
	HEDDLE_OUTCOME_REFUSED = 6,    /* it did something that cannot be recorded */
	HEDDLE_OUTCOME_EXEC = 7,       /* it executed another program */
	HEDDLE_OUTCOME_HANG = 8,       /* no event for a long time: it spins in code that is not woven */
	HEDDLE_OUTCOME_LOG_FAILED = 9, /* the log could not be written; the program was ended */
	HEDDLE_OUTCOME_PREFIX = 10, /* a replay ended after channel.stop_after, and had followed the log until then */
	HEDDLE_OUTCOME_UNANSWERED =
		11, /* with HEDDLE_CONTROL_ONWARD: the program asked for what the log does not have */
};

/* What a thread does at an event. The numbers are part of the ABI. */
enum heddle_event_kind {
	HEDDLE_EVENT_NONE = 0,
	HEDDLE_EVENT_READ,
	HEDDLE_EVENT_WRITE,
	HEDDLE_EVENT_ATOMIC,
	HEDDLE_EVENT_THREAD_START,
	HEDDLE_EVENT_THREAD_END,
	HEDDLE_EVENT_THREAD_CREATE,
	HEDDLE_EVENT_THREAD_JOIN,
	HEDDLE_EVENT_THREAD_DETACH,
	HEDDLE_EVENT_THREAD_CANCEL,
	HEDDLE_EVENT_YIELD,
	HEDDLE_EVENT_SLEEP,
	HEDDLE_EVENT_MUTEX_LOCK,
	HEDDLE_EVENT_MUTEX_TRYLOCK,
	HEDDLE_EVENT_MUTEX_UNLOCK,
	HEDDLE_EVENT_COND_WAIT,
	HEDDLE_EVENT_COND_SIGNAL,
	HEDDLE_EVENT_COND_BROADCAST,
	HEDDLE_EVENT_RWLOCK_READ_LOCK,
	HEDDLE_EVENT_RWLOCK_WRITE_LOCK,
	HEDDLE_EVENT_RWLOCK_UNLOCK,
	HEDDLE_EVENT_SPIN_LOCK,
	HEDDLE_EVENT_SPIN_UNLOCK,
	HEDDLE_EVENT_BARRIER_WAIT,
	HEDDLE_EVENT_SEM_WAIT,
	HEDDLE_EVENT_SEM_POST,
	HEDDLE_EVENT_ONCE,
	HEDDLE_EVENT_FUTEX,   /* a futex of libc or of the program */
	HEDDLE_EVENT_SYSCALL, /* object: its number */
	HEDDLE_EVENT_SIGNAL,  /* object: its number */
	HEDDLE_EVENT_SKIPPED, /* synchronisation that does nothing: without= in HEDDLE_OPTIONS */
	HEDDLE_EVENT_COUNT
};

/*
 * A record is a tag byte and its fields as LEB128 numbers, least significant group first; negative ones are zigzag
 * coded. "When" is the number of events since the last record that has one, times 2, plus 1 if it happened in the
 * middle of the last of these events' operation and not before it.
 */
enum heddle_record {
	HEDDLE_RECORD_END = 0,    /* when: the run ended in an orderly way; nothing follows */
	HEDDLE_RECORD_SWITCH = 1, /* when, thread * 2 (+ 1 if the one before could not go on): it runs from here */
	HEDDLE_RECORD_READY = 2,  /* when, thread * 4 + enum wake: its wait for the outside is over, or timed out */
	HEDDLE_RECORD_CLOCK = 3,  /* when, nanoseconds: virtual time jumped */
	HEDDLE_RECORD_SIGNAL = 4, /* when, number, size, siginfo bytes: a signal from outside */
	HEDDLE_RECORD_CALL = 5,   /* number, result (zigzag), count, then for each buffer: size, bytes */
	HEDDLE_RECORD_BLOCK = 6,  /* the call that is being made waits for the outside */
	HEDDLE_RECORD_EVENT = 7,  /* detail: thread, enum heddle_event_kind, object, code address, callers */
	/* Detail: count, code addresses of the frames found by frame pointers, innermost first. These records are numbered from 1 in
	 * their order; an event without callers has number 0. */
	HEDDLE_RECORD_CALLERS = 8,
	HEDDLE_RECORD_TOUCH = 9, /* detail: an access that is no event, as HEDDLE_RECORD_EVENT */
	HEDDLE_RECORD_FAIR = 10, /* when, 0: a fair schedule follows, as the run seemed to make no progress */
	/* Number of a file that is mapped MAP_SHARED, offset, size, bytes: the call before it changed them in the file; with size 0
	 * the file ends at the offset. */
	HEDDLE_RECORD_FILE = 11,
	/* When, thread: time jumps to where its wait ends, although others could run. The jump and all waits that end follow. */
	HEDDLE_RECORD_EARLY = 12,
	/* Detail: thread, 1 for a sleep and 0 for a time-out, its length in nanoseconds, what was left of it, 0. */
	HEDDLE_RECORD_EXPIRY = 13,
	/* With HEDDLE_CONTROL_ASKED, before the call that it is about: what it asks for, its other arguments, bytes, what its peer was told and
	 * what files it had changed before, and flags; see src/world/answers.c. */
	HEDDLE_RECORD_ASKED = 14,
};

#define HEDDLE_MAX_CALLERS 32u

/* The maximum number of events by which channel.event_count may be out of date. */
#define HEDDLE_EVENTS_LATE 2000u

#define HEDDLE_REPORT_ROOM (1u << 20) /* maximum size of a report in bytes, ... */
#define HEDDLE_WATCH_ROOM (32u << 20) /* ... and of one with watches, each of which has a stack */
#define HEDDLE_LOG_ROOM (1u << 20)

/* The note of a run that outside_seconds ended. */
#define HEDDLE_NOTE_OUTSIDE "nothing came from outside for a long time"
/* The note of a run with HEDDLE_CONTROL_ONWARD that ends because the outside was told something else than in the recorded run. */
#define HEDDLE_NOTE_TOLD                                                                                               \
	"the program wrote something else than in the recorded run: what comes next from there is not in the log"
/* The note of a run whose deadlock may be none. */
#define HEDDLE_NOTE_SIGNAL "a thread waits for a signal from outside that has a handler, and schedules send none"

/* What a run with HEDDLE_CONTROL_DETECT reports in detail: for a second pass over a known run. */
enum heddle_watch_kind {
	HEDDLE_WATCH_NONE = 0,
	HEDDLE_WATCH_ACCESS = 1, /* the first access of this epoch to the address by the site at place */
	/* The access that is event number, of the site at place if that is not 0; address and size: whose value to report. */
	HEDDLE_WATCH_EVENT = 2,
	HEDDLE_WATCH_HEAP = 3,     /* the heap's call number */
	HEDDLE_WATCH_THREAD = 4,   /* the creation of the thread of index number */
	HEDDLE_WATCH_LOCK = 5,     /* the lock at the address is taken after that number of events */
	HEDDLE_WATCH_BAD_FREE = 6, /* something that is not a live block is freed or resized, which ends the run */
	HEDDLE_WATCH_FREE = 7,     /* the memory at the address is freed after that number of events */
	HEDDLE_WATCH_MEMORY =
		8, /* all accesses to the size bytes at the address; with HEDDLE_CONTROL_DETAIL also touches */
	HEDDLE_WATCH_KINDS
};

struct heddle_watch {
	uint32_t kind;
	uint32_t size; /* 1 to 8 */
	uint64_t number, epoch, address, place;
};

#define HEDDLE_WATCHES 400u
#define HEDDLE_ACCESSED 8192u

/* Two places that race, of which a run with HEDDLE_CONTROL_DETECT counts the dynamic instances: pairs of an access at one of them and a later one
 * of another thread at the other (at the same, if they are equal), to the same bytes, which nothing orders. */
struct heddle_race_ask {
	uint64_t places[2]; /* as in the line "race"; 0: nothing is asked for */
	uint64_t seed;      /* of the choice of those that are reported */
};

/* Which of them are reported: the first; that of the last later access and the last earlier one; of the last later one and the first earlier one;
 * each for both orders of the places. Then random ones of those with nothing of their kind in between, and of all. */
#define HEDDLE_INSTANCE_FIRST 0u
#define HEDDLE_INSTANCE_LAST 2u
#define HEDDLE_INSTANCE_WIDEST 4u
#define HEDDLE_INSTANCE_NEAR 6u
#define HEDDLE_INSTANCE_ANY 10u
#define HEDDLE_INSTANCES 14u

struct heddle_instance {
	uint64_t address, size_bytes; /* that both access; 0: there is none */
	uint64_t first_event;         /* events there were when the thread of the earlier access went on to it, ... */
	uint64_t lock_event;          /* ... and to the outermost lock that it had there; 0: it had none */
	uint64_t second_event;        /* the same of the later access */
	uint64_t epoch;               /* of the earlier one */
	uint64_t passed;              /* accesses like the later one, of its thread, between the two */
	uint32_t first_thread, second_thread;
	uint32_t is_swapped; /* the earlier one is at places[1] */
	uint32_t
		is_hidden; /* the thread of the later one wrote there between the two: in the other order that comes first, too */
};

/*
 * Points: the events at which a strategy was asked while there was a choice. Without HEDDLE_CONTROL_HOT strategies choose
 * the accesses at which they want to be asked; with it these are atomic ones and those of the hot sites. Other events are
 * always points.
 *
 * When something happens in a thread: the number of events that the thread has had, without futexes, times HEDDLE_WHEN; plus
 * 4 times the number of futexes since (255 at most), + 1 in the middle of the operation of the last one and not before
 * it, + 2 when the thread cannot go on. Futexes are counted separately because their number depends on which
 * thread holds what, and so on the schedule before.
 */
#define HEDDLE_WHEN 1024u

/* A switch that a steered schedule makes. It is skipped if the next thread cannot run at that point. next == thread: the thread waited,
 * its wait has ended, and it continues before the others. With HEDDLE_STEP_EARLY the sleep
 * or time-out of the next thread ends there, and thread continues if it can; skipped if the next thread does not wait for time. */
#define HEDDLE_STEP_EARLY (1u << 31)

struct heddle_step {
	uint32_t thread, next; /* indexes */
	uint64_t when;         /* in thread */
};

/* A choice among threads in a steered schedule. */
struct heddle_choice {
	uint32_t thread, next; /* the thread that ran, and the one that was chosen */
	uint64_t when;
	uint64_t runnable;   /* bit i: the thread of index i + 1 could run */
	uint32_t is_free;    /* thread could not continue, or yielded: to choose another is no preemption */
	uint32_t kind;       /* enum heddle_event_kind of thread's event */
	uint64_t code;       /* of it: code, or for an access the site */
	uint64_t object;     /* of it */
	uint32_t access;     /* of it, if it is one, or a join that does not wait: enum heddle_choice_access */
	uint32_t size_bytes; /* of an access; 0: not known */
};

enum heddle_choice_access {
	HEDDLE_CHOICE_READS = 1u,
	HEDDLE_CHOICE_WRITES = 2u, /* or reads and writes */
};

/* A thread and its points. The name of a thread is the same in all schedules in which its ancestors make threads in the
 * same order: 1 for main, else a hash of the creator's name and how many the creator had made. */
struct heddle_weight {
	uint64_t name, creator, points;
};

/* An access and the last write of the same memory before it: sites; or code that takes or waits for a lock or the like, and code that
 * released or signalled it. */
struct heddle_pair {
	uint64_t before; /* 0: no write was observed */
	uint64_t after;
	uint64_t object; /* address of the memory the first time */
	uint64_t flags;  /* enum heddle_pair_flag */
};

enum heddle_pair_flag {
	HEDDLE_PAIR_READS = 1u,  /* the later one reads, ... */
	HEDDLE_PAIR_WRITES = 2u, /* or writes, or both */
	HEDDLE_PAIR_OTHER = 4u,  /* the two were made by two threads at least once */
	HEDDLE_PAIR_SYNC = 8u,   /* of a lock or the like */
};

/* What HEDDLE_STRATEGY_READS_FROM tries to achieve: that one thread makes an access right after another thread has made a conflicting one. */
struct heddle_wish {
	uint64_t before, after;
	uint64_t object; /* the memory; 0: any */
	uint32_t flags;  /* enum heddle_wish_flag */
	uint32_t met;    /* reported: how often it was fulfilled */
};

enum heddle_wish_flag {
	HEDDLE_WISH_NOT = 1u,  /* the later one should not come after the former */
	HEDDLE_WISH_STAY = 2u, /* the thread of the later one goes on as long as it can */
};

/* Where HEDDLE_STRATEGY_LOCKS holds threads back: a thread that holds the first lock, taken at first_code, and is about to
 * take the second lock at second_code. 0 for a lock means any lock. With HEDDLE_STRATEGY_EXPOSE, first_code and second_code are addresses of struct
 * heddle_site: of an access, and of one that a training has always seen after it; 0: none. */
struct heddle_lock_pair {
	uint64_t first_lock, first_code, second_lock, second_code;
};

/* Return addresses of without=BUILD,ADDRESS,ADDRESS...:without=... in HEDDLE_OPTIONS: BUILD is the id of a struct heddle_build in hexadecimal, and
 * ADDRESS one of the letters c, i and o and eight hexadecimal digits, the distance from the struct heddle_object of the build. The letters
 * are described in src/world/sync/without.h. */
#define HEDDLE_SKIPS 1024u

#define HEDDLE_HOT_SITES 1024u
#define HEDDLE_STEPS (1u << 16)
#define HEDDLE_CHOICES (1u << 16)
#define HEDDLE_WEIGHTS 256u
#define HEDDLE_PAIRS 8192u
#define HEDDLE_WISHES 32u
#define HEDDLE_LOCK_PAIRS 8u
#define HEDDLE_SEEN_BITS (1u << 16)

/*
 * Findings that the tool already knows, by the keys in the lines of earlier runs: a run reports them by a bit and not by a line, so that
 * there is room for new ones. A hash set with open addressing: a key is in the slot that its upper bits select, or in one after it; a
 * slot with 0 is free. At most three quarters of the slots are used.
 */
#define HEDDLE_KNOWN (1u << 16)
#define HEDDLE_KNOWN_SHIFT 48u
#define HEDDLE_LOST_KEYS 4096u

/* HEDDLE_STRATEGY_ORDERED: a thread is held before or after its access until another one has made the other access. */
struct heddle_hold {
	uint64_t event; /* number of events when it continued towards the access or the lock; 0: no thread is held */
	uint64_t first_place;         /* address of the struct heddle_site of its access; 0: it is a lock */
	uint64_t second_place;        /* the same of the access that it is held for, ... */
	uint64_t address, size_bytes; /* ... to these bytes, in part at least */
	uint32_t
		first_thread; /* index of the thread to hold; if another thread is there, none is held. 0: no thread is */
	uint32_t second_thread; /* index of the thread expected to make the access; others may make it too */
	uint64_t passed;        /* accesses of that kind that second_thread makes before the one that it is held for */
	uint64_t budget;        /* events of a hold; after them the thread continues anyway */
	uint32_t is_after;      /* it is held after its access, not before */
	uint32_t is_freed;  /* the access that it is held for is a call at the code second_place that frees the bytes */
	uint32_t is_random; /* after the hold the schedule is random, by the seed; 0: it follows the steps */
	uint32_t is_compared; /* the run ends behind both regions, and its state is reported */
	/* With is_random: enum heddle_strategy of the rest; and with is_loose no thread is forced to make an access at once: held before its access, the
	 * thread stays there until the strategy lets it run; to be held after it, it is not held at all. */
	uint32_t then, is_loose;
	uint32_t onward; /* enum heddle_hold_onward */
	uint32_t reserved;
};

/* When the thread is released, its next step is the one that let the other thread come in the known run. */
enum heddle_hold_onward {
	HEDDLE_ONWARD_STEP,   /* it is made as it is */
	HEDDLE_ONWARD_SKIP,   /* it is skipped */
	HEDDLE_ONWARD_RETURN, /* where the thread stops next, the thread that made the second access continues */
};

enum heddle_hold_state {
	HEDDLE_HOLD_NONE,    /* the run did not reach the event */
	HEDDLE_HOLD_LOST,    /* the thread did not continue there, or did something else */
	HEDDLE_HOLD_HELD,    /* the run ended while the thread was held */
	HEDDLE_HOLD_MADE,    /* the access was made while it was held */
	HEDDLE_HOLD_ALONE,   /* no other thread could run */
	HEDDLE_HOLD_WAITING, /* all others were polling */
	HEDDLE_HOLD_SPENT,   /* the budget was used up */
	HEDDLE_HOLD_UNCLEAR, /* others wait for the outside */
};

struct heddle_channel {
	char magic[8];
	uint32_t version;    /* HEDDLE_ABI_VERSION */
	uint32_t size_bytes; /* of this structure */

	/* The request of the tool; constant while a schedule runs. */
	uint32_t strategy;      /* enum heddle_strategy */
	uint32_t flags;         /* enum heddle_control_flag */
	uint64_t seed;          /* of the strategy */
	uint64_t depth;         /* pct: number of change points + 1; 0: default */
	uint64_t length;        /* pct: events that a run is expected to have; 0: default */
	uint64_t event_budget;  /* the run ends as a livelock after this event; 0: no limit */
	uint64_t fair_after;    /* after this event threads take turns; 0: only when all runnable threads spin */
	uint64_t date_ns;       /* CLOCK_REALTIME when the run begins */
	uint64_t in_bytes;      /* size of the log in HEDDLE_FD_IN */
	uint64_t fork_at;       /* fork the world at this event and run both (0: no); see world/fork.h */
	uint64_t fork_seed;     /* of the child's strategy from there on; with HEDDLE_CONTROL_ONWARD: of the strategy */
	uint64_t quiet_seconds; /* of processor time without an event end the run as a hang; 0: only a message */
	uint32_t watch_count;
	uint32_t hot_count, step_count, weight_count, wish_count;
	uint32_t lock_pair_count;
	uint64_t stop_after;  /* a replay ends after this event; 0: at the end of the log */
	uint64_t event_limit; /* of a replay: the number of recorded events, beyond which it diverges; 0: not known */
	uint32_t known_count; /* keys in known */
	/* The run ends as a hang after this many seconds of real time in which no thread could run and nothing arrived from outside; six times
	 * as many if it has started processes that it may be waiting for; 0: no limit. */
	uint64_t outside_seconds;
	uint64_t reserved[5];
	struct heddle_hold hold;
	struct heddle_watch watches[HEDDLE_WATCHES];
	struct heddle_race_ask race;

	/* What the runtime reports, kept up to date; read it when the process has ended. */
	uint32_t is_started; /* the runtime is loaded and in control */
	uint32_t is_main;    /* main was reached */
	uint32_t outcome;    /* enum heddle_outcome */
	int32_t status;      /* exit status or signal */
	uint32_t thread_count;
	int32_t wait_status; /* with HEDDLE_CONTROL_SERVER: of the schedule's process */
	uint64_t event_count, switch_count;
	uint64_t event_hash;
	uint64_t output_hash;   /* of all bytes written to standard output and error, in order */
	uint64_t effects_hash;  /* of what was written to files and to others: see world/kernel/effects.h */
	uint64_t out_bytes;     /* of the log, already in HEDDLE_FD_OUT */
	uint32_t log_used;      /* bytes in log */
	uint32_t report_used;   /* bytes in report */
	int32_t log_error;      /* errno of the first write to HEDDLE_FD_OUT that failed */
	uint32_t process_count; /* processes that the program and its children forked or were about to fork */
	uint32_t reported_weight_count, choice_count, pair_count, reported_step_count;
	uint32_t woven_count;  /* objects with functions that were switched to clones since the process began */
	uint32_t hidden_count; /* threads of OpenMP's libraries: see detect_thread_new */
	uint64_t idle_count;   /* how often no thread could run until time had passed */
	uint64_t lost_keys;    /* findings for which there was no room; the first HEDDLE_LOST_KEYS keys are in lost */
	uint64_t report_lost;  /* bytes of the report for which there was no room */
	uint64_t lost_choices; /* no room, or more threads than a choice can list: not all choices are known */
	uint64_t lost_steps;   /* no room */
	uint64_t point_count;
	uint64_t fair_from;      /* event at which the fair tail began; 0: there was none */
	uint64_t early_count;    /* sleeps and time-outs that ended while others could run */
	uint64_t timed_count;    /* those that began while others could run, and are short enough to end early */
	uint32_t hold_state;     /* enum heddle_hold_state */
	uint64_t hold_event;     /* the number of events when it changed */
	uint64_t instance_count; /* of race: all that were counted */
	struct heddle_instance instances[HEDDLE_INSTANCES];
	uint64_t fork_hash, fork_events; /* of the child of fork_at */
	int32_t fork_status;             /* its wait status */
	uint32_t fork_outcome;
	/* With fork_at: of the program's memory when main's process and the child ended; equal after equal schedules. */
	uint64_t memory_hash, fork_memory_hash;

	/*
	 * The report: lines of words, which the tool completes with names and source lines for people:
	 *   note TEXT
	 *   opaque LINE FUNCTION FILE           inline assembly that is not understood was executed; each once
	 *   limit TEXT                          what does not work, or is not tested, under control; each text once
	 *   missed TEXT                         something that the program did was not observed, for lack of room
	 *   thread INDEX STATE NAME             STATE: running, runnable, waiting, ended
	 *   began INDEX CODE [WORD WORD WORD]   the thread's start function; the first word and the last two of the
	 *                                       heap block that it was given
	 *   waits INDEX WHAT ADDRESS OWNER      OWNER: index of the thread that holds it, or 0
	 *   at INDEX CODE-ADDRESS               innermost first, repeated
	 *   module START END OFFSET PATH        where files are mapped
	 *   stack INDEX RIP RSP RBP RBX R12 R13 R14 R15 START BYTES
	 *                                       for the tool to unwind: registers, and memory from START on, all hexadecimal;
	 *                                       the current thread's comes first; not all threads may have one
	 *
	 * Detection. Each pair of places is reported once, and pairs in known only if they are in known_again. KEY identifies the pair in all runs
	 * of the same files; 0: it has none. KIND: read, write, atomic-read, atomic-write, free, realloc, allocation. PLACE
	 * is the address of a struct heddle_site (0: not known) or, for the last three, a code address. EPOCH is the time of the earlier
	 * access (detect/order.h); of an allocation it is the number of the heap's call, hexadecimal.
	 *   race EVENT ADDRESS SIZE INDEX KIND PLACE INDEX KIND PLACE EPOCH KEY
	 *                                       the access at this event, then the earlier one
	 *   memory EVENT ADDRESS SIZE INDEX KIND PLACE STATE START BYTES MADE FREED KEY
	 *                                       STATE of the block: freed, inside, beyond (its end), never; its start and
	 *                                       size; numbers of the heap's calls that made and freed it. inside: of
	 *                                       free and realloc, which take the start of a block only
	 *   order INDEX EVENT EPOCH MUST LOCK CODE MODE LOCK CODE MODE [LOCK...]
	 *                                       a thread took the second lock, at CODE, while it held the first, taken at
	 *                                       CODE. MODE: exclusive, shared, try, try-shared. Then all others it held.
	 *                                       EPOCH is slot + clock * 2048; MUST is SLOT:CLOCK,... or -: what is before
	 *                                       this in every schedule, as threads are created and joined
	 *
	 * HEDDLE_STRATEGY_PAIR. PLACE: addresses of struct heddle_site of the hot sites.
	 *   reached PLACE                       a thread came to the access; may be repeated
	 *   common PLACE PLACE ORDER [LOCK...]  two threads made these accesses to common bytes, one of them a write. ORDER is
	 *                                       what all such instances have in common, and what orders them: lock (held at
	 *                                       both), created (the later thread, after the earlier access), ended (the earlier
	 *                                       thread), atomic (both accesses), unknown; or unordered, if one instance was.
	 *                                       A later line of the same places replaces an earlier one
	 *
	 * For struct heddle_watch number WATCH, from 0:
	 *   seen WATCH EVENT INDEX
	 *   value WATCH BEFORE AFTER            what is at the address, before and after the access; hexadecimal
	 *   held WATCH LOCK CODE EVENT MODE [CODE...]
	 *                                       a lock that the thread held, where and when it took it, and the callers at
	 *                                       that point, as in HEDDLE_RECORD_CALLERS
	 *   block WATCH START BYTES STATE MADE FREED
	 *                                       the heap's block at the address; STATE: live, freed
	 *   stackof WATCH RIP RSP RBP RBX R12 R13 R14 R15 START BYTES
	 *                                       as for stack
	 *   accessed WATCH EVENT INDEX KIND PLACE ADDRESS BEFORE AFTER [LOCK MODE...]
	 *                                       one for each access to watched memory, in their order, up to HEDDLE_ACCESSED,
	 *                                       with the values of the watched bytes, and the first locks that the thread had
	 *
	 * Of a run with hold.is_compared, which ends with HEDDLE_OUTCOME_PREFIX; threads and modules as above:
	 *   compared HOW                        ended: both threads came to the ends of their regions, and the lines below are
	 *                                       complete; unknown: there is no copy of the memory to compare with; endless: a region does
	 *                                       not end; not: the order could not be had, see hold_state
	 *   changed ADDRESS BEFORE AFTER KIND   eight bytes that changed since the hold began. KIND: data, of a file; stack INDEX, of a
	 *                                       thread, with the runtime's own calls; block START BYTES MADE, of a live block that this
	 *                                       call of the heap made (0: one since the hold began); mapping
	 *   unlisted COUNT HASH                 others that changed: there was no room
	 *   live BYTES                          in blocks of the heap
	 *   visited CODE                        place of an event since the hold began, each once; or "more": there were others
	 *   touched ADDRESS                     of an access since then, a multiple of 8; the same
	 */
	char report[HEDDLE_WATCH_ROOM];
	unsigned char log[HEDDLE_LOG_ROOM];

	/* The request, continued. */
	uint64_t hot[HEDDLE_HOT_SITES];               /* addresses of struct heddle_site, ascending */
	struct heddle_step steps[HEDDLE_STEPS];       /* by thread, then in the order of the thread's events */
	struct heddle_weight weights[HEDDLE_WEIGHTS]; /* surw, period: reported by an earlier schedule */
	struct heddle_wish wishes[HEDDLE_WISHES];
	struct heddle_lock_pair lock_pairs[HEDDLE_LOCK_PAIRS];
	uint64_t known[HEDDLE_KNOWN];
	uint64_t known_again[HEDDLE_KNOWN / 64]; /* slots of known that are to be reported by lines nevertheless */

	/* The result, continued. */
	uint64_t known_seen[HEDDLE_KNOWN / 64]; /* slots of known whose findings the run showed; the tool clears it */
	uint64_t lost[HEDDLE_LOST_KEYS];
	struct heddle_weight reported_weights[HEDDLE_WEIGHTS]; /* the first threads */
	struct heddle_choice choices[HEDDLE_CHOICES];          /* in order */
	struct heddle_step reported_steps[HEDDLE_STEPS];       /* all switches since main began, in order */
	struct heddle_pair pairs[HEDDLE_PAIRS];                /* different ones, from strategies that see accesses */
	/* What happened, as a set of hashes: for each switch, where the previous thread stopped and where the next one
	 * continued; pairs. The tool clears it. */
	uint64_t seen[HEDDLE_SEEN_BITS / 64];
	/* How often a call was skipped, by the number of its address in HEDDLE_OPTIONS: a running total, which the tool clears. */
	uint64_t skipped[HEDDLE_SKIPS];
};

/*
 * System call instructions of shared libraries that can be replaced by a jump, found by the tool (the runtime
 * contains no decoder). An array of these; paths and instruction bytes follow. All offsets are from the start of the
 * block in HEDDLE_FD_PATCHES, and the runtime checks every one of them and the bytes it replaces.
 */
#define HEDDLE_PATCHES_MAGIC "HEDDLEPA"

struct heddle_patches {
	char magic[8];
	uint32_t version; /* HEDDLE_ABI_VERSION */
	uint32_t object_count;
	uint32_t size_bytes; /* of the whole block */
	uint32_t reserved;
	/* struct heddle_patch_object [object_count] */
};

struct heddle_patch_object {
	uint32_t path;  /* offset of a string: as in /proc/self/maps */
	uint32_t first; /* offset of struct heddle_patch [count] */
	uint32_t count;
	uint32_t reserved;
};

/* size bytes at address are whole instructions with the system call instruction among them, and nothing jumps between
 * them. All but the system call itself can be executed anywhere. */
struct heddle_patch {
	uint64_t address; /* as in the file's program headers */
	uint8_t size;     /* 5 to 32 */
	uint8_t call;     /* where in bytes the system call instruction is */
	uint8_t bytes[32];
};

/*
 * Operations counted (mode operations): a file that the tool makes and all processes of the run share. The runtime counts for each
 * thread in a block of its own, so that counting shares nothing; the blocks of ended threads stay. The runtime supplies the names of functions
 * and kinds.
 */
#define HEDDLE_OPERATIONS_MAGIC "HEDDLEOP"
#define HEDDLE_OPERATION_FUNCTIONS 128u
#define HEDDLE_OPERATION_CALLS 512u     /* system calls by number; the last one is for all others */
#define HEDDLE_OPERATION_THREADS 16384u /* the first block is for all threads beyond the limit */

struct heddle_operation_function {
	char name[64]; /* "" when it is not counted */
	char kind[32];
};

struct heddle_operations {
	char magic[8];
	uint32_t version;       /* HEDDLE_ABI_VERSION */
	uint32_t thread_count;  /* blocks in use, including the first one; may exceed the room */
	uint32_t process_count; /* that started the runtime or were forked */
	uint32_t image_count;   /* of these: programs, by exec */
	uint32_t patched_count; /* of these: whose system calls are counted */
	uint32_t unpatched_count;
	struct heddle_operation_function functions[HEDDLE_OPERATION_FUNCTIONS];
};

struct heddle_operation_thread {
	uint32_t process; /* 1, 2, ... in the order of their beginning */
	uint32_t pid, tid;
	uint32_t is_ended;
	char name[16];                                /* when it ended; else "" */
	uint64_t made[HEDDLE_OPERATION_FUNCTIONS];    /* calls that were begun */
	uint64_t failed[HEDDLE_OPERATION_FUNCTIONS];  /* of these: failed, by their result: busy, timed out, ... */
	uint64_t unwound[HEDDLE_OPERATION_FUNCTIONS]; /* of these: left by an exception or a cancellation */
	uint64_t calls[HEDDLE_OPERATION_CALLS];
	uint64_t padding[124];
};

/* Where the blocks begin; each one begins a page. */
#define HEDDLE_OPERATIONS_BLOCKS 16384u
#define HEDDLE_OPERATIONS_BYTES                                                                                        \
	(HEDDLE_OPERATIONS_BLOCKS + (uint64_t)HEDDLE_OPERATION_THREADS * sizeof(struct heddle_operation_thread))
#ifndef __cplusplus
_Static_assert(sizeof(struct heddle_operation_thread) == 8192 &&
		       sizeof(struct heddle_operations) <= HEDDLE_OPERATIONS_BLOCKS,
	       "blocks are of whole pages");
#endif

#endif
