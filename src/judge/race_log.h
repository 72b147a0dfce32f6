/*
 * race_log.h: reads the data races that another tool reported from the text that it printed: ThreadSanitizer of clang
 * and of gcc, Helgrind and DRD of Valgrind. A log may contain several reports, of several of these tools, among other
 * output. It is not trusted: it may be cut, damaged or hostile; lines that are not understood are counted and skipped.
 *
 * Invariants:
 *  1. No line of a log makes the reader fail: only reading the file can fail.
 *     Assured by tests/unit/race_log.t.
 *  2. A pair has two sides. If a side has no frames, the tool did not have its stack. Each report of a data race is a
 *     pair, or is counted as cut off or left out.
 *     Assured by tests/unit/race_log.t.
 *  3. The RACE_LOG_MAX_ values below limit the stored data.
 *     Assured by tests/unit/race_log.t.
 */
#ifndef JUDGE_RACE_LOG_H
#define JUDGE_RACE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

#define RACE_LOG_MAX_BYTES (1ul << 30) /* of a file */
#define RACE_LOG_MAX_LINE 65536u       /* bytes of a line that are read */
#define RACE_LOG_MAX_NAME 4096u        /* bytes of a name that are kept */
#define RACE_LOG_MAX_FRAMES 64u        /* of a stack */
#define RACE_LOG_MAX_PAIRS 20000u
#define RACE_LOG_MAX_KINDS 64u

enum race_log_tool { RACE_LOG_TSAN, RACE_LOG_HELGRIND, RACE_LOG_DRD, RACE_LOG_TOOL_COUNT };

enum race_log_access {
	RACE_LOG_UNKNOWN, /* DRD does not say what the other thread did */
	RACE_LOG_READ,
	RACE_LOG_WRITE,
	RACE_LOG_ACCESS_COUNT
};

/* A call, as the tool names it. Strings are null if the tool has none, and not escaped. */
struct race_log_frame {
	char *function, *file, *module;
	uint32_t line;   /* 0: not known */
	int32_t column;  /* -1: not known */
	uint64_t offset; /* in the module, or, for Valgrind, the address; 0: not known */
};

struct race_log_side {
	enum race_log_access access;
	bool is_atomic;
	uint64_t size_bytes; /* 0: not known */
	/* Innermost first. Inlined functions are frames of their own, as far as the tool knew of them. */
	struct race_log_frame *frames;
	size_t frame_count;
};

struct race_log_pair {
	enum race_log_tool tool;
	uint64_t line; /* of the log, from 1, where the report begins */
	struct race_log_side sides[2];
	char *global; /* the accessed variable, if the tool names it and it is global; else null */
};

/* Reports of another kind, such as "lock-order-inversion (potential deadlock)". */
struct race_log_kind {
	char *name;
	uint64_t count;
};

struct race_log {
	struct race_log_pair *pairs;
	size_t pair_count;
	struct race_log_kind *kinds; /* not classified, in the order of their first report */
	size_t kind_count;
	uint64_t report_count;                     /* of all kinds */
	uint64_t cut_count;                        /* reports of data races that end before their second access */
	uint64_t left_count;                       /* reports that were left out for lack of room */
	uint64_t unknown_count;                    /* lines inside reports of data races that are not understood */
	uint64_t long_count;                       /* lines longer than RACE_LOG_MAX_LINE */
	uint64_t tool_counts[RACE_LOG_TOOL_COUNT]; /* reports of all kinds, by tool */
};

/* "ThreadSanitizer", "Helgrind", "DRD". */
extern const char *const race_log_tool_names[RACE_LOG_TOOL_COUNT];

/* Fills *log, which the caller releases. */
void race_log_parse(struct race_log *log, const char *bytes, size_t size_bytes);
/* The same for a file. Returns 0, or a negative errno with err set and nothing to release: -ENODATA if the file has no
 * report of any of these tools. */
int race_log_read(struct race_log *log, const char *path, struct err *err);
void race_log_release(struct race_log *log);

/* Appends, not escaped: "ThreadSanitizer: 3 data races; not classified: 1 lock-order-inversion (potential deadlock); 1
 * report is cut off". */
void race_log_describe(struct buf *out, const struct race_log *log);

#endif
