/* advice_free.c: see advice.h: calls of free and realloc whose argument is not a live block. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "narrate/advice_priv.h"

static void advise_threads(struct strings *advice, const char *place, const char *freed_at)
{
	const bool is_one = strcmp(place, freed_at) == 0;
	strings_note(advice,
		     "let only one of the threads free it: before the free at %s%s%s, take the pointer from where "
		     "the other thread finds it, under a common lock or with an atomic exchange",
		     freed_at, is_one ? "" : " or at ", is_one ? "" : place);
	strings_note(advice, "or count the users of the memory, and let the last one free it");
}

void advice_of_free(struct strings *advice, const struct finding *finding)
{
	const struct report_memory *memory = &finding->evidence.memory;
	const struct finding_act *freed = finding_act(finding, FINDING_FREED, 0),
				 *made = finding_act(finding, FINDING_ALLOCATED, 0);
	const bool is_site = finding->evidence.site_count > 0;
	char *place = advice_place(is_site ? finding->evidence.sites[0].file : NULL,
				   is_site ? finding->evidence.sites[0].line : 0),
	     *freed_at = freed ? advice_place(freed->file, freed->line) : NULL,
	     *made_at = made ? advice_place(made->file, made->line) : NULL;
	if (memory->state == REPORT_FREED && freed && freed->by != memory->access.thread)
		advise_threads(advice, place, freed_at);
	else if (memory->state == REPORT_FREED && freed && memory->access.kind == REPORT_REALLOC)
		strings_note(advice, "do not resize it at %s: the same thread freed it at %s", place, freed_at);
	else if (memory->state == REPORT_FREED && freed)
		strings_note(advice,
			     "free it only once: the same thread freed it at %s and frees it again at %s; let one of "
			     "the two own it, or set the pointer to NULL after the first free",
			     freed_at, place);
	else if (made && memory->state != REPORT_NEVER)
		strings_note(advice,
			     "keep the pointer that the allocation at %s returned, and free that one at %s: this "
			     "pointer is %" PRIu64 " byte%s past it",
			     made_at, place, memory->address - memory->start,
			     memory->address - memory->start == 1 ? "" : "s");
	else if (memory->state == REPORT_NEVER)
		strings_note(advice,
			     "at %s free only pointers that an allocation returned: nothing was allocated at "
			     "this address",
			     place);
	free(place);
	free(freed_at);
	free(made_at);
}
