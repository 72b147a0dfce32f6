/* suppress_file.c: reads suppression files and reports on them. See suppress.h. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "judge/suppress_priv.h"

#define MAX_FILE_BYTES (16u << 20)

/* What is shown of a line: garbage may be long. */
#define MAX_SHOWN 80

#define MAX_NAMES 16u

static char *shown(const char *text, size_t size)
{
	char *cut =
		mem_format("%.*s%s", (int)(size < MAX_SHOWN ? size : MAX_SHOWN), text, size > MAX_SHOWN ? "..." : "");
	char *escaped = text_terminal_copy(cut);
	free(cut);
	return escaped;
}

/* FILE:LINE: words "what". Returns -EINVAL. */
static int complain(const struct suppression *at, const char *words, const char *what, size_t size, struct err *err)
{
	char *file = text_terminal_copy(at->file), *quoted = shown(what, size);
	int code = err_set(err, EINVAL, "%s:%" PRIu32 ": %s \"%s\"", file, at->line, words, quoted);
	free(file);
	free(quoted);
	return code;
}

/* Hints at the name that was meant, or lists all. names ends with null. */
static void hint_names(struct err *err, const char *written, const char *const names[])
{
	const char *nearest = text_nearest(written, names);
	struct buf list = { 0 };
	for (size_t i = 0; names[i]; i++)
		buf_format(&list, "%s%s", i == 0 ? "" : names[i + 1] ? ", " : " and ", names[i]);
	if (nearest)
		err_hint(err, "did you mean %s?", nearest);
	else
		err_hint(err, "valid values: %s", list.data);
	buf_release(&list);
}

static const struct suppress_type *find_type(const char *name)
{
	for (const struct suppress_type *type = suppress_types; type->name; type++)
		if (strcmp(type->name, name) == 0)
			return type;
	return NULL;
}

static int unknown_type(const struct suppression *at, const char *name, struct err *err)
{
	const char *names[MAX_NAMES] = { NULL };
	for (size_t i = 0; suppress_types[i].name && i + 1 < MAX_NAMES; i++)
		names[i] = suppress_types[i].name;
	hint_names(err, name, names);
	return complain(at, "unknown type of suppression", name, strlen(name), err);
}

/* "data-race-1f3a09bc" */
static bool is_name(const char *text)
{
	for (size_t i = 0; i < FINDING_KIND_COUNT; i++) {
		size_t size = strlen(kinds[i].word);
		if (strncmp(text, kinds[i].word, size) == 0 && text[size] == '-' &&
		    strspn(text + size + 1, "0123456789abcdef") == 8 && !text[size + 9])
			return true;
	}
	return false;
}

static int check_id(struct suppression *self, struct err *err)
{
	char *end;
	errno = 0;
	if (self->pattern[0] == 'H' && self->pattern[1] >= '1' && self->pattern[1] <= '9') {
		self->number = strtoull(self->pattern + 1, &end, 10);
		if (!errno && !*end)
			return 0;
	} else if (is_name(self->pattern)) {
		return 0;
	}
	err_hint(err, "write id:H3, or the name from --json: id:data-race-1f3a09bc");
	return complain(self, "not a possible id:", self->pattern, strlen(self->pattern), err);
}

static int check_word(const struct suppression *self, const char *const names[], const char *words, struct err *err)
{
	for (size_t i = 0; names[i]; i++)
		if (strcmp(names[i], self->pattern) == 0)
			return 0;
	hint_names(err, self->pattern, names);
	return complain(self, words, self->pattern, strlen(self->pattern), err);
}

static int check_operand(struct suppression *self, struct err *err)
{
	const char *names[FINDING_KIND_COUNT + 1] = { NULL };
	size_t count = 0;
	switch (self->type->operand) {
	case SUPPRESS_ID:
		return check_id(self, err);
	case SUPPRESS_KIND:
		for (size_t i = 0; i < FINDING_KIND_COUNT; i++)
			names[i] = kinds[i].word;
		return check_word(self, names, "unknown kind of finding", err);
	case SUPPRESS_CONSEQUENCE:
		for (size_t i = 0; i < FINDING_KIND_COUNT; i++)
			if (kinds[i].traits & KIND_CONSEQUENCE)
				names[count++] = kinds[i].word;
		return check_word(self, names, "unknown consequence", err);
	case SUPPRESS_ANYTHING:
		break;
	}
	return 0;
}

static int add_line(struct suppressions *self, const char *file, uint32_t line, const char *start, size_t size,
		    struct err *err)
{
	struct suppression one = { .file = file, .line = line };
	for (; size && (*start == ' ' || *start == '\t'); size--)
		start++;
	while (size && (start[size - 1] == ' ' || start[size - 1] == '\t' || start[size - 1] == '\r'))
		size--;
	if (size == 0 || *start == '#')
		return 0;
	const char *colon = memchr(start, ':', size);
	if (memchr(start, 0, size))
		return complain(&one, "line with a zero byte:", start, size, err);
	if (!colon) {
		err_hint(err, "a line has the form TYPE:PATTERN, such as race:push, or starts with #");
		return complain(&one, "missing type in", start, size, err);
	}
	char *name = mem_format("%.*s", (int)(colon - start), start);
	one.type = find_type(name);
	int code = one.type ? 0 : unknown_type(&one, name, err);
	free(name);
	if (code < 0)
		return code;
	one.text = mem_format("%.*s", (int)size, start);
	one.pattern = one.text + (colon + 1 - start);
	self->items = mem_resize(self->items, (self->count + 1) * sizeof *self->items);
	code = check_operand(&one, err);
	self->items[self->count++] = one;
	return code;
}

static int read_bytes(const char *path, struct buf *out, struct err *err)
{
	char block[16384], *name = text_terminal_copy(path);
	FILE *file = fopen(path, "re");
	size_t size;
	int code = 0;
	while (file && out->size <= MAX_FILE_BYTES && (size = fread(block, 1, sizeof block, file)) > 0)
		buf_add(out, block, size);
	if (!file || ferror(file))
		code = err_set(err, EINVAL, "cannot read the suppressions \"%s\": %s", name, strerror(errno));
	else if (out->size > MAX_FILE_BYTES)
		code = err_set(err, EINVAL, "the suppressions \"%s\" are larger than 16 MiB", name);
	if (file)
		fclose(file);
	free(name);
	return code;
}

static int read_file(struct suppressions *self, const char *path, struct err *err)
{
	struct buf bytes = { 0 };
	strings_add(&self->files, path);
	const char *file = self->files.items[self->files.count - 1];
	int code = read_bytes(path, &bytes, err);
	uint32_t line = 1;
	for (size_t at = 0; at < bytes.size && code == 0; line++) {
		const char *start = bytes.data + at, *end = memchr(start, '\n', bytes.size - at);
		size_t size = end ? (size_t)(end - start) : bytes.size - at;
		code = add_line(self, file, line, start, size, err);
		at += size + 1;
	}
	buf_release(&bytes);
	return code;
}

int suppressions_read(struct suppressions *self, const struct strings *files, struct err *err)
{
	const char *usual = getenv("HEDDLE_SUPPRESSIONS");
	int code = 0;
	if (!files->count && usual && *usual)
		return read_file(self, usual, err);
	for (size_t i = 0; i < files->count && code == 0; i++)
		code = read_file(self, files->items[i], err);
	return code;
}

void suppressions_release(struct suppressions *self)
{
	for (size_t i = 0; i < self->count; i++)
		free(self->items[i].text);
	free(self->items);
	strings_release(&self->files);
	*self = (struct suppressions){ 0 };
}

static void add_suppression(struct buf *out, const struct suppression *self)
{
	char *file = text_terminal_copy(self->file), *text = shown(self->text, strlen(self->text));
	buf_format(out, "%s:%" PRIu32 " (%s)", file, self->line, text);
	free(file);
	free(text);
}

void suppressions_list_used(struct buf *out, const char *prefix, const struct suppressions *self,
			    const struct findings *findings, bool has_ids)
{
	for (size_t i = 0; i < self->count; i++) {
		const struct suppression *one = &self->items[i];
		const char *before = ": ";
		if (!one->suppressed)
			continue;
		buf_format(out, "%s%" PRIu64 " finding%s suppressed by ", prefix, one->suppressed,
			   one->suppressed == 1 ? "" : "s");
		add_suppression(out, one);
		for (size_t j = 0; has_ids && j < findings->count; j++) {
			if (findings->items[j]->identity.suppression != one)
				continue;
			buf_format(out, "%sH%" PRIu64, before, (uint64_t)findings->items[j]->identity.number);
			before = ", ";
		}
		buf_add_string(out, "\n");
	}
}

void suppressions_list_unused(struct buf *out, const struct suppressions *self)
{
	for (size_t i = 0; i < self->count; i++) {
		if (self->items[i].matched)
			continue;
		buf_add_string(out, "heddle: warning: unused suppression ");
		add_suppression(out, &self->items[i]);
		if (!self->items[i].type->is_match)
			buf_add_string(out, ": Heddle has no findings of this type");
		buf_add_string(out, "\n");
	}
}
