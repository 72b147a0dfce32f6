/*
 * races_priv.h: what the files of races share. Accesses are not compared one by one. A *footprint* is what an access may touch,
 * a *manner* the ways in which it is made (threads, locks), and accesses with the same footprint, manner and traits are a *class*:
 * what is found for two classes holds for all pairs of their members. Footprints that may touch the same bytes are in *contact*.
 */
#ifndef ANALYSIS_RACES_RACES_PRIV_H
#define ANALYSIS_RACES_RACES_PRIV_H

#include "analysis/flow/sets.h"
#include "analysis/races/races.h"

/* Bytes of an object; everything when it is not known where. */
struct races_range {
	uint32_t object;
	bool is_anywhere;
	uint64_t offset, end;
};

struct races_footprint {
	uint32_t first, count;             /* ranges */
	uint32_t first_class, class_count; /* classes are sorted by footprint */
};

struct races_way {
	struct flow_visit visit; /* its access means nothing */
	bool has_relative;       /* a lock that is known relative to the access */
};

struct races_manner {
	uint32_t first, count; /* ways, ascending */
	bool has_relative;     /* one of them has */
	uint32_t only_root;    /* all of them are of one thread, which there is once: its root; else WHOLE_NONE */
};

enum races_kind { RACES_WRITES = 1, RACES_ATOMIC = 2 };

struct races_class {
	uint32_t footprint, manner;
	uint32_t function;     /* if that matters to the rank; else WHOLE_NONE */
	uint8_t kind;          /* enum races_kind */
	uint8_t flags;         /* of its function: enum races_function_flag */
	bool is_volatile;      /* it was meant to be special */
	uint32_t first, count; /* members: accesses, part by part */
	uint32_t first_part, part_count;
};

/* Members of a class with one type. */
struct races_part {
	uint32_t tag;          /* or WHOLE_NONE */
	bool is_any;           /* types_is_any */
	uint32_t first, count; /* members, ascending */
};

/* A place where two footprints meet. The first is the one with the lesser number. */
struct races_meeting {
	int64_t delta;   /* from where the second begins to where the first does; RACES_NO_DELTA: not known */
	uint64_t offset; /* of the bytes that both touch */
	uint32_t object, next;
	bool is_anywhere;
};
#define RACES_NO_DELTA INT64_MIN

struct races_contact {
	uint32_t a, b;                 /* footprints, a <= b */
	uint32_t first_meeting, count; /* those in memory that threads share: the first kinds of objects first */
};

enum races_verdict { RACES_UNKNOWN, RACES_ORDERED, RACES_LOCKED, RACES_LEFT };

/* What two manners are to each other: a verdict, and if something is left, in which of eight ways: bits, the best first. */
struct races_relation {
	uint8_t verdict;
	uint8_t left; /* 1 << (4 * is_foreign + 2 * is_same_lock_class + is_same_root) */
};

enum races_function_flag { RACES_HAS_WAIT = 1, RACES_HAS_ACQUIRE = 2, RACES_HAS_RELEASE = 4 };

/* Two classes that are left: those pairs of them whose types cause these doubts. */
struct races_product {
	uint32_t a, b;    /* classes */
	uint32_t meeting; /* the one that is reported */
	uint32_t group;
	uint16_t doubts;
};

struct races_search {
	const struct whole *whole;
	const struct points *points;
	const struct flow *flow;
	struct races *races;
	uint8_t *is_shared;      /* by object */
	uint8_t *function_flags; /* enum races_function_flag */
	uint32_t *stands_for;    /* by object: one that every access touches in the same way */
	uint32_t *alike;         /* by object that stands for others: how many there are */
	double scores[4096];     /* by doubts */

	struct flow_interned range_rows, manner_rows, class_rows;
	struct races_range *ranges;
	uint32_t range_count, range_room;
	struct races_footprint *footprints;
	uint32_t footprint_count;
	struct races_way *ways;
	uint32_t way_count;
	struct flow_interned way_rows;
	uint8_t *way_verdicts; /* of two ways: see analysis/races/ways.c; null when there are too many */
	struct races_manner *manners;
	uint32_t manner_count;
	struct races_relation *relations; /* of two manners; null when there are too many */
	struct races_class *classes;
	uint32_t class_count;
	uint32_t *class_of; /* by access: or WHOLE_NONE */
	uint32_t *members;
	struct races_part *parts;
	uint32_t part_count;
	uint64_t *agreements; /* a bit for each two tags: whether they agree; null when there are too many */

	struct races_contact *contacts;
	uint32_t contact_count, contact_room;
	uint32_t *contact_table, contact_table_room;
	struct races_meeting *meetings;
	uint32_t meeting_count, meeting_room;

	struct races_product *products;
	uint32_t product_count, product_room;
	struct flow_interned group_rows;
	uint32_t group_room;
	uint8_t **remote;      /* by root and function; those that were not asked for are null */
	uint32_t max_group;    /* products of a group that are kept at least; 0: all are */
	uint32_t max_products; /* number of products at which they are thinned out */
};

/* ---- analysis/races/classes.c ---- */

void races_classify(struct races_search *search);

/* ---- analysis/races/ways.c ---- */

/* The way that a visit is made in. */
uint32_t races_way(struct races_search *search, const struct flow_visit *visit);
/* Call when all ways and manners are known. */
void races_prepare(struct races_search *search);
struct races_relation races_relate(struct races_search *search, uint32_t manner_a, uint32_t manner_b, int64_t delta);
/* Calls each for the ways of two manners that only a lock keeps apart, with that lock as either has it, until it returns false. */
typedef bool races_on_guard(void *context, const struct flow_lock *const locks[2]);
void races_each_guard(struct races_search *search, uint32_t manner_a, uint32_t manner_b, int64_t delta,
		      races_on_guard *each, void *context);
/* The ways of two manners that a relation with this bit of left comes from: those in which the threads get most directly to the
 * functions of the two accesses. Returns how directly (analysis/races/remote.c). */
unsigned races_find_ways(struct races_search *search, uint32_t access_a, uint32_t access_b, int64_t delta, unsigned bit,
			 const struct flow_visit **a, const struct flow_visit **b);

/* ---- analysis/races/remote.c ---- */

enum { RACES_FAR = 255 };
/* The least number of calls that may mean many functions on a root's way to the function; RACES_FAR: very many, or it
 * never gets there. */
unsigned races_remote(struct races_search *search, uint32_t root, uint32_t function);
void races_release_remote(struct races_search *search);

/* ---- analysis/races/contacts.c ---- */

void races_find_contacts(struct races_search *search);
/* The contact of two footprints, or null. */
const struct races_contact *races_contact(const struct races_search *search, uint32_t a, uint32_t b);

/* ---- analysis/races/types.c ---- */

/* Puts the members of classes into parts. */
void races_split(struct races_search *search);
/* Doubts that are caused by types. */
enum { RACES_BY_TYPES = RACES_TYPES | RACES_ONE_TYPE };
/* What two types are to each other. */
enum races_kinship { RACES_ALIKE, RACES_MIXED, RACES_APART, RACES_KINSHIPS };
/* Of the parts of two accesses. */
enum races_kinship races_kinship(const struct races_search *search, const struct races_part *a,
				 const struct races_part *b);
const struct races_part *races_part(const struct races_search *search, uint32_t access);
/* How many pairs of members have which. Both may be one class. */
void races_count_kinships(const struct races_search *search, const struct races_class *a, const struct races_class *b,
			  uint64_t counts[RACES_KINSHIPS]);
/* The doubts with those that the kinship causes. */
uint16_t races_doubts_of(enum races_kinship kinship, uint16_t doubts);

/* ---- analysis/races/products.c ---- */

void races_multiply(struct races_search *search);

/* ---- analysis/races/rank.c ---- */

/* Whether it is a stack slot of which there may be many. */
bool races_is_on_stack(const struct races_search *search, uint32_t object);
void races_note_functions(struct races_search *search);
void races_weigh(struct races_search *search);
/* What is reported first: without RACES_TYPES, then by score. */
bool races_is_better(const struct races_search *search, uint32_t doubts, uint32_t than);
/* Reasons to doubt the pairs of two classes that meet there, but for their types. left: the bit of races_relation. */
uint16_t races_doubts(const struct races_search *search, const struct races_class *a, const struct races_class *b,
		      const struct races_meeting *meeting, unsigned left);
bool races_is_same_lock_class(struct flow_locks a, struct flow_locks b);

/* ---- analysis/races/unfold.c ---- */

/* Orders groups and makes the pairs that are reported. */
void races_unfold(struct races_search *search);
/* The pair of two accesses, by the product of their classes. */
struct races_pair races_make_pair(struct races_search *search, const struct races_product *product, uint32_t access_a,
				  uint32_t access_b);
/* What two classes are: RACES_LEFT with product filled in, but for its group and for types. */
enum races_verdict races_judge(struct races_search *search, const struct races_contact *contact, uint32_t class_a,
			       uint32_t class_b, struct races_product *product);

#endif
