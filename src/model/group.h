/*
 * group.h: groups findings that have one cause. Findings are not changed; groups are computed from facts about them by rules. Each rule compares
 * a few facts for equality, so unknown facts never join findings.
 *
 * Pure: no input or output, no globals, no allocation.
 *
 * Invariants:
 *  1. Each finding is in exactly one group, and the head of a group is one of its members.
 *     Assured by tests/unit/group.t.
 *  2. Membership does not depend on the order of the findings, except for a failure with several causes: it is in the group of the first
 *     of them.
 *     Assured by tests/unit/group.t.
 */
#ifndef MODEL_GROUP_H
#define MODEL_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/kinds.h"
#include "model/verdict.h"

enum group_rule {
	GROUP_SAME_FREE,     /* memory errors and races of a block that the same call freed */
	GROUP_CONSEQUENCE,   /* a race, and the failure that only one order of its accesses has */
	GROUP_ONE_OPERATION, /* races with one copy or other access to a range, in one function or on one object */
	GROUP_SAME_OBJECT,   /* races on one variable between the same two functions */
	GROUP_RULE_COUNT
};

extern const char *const group_rule_words[GROUP_RULE_COUNT]; /* as in JSON: "same-free" */
extern const char *const group_rule_texts[GROUP_RULE_COUNT]; /* for people: "the same free" */

/* How bad a finding is, the worst first. */
enum group_rank {
	GROUP_HARMFUL,      /* a race that violates the specification in some run */
	GROUP_MEMORY_ERROR, /* the cause of a crash rather than the crash */
	GROUP_FAILURE,      /* a crash, a deadlock, ... */
	GROUP_DIFFERS,      /* output differs */
	GROUP_UNDECIDED,    /* races that are not classified, and lock orders */
	GROUP_HARMLESS,
};

/* One of the two accesses of a race. Texts are the caller's, here and below; null: not known. */
struct group_side {
	const char *place;    /* file and line */
	const char *function; /* that it is in */
	const char *caller;   /* the place that called that function; "": it has none */
	bool is_range;        /* a copy or another access to a range: memcpy, strcpy, a structure as a whole */
};

struct group_free {
	const char *place, *caller; /* as of a side */
};

#define GROUP_NO_NODE SIZE_MAX

/* The facts of a finding, and the result. */
struct group_node {
	enum finding_kind kind;
	bool has_class;
	enum verdict_class class;      /* of a race, with has_class */
	struct group_side sides[2];    /* of a race */
	struct group_free frees[2];    /* calls that freed the block that it touches; unused ones have no place */
	const char *made;              /* where that block was allocated */
	const char *object, *variable; /* what a race is about: "config.a", and what that is a part of: "config" */
	size_t given;                  /* a node of its group in an earlier test, ... */
	uint32_t given_rules;          /* ... by these rules, as `rules`; GROUP_NO_NODE: not known */
	size_t consequence;            /* the node that is the failure this race leads to; GROUP_NO_NODE: none */

	/* The result. */
	enum group_rank rank;
	size_t head;    /* the worst of its group, the first of several */
	uint32_t rules; /* 1 << enum group_rule, of its group: those that joined it */
	size_t size;    /* members of its group */
};

/* A fact that joins nodes which have it in common. */
struct group_facet {
	enum group_rule rule;
	const char *texts[4];
	size_t node;
};

#define GROUP_FACETS 7u /* of a node at most */

/* Sets the results of all nodes, and order: indices of nodes, group by group with the head first, the group with the worst head first,
 * otherwise in their given order. facets: room for GROUP_FACETS of each node. */
void group_findings(struct group_node *nodes, size_t count, struct group_facet *facets, size_t *order);

#endif
