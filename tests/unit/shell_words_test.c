/* shell_words_test.c: prints the words of each argument in brackets, or "not closed". */
#include <stdio.h>

#include "base/shell_words.h"

int main(int count, char **arguments)
{
	for (int i = 1; i < count; i++) {
		struct strings words = { 0 };
		bool is_closed = shell_words(&words, arguments[i]);
		for (size_t at = 0; is_closed && at < words.count; at++)
			printf("[%s]", words.items[at]);
		puts(is_closed ? "" : "not closed");
		strings_release(&words);
	}
	return 0;
}
