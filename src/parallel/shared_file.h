/* shared_file.h: files that the tool makes for the runtime. An option names the file, and every process of a run maps
 * it. */
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

/* Maps the whole file: shared and writable if is_writable, else private and read-only. Returns 0 with *at and
 * *size_bytes set; the mapping is the caller's. Or returns a negative errno: -EBADMSG if the file is shorter than
 * min_bytes, of another version, or of another kind. */
int shared_file_map(const char *path, const char *magic, size_t min_bytes, bool is_writable, void **at,
		    size_t *size_bytes);

#endif
