/* shell_words.c: see shell_words.h. */
#include "base/shell_words.h"

#include <string.h>

#define BLANKS " \t\r\n"

/* Appends what a backslash stands for, and returns what follows; null: nothing does. In double quotes it is only special before a quote or a
 * backslash. */
static const char *add_escaped(struct buf *word, const char *at, bool is_quoted)
{
	if (!at[1])
		return NULL;
	if (is_quoted && at[1] != '"' && at[1] != '\\')
		buf_add(word, at, 1);
	buf_add(word, at + 1, 1);
	return at + 2;
}

/* Appends what is between quotes, and returns what follows; null: they are not closed. */
static const char *add_quoted(struct buf *word, const char *at)
{
	const char quote = *at++;
	while (*at && *at != quote) {
		if (quote == '"' && *at == '\\') {
			at = add_escaped(word, at, true);
			if (!at)
				return NULL;
		} else {
			buf_add(word, at++, 1);
		}
	}
	return *at ? at + 1 : NULL;
}

bool shell_words(struct strings *words, const char *line)
{
	const char *at = line;
	while (at && *(at += strspn(at, BLANKS))) {
		struct buf word = { 0 };
		while (at && *at && !strchr(BLANKS, *at)) {
			if (*at == '\'' || *at == '"')
				at = add_quoted(&word, at);
			else if (*at == '\\')
				at = add_escaped(&word, at, false);
			else
				buf_add(&word, at++, 1);
		}
		if (at)
			strings_add(words, word.data ? word.data : "");
		buf_release(&word);
	}
	return at != NULL;
}
