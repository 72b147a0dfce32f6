/*
 * grouping.h: groups findings that have one cause (model/group.h), from the facts known about each.
 */
#ifndef JUDGE_GROUPING_H
#define JUDGE_GROUPING_H

#include "judge/finding.h"
#include "model/group.h"

/* The nodes are the findings of a set that are not suppressed, by their order there. */
struct grouping {
	const struct findings *findings;
	size_t *numbers; /* of each node: the number of its finding in the set, from 0 */
	struct group_node *nodes;
	size_t *order; /* as group_findings sets it */
	size_t count;
	size_t group_count;
	struct strings owned; /* texts of the nodes */
};

/* Makes the groups; known groups stay together. Call grouping_release afterwards; until then the findings must not
 * change. */
void grouping_make(struct grouping *self, const struct findings *findings);
void grouping_release(struct grouping *self);

/* Sets the group of each finding. */
void grouping_keep(const struct grouping *self);

/* grouping_add_rules appends the words of the rules (1 << enum group_rule) as one text, "" for none;
 * grouping_parse_rules converts such a text back. */
void grouping_add_rules(struct buf *out, uint32_t rules);
uint32_t grouping_parse_rules(const char *text);

/* Returns the finding of a node. */
struct finding *grouping_finding(const struct grouping *self, size_t node);

/* Returns the node of a finding, or GROUP_NO_NODE if it has none. */
size_t grouping_node(const struct grouping *self, const struct finding *finding);

#endif
