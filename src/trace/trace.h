/*
 * trace.h: one controlled run as a file: how the program was started, the request to the scheduler, how it ended,
 * which builds took part, and the log that lets it be replayed after everything outside is gone.
 *
 * The file: 8 bytes of magic, the format's version, then sections, the last of them empty. A section is a header (kind,
 * size of the contents, a check of both) and a zstd frame with a checksum, cut into chunks, each with its size. No part
 * refers to the position of another, so a file can be written to an output that cannot seek.
 *
 * Invariants:
 *  1. A change to what is in a section or to the order of sections bumps TRACE_VERSION.
 *     Assured by tests/unit/trace.t.
 *  2. The reader trusts nothing: sizes are limited before anything is allocated, and a message says which part is wrong.
 *     Assured by tests/unit/trace.t.
 *  3. What trace_read read is foreign unless this user's Heddle wrote it, byte for byte, or the user accepted it: nothing that it
 *     names may be run (launch/control.h refuses it).
 *  4. If trace_write returns an error, the path holds what it held before.
 *     Assured by tests/unit/trace.t.
 */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "trace/seal.h"

#define TRACE_MAGIC "HEDDLETR"
#define TRACE_VERSION 2u

/* The identity of a file: its ELF build id, or if it has none a hash of its contents. */
enum trace_identity { TRACE_BUILD_ID = 1, TRACE_CONTENT = 2 };

#define TRACE_ID_ROOM 32u

struct trace_build {
	char *path;
	uint64_t size_bytes;
	uint32_t identity; /* enum trace_identity */
	uint32_t id_size;
	uint8_t id[TRACE_ID_ROOM];
};

/* The request for the run: see struct heddle_channel. */
struct trace_request {
	uint32_t strategy, flags;
	uint64_t seed, depth, length, event_budget, date_ns;
};

struct trace_result {
	uint32_t outcome; /* enum heddle_outcome */
	int32_t status;
	int32_t wait_status; /* as from waitpid */
	uint32_t thread_count;
	uint64_t event_count, switch_count, event_hash, output_hash;
};

struct trace {
	/* How it was started. */
	char *program; /* the path given to execve */
	struct strings arguments;
	struct strings environment;             /* the user's, without Heddle's own */
	char *folder;                           /* the working directory */
	char *options;                          /* HEDDLE_OPTIONS */
	uint64_t own_bytes;                     /* what Heddle's own variables take in the environment */
	uint64_t stack_limit, descriptor_limit; /* soft RLIMIT_STACK and RLIMIT_NOFILE */

	struct trace_request request;
	struct trace_result result;
	struct trace_build *builds; /* the program first */
	size_t build_count;
	struct buf report; /* channel.report, with the module map */

	/* The log: log_bytes from the start of log_fd, then tail. The reader puts all of it into log_fd. */
	int log_fd; /* -1: none */
	uint64_t log_bytes;
	const void *tail; /* not owned */
	size_t tail_bytes;

	bool is_foreign;         /* it was read, and neither made by this user's Heddle nor accepted */
	uint8_t mark[SEAL_SIZE]; /* what was read, as seal.h has it */
};

/* Empty, and ready for trace_free. */
void trace_init(struct trace *trace);
void trace_free(struct trace *trace);

/* Adds a build; path is copied. The caller fills in the rest. Valid until the next one is added. */
struct trace_build *trace_add_build(struct trace *trace, const char *path);

/* Writes the trace: to a temporary file in the same folder, which is then renamed. Anything but a regular file is
 * written directly. Returns 0, or a negative errno with err set. */
int trace_write(const char *path, const struct trace *trace, struct err *err);

/* Reads a trace into an initialised struct; log_fd is a file without a name. Returns 0, or a negative errno with err
 * set. trace_free it in any case. */
int trace_read(const char *path, struct trace *trace, struct err *err);

/* Whether synchronisation is skipped in it (heddle test --without): what it shows is not what the program does. */
bool trace_is_hypothetical(const struct trace *trace);

/* The user trusts the maker of this trace: it, and any trace with the same contents that this process reads later, is
 * not foreign. Things that a trace from elsewhere has no good reason to name are still refused: variables of the dynamic
 * loader, and paths that depend on where the user happens to be. Returns 0, or a negative errno with err set. */
int trace_accept(struct trace *trace, struct err *err);

/* A file without a name, in the folder of that path. Returns its descriptor (close-on-exec), or a negative errno with
 * err set. */
int trace_scratch(const char *path, struct err *err);

#endif
