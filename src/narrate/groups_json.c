/* groups_json.c: see groups_json.h. */
#include "narrate/groups_json.h"

#include <inttypes.h>

static void add_group(struct json_writer *out, const struct grouping *grouping, size_t first)
{
	const struct group_node *head = &grouping->nodes[grouping->order[first]];
	const uint64_t number = grouping_finding(grouping, head->head)->identity.number;
	json_open_object(out, NULL);
	json_add_format(out, "id", "H%" PRIu64, number);
	json_add_format(out, "head", "H%" PRIu64, number);
	json_open_array(out, "members");
	for (size_t i = 0; i < head->size; i++)
		json_add_format(out, NULL, "H%" PRIu64,
				grouping_finding(grouping, grouping->order[first + i])->identity.number);
	json_close_array(out);
	json_open_array(out, "reasons");
	for (size_t i = 0; i < GROUP_RULE_COUNT; i++)
		if (head->rules & 1u << i)
			json_add_string(out, NULL, group_rule_words[i]);
	json_close_array(out);
	json_close_object(out);
}

void groups_json(struct json_writer *out, const struct grouping *grouping)
{
	json_open_array(out, "groups");
	for (size_t i = 0; i < grouping->count; i += grouping->nodes[grouping->order[i]].size)
		add_group(out, grouping, i);
	json_close_array(out);
}
