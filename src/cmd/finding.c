/* finding.c: see finding.h. */
#include "cmd/finding.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cmd/line.h"

const char *const finding_kind_words[FINDING_KIND_COUNT + 1] = {
	[FINDING_DATA_RACE] = "data-race",
	[FINDING_DEADLOCK] = "deadlock",
	[FINDING_LOCK_ORDER] = "lock-order",
	[FINDING_CRASH] = "crash",
	[FINDING_ASSERTION] = "assertion",
	[FINDING_MEMORY_ERROR] = "memory-error",
	[FINDING_HANG] = "hang",
	[FINDING_BAD_EXIT] = "bad-exit",
	[FINDING_OUTPUT_DIFFERS] = "output-differs",
	[FINDING_CHECK_FAILED] = "check-failed",
};

enum finding_kind finding_kind_of(const char *word)
{
	int kind = 0;
	while (kind < FINDING_KIND_COUNT && strcmp(finding_kind_words[kind], word) != 0)
		kind++;
	return (enum finding_kind)kind;
}

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
	for (size_t i = 0; i < finding->site_count; i++) {
		const struct finding_site *site = &finding->sites[i];
		if (site->line == wanted->line && site->file && wanted->file && is_same_file(site->file, wanted->file))
			return true;
	}
	return false;
}

/* All of the one's sites are among those of the other; those that are only beside need not be. */
static bool is_within(const struct finding *one, const struct finding *other)
{
	for (size_t i = 0; i < one->site_count; i++)
		if (!one->sites[i].is_beside && !has_site(other, &one->sites[i]))
			return false;
	return true;
}

const struct finding *findings_like(const struct findings *self, const struct finding *other)
{
	const struct finding *nearly = NULL;
	for (size_t i = 0; i < self->count; i++) {
		const struct finding *finding = self->items[i];
		if (finding->kind != other->kind || !is_within(finding, other))
			continue;
		if (is_within(other, finding))
			return finding;
		nearly = nearly ? nearly : finding;
	}
	return nearly;
}

static char *full_key_of(enum finding_kind kind, const char *key)
{
	return mem_format("%s %s", finding_kind_words[kind], key);
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
	return mem_format("%s-%02x%02x%02x%02x", finding_kind_words[kind], id[0], id[1], id[2], id[3]);
}

static void add(struct findings *self, const char *full_key, struct finding *finding)
{
	map_set(&self->by_key, full_key, finding);
	self->items = mem_resize(self->items, (self->count + 1) * sizeof(struct finding *));
	self->items[self->count++] = finding;
}

struct finding *findings_see(struct findings *self, enum finding_kind kind, const char *key, uint64_t schedule,
			     bool *is_new)
{
	char *full_key = full_key_of(kind, key);
	struct finding *finding = map_get(&self->by_key, full_key);
	*is_new = !finding;
	if (!finding) {
		finding = mem_alloc(sizeof *finding);
		*finding = (struct finding){
			.kind = kind,
			.key = mem_copy_string(key),
			.name = name_of(self, kind, key),
			.first = schedule,
		};
		add(self, full_key, finding);
	}
	if (finding->last != schedule)
		finding->seen++;
	finding->last = schedule;
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
	char *full_key = full_key_of(finding->kind, key);
	map_set(&self->by_key, full_key, finding);
	free(full_key);
}

void findings_rename(struct findings *self, struct finding *finding, const char *key)
{
	findings_add_key(self, finding, key);
	free(finding->key);
	free(finding->name);
	finding->key = mem_copy_string(key);
	finding->name = name_of(self, finding->kind, key);
}

void finding_forget(struct finding *self)
{
	for (size_t i = 0; i < self->site_count; i++)
		strings_release(&self->sites[i].held);
	free(self->sites);
	free(self->acts);
	free(self->calls);
	strings_release(&self->globals);
	strings_release(&self->objects);
	strings_release(&self->owned);
	buf_release(&self->summary);
	buf_release(&self->details);
	self->sites = NULL;
	self->acts = NULL;
	self->calls = NULL;
	self->site_count = self->act_count = self->call_count = 0;
	self->object = self->global_module = NULL;
}

void finding_clear(struct finding *self)
{
	if (self->origin == FINDING_OF_ORDERS)
		free(self->orders);
	finding_forget(self);
	free(self->key);
	free(self->name);
	free(self->told);
	free(self->trace);
	free(self->places);
	free(self->locks);
	buf_release(&self->needs);
	buf_release(&self->interleaving);
	strings_release(&self->advice);
	*self = (struct finding){ .kind = self->kind };
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
	char *full_key = full_key_of(finding->kind, finding->key);
	memmove(from->items + at, from->items + at + 1, (--from->count - at) * sizeof(struct finding *));
	map_set(&from->by_key, full_key, NULL);
	add(self, full_key, finding);
	free(full_key);
}

static uint64_t variants_of(const struct finding *finding)
{
	return finding->variants ? finding->variants : 1;
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
	into->variants = variants_of(into) + variants_of(finding);
	/* A finding is merged in the schedule that first had it. */
	if (into->last != finding->first)
		into->seen++;
	into->last = finding->first;
	free_finding(finding);
}

void finding_tell_value(struct buf *out, uint64_t value)
{
	buf_format(out, value < 1000000 ? "%" PRIu64 : "0x%" PRIx64, value);
}

/* What has more is nothing that one can read. */
#define PREEMPTIONS_FEW 16u

void finding_tell_needs(struct buf *out, const struct finding *self)
{
	if (!self->is_fewest && self->preemptions > PREEMPTIONS_FEW)
		buf_format(out, "was not reduced to few preemptions: the schedule that is kept has %" PRIu32,
			   self->preemptions);
	else if (self->preemptions)
		buf_format(out, "needs %s%" PRIu32 " preemption%s", self->is_fewest ? "" : "no more than ",
			   self->preemptions, self->preemptions == 1 ? "" : "s");
	else
		buf_add_string(out, "needs no preemption");
	if (self->early)
		buf_format(out, "%s %" PRIu32 " early end%s of a sleep or time-out",
			   self->preemptions ? " and" : ", but", self->early, self->early == 1 ? "" : "s");
	buf_add_string(out, self->preemptions || self->needs.size ? ":\n" : "\n");
	buf_add_string(out, self->needs.data ? self->needs.data : "");
}

const char *finding_keep(struct finding *self, const char *string)
{
	if (!string)
		return NULL;
	strings_add(&self->owned, string);
	return self->owned.items[self->owned.count - 1];
}

void finding_add_site(struct finding *self, const struct finding_site *site)
{
	self->sites = mem_resize(self->sites, (self->site_count + 1) * sizeof *self->sites);
	struct finding_site *added = &self->sites[self->site_count++];
	*added = *site;
	added->file = finding_keep(self, site->file);
	added->function = finding_keep(self, site->function);
	added->variable = finding_keep(self, site->variable);
	added->thread_name = finding_keep(self, site->thread_name);
	added->code = finding_keep(self, site->code);
}

bool finding_has_near(const struct finding *self)
{
	for (size_t i = 0; i < self->site_count; i++)
		if (line_is_near(self->sites[i].line))
			return true;
	for (size_t i = 0; i < self->act_count; i++)
		if (line_is_near(self->acts[i].line))
			return true;
	return false;
}

void finding_add_act(struct finding *self, const struct finding_act *act)
{
	self->acts = mem_resize(self->acts, (self->act_count + 1) * sizeof *self->acts);
	struct finding_act *added = &self->acts[self->act_count++];
	*added = *act;
	added->file = finding_keep(self, act->file);
	added->function = finding_keep(self, act->function);
	added->by_name = finding_keep(self, act->by_name);
	added->code = finding_keep(self, act->code);
}

bool finding_is_bad_free(const struct finding *self)
{
	return self->origin == FINDING_OF_MEMORY && report_is_bad_free(&self->memory);
}

const struct finding_act *finding_act(const struct finding *self, enum finding_act_kind kind, uint32_t thread)
{
	for (size_t i = 0; i < self->act_count; i++)
		if (self->acts[i].kind == kind && (kind != FINDING_CREATED || self->acts[i].thread == thread))
			return &self->acts[i];
	return NULL;
}

void finding_add_call(struct finding *self, const struct finding_call *call)
{
	self->calls = mem_resize(self->calls, (self->call_count + 1) * sizeof *self->calls);
	self->calls[self->call_count++] = (struct finding_call){
		.function = finding_keep(self, call->function),
		.linkage = finding_keep(self, call->linkage),
		.file = finding_keep(self, call->file),
		.path = finding_keep(self, call->path),
		.module = finding_keep(self, call->module),
		.stack = call->stack,
		.is_system = call->is_system,
	};
}
