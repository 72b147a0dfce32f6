/*
 * suppress_test.c: patterns and files of suppressions.
 *   match PATTERN TEXT   "yes" or "no"
 *   long COUNT           patterns with COUNT stars on texts as long that almost match: "no" and "yes"
 *   random COUNT         so many random patterns and texts, against a matcher that tries everything
 *   read FILE            each suppression of a file, or the error
 *   garbage COUNT        so many files of random bytes; prints how many could be read
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "judge/suppress.h"

static uint64_t state = 1;

static unsigned next(unsigned below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % below;
}

/* The rules as documented, by trying all. The pattern has no ^, and * at its end unless it ends with $. */
static bool tries(const char *pattern, const char *text)
{
	if (*pattern == '$')
		return !*text;
	if (!*pattern)
		return true;
	if (*pattern == '*')
		return tries(pattern + 1, text) || (*text && tries(pattern, text + 1));
	return *text == *pattern && tries(pattern + 1, text + 1);
}

static bool wanted(const char *pattern, const char *text)
{
	char whole[64];
	if (!*text || *pattern == '$')
		return false;
	if (*pattern == '^')
		return tries(pattern + 1, text);
	snprintf(whole, sizeof whole, "*%s", pattern);
	return tries(whole, text);
}

static void fill(char *out, const char *letters, unsigned limit)
{
	unsigned size = next(limit + 1);
	for (unsigned i = 0; i < size; i++)
		*out++ = letters[next((unsigned)strlen(letters))];
	*out = '\0';
}

static int check_random(unsigned long count)
{
	unsigned long matches = 0;
	for (unsigned long i = 0; i < count; i++) {
		char pattern[16], text[16];
		fill(pattern, "aab**^$", 9);
		fill(text, "aaabb^$", 12);
		/* Behind the first letter ^ is a letter. */
		if (suppress_match(pattern, text) != wanted(pattern, text)) {
			printf("\"%s\" and \"%s\": not %d\n", pattern, text, suppress_match(pattern, text));
			return 1;
		}
		matches += wanted(pattern, text);
	}
	printf("%s\n", matches > count / 10 && matches < count - count / 10 ? "some match" : "too few or too many");
	return 0;
}

static int check_long(size_t count)
{
	struct buf pattern = { 0 }, text = { 0 };
	for (size_t i = 0; i < count; i++) {
		buf_add_string(&pattern, "a*");
		buf_add_string(&text, "aa");
	}
	buf_add_string(&pattern, "b");
	printf("%s ", suppress_match(pattern.data, text.data) ? "yes" : "no");
	buf_add_string(&text, "b");
	printf("%s\n", suppress_match(pattern.data, text.data) ? "yes" : "no");
	buf_release(&pattern);
	buf_release(&text);
	return 0;
}

static bool read_path(char *path, bool is_printed)
{
	struct strings files = { 0 };
	struct suppressions all = { 0 };
	struct err err = ERR_INIT;
	strings_add(&files, path);
	int code = suppressions_read(&all, &files, &err);
	for (size_t i = 0; is_printed && code == 0 && i < all.count; i++)
		printf("%" PRIu32 " [%s] [%s] %" PRIu64 "\n", all.items[i].line, all.items[i].text, all.items[i].pattern,
		       all.items[i].number);
	if (is_printed && code < 0)
		printf("%s\n", err.message);
	suppressions_release(&all);
	strings_release(&files);
	return code == 0;
}

static int check_garbage(unsigned long count)
{
	static const char *const words[] = { "race:", "id:", "H", "kind:", "crash", "\n", "\r\n", " ", "#", ":", "7" };
	unsigned long good = 0;
	char path[] = "/tmp/suppress.XXXXXX";
	int fd = mkstemp(path);
	if (fd < 0)
		return 1;
	close(fd);
	for (unsigned long i = 0; i < count; i++) {
		FILE *file = fopen(path, "w");
		for (unsigned left = file ? next(40) : 0; left > 0; left--) {
			if (next(20) == 0)
				fputc((int)next(256), file);
			else
				fputs(words[next(sizeof words / sizeof *words)], file);
		}
		if (!file || fclose(file) != 0)
			return 1;
		good += read_path(path, false);
	}
	unlink(path);
	printf("%s\n", good && good < count ? "some are good" : "none or all are good");
	return 0;
}

int main(int count, char **words)
{
	if (count == 4 && strcmp(words[1], "match") == 0)
		return puts(suppress_match(words[2], words[3]) ? "yes" : "no") < 0;
	if (count != 3)
		return 2;
	if (strcmp(words[1], "random") == 0)
		return check_random(strtoul(words[2], NULL, 10));
	if (strcmp(words[1], "long") == 0)
		return check_long(strtoul(words[2], NULL, 10));
	if (strcmp(words[1], "garbage") == 0)
		return check_garbage(strtoul(words[2], NULL, 10));
	return !read_path(words[2], true);
}
