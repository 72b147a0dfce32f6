/* observe.c: see observe.h. */
#include "rt/observe.h"

#include <errno.h>

#include "rt/bug.h"

const struct observer *observer;
const struct observed *observed;
const struct listener *listener;

static const struct observer *known;
static const struct listener *known_listener;

void observe_offer(const struct observer *offered, const struct listener *with)
{
	if (observer)
		RT_BUG("an observer is offered while one observes");
	known = offered;
	known_listener = with;
}

int observe_start(const struct observed *world, uint32_t index, struct track **first)
{
	if (!known)
		return -ENOSYS;
	if (observer)
		RT_BUG("an observer starts twice");
	observed = world;
	int code = known_listener ? known_listener->start() : 0;
	if (code > 0)
		listener = known_listener;
	if (code >= 0)
		code = known->start(index, first);
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
	listener = NULL;
}
