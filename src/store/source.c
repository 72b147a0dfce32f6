/* source.c: see source.h. */
#include "store/source.h"

#include <ctype.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MOST (64u << 20)
#define AROUND 2u

enum within { WITHIN_CODE, WITHIN_COMMENT, WITHIN_LINE_COMMENT, WITHIN_STRING, WITHIN_CHARACTER };

static bool is_name(char character)
{
	return isalnum((unsigned char)character) || character == '_' || character == '$';
}

/* Appends a line of code. White space is kept only where it parts two names; a comment is white space. Returns what its end
 * is within: comments go over lines, the rest ends with the line or is broken. */
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

static bool read_source(const char *path, const struct timespec *built, struct buf *text)
{
	struct stat status;
	char block[65536];
	/* A name from debug information may be anything: it must not block. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool is_there = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= FILE_MOST;
	if (is_there)
		is_there = status.st_mtim.tv_sec < built->tv_sec ||
			   (status.st_mtim.tv_sec == built->tv_sec && status.st_mtim.tv_nsec <= built->tv_nsec);
	for (ssize_t got; is_there && text->size <= FILE_MOST && (got = read(fd, block, sizeof block)) > 0;)
		buf_add(text, block, (size_t)got);
	if (fd >= 0)
		close(fd);
	return is_there && text->size;
}

bool source_lines(const char *path, uint32_t line, const struct timespec *built, struct buf *own, struct buf *around)
{
	struct buf text = { 0 }, before[AROUND] = { { 0 }, { 0 } }, now = { 0 };
	enum within within = WITHIN_CODE;
	uint32_t number = 0, after = 0;
	bool is_found = false;
	bool is_read = line && read_source(path, built, &text);
	for (size_t at = 0; is_read && at < text.size && after < AROUND;) {
		const char *end = memchr(text.data + at, '\n', text.size - at);
		size_t size = end ? (size_t)(end - text.data) - at : text.size - at;
		now.size = 0;
		within = normalise(&now, text.data + at, size, within);
		at += size + 1;
		if (++number == line) {
			is_found = true;
			buf_add(own, now.data ? now.data : "", now.size);
			for (size_t i = 0; i < AROUND; i++)
				buf_format(around, "%s\n", before[i].size ? before[i].data : "");
		} else if (now.size && is_found) {
			buf_format(around, "%.*s\n", (int)now.size, now.data);
			after++;
		} else if (now.size) {
			struct buf oldest = before[0];
			memmove(before, before + 1, (AROUND - 1) * sizeof *before);
			before[AROUND - 1] = now;
			now = oldest;
		}
	}
	buf_release(&text);
	buf_release(&now);
	for (size_t i = 0; i < AROUND; i++)
		buf_release(&before[i]);
	return is_found;
}
