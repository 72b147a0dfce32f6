/* names.c: see names.h. */
#include "symbols/names.h"

#include <fnmatch.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/names_short.h"

/* From libstdc++, which has no header for C. */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *size, int *status);

/* The demangler recurses as deep as the name is nested, and expands what the name abbreviates; a name of a real
 * program stays far below this. */
#define NAME_MAX_BYTES 16384u

/* Of a name that the demangler does not know, as newer compilers have other forms, the names that it begins with:
 * "std::pair<...>". Null when that fails, too. */
static char *demangle_start(const char *linkage)
{
	struct buf out = { 0 };
	const char *at = linkage + 2, *last = at + strlen(at);
	at += *at == 'N';
	at += strspn(at, "VKRO");
	if (strncmp(at, "St", 2) == 0) {
		buf_add_string(&out, "std");
		at += 2;
	}
	while (*at >= '1' && *at <= '9') {
		char *end;
		unsigned long size = strtoul(at, &end, 10);
		if (size > (size_t)(last - end))
			break;
		buf_add_string(&out, out.size ? "::" : "");
		buf_add(&out, end, size);
		at = end + size;
	}
	if (out.size && *at == 'I')
		buf_add_string(&out, "<...>");
	return out.data;
}

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
	if (!readable)
		readable = demangle_start(linkage);
	strings_add(&names->owned, readable ? readable : linkage);
	free(readable);
	known = names->owned.items[names->owned.count - 1];
	map_set(&names->map, linkage, (void *)(uintptr_t)known);
	return known;
}

const char *names_displayed(struct names *names, const char *linkage)
{
	const char *readable = names_readable(names, linkage), *known = map_get(&names->displayed, linkage);
	if (readable == linkage || known)
		return known ? known : linkage;
	char *displayed = names_short(readable);
	strings_add(&names->owned, displayed);
	free(displayed);
	known = names->owned.items[names->owned.count - 1];
	map_set(&names->displayed, linkage, (void *)(uintptr_t)known);
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
	if (fnmatch(pattern, names_displayed(names, linkage), 0) == 0)
		return true;
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
	map_release(&names->displayed);
	strings_release(&names->owned);
}
