/* outputs.c: see outputs.h. */
#include "cmd/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "formats/formats.h"

static void (*const formats[OUTPUT_COUNT])(struct buf *out, struct document *document) = {
	[OUTPUT_SARIF] = format_sarif,
	[OUTPUT_JUNIT] = format_junit,
	[OUTPUT_HTML] = format_html,
};

static const char *const usual_names[OUTPUT_COUNT] = {
	[OUTPUT_JSON] = "heddle.json",
	[OUTPUT_SARIF] = "heddle.sarif",
	[OUTPUT_JUNIT] = "heddle.xml",
	[OUTPUT_HTML] = "index.html",
};

static bool is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

static int cannot_write(const char *path, struct err *err)
{
	int code = errno;
	char *shown = text_terminal_copy(path);
	err_set(err, code, "cannot write \"%s\": %s", shown, strerror(code));
	free(shown);
	return -code;
}

/* After an option whose file is optional, the program to test is easily mistaken for that file. */
static int spare_program(const char *path, struct err *err)
{
	struct stat status;
	if (stat(path, &status) < 0 || !S_ISREG(status.st_mode) || !(status.st_mode & 0111))
		return 0;
	char *shown = text_terminal_copy(path);
	err_hint(err, "put -- before a program and its arguments, and name a file with --json=FILE");
	err_set(err, EEXIST, "\"%s\" is a program and is not overwritten by a report", shown);
	free(shown);
	return -EEXIST;
}

int outputs_agree(const struct outputs *self, struct err *err)
{
	unsigned to_stdout = 0;
	for (size_t i = 0; i < OUTPUT_COUNT; i++)
		to_stdout += is_stdout(self->paths[i]);
	return to_stdout <= 1 ? 0 : err_set(err, EINVAL, "only one report can be written to standard output");
}

int outputs_redirect(const char *path, struct err *err)
{
	if (!path || is_stdout(path))
		return 0;
	if (spare_program(path, err) < 0)
		return -EEXIST;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	int code = fd < 0 || dup2(fd, 1) < 0 ? cannot_write(path, err) : 0;
	if (fd >= 0)
		close(fd);
	return code;
}

/* A folder becomes the file in it. */
static int enter_folder(struct outputs *self, size_t which, struct err *err)
{
	const char *path = self->paths[which];
	struct stat status;
	size_t size = strlen(path);
	bool is_named = size && path[size - 1] == '/';
	if (is_named && mkdir(path, 0777) < 0 && errno != EEXIST) {
		int code = errno;
		char *shown = text_terminal_copy(path);
		err_set(err, code, "cannot create the directory \"%s\": %s", shown, strerror(code));
		free(shown);
		return -code;
	}
	if (is_stdout(path) || (!is_named && (stat(path, &status) < 0 || !S_ISDIR(status.st_mode))))
		return 0;
	self->inside[which] = mem_format("%s%s%s", path, is_named ? "" : "/", usual_names[which]);
	self->paths[which] = self->inside[which];
	return 0;
}

int outputs_open(struct outputs *self, struct err *err)
{
	for (size_t i = 0; i < OUTPUT_COUNT; i++) {
		int code = self->paths[i] ? enter_folder(self, i, err) : 0;
		if (code < 0)
			return code;
		const char *path = self->paths[i];
		if (!path)
			continue;
		if (!is_stdout(path) && (code = spare_program(path, err)) < 0)
			return code;
		self->files[i] = is_stdout(path) ? fdopen(dup(1), "w") : fopen(path, "we");
		if (!self->files[i])
			return cannot_write(path, err);
	}
	return 0;
}

bool outputs_has_stdout(const struct outputs *self)
{
	for (size_t i = 0; i < OUTPUT_COUNT; i++)
		if (is_stdout(self->paths[i]))
			return true;
	return false;
}

bool outputs_is_any(const struct outputs *self)
{
	for (size_t i = 0; i < OUTPUT_COUNT; i++)
		if (self->paths[i])
			return true;
	return false;
}

static int write_one(struct outputs *self, enum output which, const struct buf *text, struct err *err)
{
	FILE *file = self->files[which];
	self->files[which] = NULL;
	bool is_written = fwrite(text->data, 1, text->size, file) == text->size && fflush(file) == 0;
	int code = is_written ? 0 : cannot_write(self->paths[which], err);
	if (fclose(file) != 0 && code == 0)
		code = cannot_write(self->paths[which], err);
	return code;
}

int outputs_write(struct outputs *self, const struct buf *json, struct document *document, struct err *err)
{
	int code = self->files[OUTPUT_JSON] ? write_one(self, OUTPUT_JSON, json, err) : 0;
	for (size_t i = 0; i < OUTPUT_COUNT && code == 0; i++) {
		struct buf text = { 0 };
		if (!self->files[i] || !formats[i])
			continue;
		formats[i](&text, document);
		code = write_one(self, (enum output)i, &text, err);
		buf_release(&text);
	}
	return code;
}

int outputs_write_own(struct outputs *self, const struct buf *json, struct err *err)
{
	struct document document = { .is_own = true };
	bool is_needed = false;
	for (size_t i = 0; i < OUTPUT_COUNT; i++)
		is_needed |= self->files[i] && formats[i];
	int code = is_needed ? document_read(&document, json->data, json->size, NULL, err) : 0;
	if (code == 0)
		code = outputs_write(self, json, &document, err);
	document_release(&document);
	return code;
}

void outputs_release(struct outputs *self)
{
	for (size_t i = 0; i < OUTPUT_COUNT; i++)
		if (self->files[i])
			fclose(self->files[i]);
	for (size_t i = 0; i < OUTPUT_COUNT; i++)
		free(self->inside[i]);
	*self = (struct outputs){ .paths = { 0 } };
}
