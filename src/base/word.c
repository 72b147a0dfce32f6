/* word.c: see word.h. */
#include "base/word.h"

#include <string.h>

bool word_is_among(const char *word, const char *const words[])
{
	for (size_t i = 0; word && words[i]; i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}

bool word_begins_with_any(const char *word, const char *const prefixes[])
{
	for (size_t i = 0; prefixes[i]; i++)
		if (word_begins_with(word, prefixes[i]))
			return true;
	return false;
}

bool word_is_startup(const char *symbol)
{
	static const char *const symbols[] = { "_start",
					       "_init",
					       "_fini",
					       "deregister_tm_clones",
					       "register_tm_clones",
					       "__do_global_dtors_aux",
					       "frame_dummy",
					       "_dl_relocate_static_pie",
					       "atexit",
					       "at_quick_exit",
					       "pthread_atfork",
					       "__pthread_atfork",
					       NULL };
	return word_is_among(symbol, symbols);
}
