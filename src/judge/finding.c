/* finding.c: see finding.h. */
#include "judge/finding.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "symbols/line.h"

/* Names are relative to the working directory where that is possible: from another one the same file has a longer name. */
static bool is_same_file(const char *one, const char *other)
{
	size_t size = strlen(one), other_size = strlen(other);
	if (size > other_size)
		return is_same_file(other, one);
	if (strcmp(other + other_size - size, one) != 0)
		return false;
	return size == other_size || (one[0] != '/' && other[other_size - size - 1] == '/');
}

static bool has_site(const struct finding *finding, const struct finding_site *wanted)
{
	for (size_t i = 0; i < finding->evidence.site_count; i++) {
		const struct finding_site *site = &finding->evidence.sites[i];
		if (site->line == wanted->line && site->file && wanted->file && is_same_file(site->file, wanted->file))
			return true;
	}
	return false;
}

/* All sites of one are among those of the other; sites with is_beside are exempt. */
static bool is_within(const struct finding *one, const struct finding *other)
{
	for (size_t i = 0; i < one->evidence.site_count; i++)
		if (!one->evidence.sites[i].is_beside && !has_site(other, &one->evidence.sites[i]))
			return false;
	return true;
}

const struct finding *findings_matching(const struct findings *self, const struct finding *other)
{
	const struct finding *nearly = NULL;
	for (size_t i = 0; i < self->count; i++) {
		const struct finding *finding = self->items[i];
		if (finding->identity.kind != other->identity.kind || !is_within(finding, other))
			continue;
		if (is_within(other, finding))
			return finding;
		nearly = nearly ? nearly : finding;
	}
	return nearly;
}

static char *full_key_of(enum finding_kind kind, const char *key)
{
	return mem_format("%s %s", kinds[kind].word, key);
}

static char *name_of(const struct findings *self, enum finding_kind kind, const char *key)
{
	struct hash hash;
	uint8_t id[16];
	hash_init(&hash);
	hash_add(&hash, key, strlen(key));
	if (self->program)
		hash_add(&hash, self->program, strlen(self->program));
	hash_end(&hash, id);
	return mem_format("%s-%02x%02x%02x%02x", kinds[kind].word, id[0], id[1], id[2], id[3]);
}

static void add(struct findings *self, const char *full_key, struct finding *finding)
{
	if (!map_set(&self->by_key, full_key, finding))
		BUG("two findings are known by \"%s\"", full_key);
	self->items = mem_resize(self->items, (self->count + 1) * sizeof(struct finding *));
	self->items[self->count++] = finding;
}

void finding_seen(struct finding *self, uint64_t schedule)
{
	if (self->evidence.last != schedule)
		self->evidence.seen++;
	self->evidence.last = schedule;
	if (schedule < self->evidence.soonest)
		self->evidence.soonest = schedule;
}

struct finding *findings_see(struct findings *self, enum finding_kind kind, const char *key, uint64_t schedule,
			     bool *is_new)
{
	if (kind >= FINDING_KIND_COUNT)
		BUG("a finding of kind %d", (int)kind);
	char *full_key = full_key_of(kind, key);
	struct finding *finding = map_get(&self->by_key, full_key);
	*is_new = !finding;
	if (!finding) {
		finding = mem_alloc(sizeof *finding);
		*finding = (struct finding){
			.identity.kind = kind,
			.identity.key = mem_copy_string(key),
			.identity.name = name_of(self, kind, key),
			.evidence.first = schedule,
			.evidence.soonest = schedule,
		};
		add(self, full_key, finding);
	}
	finding_seen(finding, schedule);
	free(full_key);
	return finding;
}

struct finding *findings_get(const struct findings *self, enum finding_kind kind, const char *key)
{
	char *full_key = full_key_of(kind, key);
	struct finding *finding = map_get(&self->by_key, full_key);
	free(full_key);
	return finding;
}

void findings_add_key(struct findings *self, struct finding *finding, const char *key)
{
	char *full_key = full_key_of(finding->identity.kind, key);
	map_set(&self->by_key, full_key, finding);
	free(full_key);
}

void findings_rename(struct findings *self, struct finding *finding, const char *key)
{
	findings_add_key(self, finding, key);
	free(finding->identity.key);
	free(finding->identity.name);
	finding->identity.key = mem_copy_string(key);
	finding->identity.name = name_of(self, finding->identity.kind, key);
}

void finding_forget(struct finding *self)
{
	for (size_t i = 0; i < self->evidence.site_count; i++)
		strings_release(&self->evidence.sites[i].held);
	free(self->evidence.sites);
	free(self->evidence.acts);
	free(self->evidence.callers);
	free(self->evidence.calls);
	strings_release(&self->evidence.globals);
	strings_release(&self->evidence.objects);
	strings_release(&self->evidence.owned);
	buf_release(&self->presentation.summary);
	buf_release(&self->presentation.details);
	self->evidence.sites = NULL;
	self->evidence.acts = NULL;
	self->evidence.callers = NULL;
	self->evidence.calls = NULL;
	self->evidence.caller_count = 0;
	self->evidence.site_count = self->evidence.act_count = self->evidence.call_count = 0;
	self->presentation.object = self->evidence.global_module = NULL;
}

void finding_clear(struct finding *self)
{
	if (self->evidence.origin == FINDING_OF_ORDERS)
		free(self->evidence.orders);
	finding_forget(self);
	free(self->identity.key);
	free(self->identity.name);
	free(self->presentation.first_summary);
	free(self->evidence.trace);
	free(self->identity.old_key);
	free(self->identity.places);
	free(self->identity.locks);
	buf_release(&self->presentation.needs);
	buf_release(&self->presentation.verdict);
	buf_release(&self->presentation.input);
	buf_release(&self->presentation.why);
	buf_release(&self->presentation.report);
	buf_release(&self->presentation.course);
	buf_release(&self->presentation.mark);
	buf_release(&self->presentation.difference);
	buf_release(&self->presentation.interleaving);
	strings_release(&self->presentation.advice);
	*self = (struct finding){ .identity.kind = self->identity.kind };
}

static void free_finding(struct finding *self)
{
	finding_clear(self);
	free(self);
}

void findings_release(struct findings *self)
{
	for (size_t i = 0; i < self->count; i++)
		free_finding(self->items[i]);
	free(self->items);
	map_release(&self->by_key);
	*self = (struct findings){ 0 };
}

void findings_move(struct findings *self, struct findings *from, size_t at)
{
	struct finding *finding = from->items[at];
	char *full_key = full_key_of(finding->identity.kind, finding->identity.key);
	memmove(from->items + at, from->items + at + 1, (--from->count - at) * sizeof(struct finding *));
	map_set(&from->by_key, full_key, NULL);
	add(self, full_key, finding);
	free(full_key);
}

static uint64_t variants_of(const struct finding *finding)
{
	return finding->evidence.variants ? finding->evidence.variants : 1;
}

void findings_merge(struct findings *self, struct finding *finding, struct finding *into)
{
	size_t at = 0;
	while (self->items[at] != finding)
		at++;
	for (size_t i = 0; i < self->by_key.room; i++)
		if (self->by_key.slots[i].key && self->by_key.slots[i].value == finding)
			self->by_key.slots[i].value = into;
	memmove(self->items + at, self->items + at + 1, (--self->count - at) * sizeof(struct finding *));
	into->evidence.variants = variants_of(into) + variants_of(finding);
	into->evidence.is_strict |= finding->evidence.is_strict;
	/* A finding is merged in the schedule that first had it. */
	finding_seen(into, finding->evidence.first);
	free_finding(finding);
}

void finding_describe_value(struct buf *out, uint64_t value)
{
	buf_format(out, value < 1000000 ? "%" PRIu64 : "0x%" PRIx64, value);
}

/* What has more is nothing that one can read. */
#define PREEMPTIONS_FEW 16u

void finding_describe_needs(struct buf *out, const struct finding *self)
{
	if (!self->evidence.is_fewest && self->evidence.preemptions > PREEMPTIONS_FEW)
		buf_format(out, "was not reduced to few preemptions: the schedule kept as evidence has %" PRIu32,
			   self->evidence.preemptions);
	else if (self->evidence.preemptions)
		buf_format(out, "needs %s%" PRIu32 " preemption%s", self->evidence.is_fewest ? "" : "no more than ",
			   self->evidence.preemptions, self->evidence.preemptions == 1 ? "" : "s");
	else
		buf_add_string(out, "needs no preemption");
	if (self->evidence.early)
		buf_format(out, "%s %" PRIu32 " early end%s of a sleep or time-out",
			   self->evidence.preemptions ? " and" : ", but", self->evidence.early,
			   self->evidence.early == 1 ? "" : "s");
	buf_add_string(out, self->evidence.preemptions || self->presentation.needs.size ? ":\n" : "\n");
	buf_add_string(out, self->presentation.needs.data ? self->presentation.needs.data : "");
}

const char *finding_keep(struct finding *self, const char *string)
{
	if (!string)
		return NULL;
	strings_add(&self->evidence.owned, string);
	return self->evidence.owned.items[self->evidence.owned.count - 1];
}

void finding_add_site(struct finding *self, const struct finding_site *site)
{
	self->evidence.sites =
		mem_resize(self->evidence.sites, (self->evidence.site_count + 1) * sizeof *self->evidence.sites);
	struct finding_site *added = &self->evidence.sites[self->evidence.site_count++];
	*added = *site;
	added->file = finding_keep(self, site->file);
	added->function = finding_keep(self, site->function);
	added->variable = finding_keep(self, site->variable);
	added->caller = finding_keep(self, site->caller);
	added->thread_name = finding_keep(self, site->thread_name);
	added->code = finding_keep(self, site->code);
	added->proof_locks = finding_keep(self, site->proof_locks);
}

bool finding_has_near(const struct finding *self)
{
	for (size_t i = 0; i < self->evidence.site_count; i++)
		if (line_is_near(self->evidence.sites[i].line))
			return true;
	for (size_t i = 0; i < self->evidence.act_count; i++)
		if (line_is_near(self->evidence.acts[i].line))
			return true;
	return false;
}

void finding_add_act(struct finding *self, const struct finding_act *act)
{
	self->evidence.acts =
		mem_resize(self->evidence.acts, (self->evidence.act_count + 1) * sizeof *self->evidence.acts);
	struct finding_act *added = &self->evidence.acts[self->evidence.act_count++];
	*added = *act;
	added->file = finding_keep(self, act->file);
	added->function = finding_keep(self, act->function);
	added->caller = finding_keep(self, act->caller);
	added->by_name = finding_keep(self, act->by_name);
	added->code = finding_keep(self, act->code);
}

void finding_add_caller(struct finding *self, const struct finding_caller *caller)
{
	self->evidence.callers =
		mem_resize(self->evidence.callers, (self->evidence.caller_count + 1) * sizeof *self->evidence.callers);
	self->evidence.callers[self->evidence.caller_count++] = (struct finding_caller){
		.file = finding_keep(self, caller->file),
		.function = finding_keep(self, caller->function),
		.line = caller->line,
	};
}

bool finding_is_bad_free(const struct finding *self)
{
	return self->evidence.origin == FINDING_OF_MEMORY && report_is_bad_free(&self->evidence.memory);
}

const struct finding_act *finding_act(const struct finding *self, enum finding_act_kind kind, uint32_t thread)
{
	for (size_t i = 0; i < self->evidence.act_count; i++)
		if (self->evidence.acts[i].kind == kind &&
		    (kind != FINDING_CREATED || self->evidence.acts[i].thread == thread))
			return &self->evidence.acts[i];
	return NULL;
}

void finding_add_call(struct finding *self, const struct finding_call *call)
{
	self->evidence.calls =
		mem_resize(self->evidence.calls, (self->evidence.call_count + 1) * sizeof *self->evidence.calls);
	self->evidence.calls[self->evidence.call_count++] = (struct finding_call){
		.function = finding_keep(self, call->function),
		.linkage = finding_keep(self, call->linkage),
		.file = finding_keep(self, call->file),
		.path = finding_keep(self, call->path),
		.module = finding_keep(self, call->module),
		.stack = call->stack,
		.is_system = call->is_system,
	};
}
