/*
 * section.h: the sections of a trace file, as compressed streams. See trace.h for the format.
 */
#ifndef TRACE_SECTION_H
#define TRACE_SECTION_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "trace/seal.h"

/* In the order in which they are in the file. */
enum section_kind {
	SECTION_START = 1, /* how the program was started */
	SECTION_REQUEST = 2,
	SECTION_RESULT = 3,
	SECTION_BUILDS = 4,
	SECTION_REPORT = 5,
	SECTION_LOG = 6,
	SECTION_SEAL = 7, /* its maker: see seal.h */
	SECTION_END = 8,
	SECTION_COUNT
};

/* Where a section's contents come from and where they go. Returns how many bytes (source: 0 at the end; sink: all of
 * them), or a negative errno with err set. */
typedef int64_t section_source(void *context, void *bytes, size_t room, struct err *err);
typedef int64_t section_sink(void *context, const void *bytes, size_t size_bytes, struct err *err);

/* An open trace file. path is for messages. */
struct section_file {
	int fd;
	const char *path;
	struct seal seal; /* over all that was written or read so far, from the head on */
	unsigned written; /* the section that was written last */
};

/* All return 0, or a negative errno with err set. */

/* The magic and the version. */
int section_write_head(struct section_file *file, struct err *err);
int section_read_head(struct section_file *file, struct err *err);

/* size_bytes: the exact number of bytes that the source returns. */
int section_write(struct section_file *file, enum section_kind kind, uint64_t size_bytes, section_source *source,
		  void *context, struct err *err);

/* The next section must be of that kind and have at most limit_bytes. */
int section_read(struct section_file *file, enum section_kind kind, uint64_t limit_bytes, section_sink *sink,
		 void *context, struct err *err);

/* A sink: appends to the struct buf that is the context. */
section_sink section_to_buf;

/* The seal over all sections before, and whether it is the one that this user's Heddle makes: mark is what it makes of the file. */
int section_write_seal(struct section_file *file, struct err *err);
int section_read_seal(struct section_file *file, uint8_t mark[SEAL_SIZE], bool *is_own, struct err *err);

/* Nothing may follow. */
int section_read_end(struct section_file *file, struct err *err);

/* Sets the message for invalid contents of a section; returns -EINVAL. */
int section_damaged(const struct section_file *file, enum section_kind kind, const char *what, struct err *err);

#endif
