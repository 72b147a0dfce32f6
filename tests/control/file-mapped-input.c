/* An input file mapped into memory: the trace must have its contents, for the file is gone at replay. */
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

int main(int count, char **arguments)
{
	struct stat about;
	int file = open(arguments[count - 1], O_RDONLY), words = 0;
	CHECK(file >= 0 && fstat(file, &about) == 0);
	const char *text = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	CHECK(text != MAP_FAILED && close(file) == 0);
	for (long i = 0; i < about.st_size; i++)
		words += text[i] == ' ' || text[i] == '\n';
	printf("words %d first %.3s\n", words, text);
	return 0;
}
/*
 * arguments: INPUT
 * input: the words of the file
 * input: that is mapped
 * expect: words 8 first the
 */
