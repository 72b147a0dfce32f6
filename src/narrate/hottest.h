/* hottest.h: the counts in words: the table of the sites that ran most often, and all counts as JSON. */
#ifndef NARRATE_HOTTEST_H
#define NARRATE_HOTTEST_H

#include "symbols/describe.h"
#include "trace/counts.h"

/* The counts with the names of what they count. */
struct hottest {
	const struct counts *counts;
	struct description *objects; /* of counts->objects; woven is null if the file cannot be read */
	struct err *faults;          /* why not */
	uint64_t access_count, hit_count, site_count;
};

void hottest_init(struct hottest *hottest, const struct counts *counts);
void hottest_release(struct hottest *hottest);

/* Appends the totals and at most top lines. */
void hottest_text(struct buf *out, struct hottest *hottest, uint64_t top);

/* Appends one JSON object with every site. program ends with null. */
void hottest_json(struct buf *text, struct hottest *hottest, char **program);

#endif
