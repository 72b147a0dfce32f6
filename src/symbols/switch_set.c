/* switch_set.c: see switch_set.h. */
#include "symbols/switch_set.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/proc.h"
#include "base/text.h"
#include "symbols/names.h"
#include "symbols/woven.h"

/* Appends text as a value of HEDDLE_OPTIONS, where a colon would end it. In a list, commas and what is escaped already
 * stay as they are. */
static void add_escaped(struct buf *out, const char *text, bool is_list)
{
	for (; *text; text++) {
		if (is_list && *text == '\\' && text[1]) {
			buf_add(out, text++, 2);
			continue;
		}
		if (*text == ':' || (!is_list && (*text == ',' || *text == '\\')))
			buf_add_string(out, "\\");
		buf_add(out, text, 1);
	}
}

/* Adds those of the program's functions that the pattern is of by the name that people write. woven: the program, or
 * null. */
static void add_written(struct buf *out, const char *item, const struct woven *woven)
{
	bool is_excluded = item[0] == '-';
	const char *pattern = item + is_excluded;
	struct names names = { 0 };
	struct woven_function function;
	for (uint32_t i = 0; woven && i < woven_function_count(woven); i++)
		if (woven_function(woven, i, &function) && fnmatch(pattern, function.name, 0) != 0 &&
		    names_match(&names, pattern, function.name)) {
			buf_add_string(out, is_excluded ? ",-" : ",");
			add_escaped(out, function.name, false);
		}
	names_release(&names);
}

/* The patterns of a file, one a line, as rt/option.c reads them. */
static int add_file(struct buf *out, const char *path, struct err *err)
{
	struct buf bytes = { 0 };
	int code = proc_read_file(path, &bytes, err);
	char *rest = NULL;
	const char *comma = "";
	for (char *line = code == 0 && bytes.data ? strtok_r(bytes.data, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		line += strspn(line, " \t\r");
		size_t size = strlen(line);
		while (size && strchr(" \t\r", line[size - 1]))
			line[--size] = '\0';
		if (!size || line[0] == '#')
			continue;
		buf_add_string(out, comma);
		add_escaped(out, line, false);
		comma = ",";
	}
	buf_release(&bytes);
	return code;
}

/* One element of --switch. A file of patterns is named by its full path: programs change folders. */
static int add_item(struct buf *out, const char *item, const struct woven *woven, bool has_files, struct err *err)
{
	if (item[0] != '@') {
		add_escaped(out, item, true);
		add_written(out, item, woven);
		return 0;
	}
	char path[PATH_MAX];
	if (!realpath(item + 1, path) || access(path, R_OK) < 0) {
		err_hint(err, "--switch @FILE expects a file with one pattern per line");
		return err_set(err, errno, "cannot read \"%s\": %s", item + 1, strerror(errno));
	}
	if (!has_files)
		return add_file(out, path, err);
	buf_add_string(out, "@");
	add_escaped(out, path, false);
	return 0;
}

/* Takes the next element off the set. Returns the rest, or null at the end. */
static const char *next_item(const char *set, struct buf *item)
{
	item->size = 0;
	buf_add_string(item, "");
	while (*set && *set != ',') {
		if (*set == '\\' && set[1] == ',')
			buf_add(item, set++, 1);
		buf_add(item, set++, 1);
	}
	return *set ? set + 1 : NULL;
}

static int add_items(struct buf *out, const char *set, const struct woven *woven, bool has_files, struct err *err)
{
	struct buf item = { 0 };
	int code = 0;
	buf_add_string(out, "switch=");
	for (bool is_first = true; code == 0 && set; is_first = false) {
		set = next_item(set, &item);
		buf_add_string(out, is_first ? "" : ",");
		code = add_item(out, item.data, woven, has_files, err);
	}
	buf_release(&item);
	return code;
}

static bool is_idle(const char *item, const struct woven *woven)
{
	static const char *const words[] = { "", "all", "none", "atomics" };
	const char *pattern = item + (item[0] == '-');
	struct names names = { 0 };
	struct woven_function function;
	bool is_matched = item[0] == '@';
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		is_matched = is_matched || strcmp(pattern, words[i]) == 0;
	for (uint32_t i = 0; !is_matched && i < woven_function_count(woven); i++)
		is_matched = woven_function(woven, i, &function) && names_match(&names, pattern, function.name);
	names_release(&names);
	return !is_matched;
}

void switch_set_idle(struct strings *patterns, const char *set, const char *program)
{
	struct woven *woven;
	struct err ignored = ERR_INIT;
	struct buf item = { 0 };
	if (woven_open(program, &woven, &ignored) < 0)
		return;
	while (set) {
		set = next_item(set, &item);
		if (is_idle(item.data, woven))
			strings_add(patterns, item.data);
	}
	buf_release(&item);
	woven_free(woven);
}

int switch_set(struct buf *out, const char *set, const char *program, bool has_files, struct err *err)
{
	struct woven *woven = NULL;
	struct err ignored = ERR_INIT;
	if (woven_open(program, &woven, &ignored) < 0)
		woven = NULL; /* it may load woven libraries all the same */
	int code = add_items(out, set, woven, has_files, err);
	if (woven)
		woven_free(woven);
	return code;
}
