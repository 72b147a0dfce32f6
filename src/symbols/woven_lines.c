/* woven_lines.c: see woven_lines.h. */
#include "symbols/woven_lines.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/lines.h"
#include "heddle/abi.h"

/* What is more in all records is damaged. */
#define MAX_PLAIN ((size_t)256 << 20)
#define MAX_FILES ((size_t)1 << 20)

void woven_lines_release(struct woven_lines *self)
{
	for (size_t i = 0; i < self->count; i++) {
		free(self->files[i].name);
		free(self->files[i].text);
	}
	free(self->files);
	*self = (struct woven_lines){ 0 };
}

static void add_files(struct woven_lines *self, const struct path_view *view, const struct buf *plain)
{
	const char *name, *text;
	for (size_t at = 0; self->count < MAX_FILES && lines_file(plain, &at, &name, &text);) {
		if (!*name)
			return;
		self->files = mem_resize(self->files, (self->count + 1) * sizeof *self->files);
		self->files[self->count++] =
			(struct woven_lines_file){ path_view_display(view, name), mem_copy_string(text) };
	}
}

/* Where a record is, and what may still come. */
struct unpacking {
	const struct woven_lines *lines;
	size_t at, left;
	bool is_damaged;
};

/* The next record, unpacked; false at the end, and where it is damaged. One with nothing in it is padding. */
static bool unpack_next(struct unpacking *self, struct buf *plain)
{
	const struct woven_lines *lines = self->lines;
	struct heddle_lines record = { 0 };
	while (!record.packed_bytes) {
		if (lines->size_bytes - self->at < sizeof record)
			return false;
		memcpy(&record, lines->bytes + self->at, sizeof record);
		self->at += sizeof record;
	}
	size_t size = ((size_t)record.packed_bytes + 7) & ~(size_t)7;
	self->is_damaged = size > lines->size_bytes - self->at || record.plain_bytes > self->left;
	if (self->is_damaged)
		return false;
	char *room = mem_alloc((size_t)record.plain_bytes + 1);
	size_t got = ZSTD_decompress(room, record.plain_bytes, lines->bytes + self->at, record.packed_bytes);
	self->is_damaged = ZSTD_isError(got) || got != record.plain_bytes;
	if (!self->is_damaged)
		buf_add(plain, room, got);
	free(room);
	self->at += size;
	self->left -= record.plain_bytes;
	return !self->is_damaged;
}

bool woven_lines_are_whole(const struct woven_lines *self)
{
	struct unpacking unpacking = { .lines = self, .left = MAX_PLAIN };
	struct buf plain = { 0 };
	while (unpack_next(&unpacking, &plain))
		buf_release(&plain);
	return !unpacking.is_damaged;
}

static void unpack(struct woven_lines *self, const struct path_view *view)
{
	struct unpacking unpacking = { .lines = self, .left = MAX_PLAIN };
	struct buf plain = { 0 };
	self->is_read = true;
	while (unpack_next(&unpacking, &plain)) {
		add_files(self, view, &plain);
		buf_release(&plain);
	}
}

bool woven_lines_excerpt(struct woven_lines *self, const struct path_view *view, const char *file, uint32_t line,
			 struct buf *own, struct buf *around)
{
	if (!self->is_read)
		unpack(self, view);
	for (size_t i = 0; i < self->count; i++)
		if (strcmp(self->files[i].name, file) == 0 && lines_excerpt(self->files[i].text, line, own, around))
			return true;
	return false;
}

const char *woven_lines_text(struct woven_lines *self, const struct path_view *view, const char *file, size_t *at)
{
	if (!self->is_read)
		unpack(self, view);
	while (*at < self->count) {
		const struct woven_lines_file *one = &self->files[(*at)++];
		if (strcmp(one->name, file) == 0)
			return one->text;
	}
	return NULL;
}

const char *woven_lines_source(struct woven_lines *self, const struct path_view *view, const char *name)
{
	size_t size = strlen(name), longest = 0;
	const char *found = NULL;
	if (!self->is_read)
		unpack(self, view);
	for (size_t i = 0; i < self->count; i++) {
		const char *own = self->files[i].name;
		size_t own_size = strlen(own);
		if (strcmp(own, name) == 0)
			return NULL;
		if (own_size < size && own_size > longest && name[size - own_size - 1] == '/' &&
		    strcmp(name + size - own_size, own) == 0) {
			found = own;
			longest = own_size;
		}
	}
	return found;
}
