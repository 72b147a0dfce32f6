/* variables.c: see variables.h. */
#include "base/variables.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

extern char **environ;

const char *variable_value(const char *entry, const char *name)
{
	size_t size = strlen(name);
	return strncmp(entry, name, size) == 0 && entry[size] == '=' ? entry + size + 1 : NULL;
}

bool variable_is_among(const char *entry, const char *const names[])
{
	for (; *names; names++)
		if (variable_value(entry, *names))
			return true;
	return false;
}

const char *variables_find(const struct strings *entries, const char *name)
{
	const char *value = NULL;
	for (size_t i = 0; i < entries->count && !value; i++)
		value = variable_value(entries->items[i], name);
	return value;
}

void variables_add(struct strings *entries, const char *name, const char *value)
{
	if (!*name || strchr(name, '='))
		BUG("no variable can be named \"%s\"", name);
	if (variables_find(entries, name))
		BUG("the variable %s is there twice", name);
	char *entry = mem_format("%s=%s", name, value);
	strings_add(entries, entry);
	free(entry);
}

void variables_inherit(struct strings *entries, const char *const without[], const char *prefix)
{
	for (char **at = environ; *at; at++)
		if (!variable_is_among(*at, without) && (!prefix || strncmp(*at, prefix, strlen(prefix)) != 0))
			strings_add(entries, *at);
}

char *variable_join(const char *first, const char *second)
{
	const bool has_first = first && *first, has_second = second && *second;
	return mem_format("%s%s%s", has_first ? first : "", has_first && has_second ? ":" : "",
			  has_second ? second : "");
}
