/* guardian.c: see guardian.h. */
#include "rt/guardian.h"

#include <errno.h>

#include "rt/option.h"

const struct guardian *guardian;
static const struct guardian *known;

void guardian_offer(const struct guardian *offered)
{
	known = offered;
}

int guardian_start(void)
{
	if (!options.guard_path[0])
		return 0;
	int code = known ? known->start() : -ENOSYS;
	if (code == 0)
		guardian = known;
	return code;
}
