/* excerpt.c: see excerpt.h. */
#include "report/excerpt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/source.h"
#include "base/text.h"

#define LINES_AROUND 20u
#define LINE_MOST 400u         /* bytes of a line that are kept */
#define TOTAL_MOST (16u << 20) /* bytes of all excerpts */

/* Lines of one file that are wanted. */
struct wanted {
	uint32_t *lines;
	size_t count, room;
};

static void want(struct map *files, const struct json *place)
{
	const char *file = json_string(place, "file");
	uint64_t line = json_number(place, "line");
	if (!file || !*file || !line || line > UINT32_MAX)
		return;
	struct wanted *wanted = map_get(files, file);
	if (!wanted) {
		wanted = mem_alloc(sizeof *wanted);
		map_set(files, file, wanted);
	}
	if (wanted->count && wanted->lines[wanted->count - 1] == line)
		return;
	if (wanted->count == wanted->room) {
		wanted->room = wanted->room ? wanted->room * 2 : 16;
		wanted->lines = mem_resize(wanted->lines, wanted->room * sizeof *wanted->lines);
	}
	wanted->lines[wanted->count++] = (uint32_t)line;
}

static void want_all(struct map *files, const struct json *places)
{
	for (size_t i = 0; i < json_count(places); i++)
		want(files, &places->items[i]);
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static void add_line(struct buf *out, const char *line, size_t size)
{
	char kept[LINE_MOST + 1];
	size = size && line[size - 1] == '\r' ? size - 1 : size;
	size = size < LINE_MOST ? size : LINE_MOST;
	memcpy(kept, line, size);
	kept[size] = '\0';
	text_json(out, kept);
}

/* wanted is sorted. */
static void add_parts(struct buf *out, const struct source *source, const struct wanted *wanted)
{
	uint64_t last = 0;
	for (size_t i = 0; i < wanted->count && out->size <= TOTAL_MOST; i++) {
		uint64_t line = wanted->lines[i] > LINES_AROUND ? wanted->lines[i] - LINES_AROUND : 1;
		for (line = line > last ? line : last + 1; line <= (uint64_t)wanted->lines[i] + LINES_AROUND; line++) {
			size_t size;
			const char *text = source_line(source, line, &size);
			if (!text || out->size > TOTAL_MOST)
				break;
			if (!last || last + 1 != line)
				buf_format(out, "%s[%" PRIu64 ",[", last ? "]]," : "", line);
			else
				buf_add_string(out, ",");
			add_line(out, text, size);
			last = line;
		}
	}
	buf_add_string(out, last ? "]]" : "");
}

static bool is_newer(const struct source *source, const char *program)
{
	struct stat built;
	return stat(program, &built) == 0 && source_is_newer(source, &built.st_mtim);
}

/* Of several programs nobody knows which one a source belongs to: it may be any. */
static bool is_changed(const struct document *document, const struct source *source)
{
	if (!json_count(document->programs))
		return is_newer(source, document->program);
	for (size_t i = 0; i < document->programs->count; i++)
		if (!is_newer(source, document_text(&document->programs->items[i], "program")))
			return false;
	return true;
}

static bool add_file(struct buf *out, struct document *document, const char *file, struct wanted *wanted, bool is_next)
{
	const struct sources_file *found = sources_find(&document->sources, file);
	struct source source = { 0 };
	bool is_read = found->path && out->size < TOTAL_MOST && source_read(&source, found->path) == SOURCE_GOOD;
	if (is_read) {
		qsort(wanted->lines, wanted->count, sizeof *wanted->lines, compare);
		buf_add_string(out, is_next ? "," : "");
		text_json(out, file);
		buf_add_string(out, ":{\"path\":");
		text_json(out, document_path(document, file));
		buf_format(out, ",\"changed\":%s,\"parts\":[", is_changed(document, &source) ? "true" : "false");
		add_parts(out, &source, wanted);
		buf_add_string(out, "]}");
	}
	source_release(&source);
	return is_read || is_next;
}

void excerpt_json(struct buf *out, struct document *document)
{
	struct map files = { 0 };
	struct buf text = { 0 };
	bool is_next = false;
	for (size_t i = 0; i < document->findings->count; i++) {
		want_all(&files, json_array(&document->findings->items[i], "sites"));
		want_all(&files, json_array(&document->findings->items[i], "interleaving"));
	}
	for (size_t i = 0; i < files.room; i++) {
		struct wanted *wanted = files.slots[i].key ? files.slots[i].value : NULL;
		if (!wanted)
			continue;
		is_next = add_file(&text, document, files.slots[i].key, wanted, is_next);
		free(wanted->lines);
		free(wanted);
	}
	buf_format(out, "{%s}", text.data ? text.data : "");
	buf_release(&text);
	map_release(&files);
}
