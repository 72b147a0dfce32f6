/* columns.c: see columns.h. */
#include "cmd/columns.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/deed.h"
#include "cmd/stack.h"
#include "heddle/abi.h"

#define MANY 400u
#define LAST_SHOWN 200u
#define WIDTH_DEFAULT 120u
#define NUMBER_WIDTH 8u
#define COLUMN_MIN 22u
#define COLUMN_MAX 48u
/* So many accesses in a row become one row. */
#define FOLD_MIN 3u

struct table {
	FILE *to;
	struct event *events; /* those to be shown */
	size_t count;
	uint64_t first;    /* number of events[0] */
	uint32_t *threads; /* those that have events, in order */
	size_t thread_count;
	size_t column_width; /* 0: too many threads for columns: a list */
	const struct report *report;
	struct deeds *deeds;
};

static int bad_events(int code, struct err *err)
{
	if (code == -EINVAL)
		return err_set(err, EINVAL, "the events that the replay wrote cannot be understood");
	return err_set(err, -code, "cannot read the events that the replay wrote: %s", strerror(-code));
}

static int count_events(struct events *events, uint64_t *count, struct err *err)
{
	struct event event;
	int code;
	*count = 0;
	while ((code = events_next(events, &event)) > 0)
		++*count;
	events_rewind(events);
	return code < 0 ? bad_events(code, err) : 0;
}

static int collect(struct table *table, struct events *events, struct columns_range range, struct err *err)
{
	struct event event;
	int code = 0;
	table->first = range.first;
	if (range.last < range.first)
		return 0;
	table->events = mem_alloc((range.last - range.first + 1) * sizeof *table->events);
	for (uint64_t number = 1; number <= range.last && (code = events_next(events, &event)) > 0; number++)
		if (number >= range.first)
			table->events[table->count++] = event;
	return code < 0 ? bad_events(code, err) : 0;
}

static int compare_threads(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static size_t column_of(const struct table *table, uint32_t thread)
{
	const uint32_t *found = bsearch(&thread, table->threads, table->thread_count, sizeof thread, compare_threads);
	return (size_t)(found - table->threads);
}

static void find_threads(struct table *table)
{
	table->threads = mem_alloc((table->count + 1) * sizeof *table->threads);
	for (size_t i = 0; i < table->count; i++)
		table->threads[i] = table->events[i].thread;
	qsort(table->threads, table->count, sizeof *table->threads, compare_threads);
	for (size_t i = 0; i < table->count; i++)
		if (i == 0 || table->threads[i] != table->threads[i - 1])
			table->threads[table->thread_count++] = table->threads[i];
}

static void choose_width(struct table *table, unsigned width)
{
	size_t room = (width ? width : WIDTH_DEFAULT) - NUMBER_WIDTH - 1;
	size_t each = table->thread_count ? room / table->thread_count : room;
	if (width && width < NUMBER_WIDTH + COLUMN_MIN + 1)
		each = COLUMN_MIN;
	table->column_width = each < COLUMN_MIN ? 0 : each > COLUMN_MAX ? COLUMN_MAX : each;
}

/* Cuts the text to so many columns, with two dots for what is left out. */
static void cut(struct buf *text, size_t width)
{
	if (text_width(text->data, text->size) <= width)
		return;
	do {
		text->size--;
		while (text->size && ((unsigned char)text->data[text->size] & 0xc0) == 0x80)
			text->size--;
	} while (text->size && text_width(text->data, text->size) + 2 > width);
	text->data[text->size] = '\0';
	buf_add_string(text, "..");
}

static void print_row(const struct table *table, uint64_t number, uint32_t thread, struct buf *text)
{
	if (table->column_width) {
		size_t indent = column_of(table, thread) * table->column_width;
		cut(text, table->column_width - 1);
		fprintf(table->to, "%*" PRIu64 "  %*s%s\n", (int)NUMBER_WIDTH, number, (int)indent, "", text->data);
	} else {
		fprintf(table->to, "%*" PRIu64 "  %6" PRIu32 "  %s\n", (int)NUMBER_WIDTH, number, thread, text->data);
	}
}

static void print_head(const struct table *table)
{
	struct symbols *symbols = symbols_new(table->report);
	struct unwinder *unwinder = unwinder_new(table->report, symbols);
	fprintf(table->to, "%*s  ", (int)NUMBER_WIDTH, "event");
	if (!table->column_width)
		fputs("thread  what\n", table->to);
	for (size_t i = 0; table->column_width && i < table->thread_count; i++) {
		const struct report_thread *thread = report_thread(table->report, table->threads[i]);
		struct buf text = { 0 };
		buf_format(&text, "thread %" PRIu32, table->threads[i]);
		if (thread) {
			struct buf name = { 0 };
			if (thread->name[0])
				text_terminal(&name, thread->name);
			else
				stack_tell_start(&name, unwinder, symbols, thread);
			buf_format(&text, "%s%s", name.size ? " " : "", name.size ? name.data : "");
			buf_release(&name);
		}
		cut(&text, table->column_width - 1);
		size_t pad = i + 1 < table->thread_count ? table->column_width - text_width(text.data, text.size) : 0;
		fprintf(table->to, "%s%*s", text.data, (int)pad, "");
		buf_release(&text);
	}
	if (table->column_width)
		fputs("\n", table->to);
	unwinder_free(unwinder);
	symbols_free(symbols);
}

static bool is_access(const struct event *event)
{
	return event->kind == HEDDLE_EVENT_READ || event->kind == HEDDLE_EVENT_WRITE;
}

static size_t accesses_from(const struct table *table, size_t at)
{
	size_t end = at;
	while (end < table->count && is_access(&table->events[end]) &&
	       table->events[end].thread == table->events[at].thread)
		end++;
	return end - at;
}

static void print_events(const struct table *table)
{
	struct buf text = { 0 };
	for (size_t i = 0; i < table->count;) {
		size_t run = accesses_from(table, i), taken = run >= FOLD_MIN ? run : 1;
		text.size = 0;
		if (taken > 1)
			deeds_fold(&text, table->deeds, &table->events[i], taken);
		else
			deeds_describe(&text, table->deeds, &table->events[i]);
		print_row(table, table->first + i, table->events[i].thread, &text);
		i += taken;
	}
	buf_release(&text);
}

static struct columns_range choose_range(struct columns_range asked, uint64_t total)
{
	bool is_asked = asked.first || asked.last;
	if (!asked.first)
		asked.first = 1;
	if (!asked.last || asked.last > total)
		asked.last = total;
	if (!is_asked && total > MANY)
		asked.first = total - LAST_SHOWN + 1;
	return asked;
}

int columns_print(FILE *to, struct events *events, const struct report *report, struct columns_range range,
		  unsigned width, struct err *err)
{
	struct table table = { .to = to, .report = report };
	uint64_t total;
	int code = count_events(events, &total, err);
	if (code < 0)
		return code;
	struct columns_range shown = choose_range(range, total);
	code = collect(&table, events, shown, err);
	if (code == 0) {
		table.deeds = deeds_new(report);
		find_threads(&table);
		choose_width(&table, width);
		print_head(&table);
		print_events(&table);
		deeds_free(table.deeds);
		if (table.count < total)
			fprintf(to, "events %" PRIu64 " to %" PRIu64 " of %" PRIu64 "; --from and --to show others\n",
				table.first, table.first + table.count - (table.count ? 1 : 0), total);
	}
	free(table.events);
	free(table.threads);
	return code;
}
