/* race_log.c: see race_log.h. Lines, and the list of pairs; what is in a line is in race_log_tsan.c and race_log_valgrind.c. */
#include "judge/race_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "judge/race_log_priv.h"

const char *const race_log_tool_names[RACE_LOG_TOOL_COUNT] = { "ThreadSanitizer", "Helgrind", "DRD" };

/* Spans. */

struct span span_trim(struct span span)
{
	while (span.size && (*span.at == ' ' || *span.at == '\t'))
		span.at++, span.size--;
	while (span.size && (span.at[span.size - 1] == ' ' || span.at[span.size - 1] == '\t'))
		span.size--;
	return span;
}

bool span_is(struct span span, const char *text)
{
	return span.size == strlen(text) && memcmp(span.at, text, span.size) == 0;
}

bool span_begins(struct span span, const char *text)
{
	size_t size = strlen(text);
	return span.size >= size && memcmp(span.at, text, size) == 0;
}

struct span span_after(struct span span, const char *text)
{
	size_t size = strlen(text);
	const char *found = memmem(span.at, span.size, text, size);
	if (!found)
		return (struct span){ NULL, 0 };
	return (struct span){ found + size, span.size - (size_t)(found - span.at) - size };
}

size_t span_last(struct span span, const char *text)
{
	size_t size = strlen(text);
	for (size_t at = span.size < size ? 0 : span.size - size + 1; at > 0; at--)
		if (memcmp(span.at + at - 1, text, size) == 0)
			return at - 1;
	return SIZE_MAX;
}

static unsigned digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	return c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : UINT32_MAX;
}

bool span_take_number(struct span *span, unsigned base, uint64_t *number)
{
	size_t at = 0;
	*number = 0;
	for (; at < span->size && digit_of(span->at[at]) < base; at++)
		if (__builtin_mul_overflow(*number, base, number) ||
		    __builtin_add_overflow(*number, digit_of(span->at[at]), number))
			return false;
	span->at += at;
	span->size -= at;
	return at > 0;
}

bool span_take(struct span *span, const char *text)
{
	size_t size = strlen(text);
	if (!span_begins(*span, text))
		return false;
	span->at += size;
	span->size -= size;
	return true;
}

/* Null when it has no bytes. What is behind a zero byte would not be seen by anybody. */
static char *copy(struct span span)
{
	size_t size = span.size < RACE_LOG_MAX_NAME ? span.size : RACE_LOG_MAX_NAME;
	return span.size ? mem_format("%.*s", (int)size, span.at) : NULL;
}

/* Reports. */

static void release_side(struct race_log_side *side)
{
	for (size_t i = 0; i < side->frame_count; i++) {
		free(side->frames[i].function);
		free(side->frames[i].file);
		free(side->frames[i].module);
	}
	free(side->frames);
	*side = (struct race_log_side){ 0 };
}

void race_log_close(struct race_log_reader *self)
{
	struct race_log *log = self->log;
	bool is_whole = self->is_open && self->side_count == 2;
	log->cut_count += self->is_open && !is_whole;
	if (is_whole && log->pair_count < RACE_LOG_MAX_PAIRS) {
		if ((log->pair_count & (log->pair_count - 1)) == 0)
			log->pairs = mem_resize(log->pairs,
						(log->pair_count ? 2 * log->pair_count : 1) * sizeof *log->pairs);
		log->pairs[log->pair_count++] = self->pair;
	} else if (self->is_open) {
		log->left_count += is_whole;
		release_side(&self->pair.sides[0]);
		release_side(&self->pair.sides[1]);
		free(self->pair.global);
	}
	self->is_open = self->is_silent = self->takes_frames = false;
	self->side_count = 0;
}

void race_log_open(struct race_log_reader *self, enum race_log_tool tool)
{
	race_log_close(self);
	self->log->report_count++;
	self->log->tool_counts[tool]++;
	self->pair = (struct race_log_pair){ .tool = tool, .line = self->line };
	self->is_open = true;
}

void race_log_open_other(struct race_log_reader *self, enum race_log_tool tool, struct span kind)
{
	struct race_log *log = self->log;
	race_log_close(self);
	self->is_silent = true;
	log->report_count++;
	log->tool_counts[tool]++;
	char *name = copy(span_trim(kind));
	if (!name)
		name = mem_copy_string("unnamed");
	for (size_t i = 0; i < log->kind_count; i++)
		if (strcmp(log->kinds[i].name, name) == 0) {
			log->kinds[i].count++;
			free(name);
			return;
		}
	if (log->kind_count == RACE_LOG_MAX_KINDS) {
		log->left_count++;
		free(name);
		return;
	}
	log->kinds = mem_resize(log->kinds, (log->kind_count + 1) * sizeof *log->kinds);
	log->kinds[log->kind_count++] = (struct race_log_kind){ name, 1 };
}

void race_log_add_global(struct race_log_reader *self, struct span name)
{
	if (self->is_open && !self->pair.global && !span_is(name, "??"))
		self->pair.global = copy(name);
}

void race_log_add_side(struct race_log_reader *self, const struct race_log_side *side)
{
	self->takes_frames = self->is_open && self->side_count < 2;
	if (self->takes_frames)
		self->pair.sides[self->side_count++] = *side;
}

void race_log_add_frame(struct race_log_reader *self, struct span function, struct span file, struct span module,
			const struct race_log_frame *numbers)
{
	if (!self->takes_frames)
		return;
	struct race_log_side *side = &self->pair.sides[self->side_count - 1];
	if (side->frame_count == RACE_LOG_MAX_FRAMES)
		return;
	if ((side->frame_count & (side->frame_count - 1)) == 0)
		side->frames = mem_resize(side->frames,
					  (side->frame_count ? 2 * side->frame_count : 1) * sizeof *side->frames);
	struct race_log_frame *frame = &side->frames[side->frame_count++];
	*frame = *numbers;
	frame->function = copy(function);
	frame->file = copy(file);
	frame->module = copy(module);
}

/* Lines. */

static void read_line(struct race_log_reader *self, struct span line)
{
	self->line++;
	if (line.size && line.at[line.size - 1] == '\r')
		line.size--;
	self->log->long_count += line.size > RACE_LOG_MAX_LINE;
	if (line.size > RACE_LOG_MAX_LINE)
		line.size = RACE_LOG_MAX_LINE;
	/* Lines of Valgrind are marked as such, so that others are the program's. */
	if (!race_log_read_tsan(self, line) && !race_log_read_valgrind(self, line) && self->is_open &&
	    self->pair.tool == RACE_LOG_TSAN)
		self->log->unknown_count++;
}

void race_log_parse(struct race_log *log, const char *bytes, size_t size_bytes)
{
	struct race_log_reader reader = { .log = log };
	*log = (struct race_log){ 0 };
	for (size_t at = 0; at < size_bytes;) {
		const char *end = memchr(bytes + at, '\n', size_bytes - at);
		size_t size = end ? (size_t)(end - bytes) - at : size_bytes - at;
		read_line(&reader, (struct span){ bytes + at, size });
		at += size + 1;
	}
	race_log_close(&reader);
}

static int read_all(int fd, const char *path, struct buf *out, struct err *err)
{
	static const size_t CHUNK = 1 << 16;
	struct stat status;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && (uint64_t)status.st_size > RACE_LOG_MAX_BYTES)
		return err_set(err, EFBIG, "the log \"%s\" is larger than 1 GiB", path);
	char *chunk = mem_alloc(CHUNK);
	ssize_t got;
	while ((got = read(fd, chunk, CHUNK)) != 0 && out->size <= RACE_LOG_MAX_BYTES) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		buf_add(out, chunk, (size_t)got);
	}
	int code = got < 0 ? errno : 0;
	free(chunk);
	if (code)
		return err_set(err, code, "cannot read the log \"%s\": %s", path, strerror(code));
	if (out->size > RACE_LOG_MAX_BYTES)
		return err_set(err, EFBIG, "the log \"%s\" is larger than 1 GiB", path);
	return 0;
}

int race_log_read(struct race_log *log, const char *path, struct err *err)
{
	struct buf text = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, errno, "cannot read the log \"%s\": %s", path, strerror(errno));
	int code = read_all(fd, path, &text, err);
	close(fd);
	if (code == 0)
		race_log_parse(log, text.data ? text.data : "", text.size);
	buf_release(&text);
	if (code < 0)
		return code;
	if (log->report_count)
		return 0;
	race_log_release(log);
	err_hint(err, "a log is the text that ThreadSanitizer, Helgrind or DRD print, such as in 2>tsan.log");
	return err_set(err, ENODATA, "the log \"%s\" has no report of ThreadSanitizer, Helgrind or DRD", path);
}

void race_log_release(struct race_log *log)
{
	for (size_t i = 0; i < log->pair_count; i++) {
		release_side(&log->pairs[i].sides[0]);
		release_side(&log->pairs[i].sides[1]);
		free(log->pairs[i].global);
	}
	for (size_t i = 0; i < log->kind_count; i++)
		free(log->kinds[i].name);
	free(log->pairs);
	free(log->kinds);
	*log = (struct race_log){ 0 };
}

/* Words. */

static void add_count(struct buf *out, uint64_t count, const char *one, const char *many)
{
	if (count)
		buf_format(out, "; %" PRIu64 " %s", count, count == 1 ? one : many);
}

void race_log_describe(struct buf *out, const struct race_log *log)
{
	const char *separator = "";
	for (size_t tool = 0; tool < RACE_LOG_TOOL_COUNT; tool++)
		if (log->tool_counts[tool]) {
			buf_format(out, "%s%s", separator, race_log_tool_names[tool]);
			separator = ", ";
		}
	buf_format(out, "%s%zu data race%s", *separator ? ": " : "", log->pair_count, log->pair_count == 1 ? "" : "s");
	for (size_t i = 0; i < log->kind_count; i++)
		buf_format(out, "%s%" PRIu64 " %s", i ? ", " : "; not classified: ", log->kinds[i].count,
			   log->kinds[i].name);
	add_count(out, log->cut_count, "report is cut off", "reports are cut off");
	add_count(out, log->left_count, "report is left out: there are too many",
		  "reports are left out: there are too many");
	add_count(out, log->unknown_count, "line was not understood", "lines were not understood");
}
