/* id.c: the ids of findings; separate from the store, since parsing a command line needs no database. See store.h. */
#include <errno.h>
#include <stdlib.h>

#include "store/store.h"

int64_t store_parse_id(const char *text)
{
	char *end;
	if ((text[0] != 'H' && text[0] != 'h') || text[1] < '1' || text[1] > '9')
		return 0;
	errno = 0;
	long long id = strtoll(text + 1, &end, 10);
	return errno || *end ? 0 : id;
}
