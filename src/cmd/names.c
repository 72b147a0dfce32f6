/* names.c: see names.h. */
#include "cmd/names.h"

#include <fnmatch.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* From libstdc++, which has no header for C. */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *size, int *status);

/* The demangler recurses as deep as the name is nested, and expands what the name abbreviates; a name of a real
 * program stays far below this. */
#define NAME_MAX_BYTES 16384u

const char *names_readable(struct names *names, const char *linkage)
{
	if (linkage[0] != '_' || linkage[1] != 'Z')
		return linkage;
	const char *known = map_get(&names->map, linkage);
	if (known)
		return known;
	char *readable = NULL;
	if (strnlen(linkage, NAME_MAX_BYTES) < NAME_MAX_BYTES)
		readable = __cxa_demangle(linkage, NULL, NULL, NULL);
	strings_add(&names->owned, readable ? readable : linkage);
	free(readable);
	known = names->owned.items[names->owned.count - 1];
	map_set(&names->map, linkage, (void *)(uintptr_t)known);
	return known;
}

/* Takes the return type and the parameters off a readable name, in place, and says where its last part begins. Brackets
 * of templates and the words "(anonymous namespace)" and "operator()" are part of the name. */
static char *bare_name(char *name, char **last)
{
	char *start = name;
	int depth = 0;
	*last = name;
	for (char *c = name; *c; c++) {
		if (strncmp(c, "(anonymous namespace)", 21) == 0) {
			c += 20;
		} else if (strncmp(c, "operator", 8) == 0 && depth == 0) {
			*last = c;
			c += 8 + (strncmp(c + 8, "()", 2) == 0 ? 2 : strspn(c + 8, "<>=!+-*/%&|^~[],"));
			*c-- = '\0';
		} else if (*c == '<') {
			depth++;
		} else if (*c == '>') {
			depth--;
		} else if (depth == 0 && *c == '(') {
			*c = '\0';
			break;
		} else if (depth == 0 && *c == ' ') {
			start = *last = c + 1;
		} else if (depth == 0 && c[0] == ':' && c[1] == ':') {
			*last = c + 2;
		}
	}
	return start;
}

bool names_match(struct names *names, const char *pattern, const char *linkage)
{
	const char *readable = names_readable(names, linkage);
	if (fnmatch(pattern, linkage, 0) == 0 || fnmatch(pattern, readable, 0) == 0)
		return true;
	if (readable == linkage)
		return false;
	char *copy = mem_copy_string(readable), *last, *name = bare_name(copy, &last);
	bool is_match = fnmatch(pattern, name, 0) == 0 || fnmatch(pattern, last, 0) == 0;
	char *template = strchr(last, '<');
	if (!is_match && template && strncmp(last, "operator", 8) != 0) {
		*template = '\0';
		is_match = fnmatch(pattern, name, 0) == 0 || fnmatch(pattern, last, 0) == 0;
	}
	free(copy);
	return is_match;
}

void names_release(struct names *names)
{
	map_release(&names->map);
	strings_release(&names->owned);
}
