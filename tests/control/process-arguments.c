/* The arguments arrive as they were given, and program_invocation_name fits. */
#include "check.h"

int main(int count, char **arguments)
{
	CHECK(arguments[count] == NULL);
	CHECK(strcmp(program_invocation_name, arguments[0]) == 0);
	printf("count %d\n", count);
	for (int i = 1; i < count; i++)
		printf("[%s]\n", arguments[i]);
	return 0;
}
/*
 * arguments: one --two -- '' 'with space'
 * expect: count 6
 * expect: [one]
 * expect: [--two]
 * expect: [--]
 * expect: []
 * expect: [with space]
 */
