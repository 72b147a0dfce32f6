/* source.c: see source.h. */
#include "base/source.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Compilers accept a zero byte in a source; executables, images and UTF-16 are full of them. */
static bool has_zeros(const struct buf *text)
{
	size_t count = 0;
	for (size_t i = 0; i < text->size; i++)
		count += !text->data[i];
	return count > text->size / 10;
}

static enum source_state read_text(struct source *self, int fd)
{
	struct stat status;
	char block[8192];
	ssize_t got = 0;
	if (fstat(fd, &status) < 0)
		return SOURCE_MISSING;
	if (!S_ISREG(status.st_mode))
		return SOURCE_NO_FILE;
	self->changed = status.st_mtim;
	/* A file that grows while it is read may be larger than its reported size. */
	while (self->text.size <= MAX_SOURCE && status.st_size <= MAX_SOURCE &&
	       (got = read(fd, block, sizeof block)) > 0)
		buf_add(&self->text, block, (size_t)got);
	if (got < 0)
		return SOURCE_MISSING;
	if (status.st_size > MAX_SOURCE || self->text.size > MAX_SOURCE)
		return SOURCE_LARGE;
	if (!self->text.size)
		return SOURCE_EMPTY;
	return has_zeros(&self->text) ? SOURCE_NO_TEXT : SOURCE_GOOD;
}

static void find_lines(struct source *self)
{
	size_t count = 1, at = 0;
	for (size_t i = 0; i < self->text.size; i++)
		count += self->text.data[i] == '\n';
	self->starts = mem_alloc((count + 1) * sizeof *self->starts);
	while (at < self->text.size) {
		const char *end = memchr(self->text.data + at, '\n', self->text.size - at);
		self->starts[self->line_count++] = at;
		at = end ? (size_t)(end - self->text.data) + 1 : self->text.size;
	}
	self->starts[self->line_count] = self->text.size;
}

enum source_state source_read(struct source *self, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	enum source_state state = fd < 0 ? SOURCE_MISSING : read_text(self, fd);
	if (fd >= 0)
		close(fd);
	if (state == SOURCE_GOOD)
		find_lines(self);
	else
		buf_release(&self->text);
	return state;
}

void source_release(struct source *self)
{
	buf_release(&self->text);
	free(self->starts);
	*self = (struct source){ 0 };
}

const char *source_trouble(enum source_state state)
{
	static const char *const words[] = {
		[SOURCE_GOOD] = "",
		[SOURCE_MISSING] = "does not exist",
		[SOURCE_NO_FILE] = "is not a file",
		[SOURCE_LARGE] = "is larger than 64 MB",
		[SOURCE_NO_TEXT] = "is not a text file",
		[SOURCE_EMPTY] = "is empty",
	};
	return words[state];
}

bool source_is_newer(const struct source *self, const struct timespec *built)
{
	return self->changed.tv_sec > built->tv_sec ||
	       (self->changed.tv_sec == built->tv_sec && self->changed.tv_nsec > built->tv_nsec);
}

const char *source_line(const struct source *self, uint64_t line, size_t *size_bytes)
{
	if (line == 0 || line > self->line_count)
		return NULL;
	const char *at = self->text.data + self->starts[line - 1];
	size_t size = self->starts[line] - self->starts[line - 1];
	while (size && (at[size - 1] == '\n' || at[size - 1] == '\r'))
		size--;
	*size_bytes = size;
	return at;
}

enum within { WITHIN_CODE, WITHIN_COMMENT, WITHIN_STRING, WITHIN_CHARACTER };

static bool is_name(char character)
{
	return isalnum((unsigned char)character) || character == '_' || character == '$';
}

/* Appends a line of code. Returns what its end is within: comments go over lines, the rest ends with the line or is broken. */
static enum within normalise(struct buf *out, const char *line, size_t size, enum within within)
{
	size_t start = out->size;
	bool is_apart = false;
	for (size_t i = 0; i < size; i++) {
		char now = line[i], next = i + 1 < size ? line[i + 1] : '\0';
		if (within == WITHIN_COMMENT) {
			is_apart = true;
			if (now == '*' && next == '/') {
				within = WITHIN_CODE;
				i++;
			}
			continue;
		}
		bool is_code = within == WITHIN_CODE;
		if (is_code && now == '/' && next == '/')
			break;
		if (is_code && now == '/' && next == '*') {
			within = WITHIN_COMMENT;
			i++;
			continue;
		}
		if (is_code && isspace((unsigned char)now)) {
			is_apart = true;
			continue;
		}
		char before = out->size > start ? out->data[out->size - 1] : '\0';
		if (is_apart && is_name(before) && is_name(now))
			buf_add(out, " ", 1);
		is_apart = false;
		buf_add(out, &now, 1);
		if (!is_code && now == '\\' && next) {
			buf_add(out, &next, 1);
			i++;
		} else if (now == '"' && within != WITHIN_CHARACTER) {
			within = is_code ? WITHIN_STRING : WITHIN_CODE;
		} else if (now == '\'' && within != WITHIN_STRING && (!is_code || !is_name(before))) {
			within = is_code ? WITHIN_CHARACTER : WITHIN_CODE; /* 1'000 is a number */
		}
	}
	return within == WITHIN_COMMENT ? within : WITHIN_CODE;
}

void source_code_read(struct source_code *self, const struct source *source)
{
	enum within within = WITHIN_CODE;
	self->line_count = source->line_count;
	self->starts = mem_alloc((self->line_count + 1) * sizeof *self->starts);
	for (size_t i = 0; i < self->line_count; i++) {
		size_t end = source->starts[i + 1];
		end -= source->text.data[end - 1] == '\n';
		self->starts[i] = self->text.size;
		within = normalise(&self->text, source->text.data + source->starts[i], end - source->starts[i], within);
		buf_add(&self->text, "", 1);
	}
}

void source_code_release(struct source_code *self)
{
	buf_release(&self->text);
	free(self->starts);
	*self = (struct source_code){ 0 };
}

const char *source_code_line(const struct source_code *self, uint64_t line)
{
	return line && line <= self->line_count ? self->text.data + self->starts[line - 1] : "";
}

void source_code_around(const struct source_code *self, uint64_t line, uint64_t before[SOURCE_AROUND],
			uint64_t after[SOURCE_AROUND])
{
	uint64_t up = line <= self->line_count ? line : self->line_count + 1, down = line;
	for (size_t i = 0; i < SOURCE_AROUND; i++) {
		do
			up -= up > 0;
		while (up && !*source_code_line(self, up));
		do
			down += down <= self->line_count;
		while (down <= self->line_count && !*source_code_line(self, down));
		before[SOURCE_AROUND - 1 - i] = up;
		after[i] = down <= self->line_count ? down : 0;
	}
}

void source_code_excerpt(const struct source_code *self, uint64_t line, struct buf *own, struct buf *around)
{
	uint64_t before[SOURCE_AROUND], after[SOURCE_AROUND];
	source_code_around(self, line, before, after);
	buf_add_string(own, source_code_line(self, line));
	for (size_t i = 0; i < SOURCE_AROUND; i++)
		buf_format(around, "%s\n", source_code_line(self, before[i]));
	for (size_t i = 0; i < SOURCE_AROUND && after[i]; i++)
		buf_format(around, "%s\n", source_code_line(self, after[i]));
}
