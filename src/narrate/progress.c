/* progress.c: see progress.h. */
#include "narrate/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "narrate/layout.h"

#define TERMINAL_SECONDS 0.2
#define LOG_SECONDS 60.0

void coverage_learn(struct coverage *self, const uint64_t *seen)
{
	uint64_t before = self->count;
	for (size_t i = 0; i < HEDDLE_SEEN_BITS / 64; i++) {
		uint64_t fresh = seen[i] & ~self->seen[i];
		self->count += (uint64_t)__builtin_popcountl(fresh);
		self->seen[i] |= fresh;
	}
	self->is_new[self->schedules++ % COVERAGE_LAST] = self->count > before;
}

unsigned coverage_news(const struct coverage *self, unsigned *of)
{
	unsigned news = 0;
	*of = self->schedules < COVERAGE_LAST ? (unsigned)self->schedules : COVERAGE_LAST;
	for (unsigned i = 0; i < *of; i++)
		news += self->is_new[i];
	return news;
}

static void add_words(struct buf *out, const struct progress *progress, const struct coverage *coverage)
{
	unsigned of, news = coverage_news(coverage, &of);
	if (progress->other) {
		buf_add_string(out, progress->other);
	} else {
		buf_format(out, "%" PRIu64, progress->schedules);
		if (progress->of)
			buf_format(out, " of %" PRIu64, progress->of);
		buf_format(out, " schedules, %.1f per second",
			   progress->seconds > 0 ? (double)progress->schedules / progress->seconds : 0.0);
	}
	buf_format(out, "; %zu finding%s", progress->findings, progress->findings == 1 ? "" : "s");
	if (!progress->other && of)
		buf_format(out, "; new behaviour in %u of the last %u", news, of);
}

void progress_print(struct progress_line *self, const struct progress *progress, const struct coverage *coverage,
		    double now)
{
	bool is_terminal = isatty(2);
	struct buf line = { 0 };
	struct layout layout;
	if (!is_terminal && self->printed_at == 0)
		self->printed_at = now;
	if (now - self->printed_at < (is_terminal ? TERMINAL_SECONDS : LOG_SECONDS))
		return;
	self->printed_at = now;
	add_words(&line, progress, coverage);
	progress_clear(self);
	if (is_terminal) {
		/* One that wraps cannot be taken back. */
		layout_init(&layout, 2, "never");
		text_fit(&line, layout.width ? layout.width - 1 : 79, TEXT_CUT_RIGHT);
		fputs(line.data, stderr);
		self->is_open = true;
	} else {
		fprintf(stderr, "heddle: %s\n", line.data);
	}
	fflush(stderr);
	buf_release(&line);
}

void progress_clear(struct progress_line *self)
{
	if (self->is_open)
		fputs("\r\033[K", stderr);
	self->is_open = false;
}
