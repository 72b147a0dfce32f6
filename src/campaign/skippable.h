/* skippable.h: the functions that synchronise, and which of them heddle test --without can skip. */
#ifndef CAMPAIGN_SKIPPABLE_H
#define CAMPAIGN_SKIPPABLE_H

struct skippable {
	const char *linkage;
	const char *name;    /* for people */
	const char *why_not; /* null: it can be skipped */
};

/* The function of that linkage name; null: it does not synchronise. */
const struct skippable *skippable_find(const char *linkage);

#endif
