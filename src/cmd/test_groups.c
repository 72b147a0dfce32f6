/* test_groups.c: the reports of a test by groups of findings that have one cause, the worst first. See test_say.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/test_say.h"
#include "judge/grouping.h"
#include "judge/store_use.h"

void test_say_verdict(struct buf *out, struct test_say *self, const struct finding *race)
{
	char *line = mem_format("H%" PRIu64 " %s", race->identity.number, race->presentation.verdict.data);
	layout_fold(out, &self->narrator.layout, LAYOUT_HEAD, 0, line);
	if (race->presentation.why.size)
		layout_fold(out, &self->narrator.layout, LAYOUT_PLAIN, 2, race->presentation.why.data);
	if (race->presentation.mark.size)
		narrate_details(out, &self->narrator, race->presentation.mark.data, NULL, 0, NULL);
	if (race->presentation.difference.size)
		buf_add(out, race->presentation.difference.data, race->presentation.difference.size);
	free(line);
}

/* As it was when it was found: what is printed of it was made then, and its evidence may be another one since. */
static const char *summary_of(const struct finding *finding)
{
	return finding->presentation.first_summary ? finding->presentation.first_summary
						   : finding->presentation.summary.data;
}

static void add(struct buf *out, const struct buf *part)
{
	if (part->size)
		buf_add(out, part->data, part->size);
}

void test_say_finding(struct buf *out, struct test_say *self, const struct finding *finding)
{
	struct buf state = { 0 };
	char id[32];
	snprintf(id, sizeof id, "H%" PRIu64, finding->identity.number);
	test_say_state(&state, finding);
	narrate_head(out, &self->narrator, id, finding, summary_of(finding), state.data);
	if (finding->evidence.has_verdict)
		test_say_verdict(out, self, finding);
	if (finding->presentation.report.size)
		add(out, &finding->presentation.report);
	else
		narrate_details(out, &self->narrator, finding->presentation.details.data, finding->evidence.sites,
				finding->evidence.site_count, finding_act(finding, FINDING_FREED, 0));
	if (finding->presentation.course.size)
		buf_add_string(out, "\n");
	add(out, &finding->presentation.course);
	buf_release(&state);
}

/* "the same free, a race and its consequence" */
static void add_rules(struct buf *out, uint32_t rules)
{
	const char *comma = "";
	for (size_t i = 0; i < GROUP_RULE_COUNT; i++)
		if (rules & 1u << i) {
			buf_format(out, "%s%s", comma, group_rule_texts[i]);
			comma = ", ";
		}
}

/* One line, since the head explains it; of a failure also what its schedule needs. */
static void add_member(struct buf *out, struct test_say *self, const struct finding *finding,
		       const struct finding *head, uint32_t rules, const char *store)
{
	struct buf line = { 0 };
	char id[32];
	buf_format(&line, "H%" PRIu64 " %s", finding->identity.number, summary_of(finding));
	test_say_state(&line, finding);
	buf_format(&line, ", same cause as H%" PRIu64 ": ", head->identity.number);
	add_rules(&line, rules);
	buf_add_string(out, "\n");
	layout_fold(out, &self->narrator.layout, LAYOUT_HEAD, 0, line.data);
	if (finding->evidence.has_verdict)
		test_say_verdict(out, self, finding);
	add(out, &finding->presentation.course);
	if (finding->evidence.trace && finding->identity.number && !finding->evidence.has_verdict) {
		snprintf(id, sizeof id, "H%" PRIu64, finding->identity.number);
		narrate_replay(out, &self->narrator, store_option(store), id);
	}
	buf_release(&line);
}

void test_say_groups(struct test_say *self, struct test *test)
{
	struct grouping grouping;
	grouping_make(&grouping, &test->judge.findings);
	for (size_t i = 0; i < grouping.count; i++) {
		const struct group_node *node = &grouping.nodes[grouping.order[i]];
		const struct finding *finding = grouping_finding(&grouping, grouping.order[i]);
		const bool is_last =
			i + 1 == grouping.count || grouping.nodes[grouping.order[i + 1]].head != node->head;
		struct buf out = { 0 };
		if (node->head == grouping.order[i])
			test_say_finding(&out, self, finding);
		else
			add_member(&out, self, finding, grouping_finding(&grouping, node->head), node->rules,
				   test->request->store);
		if (is_last)
			buf_add_string(&out, "\n");
		fwrite(out.data, 1, out.size, stdout);
		buf_release(&out);
	}
	grouping_release(&grouping);
}
