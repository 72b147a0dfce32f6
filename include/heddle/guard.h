/*
 * guard.h: what the tools and the runtime agree on in the modes train and guard: the files that they share. Threads run
 * in parallel in both. See docs/design/guard.md.
 *
 * Mode train observes every access of switched functions and writes *histories*: for an access, the sites of other threads
 * that accessed the same cell before it, the latest first. The tool computes belonging sets from histories, for any
 * selection of sites. Mode guard observes chosen sites only and compares the site of another thread that accessed the cell last
 * with the set of the site that is about to access it.
 *
 * A *cell* is HEDDLE_CELL_BYTES of memory; an access belongs to the cell in which it begins, and a range to its first HEDDLE_RANGE_CELLS
 * cells: what is copied in larger blocks would drive everything else out of the tables.
 *
 * Invariants:
 *  1. A change to anything here is a change of the interface: see abi.h.
 *     Assured by tests/project/abi.t.
 *  2. Files are made by the tool, with room for all that is in them; whoever reads one checks its magic, its version and its counts.
 *     Assured by tests/cli/guard.t.
 */
#ifndef HEDDLE_GUARD_H
#define HEDDLE_GUARD_H

#include "abi.h"

#define HEDDLE_CELL_SHIFT 2u
#define HEDDLE_CELL_BYTES (1u << HEDDLE_CELL_SHIFT)

#define HEDDLE_RANGE_CELLS 64u

#define HEDDLE_GUARD_OBJECTS 64u

/*
 * A program that carries its guard data (heddle guard --bake, heddle patch): it needs libheddle.so, and has a note of type HEDDLE_NOTE_BAKED whose
 * descriptor is a struct heddle_baked and then the file of mode guard, as below.
 */
#define HEDDLE_NOTE_BAKED 2u

struct heddle_baked {
	uint32_t version;    /* HEDDLE_ABI_VERSION */
	uint32_t size_bytes; /* of the file that follows, a multiple of 8 */
	uint64_t check;      /* heddle_check from 0 on, of the file */
	uint8_t build[16];   /* of the program's tables, for which it was made; zeros: they are only of its libraries */
};

/*
 * Mode train (HEDDLE_OPTIONS train=FILE). The file is sparse; all processes of a run map it shared.
 */
#define HEDDLE_TRAIN_MAGIC "HEDDLETR"
#define HEDDLE_HISTORY_SITES 12u
#define HEDDLE_HISTORIES (1u << 18)
#define HEDDLE_TRAIN_SITES (1u << 20)

struct heddle_train_object {
	uint32_t is_ready; /* set last, with release */
	uint32_t site_count;
	uint32_t first; /* the number of its site 0; that of site I is first + I */
	uint32_t reserved;
	uint8_t build[16];
	char path[480]; /* truncated if longer */
};

enum heddle_history_end {
	HEDDLE_HISTORY_NIL = 1,     /* before the last of its sites no other thread accessed the cell */
	HEDDLE_HISTORY_UNKNOWN = 2, /* there may have been others: there was no room, here or in the table of cells */
};

/* Each one that occurred, once. */
struct heddle_history {
	uint64_t hash;     /* of what follows; 0: free. Taken by a compare and exchange; */
	uint32_t is_ready; /* set when an access is known to have had it, after is_written, with release */
	uint32_t site;     /* which accesses the cell */
	uint16_t count;
	uint16_t end; /* enum heddle_history_end */
	/* Those of other threads, the latest first, each once. */
	uint32_t sites[HEDDLE_HISTORY_SITES];
	uint32_t is_written; /* all of the above is there; set with release */
};

/* By number; what has none beyond the room is not counted. */
struct heddle_train_site {
	uint64_t accesses;  /* to cells */
	uint32_t is_marked; /* by the program: see heddle_guard_begin in heddle/heddle.h */
	uint32_t reserved;
};

struct heddle_train {
	char magic[8];
	uint32_t version;        /* HEDDLE_ABI_VERSION */
	uint32_t object_count;   /* may exceed the room: the rest was lost */
	uint32_t site_count;     /* numbers in use, from 1 */
	uint32_t process_count;  /* that registered woven objects */
	uint32_t switched_count; /* functions */
	uint32_t history_count;
	uint64_t lost_histories; /* there was no room */
	uint64_t displaced;      /* cells that gave way to others */
	uint32_t seed;           /* of the short delays that the runtime inserts; 0: none */
	uint32_t reserved;
	struct heddle_train_object objects[HEDDLE_GUARD_OBJECTS];
	struct heddle_history histories[HEDDLE_HISTORIES];
	struct heddle_train_site sites[HEDDLE_TRAIN_SITES];
};

/*
 * Mode guard (HEDDLE_OPTIONS guard=FILE:guard-log=FILE). The first file is read-only: a struct heddle_guard, then what its
 * offsets lead to. Places are the sites that the tool did not distinguish (copies that the compiler made of one access), numbered from 1.
 */
#define HEDDLE_GUARD_MAGIC "HEDDLEGU"
#define HEDDLE_GUARD_PLACES 16382u
#define HEDDLE_GUARD_NIL 0u         /* as a predecessor: no other thread accessed the cell before */
#define HEDDLE_GUARD_UNKNOWN 16383u /* the recorder does not know: never a violation */

enum heddle_guard_flag {
	HEDDLE_GUARD_CHECK = 1u << 0,  /* its set is checked */
	HEDDLE_GUARD_UPDATE = 1u << 1, /* the recorder hears of it */
	HEDDLE_GUARD_SLEEP = 1u << 2,  /* a thread sleeps before it: to try a patch */
};

struct heddle_guard_site {
	uint32_t index; /* in the object's table; ascending */
	uint16_t place;
	uint16_t flags; /* enum heddle_guard_flag */
};

struct heddle_guard_object {
	uint8_t build[16];
	uint32_t first, count; /* of the sites */
};

struct heddle_guard {
	char magic[8];
	uint32_t version;
	uint32_t size_bytes; /* of the file */
	uint32_t object_count;
	uint32_t site_count;
	uint32_t place_count;
	uint32_t cell_bits; /* the recorder has 1 << cell_bits entries, 10 to 26 */
	uint32_t step_us;   /* a stalled thread looks again after each */
	uint32_t max_stall_us;
	uint32_t free_stall_us;    /* a thread may stall for this long in all before its share counts */
	uint32_t share_percent;    /* of its time that a thread may stall */
	uint32_t unresolved_limit; /* after this many unresolved stalls a pair is only counted */
	uint32_t row_words;        /* of a set: (place_count + 1 + 63) / 64 */
	uint32_t
		objects; /* offsets from the start of the file, multiples of 8: struct heddle_guard_object [object_count] */
	uint32_t sites; /* struct heddle_guard_site [site_count] */
	uint32_t sets;  /* uint64_t [place_count][row_words]; of place P the row P - 1; bit 0 is nil, bit Q place Q */
	uint32_t sleep_us,
		sleep_limit; /* before HEDDLE_GUARD_SLEEP: how often each thread does, at all such sites together */
	uint32_t reserved;
};

/* What the runtime writes. The file is made by the tool, and all processes of a run map it shared. */
#define HEDDLE_GUARD_LOG_MAGIC "HEDDLEGL"
#define HEDDLE_GUARD_PAIRS 4096u
#define HEDDLE_VIOLATIONS 4096u
#define HEDDLE_VIOLATION_STACK 2048u

enum heddle_violation_end {
	HEDDLE_VIOLATION_RESOLVED = 1,   /* another access came, and the set has it */
	HEDDLE_VIOLATION_UNRESOLVED = 2, /* the longest stall passed */
	HEDDLE_VIOLATION_LOGGED = 3,     /* no stall: its pair has had too many unresolved ones */
	HEDDLE_VIOLATION_SHARE = 4,  /* no stall, or a shorter one: the thread has stalled for its share of the time */
	HEDDLE_VIOLATION_WAITED = 5, /* cut short: another thread waits for a lock that the stalled one holds */
	HEDDLE_VIOLATION_ENDS
};

/* Executable mappings of the processes that have written violations, for unwinding. */
#define HEDDLE_GUARD_MODULES 1024u
struct heddle_guard_module {
	uint32_t is_ready; /* set last, with release */
	uint32_t pid;
	uint64_t start, end, offset;
	char path[256]; /* truncated if longer, and then not found */
};

/* A place and its predecessor that is not in its set. */
struct heddle_guard_pair {
	uint32_t key;  /* place << 16 | previous; 0: free */
	uint32_t seen; /* before the stall: those that the end of the process cut short have no end */
	uint32_t ends[HEDDLE_VIOLATION_ENDS]; /* by enum heddle_violation_end */
	uint64_t stalled_us;
};

struct heddle_violation {
	uint32_t is_ready; /* set last, with release */
	uint16_t place, previous;
	uint32_t object,
		site; /* number of the object in the file, index of the site; and of the access before it, where known */
	uint32_t pid, tid;
	uint32_t end; /* enum heddle_violation_end */
	uint32_t stalled_us;
	uint64_t address;
	uint64_t time_ns;      /* CLOCK_REALTIME */
	uint64_t code;         /* where the access is, in the clone */
	uint64_t registers[7]; /* rsp, rbp, rbx, r12 to r15, as they are at code */
	uint32_t stack_bytes;  /* from rsp on */
	uint32_t reserved;
	unsigned char stack[HEDDLE_VIOLATION_STACK];
};

struct heddle_guard_log {
	char magic[8];
	uint32_t version;
	uint32_t process_count;   /* that registered woven objects */
	uint32_t attached_count;  /* objects in which sites are guarded */
	uint32_t switched_count;  /* functions */
	uint32_t guarded_count;   /* calls of sites that lead to the recorder */
	uint32_t violation_count; /* may exceed the room */
	uint64_t lost_pairs;      /* violations of pairs that there was no room for */
	uint64_t stalled_us;      /* in all threads */
	uint32_t module_count;    /* may exceed the room */
	uint32_t reserved;
	struct heddle_guard_module modules[HEDDLE_GUARD_MODULES];
	struct heddle_guard_pair pairs[HEDDLE_GUARD_PAIRS];
	struct heddle_violation violations[HEDDLE_VIOLATIONS];
};

#endif
