/* skippable.h: the table of functions that synchronise; it also says which of them heddle test --without can skip. */
#ifndef CAMPAIGN_SKIPPABLE_H
#define CAMPAIGN_SKIPPABLE_H

struct skippable {
	const char *linkage;
	const char *name;    /* for people */
	const char *why_not; /* why it cannot be skipped; null: it can */
};

/* Returns the row of the function with this linkage name, or null if it does not synchronise. */
const struct skippable *skippable_find(const char *linkage);

#endif
