/* races_priv.h: what the files of races share. */
#ifndef ANALYSIS_RACES_PRIV_H
#define ANALYSIS_RACES_PRIV_H

#include "analysis/races.h"

/* A search at work. */
struct races_search {
	const struct whole *whole;
	const struct points *points;
	const struct flow *flow;
	struct races *races;
	uint8_t *is_shared; /* by object */
	uint32_t pair_room;
	/* Ways of visiting: a root, locks, and who may be alive. Most accesses share a few of them. */
	struct races_way *ways;
	uint32_t way_count, way_room;
	uint32_t *way_table; /* hash table of them: 1 + index */
	uint32_t way_table_room;
	uint8_t *verdicts; /* of two ways: enum races_verdict; null when there are too many */
	uint64_t *done;    /* hash table of pairs of kins whose members were put down */
	uint32_t done_count, done_room;
	uint32_t *table; /* hash table of pairs by their accesses: 1 + index */
	uint32_t table_room;
	uint8_t *function_flags; /* enum races_function_flag */
};

struct races_way {
	struct flow_visit visit; /* its access means nothing */
	bool has_relative;       /* a lock that is known relative to the access */
};

enum races_verdict { RACES_UNKNOWN, RACES_ORDERED, RACES_LOCKED, RACES_LEFT };

enum races_function_flag { RACES_HAS_WAIT = 1, RACES_HAS_ACQUIRE = 2, RACES_HAS_RELEASE = 4 };

/* ---- races_pairs.c ---- */

/* The way that this visit is made in. */
uint32_t races_way(struct races_search *search, const struct flow_visit *visit);
/* Call when all ways are known. */
void races_prepare(struct races_search *search);
/* Finds the pairs of one object's accesses. */
struct races_entry {
	uint64_t offset, end; /* bytes of the object; everything when the offset is not known */
	uint32_t access, way;
	bool is_anywhere;
};
void races_pair_up(struct races_search *search, uint32_t object, struct races_entry *entries, uint32_t count);

/* ---- races_rank.c ---- */

void races_note_functions(struct races_search *search);
void races_rate(struct races_search *search, struct races_pair *pair, bool is_anywhere);
void races_group(struct races_search *search);

#endif
