/* woven_lines.h: the source lines that are stored in a woven file (struct heddle_lines), unpacked on first use. */
#ifndef SYMBOLS_WOVEN_LINES_H
#define SYMBOLS_WOVEN_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/path.h"

struct woven_lines_file {
	char *name; /* as reports show it */
	char *text;
};

/* Start with { 0 } and the bytes of the table, which must stay. */
struct woven_lines {
	const unsigned char *bytes;
	size_t size_bytes;
	bool is_read;
	struct woven_lines_file *files;
	size_t count;
};

/* Whether all of it can be unpacked, and is what was packed. */
bool woven_lines_are_whole(const struct woven_lines *self);

void woven_lines_release(struct woven_lines *self);

/* As woven_line, woven_text and woven_source. */
bool woven_lines_excerpt(struct woven_lines *self, const struct path_view *view, const char *file, uint32_t line,
			 struct buf *own, struct buf *around);
const char *woven_lines_text(struct woven_lines *self, const struct path_view *view, const char *file, size_t *at);
const char *woven_lines_source(struct woven_lines *self, const struct path_view *view, const char *name);

#endif
