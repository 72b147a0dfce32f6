/* inputs.c: see inputs.h. */
#include "campaign/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/proc.h"
#include "base/shell_words.h"
#include "base/text.h"

#define MAX_INPUTS 1000u
#define MAX_FILE_BYTES (64ll << 20)
#define MAX_ARGUMENTS_BYTES (1ll << 20) /* of a file of arguments */
#define ARGUMENTS_SUFFIX ".args"

struct reading {
	struct test_inputs *inputs;
	struct strings *arguments, *notes;
	const char *folder;
	char *absolute;       /* the same folder */
	struct strings names; /* of its files, sorted */
};

static int fail(struct err *err, const char *path, const char *why)
{
	char *shown = text_terminal_copy(path);
	err_set(err, EINVAL, "--inputs: \"%s\" %s", shown, why);
	free(shown);
	return -EINVAL;
}

static int fail_system(struct err *err, const char *path, int code)
{
	char *why = mem_format("cannot be read: %s", strerror(code));
	fail(err, path, why);
	free(why);
	return -EINVAL;
}

static bool is_of_arguments(const char *name)
{
	const size_t size = strlen(name), suffix = strlen(ARGUMENTS_SUFFIX);
	return size > suffix && strcmp(name + size - suffix, ARGUMENTS_SUFFIX) == 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A file that runs can read, and not too large a one. Returns 1 if it is none, and is left out with a note. */
static int check_file(struct reading *self, const char *name, struct err *err)
{
	struct stat status;
	char *path = path_join(self->folder, name);
	int code = 0;
	/* A queue would make this wait. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &status) < 0) {
		code = fail_system(err, path, errno);
	} else if (!S_ISREG(status.st_mode)) {
		char *shown = text_terminal_copy(path);
		strings_note(self->notes, "--inputs: \"%s\" is left out, because it is not a file", shown);
		free(shown);
		code = 1;
	} else if (status.st_size > (is_of_arguments(name) ? MAX_ARGUMENTS_BYTES : MAX_FILE_BYTES)) {
		code = fail(err, path,
			    is_of_arguments(name) ? "is too large: files of arguments may have 1 MiB"
						  : "is too large: inputs may have 64 MiB");
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return code;
}

static int list(struct reading *self, struct err *err)
{
	DIR *folder = opendir(self->folder);
	int code = 0;
	if (!folder)
		return fail_system(err, self->folder, errno);
	for (struct dirent *entry; (entry = readdir(folder));)
		if (entry->d_name[0] != '.')
			strings_add(&self->names, entry->d_name);
	closedir(folder);
	if (self->names.count)
		qsort(self->names.items, self->names.count, sizeof *self->names.items, compare_names);
	for (size_t i = 0; i < self->names.count && code >= 0;) {
		code = check_file(self, self->names.items[i], err);
		if (code == 1)
			strings_remove(&self->names, i, 1);
		else
			i++;
	}
	return code < 0 ? code : 0;
}

static struct test_input *add(struct reading *self)
{
	struct test_inputs *inputs = self->inputs;
	inputs->items = mem_resize(inputs->items, (inputs->count + 1) * sizeof *inputs->items);
	inputs->items[inputs->count] = (struct test_input){ .text = NULL };
	return &inputs->items[inputs->count++];
}

static void name_arguments(struct test_input *input)
{
	struct buf text = { 0 };
	buf_add_string(&text, "the arguments ");
	proc_quote(&text, input->arguments.items + 1);
	input->text = mem_copy_string(text.data);
	buf_release(&text);
}

static int add_line(struct reading *self, const char *path, size_t number, const char *line, struct err *err)
{
	struct strings words = { 0 };
	int code = 0;
	if (!shell_words(&words, line)) {
		char *why = mem_format("has a quote or a backslash without its end in line %zu", number);
		code = fail(err, path, why);
		free(why);
	} else if (words.count) {
		struct test_input *input = add(self);
		strings_add(&input->arguments, self->arguments ? self->arguments->items[0] : "");
		for (size_t i = 0; i < words.count; i++)
			strings_add(&input->arguments, words.items[i]);
		name_arguments(input);
	}
	strings_release(&words);
	return code;
}

static int add_lines(struct reading *self, const char *name, struct err *err)
{
	struct buf text = { 0 };
	char *path = path_join(self->folder, name);
	int code = proc_read_file(path, &text, err) < 0 ? -EINVAL : 0;
	if (code == 0 && text.size && memchr(text.data, 0, text.size))
		code = fail(err, path, "has a zero byte: it is not a text");
	char *line = text.data;
	for (size_t number = 1; code == 0 && line && *line; number++) {
		char *end = line + strcspn(line, "\n"), *after = *end ? end + 1 : end;
		*end = 0;
		code = add_line(self, path, number, line, err);
		line = after;
	}
	buf_release(&text);
	free(path);
	return code;
}

/* Replaces each part of the arguments by another. */
static void replace(struct strings *arguments, const char *part, const char *with)
{
	for (size_t i = 1; i < arguments->count; i++) {
		struct buf word = { 0 };
		const char *at = arguments->items[i];
		for (const char *found; (found = strstr(at, part)); at = found + strlen(part)) {
			buf_add(&word, at, (size_t)(found - at));
			buf_add_string(&word, with);
		}
		buf_add_string(&word, at);
		strings_set(arguments, i, word.data);
		buf_release(&word);
	}
}

static bool has_part(const struct strings *arguments, const char *part)
{
	for (size_t i = 1; i < arguments->count; i++)
		if (strstr(arguments->items[i], part))
			return true;
	return false;
}

bool inputs_has_mark(const struct strings *arguments)
{
	return has_part(arguments, INPUTS_MARK);
}

/* What stands for the file in the arguments, or in a part of one: @@, or the path of one of the files, which is what an earlier test made of it;
 * the longest, as it may begin like another. Null: nothing does. Caller frees. */
static char *find_mark(const struct reading *self)
{
	if (!self->arguments)
		return NULL;
	if (inputs_has_mark(self->arguments))
		return mem_copy_string(INPUTS_MARK);
	char *longest = NULL;
	for (size_t i = 0; i < self->names.count; i++) {
		char *path = path_join(self->absolute, self->names.items[i]), *shorter = path;
		if (has_part(self->arguments, path) && (!longest || strlen(path) > strlen(longest))) {
			shorter = longest;
			longest = path;
		}
		free(shorter);
	}
	return longest;
}

static void add_file(struct reading *self, const char *name, const char *mark)
{
	struct test_input *input;
	char *path = path_join(self->absolute, name);
	/* That of the test itself. */
	if (mark && strcmp(mark, path) == 0) {
		free(path);
		return;
	}
	input = add(self);
	if (self->arguments)
		strings_copy(&input->arguments, self->arguments);
	if (mark) {
		replace(&input->arguments, mark, path);
		name_arguments(input);
		free(path);
		return;
	}
	char *shown = path_join(self->folder, name);
	input->text = mem_format("standard input from %s", shown);
	input->path = path;
	free(shown);
}

static int add_all(struct reading *self, struct err *err)
{
	char *mark = find_mark(self), *first = NULL;
	int code = 0;
	if (mark && strcmp(mark, INPUTS_MARK) == 0)
		for (size_t i = 0; i < self->names.count && !first; i++)
			if (!is_of_arguments(self->names.items[i]))
				first = path_join(self->absolute, self->names.items[i]);
	if (mark && strcmp(mark, INPUTS_MARK) == 0 && !first)
		code = fail(err, self->folder, "has no file for the argument " INPUTS_MARK);
	if (first) {
		replace(self->arguments, INPUTS_MARK, first);
		free(mark);
		mark = first;
	}
	for (size_t i = 0; i < self->names.count && code == 0; i++) {
		if (is_of_arguments(self->names.items[i]))
			code = add_lines(self, self->names.items[i], err);
		else
			add_file(self, self->names.items[i], mark);
		if (code == 0 && self->inputs->count > MAX_INPUTS)
			code = fail(err, self->folder, "has more than 1000 inputs");
	}
	if (code == 0 && !self->inputs->count && !first)
		code = fail(err, self->folder, "has no inputs");
	free(mark);
	return code;
}

int inputs_read(struct test_inputs *self, const char *folder, struct strings *arguments, struct strings *notes,
		struct err *err)
{
	struct reading reading = { .inputs = self, .arguments = arguments, .notes = notes, .folder = folder };
	reading.absolute = realpath(folder, NULL);
	int code = reading.absolute ? list(&reading, err) : fail_system(err, folder, errno);
	if (code == 0)
		code = add_all(&reading, err);
	if (code < 0)
		err_hint(err, "--inputs expects a directory: each file in it is an input, each line of a file *.args "
			      "a list of arguments");
	strings_release(&reading.names);
	free(reading.absolute);
	return code;
}

void inputs_release(struct test_inputs *self)
{
	for (size_t i = 0; i < self->count; i++) {
		free(self->items[i].text);
		free(self->items[i].path);
		strings_release(&self->items[i].arguments);
	}
	free(self->items);
	*self = (struct test_inputs){ .items = NULL };
}
