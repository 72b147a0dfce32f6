/* names_test.c: short NAME...: how each readable name is told; bare NAME...: the same without parameters; task NAME...: what the
 * thread was given, or "-"; told LINKAGE...: linkage names as they are told. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/names.h"
#include "symbols/names_short.h"

static char *made_of(const char *what, struct names *names, const char *name)
{
	if (strcmp(what, "bare") == 0)
		return names_bare(name);
	if (strcmp(what, "task") == 0)
		return names_of_task(name);
	if (strcmp(what, "told") == 0)
		return mem_copy_string(names_displayed(names, name));
	return names_short(name);
}

int main(int count, char **arguments)
{
	struct names names = { 0 };
	for (int i = 2; i < count; i++) {
		char *made = made_of(arguments[1], &names, arguments[i]);
		puts(made ? made : "-");
		free(made);
	}
	names_release(&names);
	return 0;
}
