/*
 * guard.h: the two files of a guarded run (heddle/guard.h): makes the one that says what is guarded, which nobody can change, and the
 * log; reads the log. The files have no name but /proc/PID/fd/N and vanish with this process.
 */
#ifndef TRACE_GUARD_H
#define TRACE_GUARD_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "heddle/guard.h"

/* What is guarded. */
struct guard_content {
	struct heddle_guard settings; /* cell_bits to unresolved_limit, and place_count; the rest is computed */
	struct heddle_guard_object *objects;
	uint32_t object_count;
	struct heddle_guard_site *sites;
	uint32_t site_count;
	uint64_t *sets; /* [place_count][row words], as the file has them */
};

/* Sets the times and limits to their defaults. */
void guard_defaults(struct heddle_guard *settings);

/* Appends the file that says what is guarded. Returns 0, or a negative errno with err set: -E2BIG when there is too much. */
int guard_content_file(struct buf *file, const struct guard_content *content, struct err *err);

struct guard_files {
	int fd, log_fd; /* -1: none */
	char *path, *log_path;
};

/* Returns 0, or a negative errno with err set. Release it in any case. */
int guard_make(struct guard_files *self, const struct guard_content *content, struct err *err);
void guard_files_release(struct guard_files *self);

/* What the run wrote; all of it is within the bounds of the content that was guarded. */
struct guard_log {
	uint32_t process_count, attached_count, switched_count, guarded_count;
	uint64_t lost_pairs, lost_violations, stalled_us;
	uint64_t damaged_count; /* entries that are not valid */
	struct heddle_guard_pair *pairs;
	size_t pair_count;
	struct heddle_violation *violations;
	size_t violation_count;
	struct heddle_guard_module *modules; /* of all processes; each path ends within its room */
	size_t module_count;
};

/* The run is not trusted. Returns 0, or a negative errno with err set. Release it in any case. */
int guard_log_read(const struct guard_files *self, const struct guard_content *content, struct guard_log *log,
		   struct err *err);
void guard_log_release(struct guard_log *log);

#endif
