/* text.h: strings without libc, whose functions may not be ready, or may be the program's. */
#ifndef RT_TEXT_H
#define RT_TEXT_H

#include <stddef.h>

/* What comes after the prefix, or null if the text does not begin with it. */
static inline const char *text_after(const char *text, const char *prefix)
{
	while (*prefix && *text == *prefix)
		text++, prefix++;
	return *prefix ? NULL : text;
}

/* The name of a file, without its folders. */
static inline const char *text_file_name(const char *path)
{
	const char *name = path;
	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	return name;
}

#endif
