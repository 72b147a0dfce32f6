/* source_test.c: tidy PATH; join FOLDER NAME; tell PATH (from the working directory); state FILE; line FILE NUMBER; find NAME FOLDER...
 * [-- PROGRAM]; root. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/path.h"
#include "base/source.h"
#include "base/sources.h"

static void print(char *text)
{
	puts(text ? text : "nothing");
	free(text);
}

static int say_source(char **arguments)
{
	struct source source = { 0 };
	enum source_state state = source_read(&source, arguments[0]);
	size_t size = 0;
	const char *line = arguments[1] ? source_line(&source, strtoull(arguments[1], NULL, 10), &size) : NULL;
	if (!arguments[1])
		printf("%s: %zu lines\n", state == SOURCE_GOOD ? "good" : source_trouble(state), source.line_count);
	else
		printf("%.*s\n", (int)(line ? size : 7), line ? line : "nothing");
	source_release(&source);
	return 0;
}

static int find(char **arguments)
{
	struct sources sources = { 0 };
	for (size_t i = 1; arguments[i]; i++)
		if (strcmp(arguments[i], "--") == 0)
			sources_add_program(&sources, arguments[++i]);
		else
			sources_add(&sources, arguments[i]);
	const struct sources_file *file = sources_find(&sources, arguments[0]);
	printf("%s%s\n", file->path ? file->path : "nothing", file->path && file->is_elsewhere ? " (elsewhere)" : "");
	sources_release(&sources);
	return 0;
}

/* TEXT LINE: the code of a line, from the text that is kept of a file */
static int say_line(char **arguments)
{
	struct buf own = { 0 }, around = { 0 };
	bool is_found = lines_excerpt(arguments[0], (uint32_t)strtoul(arguments[1], NULL, 10), &own, &around);
	printf("%s: %s\n", is_found ? "told" : "not told", own.data ? own.data : "");
	buf_release(&own);
	buf_release(&around);
	return 0;
}

int main(int count, char **arguments)
{
	struct path_view view;
	if (count >= 3 && strcmp(arguments[1], "tidy") == 0)
		print(path_join(NULL, arguments[2]));
	else if (count >= 4 && strcmp(arguments[1], "join") == 0)
		print(path_join(arguments[2], arguments[3]));
	else if (count >= 3 && strcmp(arguments[1], "tell") == 0) {
		path_view_init(&view);
		print(path_view_display(&view, arguments[2]));
		path_view_release(&view);
	} else if (count >= 3 && (strcmp(arguments[1], "state") == 0 || strcmp(arguments[1], "line") == 0))
		return say_source(arguments + 2);
	else if (count >= 4 && strcmp(arguments[1], "lines") == 0)
		return say_line(arguments + 2);
	else if (count >= 3 && strcmp(arguments[1], "find") == 0)
		return find(arguments + 2);
	else
		print(sources_repository());
	return 0;
}
