/* observe.c: see observe.h. */
#include "rt/observe.h"

#include <errno.h>

#include "rt/bug.h"

const struct observer *observer;
const struct observed *observed;

static const struct observer *known;

void observe_offer(const struct observer *offered)
{
	if (observer)
		RT_BUG("an observer is offered while one observes");
	known = offered;
}

int observe_start(const struct observed *world, uint32_t index, struct track **first)
{
	if (!known)
		return -ENOSYS;
	if (observer)
		RT_BUG("an observer starts twice");
	observed = world;
	int code = known->start(index, first);
	if (code == 0)
		observer = known;
	return code;
}

void observe_end(void)
{
	if (observer)
		observer->end();
	observe_stop();
}

void observe_stop(void)
{
	if (observer)
		observer->stop();
	observer = NULL;
}
