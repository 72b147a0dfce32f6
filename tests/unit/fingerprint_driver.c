/* fingerprint_driver.c: prints the fingerprint of one finding: KIND, then FUNCTION VARIABLE FILE LINE for each place, "-" for
 * what is not known. Sources count if they are not newer than now, or than the time of the file that BUILT names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/fingerprint.h"

static const char *known(const char *text)
{
	return strcmp(text, "-") == 0 ? NULL : text;
}

int main(int count, char **arguments)
{
	struct fingerprint_place places[8];
	struct fingerprint_subject subject = { .detail = "", .program = "program", .places = places };
	struct fingerprint fingerprint;
	struct stat status;
	clock_gettime(CLOCK_REALTIME, &subject.built);
	if (getenv("BUILT") && stat(getenv("BUILT"), &status) == 0)
		subject.built = status.st_mtim;
	subject.kind = arguments[1];
	for (int i = 2; i + 3 < count && subject.place_count < 8; i += 4)
		places[subject.place_count++] =
			(struct fingerprint_place){ .function = known(arguments[i]),
						    .variable = known(arguments[i + 1]),
						    .file = known(arguments[i + 2]),
						    .line = (uint32_t)strtoul(arguments[i + 3], NULL, 10) };
	fingerprint_make(&fingerprint, &subject);
	printf("%s %s\n", fingerprint.identity, fingerprint.context);
	return 0;
}
