/*
 * output.c: output that differs from what other schedules with the same exit status printed. The first schedule with a
 * status sets the measure; which of two outputs is correct cannot be known here.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "judge/judge_priv.h"
#include "judge/output.h"

#define LINES_SHOWN 4u

struct judge_group {
	int status;
	uint64_t schedule, sum;
	struct buf kept[2];
};

void judge_release_output(struct judge *self)
{
	for (size_t i = 0; i < self->group_count; i++)
		for (int stream = 0; stream < 2; stream++)
			buf_release(&self->groups[i].kept[stream]);
	free(self->groups);
	self->groups = NULL;
	self->group_count = 0;
}

static uint64_t sum_of(const struct inspection *self)
{
	return self->judge->output == JUDGE_OUTPUT_EXACT ? self->run->result.output_hash
							 : capture_lines(self->run->capture);
}

static struct judge_group *find_group(struct judge *self, int status)
{
	for (size_t i = 0; i < self->group_count; i++)
		if (self->groups[i].status == status)
			return &self->groups[i];
	return NULL;
}

static void add_group(struct inspection *self, int status)
{
	struct judge *judge = self->judge;
	judge->groups = mem_resize(judge->groups, (judge->group_count + 1) * sizeof *judge->groups);
	struct judge_group *group = &judge->groups[judge->group_count++];
	*group = (struct judge_group){ .status = status, .schedule = self->run->number, .sum = sum_of(self) };
	output_keep(group->kept, self->run->capture);
}

/* Lines, in the order of the text. A 0 byte ends one, too: it is for showing. */
static void split(struct strings *lines, const struct buf *text)
{
	for (size_t at = 0; at < text->size;) {
		size_t size = strcspn(text->data + at, "\n");
		char *line = mem_format("%.*s", (int)size, text->data + at);
		strings_add(lines, line);
		free(line);
		at += size + 1;
	}
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void show(struct buf *out, char sign, const char *line, size_t *shown)
{
	if (++*shown > LINES_SHOWN)
		return;
	buf_format(out, "  %c ", sign);
	text_terminal(out, line);
	buf_add_string(out, "\n");
}

/* What only one of them has, whatever the order. */
static size_t show_difference(struct buf *out, struct strings *first, struct strings *now)
{
	size_t a = 0, b = 0, shown[2] = { 0, 0 };
	qsort(first->items, first->count, sizeof *first->items, compare_strings);
	qsort(now->items, now->count, sizeof *now->items, compare_strings);
	while (a < first->count || b < now->count) {
		int order = a == first->count ? 1 : b == now->count ? -1 : strcmp(first->items[a], now->items[b]);
		if (order < 0)
			show(out, '-', first->items[a], &shown[0]);
		if (order > 0)
			show(out, '+', now->items[b], &shown[1]);
		a += order <= 0;
		b += order >= 0;
	}
	size_t left = 0;
	for (int i = 0; i < 2; i++)
		left += shown[i] > LINES_SHOWN ? shown[i] - LINES_SHOWN : 0;
	if (left)
		buf_format(out, "  and %zu more line%s\n", left, left == 1 ? "" : "s");
	return shown[0] + shown[1];
}

/* The first line where they part. */
static void show_order(struct buf *out, const struct strings *first, const struct strings *now)
{
	size_t at = 0, shown = 0;
	while (at < first->count && at < now->count && strcmp(first->items[at], now->items[at]) == 0)
		at++;
	if (at < first->count && at < now->count) {
		show(out, '-', first->items[at], &shown);
		show(out, '+', now->items[at], &shown);
	}
}

bool output_difference(struct buf *out, const struct buf first[2], const struct buf second[2])
{
	const size_t before = out->size;
	for (int stream = 0; stream < 2; stream++) {
		struct strings sorted[2] = { { 0 }, { 0 } }, lines[2] = { { 0 }, { 0 } };
		const struct buf *texts[2] = { &first[stream], &second[stream] };
		for (int i = 0; i < 2; i++) {
			split(&sorted[i], texts[i]);
			split(&lines[i], texts[i]);
		}
		if (!show_difference(out, &sorted[0], &sorted[1]))
			show_order(out, &lines[0], &lines[1]);
		for (int i = 0; i < 2; i++) {
			strings_release(&sorted[i]);
			strings_release(&lines[i]);
		}
	}
	return out->size > before;
}

void output_keep(struct buf kept[2], const struct capture *capture)
{
	for (int stream = 0; stream < 2; stream++) {
		const struct buf *from = &capture->streams[stream].kept;
		buf_add(&kept[stream], from->data ? from->data : "", from->size);
	}
}

static void describe(struct inspection *self, const struct judge_group *group, struct finding *finding)
{
	struct buf *out = &finding->presentation.details, now[2] = { { 0 }, { 0 } };
	buf_format(&finding->presentation.summary,
		   "the output differs from that of schedule %" PRIu64 " (exit status %d in both)", group->schedule,
		   group->status);
	buf_format(out, "- schedule %" PRIu64 ", + schedule %" PRIu64 ":\n", group->schedule, self->run->number);
	output_keep(now, self->run->capture);
	output_difference(out, group->kept, now);
	buf_release(&now[0]);
	buf_release(&now[1]);
}

void judge_output(struct inspection *self)
{
	int status = self->run->result.status & 255;
	if (self->run->result.outcome != HEDDLE_OUTCOME_EXIT || self->judge->is_checked ||
	    self->judge->output == JUDGE_OUTPUT_IGNORED || !self->run->capture)
		return;
	const struct judge_group *group = find_group(self->judge, status);
	if (!group) {
		add_group(self, status);
		return;
	}
	if (group->sum == sum_of(self))
		return;
	struct buf key = { 0 };
	buf_format(&key, "exit %d", status);
	self->judged->is_failure = true;
	struct finding *finding = inspection_add(self, FINDING_OUTPUT_DIFFERS, &key);
	if (finding) {
		finding->evidence.output_sum = sum_of(self);
		describe(self, group, finding);
	}
}
