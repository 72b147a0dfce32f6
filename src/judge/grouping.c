/* grouping.c: see grouping.h. Texts are made so that equal ones mean the same place or object. */
#include "judge/grouping.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/line.h"

static const char *keep(struct grouping *self, struct buf *text)
{
	if (!text->size)
		return NULL;
	strings_add(&self->owned, text->data);
	buf_release(text);
	return self->owned.items[self->owned.count - 1];
}

static const char *place_of(struct grouping *self, const char *file, uint32_t line)
{
	struct buf text = { 0 };
	if (file && line && !line_is_near(line))
		buf_format(&text, "%s:%" PRIu32, file, line);
	return keep(self, &text);
}

/* Without the parts that follow from the run: "accounts[3].balance" is any account's. */
static const char *object_of(struct grouping *self, const char *name)
{
	struct buf text = { 0 };
	if (name && strcmp(name, "memory") == 0)
		return NULL;
	for (const char *at = name ? name : ""; *at; at++) {
		buf_add(&text, at, 1);
		if (*at == '[' || *at == '+')
			at += strspn(at + 1, "0123456789");
	}
	return keep(self, &text);
}

/* What the object is a part of: "config" of "config.size". A pointer is none: another name may be its target's. */
static const char *variable_of(struct grouping *self, const char *object)
{
	struct buf text = { 0 };
	if (object && !strstr(object, "->") && object[0] != '*')
		buf_add(&text, object, strcspn(object, ".[+"));
	return keep(self, &text);
}

static bool is_free(const struct finding_site *site)
{
	return site->access && (strcmp(site->access, "free") == 0 || strcmp(site->access, "realloc") == 0);
}

static void set_sides(struct grouping *self, struct group_node *node, const struct finding *finding)
{
	for (size_t i = 0; i < 2 && i < finding->evidence.site_count; i++) {
		const struct finding_site *site = &finding->evidence.sites[i];
		node->sides[i] = (struct group_side){ .place = place_of(self, site->file, site->line),
						      .function = site->function,
						      .caller = site->caller,
						      .is_range = site->is_range };
	}
	node->object = object_of(self, finding->presentation.object);
	node->variable = variable_of(self, node->object);
}

/* The call that freed the block before, and the one that the finding itself is about. */
static void set_block(struct grouping *self, struct group_node *node, const struct finding *finding)
{
	const struct finding_act *freed = finding_act(finding, FINDING_FREED, 0),
				 *made = finding_act(finding, FINDING_ALLOCATED, 0);
	size_t count = 0;
	if (freed)
		node->frees[count++] = (struct group_free){ place_of(self, freed->file, freed->line), freed->caller };
	for (size_t i = 0; i < finding->evidence.site_count && count < 2; i++) {
		const struct finding_site *site = &finding->evidence.sites[i];
		if (is_free(site))
			node->frees[count++] =
				(struct group_free){ place_of(self, site->file, site->line), site->caller };
	}
	if (made)
		node->made = place_of(self, made->file, made->line);
}

/* The number in the store of the failure that only one order of a race leads to; 0: none. */
static uint64_t consequence_of(const struct finding *race)
{
	const struct finding_evidence *evidence = &race->evidence;
	const bool is_harmful = evidence->has_verdict && evidence->verdict.class == VERDICT_SPEC_VIOLATED;
	return is_harmful && !evidence->verdict.is_both ? evidence->consequence : 0;
}

static void set_consequences(struct grouping *self)
{
	for (size_t i = 0; i < self->count; i++) {
		uint64_t failure = consequence_of(grouping_finding(self, i));
		for (size_t j = 0; j < self->count && failure; j++)
			if (grouping_finding(self, j)->identity.number == failure)
				self->nodes[i].consequence = j;
	}
}

static void set_given(struct grouping *self)
{
	for (size_t i = 0; i < self->count; i++) {
		uint64_t group = grouping_finding(self, i)->identity.group;
		for (size_t j = 0; j < i && group && self->nodes[i].given == GROUP_NO_NODE; j++)
			if (grouping_finding(self, j)->identity.group == group)
				self->nodes[i].given = j;
	}
}

static void set_node(struct grouping *self, struct group_node *node, const struct finding *finding)
{
	*node = (struct group_node){ .kind = finding->identity.kind,
				     .has_class = finding->evidence.has_verdict,
				     .class = finding->evidence.verdict.class,
				     .given = GROUP_NO_NODE,
				     .given_rules = finding->identity.rules,
				     .consequence = GROUP_NO_NODE };
	if (finding->identity.kind == FINDING_DATA_RACE)
		set_sides(self, node, finding);
	if (finding->identity.kind == FINDING_DATA_RACE || finding->identity.kind == FINDING_MEMORY_ERROR)
		set_block(self, node, finding);
}

void grouping_make(struct grouping *self, const struct findings *findings)
{
	struct group_facet *facets = mem_alloc((findings->count + 1) * GROUP_FACETS * sizeof *facets);
	*self = (struct grouping){ .findings = findings,
				   .numbers = mem_alloc((findings->count + 1) * sizeof *self->numbers),
				   .nodes = mem_alloc((findings->count + 1) * sizeof *self->nodes),
				   .order = mem_alloc((findings->count + 1) * sizeof *self->order) };
	for (size_t i = 0; i < findings->count; i++) {
		if (findings->items[i]->identity.suppression)
			continue;
		self->numbers[self->count] = i;
		set_node(self, &self->nodes[self->count++], findings->items[i]);
	}
	set_consequences(self);
	set_given(self);
	group_findings(self->nodes, self->count, facets, self->order);
	for (size_t i = 0; i < self->count; i++)
		self->group_count += self->nodes[i].head == i;
	free(facets);
}

void grouping_release(struct grouping *self)
{
	free(self->numbers);
	free(self->nodes);
	free(self->order);
	strings_release(&self->owned);
	*self = (struct grouping){ 0 };
}

struct finding *grouping_finding(const struct grouping *self, size_t node)
{
	return self->findings->items[self->numbers[node]];
}

size_t grouping_node(const struct grouping *self, const struct finding *finding)
{
	for (size_t i = 0; i < self->count; i++)
		if (grouping_finding(self, i) == finding)
			return i;
	return GROUP_NO_NODE;
}

void grouping_keep(const struct grouping *self)
{
	for (size_t i = 0; i < self->count; i++) {
		struct finding *finding = grouping_finding(self, i);
		finding->identity.group = grouping_finding(self, self->nodes[i].head)->identity.number;
		finding->identity.rules = self->nodes[i].rules;
	}
}

void grouping_add_rules(struct buf *out, uint32_t rules)
{
	for (size_t i = 0; i < GROUP_RULE_COUNT; i++)
		if (rules & 1u << i)
			buf_format(out, "%s%s", out->size ? " " : "", group_rule_words[i]);
}

uint32_t grouping_parse_rules(const char *text)
{
	uint32_t rules = 0;
	for (size_t i = 0; i < GROUP_RULE_COUNT; i++) {
		const size_t size = strlen(group_rule_words[i]);
		for (const char *at = text; (at = strstr(at, group_rule_words[i])); at += size)
			if ((at == text || at[-1] == ' ') && (!at[size] || at[size] == ' '))
				rules |= 1u << i;
	}
	return rules;
}
