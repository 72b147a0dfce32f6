/* shared_file.h: files that the tool makes for the runtime: named in an option, mapped by every process of a run. */
#ifndef PARALLEL_SHARED_FILE_H
#define PARALLEL_SHARED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every such file begins with these. */
struct shared_file_head {
	char magic[8];
	uint32_t version;
};

/* Maps the whole file, which has at least min_bytes: shared and writable, or private and readable. *size_bytes: how long it is.
 * Returns 0 with *at set, or a negative errno: -EBADMSG if it is too short, of another version, or another kind of file. */
int shared_file_map(const char *path, const char *magic, size_t min_bytes, bool is_writable, void **at,
		    size_t *size_bytes);

#endif
