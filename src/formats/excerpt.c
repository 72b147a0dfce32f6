/* excerpt.c: see excerpt.h. */
#include "formats/excerpt.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/source.h"

#define LINES_AROUND 20u
#define MAX_LINE 400u         /* bytes of a line that are kept */
#define MAX_TOTAL (16u << 20) /* bytes of all excerpts */

/* One file that findings name. */
struct file {
	struct source source;
	struct source_code code;
	bool is_read, is_newer;  /* is_newer: than the program */
	bool is_known, is_other; /* a line of it is still what the program was built from; is not */
	uint32_t *lines;         /* that are wanted */
	size_t count, room;
	bool *is_stale; /* of each finding: it has other lines than the file has now */
};

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static void add_line(struct json_writer *out, const char *line, size_t size)
{
	char kept[MAX_LINE + 1];
	size = size && line[size - 1] == '\r' ? size - 1 : size;
	size = size < MAX_LINE ? size : MAX_LINE;
	memcpy(kept, line, size);
	kept[size] = '\0';
	json_add_string(out, NULL, kept);
}

/* wanted is sorted. Lines that follow each other are one part: the number of the first, and the texts. */
static void add_parts(struct json_writer *out, const struct file *wanted)
{
	uint64_t last = 0;
	json_open_array(out, "parts");
	for (size_t i = 0; i < wanted->count && out->out->size <= MAX_TOTAL; i++) {
		uint64_t line = wanted->lines[i] > LINES_AROUND ? wanted->lines[i] - LINES_AROUND : 1;
		for (line = line > last ? line : last + 1; line <= (uint64_t)wanted->lines[i] + LINES_AROUND; line++) {
			size_t size;
			const char *text = source_line(&wanted->source, line, &size);
			if (!text || out->out->size > MAX_TOTAL)
				break;
			if (last && last + 1 != line) {
				json_close_array(out);
				json_close_array(out);
			}
			if (!last || last + 1 != line) {
				json_open_array(out, NULL);
				json_add_number(out, NULL, line);
				json_open_array(out, NULL);
			}
			add_line(out, text, size);
			last = line;
		}
	}
	if (last) {
		json_close_array(out);
		json_close_array(out);
	}
	json_close_array(out);
}

static bool is_newer(const struct source *source, const char *program)
{
	struct stat built;
	return stat(program, &built) == 0 && source_is_newer(source, &built.st_mtim);
}

/* With several programs it is not known which one a source belongs to: it may be any. */
static bool is_changed(const struct document *document, const struct source *source)
{
	if (!json_count(document->programs))
		return is_newer(source, document->program);
	for (size_t i = 0; i < document->programs->count; i++)
		if (!is_newer(source, document_text(&document->programs->items[i], "program")))
			return false;
	return true;
}

/* Null when the place has none. Reads it when it is first named. */
static struct file *file_of(struct map *files, struct document *document, const struct json *place)
{
	const char *name = json_string(place, "file");
	uint64_t line = json_number(place, "line");
	if (!name || !*name || !line || line > UINT32_MAX)
		return NULL;
	struct file *file = map_get(files, name);
	if (file)
		return file;
	file = mem_alloc(sizeof *file);
	file->is_stale = mem_alloc(document->findings->count + 1);
	map_set(files, name, file);
	const struct sources_file *found = sources_find(&document->sources, name);
	file->is_read = found->path && source_read(&file->source, found->path) == SOURCE_GOOD;
	if (file->is_read) {
		source_code_read(&file->code, &file->source);
		file->is_newer = is_changed(document, &file->source);
	}
	return file;
}

/* What the document has of lines says whether they are still the same. */
static void compare_places(struct map *files, struct document *document, const struct json *places, size_t finding)
{
	for (size_t i = 0; i < json_count(places); i++) {
		const char *code = json_string(&places->items[i], "code");
		struct file *file = code ? file_of(files, document, &places->items[i]) : NULL;
		if (!file || !file->is_read)
			continue;
		if (strcmp(source_code_line(&file->code, json_number(&places->items[i], "line")), code) == 0)
			file->is_known = true;
		else
			file->is_other = file->is_stale[finding] = true;
	}
}

static void want(struct file *file, uint32_t line)
{
	if (file->count && file->lines[file->count - 1] == line)
		return;
	if (file->count == file->room) {
		file->room = file->room ? file->room * 2 : 16;
		file->lines = mem_resize(file->lines, file->room * sizeof *file->lines);
	}
	file->lines[file->count++] = line;
}

/* Of a file that is newer than the program, or has other lines, and of which no line is known to be the same, none is shown. */
static void want_all(struct map *files, struct document *document, const struct json *places, size_t finding)
{
	for (size_t i = 0; i < json_count(places); i++) {
		struct file *file = file_of(files, document, &places->items[i]);
		if (!file || !file->is_read)
			continue;
		if ((file->is_newer || file->is_other) && !file->is_known)
			file->is_stale[finding] = true;
		if (!file->is_stale[finding])
			want(file, (uint32_t)json_number(&places->items[i], "line"));
	}
}

static bool is_stale_for_any(const struct file *file, const struct document *document)
{
	for (size_t i = 0; i < document->findings->count; i++)
		if (file->is_stale[i])
			return true;
	return false;
}

static void add_file(struct json_writer *out, struct document *document, const char *name, struct file *file)
{
	if (!file->is_read || out->out->size >= MAX_TOTAL)
		return;
	if (file->count)
		qsort(file->lines, file->count, sizeof *file->lines, compare);
	json_open_object(out, name);
	json_add_string(out, "path", document_path(document, name));
	json_add_bool(out, "changed", file->is_newer || is_stale_for_any(file, document));
	json_open_array(out, "stale");
	for (size_t i = 0; i < document->findings->count; i++)
		if (file->is_stale[i])
			json_add_number(out, NULL, i);
	json_close_array(out);
	add_parts(out, file);
	json_close_object(out);
}

static void free_file(struct file *file)
{
	source_release(&file->source);
	source_code_release(&file->code);
	free(file->is_stale);
	free(file->lines);
	free(file);
}

void excerpt_json(struct json_writer *out, const char *key, struct document *document)
{
	struct map files = { 0 };
	struct buf text = { 0 }; /* of its own, since its size is limited */
	struct json_writer writer;
	for (size_t i = 0; i < document->findings->count; i++)
		compare_places(&files, document, json_array(&document->findings->items[i], "sites"), i);
	for (size_t i = 0; i < document->findings->count; i++) {
		const struct json *finding = &document->findings->items[i];
		want_all(&files, document, json_array(finding, "sites"), i);
		want_all(&files, document, json_array(finding, "interleaving"), i);
	}
	json_begin(&writer, &text);
	json_open_object(&writer, NULL);
	for (size_t i = 0; i < files.room; i++) {
		struct file *file = files.slots[i].key ? files.slots[i].value : NULL;
		if (!file)
			continue;
		add_file(&writer, document, files.slots[i].key, file);
		free_file(file);
	}
	json_close_object(&writer);
	json_end(&writer);
	json_add_raw(out, key, text.data);
	buf_release(&text);
	map_release(&files);
}
