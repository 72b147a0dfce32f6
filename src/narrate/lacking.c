/* lacking.c: see lacking.h. */
#include "narrate/lacking.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LISTED 20u

static struct lacking_group *find(struct lacking *self, const char *part, const char *why)
{
	for (size_t i = 0; i < self->count; i++)
		if (strcmp(self->groups[i].part, part) == 0 && strcmp(self->groups[i].why, why) == 0)
			return &self->groups[i];
	self->groups = mem_resize(self->groups, (self->count + 1) * sizeof *self->groups);
	struct lacking_group *group = &self->groups[self->count++];
	*group = (struct lacking_group){ .part = part, .why = mem_copy_string(why) };
	return group;
}

void lacking_add(struct lacking *self, const char *part, const char *why, uint64_t number)
{
	struct lacking_group *group = find(self, part, why);
	if (group->count++ < MAX_LISTED)
		buf_format(&group->ids, "%sH%" PRIu64, group->ids.size ? ", " : "", number);
}

void lacking_note(struct lacking *self, struct strings *notes)
{
	for (size_t i = 0; i < self->count; i++) {
		struct lacking_group *group = &self->groups[i];
		if (group->count == 1)
			strings_note(notes, "%s is reported without %s: %s", group->ids.data, group->part, group->why);
		else
			strings_note(notes, "%zu findings are reported without %s (%s%s): %s", group->count,
				     group->part, group->ids.data, group->count > MAX_LISTED ? ", ..." : "",
				     group->why);
		free(group->why);
		buf_release(&group->ids);
	}
	free(self->groups);
	*self = (struct lacking){ 0 };
}
