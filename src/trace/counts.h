/*
 * counts.h: the file in which the processes of a run count their sites (its format is at the end of heddle/abi.h):
 * makes it, and reads it after the run. The file has no name but /proc/PID/fd/N and vanishes with this process.
 */
#ifndef TRACE_COUNTS_H
#define TRACE_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "heddle/abi.h"

/* One woven object, summed over all processes and shards. */
struct counts_object {
	char *path;
	uint8_t build[16];
	uint32_t site_count;
	uint64_t *totals; /* [site_count]; null when accesses were not counted */
};

struct counts {
	int fd;
	char *path;
	uint64_t size_bytes;
	/* Filled by counts_read. */
	struct counts_object *objects;
	size_t object_count;
	uint32_t process_count, switched_count;
	uint64_t lost_objects;
};

/* Both return 0, or a negative errno with err set. What the processes wrote is not trusted. */
int counts_make(struct counts *counts, struct err *err);
int counts_read(struct counts *counts, struct err *err);
void counts_release(struct counts *counts);

#endif
