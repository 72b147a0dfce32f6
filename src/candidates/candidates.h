/* candidates.h: what the parts of heddle check share (check.c has the command). */
#ifndef CANDIDATES_CANDIDATES_H
#define CANDIDATES_CANDIDATES_H

#include "base/err.h"
#include "base/json.h"
#include "base/sources.h"
#include "symbols/describe.h"
#include "symbols/site_pair.h"

/* Where an access is in the tables of the woven programs. */
struct static_site {
	uint32_t id;    /* WOVEN_NONE: not found there */
	size_t program; /* the number of the program, from 0 */
};

/* One access of a candidate, by numbers of rows: of sites, roots and locksets. */
struct static_side {
	uint32_t site, root, locks;
};

struct static_pair {
	struct static_side sides[2];
	uint32_t doubts; /* bits: numbers in the doubts of the tree */
	uint8_t score;   /* 0 to 100 */
};

/* Candidates of one variable. */
struct static_group {
	const struct json *row;
	size_t first, count;       /* in pairs: those that were listed */
	uint64_t tally[101];       /* how many there are, by score */
	uint64_t types_tally[101]; /* those of them with the doubt "types": the types belong to different objects */
};

/* The output of heddle-analyse (analysis/output.h), and the tables of the programs that it is about. Start with { 0 }. */
struct analysis {
	char **paths; /* of the programs: the caller's */
	size_t program_count;
	const char *(*option_before)(
		const char *path); /* of a path after an option without a value: that option; else null */
	struct description *programs;
	struct json *tree;
	const struct json *sites, *locksets, *roots, *cycles; /* arrays, or null */
	bool has_groups;                                      /* the analysis got far enough to have groups */
	struct static_group *groups;
	size_t group_count;
	struct static_pair *pairs;
	size_t pair_count;
	struct static_site *found; /* by number in sites */
	struct map
		functions; /* name, file and number of earlier ones of the same name and file -> its number and program */
	struct names names;
	struct map bare;       /* name of a variable -> its name in the source, owned by names */
	struct sources places; /* where sources are */
	struct map sources;    /* name -> struct source */
};

/* The options of heddle check. */
struct static_options {
	uint64_t top, least_score, memory_mb;
	bool is_all, is_quiet;
	struct strings explain;    /* two places, or none */
	struct strings allocators; /* of the program's own */
};

/* What a side of a candidate does: "read", "write", "free". */
const char *static_access_word(const struct json *row);

/* Runs heddle-analyse and appends what it prints. explain: two places as it knows them, or null. Returns 0; EXIT_CANNOT when it
 * printed the reason on standard error, which is then in *messages; or a negative errno with err set. */
int static_run(const struct analysis *self, const struct static_options *options, char *const explain[2],
	       struct buf *out, struct buf *messages, struct err *err);

/* Opens the tables of the programs. Returns 0, or a negative errno with err set. */
int static_open(struct analysis *self, struct err *err);

/* Parses that output and finds its sites in the tables. Returns 0, or -EINVAL with err set. */
int static_read(struct analysis *self, const struct buf *text, struct err *err);
void static_release(struct analysis *self);

/* The site of an access row. */
struct static_site static_match(const struct analysis *self, const struct json *row);

/* A place in the form that heddle-analyse accepts: the text itself, or the place of the site if it is a site number; null with err set
 * if there is no such site. Caller frees. */
char *static_place(const struct analysis *self, const char *place_text, struct err *err);

/* The rows of a side; null if missing. */
const struct json *static_side_site(const struct analysis *self, const struct static_side *side);
const struct json *static_side_root(const struct analysis *self, const struct static_side *side);
const struct json *static_side_locks(const struct analysis *self, const struct static_side *side);
/* The same of an edge of a cycle of locks, which is at no site. */
struct static_side static_edge_side(const struct json *edge);
/* The word of the doubt number i, or null. */
const char *static_doubt_word(const struct analysis *self, uint32_t i);
const struct json *static_row(const struct json *array, uint64_t number);

/* Where in the program's own code an access is: where it is written, or, if that is in a system header, the innermost call outside of
 * system headers that it was inlined into. If there is none, where it is written. */
struct static_own {
	const struct json *place;
	const char *linkage; /* the function that it is in; null: not known */
	size_t steps;        /* of the inlining chain that were followed; 0: it is where it is written */
};
struct static_own static_own(const struct json *row);

/* Descriptions, not escaped for a terminal. */
void static_describe_place(struct buf *out, const struct json *place);                     /* "a.c:10", or "?" */
void static_describe_site(struct buf *out, struct analysis *self, const struct json *row); /* "write at a.c:10:3" */
const char *static_function(struct analysis *self, const struct json *row); /* that it is in, in own code */
void static_describe_root(struct buf *out, struct analysis *self, const struct json *root);
void static_describe_locks(struct buf *out, struct analysis *self,
			   const struct json *locks); /* "holds q->lock", "holds nothing" */
void static_describe_lock(struct buf *out, struct analysis *self, const struct json *lock);
const char *static_lock_name(struct analysis *self, const struct json *lock);     /* null: it has none */
const char *static_object_name(struct analysis *self, const struct json *object); /* null: it has none */
bool static_is_listed(const struct json *locks, size_t number); /* another entry already names this lock */
void static_describe_object(struct buf *out, struct analysis *self, const struct json *object);
void static_describe_reason(struct buf *out, struct analysis *self, const struct static_pair *pair);
const char *static_doubt(const char *word); /* in words */
const char *static_gap(const char *word);   /* what is assumed about it, in words; null: not known */

/* Whether a line of a candidate is that of a neighbour: see line.h. */
bool static_has_near(const struct analysis *self);

/* Adds a line for each kind of thing that was not analysed, or only roughly. */
void static_notes(struct analysis *self, struct strings *notes);

/* The line of a source as a terminal takes it, without leading and trailing white space; null when it does not exist.
 * Caller frees. */
char *static_source_line(struct analysis *self, const char *file, uint64_t line);

/* How many lines a source has; 0: it does not exist. */
uint64_t static_source_lines(struct analysis *self, const char *file);

/* The number of candidates of the group that reach the least score, listed or not; and how many of them have types that agree. */
uint64_t static_count_group(const struct static_group *group, const struct static_options *options);
uint64_t static_count_agreeing(const struct static_group *group, const struct static_options *options);
/* The number of candidates that reach the least score, and of all cycles: the least score applies only to data races. */
uint64_t static_count(const struct analysis *self, const struct static_options *options);
bool static_is_wanted(const struct static_pair *pair, const struct static_options *options);
uint64_t static_cycle_score(const struct json *cycle);

/* Candidates of data races as pairs of sites. */
struct static_sites_item {
	struct site_pair pair;
	const struct static_pair *candidate; /* the analysis's; the best of those with these sites */
};

struct static_sites {
	struct static_sites_item *items;
	size_t count;
	uint64_t without_sites; /* candidates before the last of them that have an access without a site */
};

/* The first of the listed candidates that count, at most that many pairs of sites, by falling score. Release *list. */
void static_pairs(const struct analysis *self, const struct static_options *options, size_t limit,
		  struct static_sites *list);
void static_pairs_release(struct static_sites *list);

void static_text(struct analysis *self, const struct static_options *options);
void static_summary(struct analysis *self, const struct static_options *options);
/* Returns 0; or -EINVAL with err set when a place that was asked for cannot be in the program: that it has no candidate would say nothing. */
int static_explain_check(struct analysis *self, struct err *err);
/* How many of the pairs are candidates, and the score of the best; including those that are not listed one by one. */
uint64_t static_explain_count(const struct analysis *self, uint64_t *score);
void static_explain_text(struct analysis *self);
void static_json(struct buf *text, struct analysis *self, const struct static_options *options);
void static_explain_json(struct buf *text, struct analysis *self);

#endif
