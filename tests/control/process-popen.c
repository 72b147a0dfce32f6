/* popen for reading and for writing, and the status that pclose tells. */
#include "check.h"
#include <sys/wait.h>

int main(void)
{
	char line[100];
	int count = 0;
	FILE *in = popen("echo one; echo two; echo three; exit 4", "r");
	CHECK(in);
	while (fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = 0;
		printf("line %d: %s\n", ++count, line);
	}
	printf("status %d\n", WEXITSTATUS(pclose(in)));

	char path[] = "heddle-test-XXXXXX";
	int file = mkstemp(path);
	CHECK(file >= 0);
	char command[100];
	snprintf(command, sizeof(command), "tr a-z A-Z >%s", path);
	FILE *out = popen(command, "w");
	CHECK(out);
	fprintf(out, "written to a command\n");
	CHECK(pclose(out) == 0);
	ssize_t size = read(file, line, sizeof(line) - 1);
	CHECK(size > 0);
	line[size] = 0;
	printf("%s", line);
	CHECK(unlink(path) == 0);
	return 0;
}
/*
 * expect: line 1: one
 * expect: line 2: two
 * expect: line 3: three
 * expect: status 4
 * expect: WRITTEN TO A COMMAND
 * timing: children run in real time
 */
