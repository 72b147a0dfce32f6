/* tell.c: see tell.h: the document. */
#include "analysis/tell.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "heddle/abi.h"

/* What is being written. Rows are numbered in the order in which they are first named. */
struct told_locks {
	uint32_t set, instruction, root;
};

struct teller {
	FILE *to;
	const struct tell_parts *parts;
	struct buf out;
	uint32_t *sites; /* access -> 1 + number */
	uint32_t *site_accesses, site_count;
	struct map locksets;     /* set -> 1 + number */
	struct told_locks *told; /* by number */
	uint32_t lockset_count;
};

static const struct {
	uint32_t bit;
	const char *word;
} doubts[] = {
	{ RACES_SAME_LOCK_CLASS, "same-lock-class" },
	{ RACES_CONDITION, "condition" },
	{ RACES_ATOMIC_GUARD, "atomic-guard" },
	{ RACES_INITIAL, "initial" },
	{ RACES_ANYWHERE, "anywhere" },
	{ RACES_OUTSIDE, "outside" },
	{ RACES_SAME_MANY, "same-many" },
	{ RACES_VOLATILE, "volatile" },
	{ RACES_TYPES, "types" },
	{ RACES_ONE_TYPE, "one-type" },
	{ RACES_STACK, "stack" },
	{ RACES_FOREIGN, "foreign" },
};

static const char *const gap_words[WHOLE_GAP_COUNT] = {
	[WHOLE_GAP_ASSEMBLY] = "assembly", [WHOLE_GAP_FORGED] = "forged", [WHOLE_GAP_EXTERNAL] = "external",
	[WHOLE_GAP_NO_DEBUG] = "no-debug", [WHOLE_GAP_OPAQUE] = "opaque", [WHOLE_GAP_IFUNC] = "ifunc",
};

/* What was made so far goes out: a document may be larger than what should be kept. */
static void put(struct teller *self)
{
	if (self->out.size)
		fwrite(self->out.data, 1, self->out.size, self->to);
	self->out.size = 0;
}

void tell_head(struct buf *out, const struct tell_about *about)
{
	buf_format(out, "{\"heddle-analysis\":%u,\"version\":\"" HEDDLE_VERSION "\",\"stopped\":", TELL_VERSION);
	text_json(out, about->stopped);
	buf_add_string(out, ",\n\"programs\":[");
	for (size_t i = 0; i < about->program_count; i++) {
		const struct tell_program *program = &about->programs[i];
		buf_add_string(out, i ? ",{\"path\":" : "{\"path\":");
		text_json(out, program->path);
		buf_add_string(out, ",\"build\":\"");
		for (size_t byte = 0; byte < sizeof program->build; byte++)
			buf_format(out, "%02x", program->build[byte]);
		buf_format(out, "\",\"units\":%" PRIu32 "}", program->unit_count);
	}
	buf_add_string(out, "],\n\"phases\":[");
	for (size_t i = 0; i < about->phase_count; i++) {
		buf_add_string(out, i ? ",{\"name\":" : "{\"name\":");
		text_json(out, about->phases[i].name);
		buf_format(out, ",\"milliseconds\":%.0f}", about->phases[i].seconds * 1000);
	}
	buf_format(out, "],\"peak_bytes\":%" PRIu64, about->peak_bytes);
}

static void add_counts(struct teller *self)
{
	const struct whole *whole = self->parts->whole;
	uint32_t defined = 0, typed = 0;
	if (!whole)
		return;
	for (uint32_t i = 0; i < whole->function_count; i++)
		defined += whole->function[i].is_defined;
	for (uint32_t i = 0; i < whole->access_count; i++)
		typed += whole->access[i].tag != WHOLE_NONE;
	buf_format(&self->out,
		   ",\n\"is_library\":%s,\"units\":%" PRIu32 ",\"functions\":%" PRIu32 ",\"instructions\":%" PRIu32
		   ",\"accesses\":%" PRIu32 ",\"typed_accesses\":%" PRIu32 ",\"objects\":%" PRIu32,
		   whole->is_library ? "true" : "false", whole->unit_count, defined, whole->instruction_count,
		   whole->access_count, typed, whole->object_count);
}

static void add_statistics(struct teller *self)
{
	const struct tell_parts *parts = self->parts;
	struct buf *out = &self->out;
	buf_add_string(out, ",\n\"statistics\":{");
	if (parts->points) {
		struct points_statistics points = points_statistics(parts->points);
		buf_format(out,
			   "\"points_values\":%" PRIu64 ",\"points_locations\":%" PRIu64
			   ",\"points_constraints\":%" PRIu64 ",\"points_steps\":%" PRIu64 ",\"points_merged\":%" PRIu64
			   ",\"unified_functions\":%" PRIu32 ",\"unknown_externals\":%" PRIu32,
			   points.values, points.locations, points.constraints, points.steps, points.merged,
			   points.unified_functions, points.unknown_externals);
	}
	if (parts->flow) {
		struct flow_statistics flow = flow_statistics(parts->flow);
		buf_format(out,
			   ",\"flow_contexts\":%" PRIu64 ",\"flow_visits\":%" PRIu64 ",\"flow_steps\":%" PRIu64
			   ",\"merged_functions\":%" PRIu32 ",\"bound_functions\":%" PRIu32,
			   flow.contexts, flow.visits, flow.steps, flow.merged_functions, flow.bound_functions);
	}
	buf_add_string(out, "}");
}

/* Gaps of one kind and name are one row, with the place of the first. */
static void add_gaps(struct teller *self)
{
	const struct whole *whole = self->parts->whole;
	struct map rows = { 0 };
	if (!whole)
		return;
	uint32_t *firsts = mem_alloc((whole->gap_count + 1) * sizeof *firsts), count = 0;
	uint32_t *counts = mem_alloc((whole->gap_count + 1) * sizeof *counts);
	for (uint32_t i = 0; i < whole->gap_count; i++) {
		char *key = mem_format("%u %s", whole->gap[i].kind, whole->gap[i].name ? whole->gap[i].name : "");
		uintptr_t row = (uintptr_t)map_get(&rows, key);
		if (!row) {
			firsts[count] = i;
			row = ++count;
			map_set(&rows, key, (void *)row);
		}
		counts[row - 1]++;
		free(key);
	}
	buf_add_string(&self->out, ",\n\"gaps\":[");
	for (uint32_t i = 0; i < count; i++) {
		const struct whole_gap *gap = &whole->gap[firsts[i]];
		buf_format(&self->out, "%s{\"kind\":\"%s\",\"name\":", i ? "," : "", gap_words[gap->kind]);
		text_json(&self->out, gap->name);
		buf_add_string(&self->out, ",\"function\":");
		text_json(&self->out,
			  gap->function < whole->function_count ? whole->function[gap->function].name : NULL);
		buf_format(&self->out, ",\"count\":%" PRIu32 ",\"first\":", counts[i]);
		tell_place(&self->out, whole, gap->place);
		buf_add_string(&self->out, "}");
	}
	buf_add_string(&self->out, "]");
	free(firsts);
	free(counts);
	map_release(&rows);
}

static void add_roots(struct teller *self)
{
	buf_add_string(&self->out, ",\n\"roots\":[");
	for (uint32_t i = 0; i < flow_root_count(self->parts->flow); i++) {
		buf_add_string(&self->out, i ? ",\n" : "\n");
		tell_root(&self->out, self->parts->whole, flow_root(self->parts->flow, i));
	}
	buf_add_string(&self->out, "]");
}

static uint32_t site_number(struct teller *self, uint32_t access)
{
	if (!self->sites[access]) {
		self->site_accesses =
			mem_resize(self->site_accesses, (self->site_count + 1) * sizeof *self->site_accesses);
		self->site_accesses[self->site_count++] = access;
		self->sites[access] = self->site_count;
	}
	return self->sites[access] - 1;
}

/* Where locks were taken depends on who asks: by instruction and thread. A set without locks is one. */
static uint32_t lockset_number(struct teller *self, uint32_t set, uint32_t instruction, uint32_t root)
{
	char key[48];
	bool is_empty = !flow_locks(self->parts->flow, set).count;
	snprintf(key, sizeof key, "%" PRIu32 " %" PRIu32 " %" PRIu32, set, is_empty ? WHOLE_NONE : instruction,
		 is_empty ? WHOLE_NONE : root);
	uintptr_t number = (uintptr_t)map_get(&self->locksets, key);
	if (!number) {
		self->told = mem_resize(self->told, (self->lockset_count + 1) * sizeof *self->told);
		self->told[self->lockset_count++] = (struct told_locks){ set, instruction, root };
		number = self->lockset_count;
		map_set(&self->locksets, key, (void *)number);
	}
	return (uint32_t)number - 1;
}

/* A million of them must be no burden to who reads it: eight numbers each, in a string. */
static void add_pair(struct teller *self, const struct races_pair *pair)
{
	const struct whole_access *accesses = self->parts->whole->access;
	uint32_t bits = 0;
	for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++)
		bits |= pair->doubts & doubts[i].bit ? 1u << i : 0;
	buf_format(&self->out,
		   "%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %u %" PRIu32 ",",
		   site_number(self, pair->a.access), pair->a.root,
		   lockset_number(self, pair->a.locks, accesses[pair->a.access].instruction, pair->a.root),
		   site_number(self, pair->b.access), pair->b.root,
		   lockset_number(self, pair->b.locks, accesses[pair->b.access].instruction, pair->b.root),
		   races_percent(pair->score), bits);
}

void tell_doubts(struct buf *out, uint32_t bits)
{
	const char *comma = "";
	buf_add_string(out, "[");
	for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++)
		if (bits & doubts[i].bit) {
			buf_format(out, "%s\"%s\"", comma, doubts[i].word);
			comma = ",";
		}
	buf_add_string(out, "]");
}

/* How many candidates there are of each score. */
static void add_tally(struct teller *self, const uint64_t tally[101])
{
	for (unsigned score = 0; score <= 100; score++)
		if (tally[score])
			buf_format(&self->out, "%u %" PRIu64 ",", score, tally[score]);
}

static void add_races(struct teller *self)
{
	const struct races *races = self->parts->races;
	const struct races_pruned *pruned = &races->pruned;
	uint64_t instrumented = 0;
	for (uint32_t i = 0; races->is_instrumented && i < self->parts->whole->access_count; i++)
		instrumented += races->is_instrumented[i] != 0;
	buf_format(&self->out,
		   ",\n\"is_cut\":%s,\"shared_accesses\":%" PRIu64 ",\"pruned\":{\"pairs\":%" PRIu64
		   ",\"atomic\":%" PRIu64 ",\"unshared\":%" PRIu64 ",\"ordered\":%" PRIu64 ",\"locked\":%" PRIu64
		   ",\"left\":%" PRIu64 ",\"agreeing\":%" PRIu64 ",\"alike\":%" PRIu64 "}",
		   races->is_cut ? "true" : "false", instrumented, pruned->pairs, pruned->atomic, pruned->unshared,
		   pruned->ordered, pruned->locked, pruned->left, pruned->agreeing, pruned->alike);
	buf_add_string(&self->out, ",\n\"doubts\":");
	tell_doubts(&self->out, UINT32_MAX);
	buf_add_string(&self->out, ",\n\"groups\":[");
	for (uint32_t i = 0; i < races->group_count; i++) {
		const struct races_group *group = &races->groups[i];
		buf_add_string(&self->out, i ? ",\n{\"variable\":" : "\n{\"variable\":");
		text_json(&self->out, group->variable);
		buf_format(&self->out, ",\"score\":%u,\"object\":", races_percent(group->score));
		tell_object(&self->out, self->parts->whole, group->object);
		buf_format(&self->out, ",\"alike\":%" PRIu32 ",\"tally\":\"", group->alike);
		add_tally(self, group->tally);
		buf_add_string(&self->out, "\",\"types_tally\":\"");
		add_tally(self, group->types_tally);
		buf_add_string(&self->out, "\",\"pairs\":\"");
		for (uint32_t pair = 0; pair < group->pair_count; pair++) {
			add_pair(self, &races->pairs[group->first_pair + pair]);
			put(self);
		}
		buf_add_string(&self->out, "\"}");
	}
	buf_add_string(&self->out, "]");
}

static void add_edge(struct teller *self, const struct flow_order *order)
{
	const struct whole *whole = self->parts->whole;
	const struct whole_instruction *call = &whole->instruction[order->call];
	struct flow_lock held = tell_taken(self->parts, order->held, order->call, order->root);
	held.name = order->held.name; /* a lock of a cycle has one name at all edges */
	buf_format(&self->out, "{\"root\":%" PRIu32 ",\"function\":", order->root);
	text_json(&self->out, whole->function[call->function].name);
	buf_add_string(&self->out, ",\"at\":");
	tell_call(&self->out, whole, call->place);
	buf_add_string(&self->out, ",\"held\":");
	tell_lock(&self->out, whole, &held);
	buf_add_string(&self->out, ",\"taken\":");
	tell_lock(&self->out, whole, &order->taken);
	buf_format(&self->out, ",\"locks\":%" PRIu32 "}", lockset_number(self, order->locks, order->call, order->root));
}

static void add_cycles(struct teller *self)
{
	const struct orders *orders = self->parts->orders;
	buf_format(&self->out, ",\n\"is_orders_cut\":%s,\"cycles\":[", orders->is_cut ? "true" : "false");
	for (uint32_t i = 0; i < orders->cycle_count; i++) {
		const struct orders_cycle *cycle = &orders->cycles[i];
		buf_format(&self->out, "%s{\"certain\":%s,\"variants\":%" PRIu32 ",\"edges\":[", i ? ",\n" : "\n",
			   cycle->is_certain ? "true" : "false", cycle->variants);
		for (uint32_t edge = 0; edge < cycle->edge_count; edge++) {
			buf_add_string(&self->out, edge ? "," : "");
			add_edge(self, &flow_orders(self->parts->flow)[cycle->edges[edge]]);
		}
		buf_add_string(&self->out, "]}");
	}
	buf_add_string(&self->out, "]");
}

/* Last, since only now it is known which are named. */
static void add_tables(struct teller *self)
{
	const struct whole *whole = self->parts->whole;
	uint32_t *same = tell_count_same(whole);
	buf_add_string(&self->out, ",\n\"sites\":[");
	for (uint32_t i = 0; i < self->site_count; i++) {
		uint32_t access = self->site_accesses[i];
		buf_add_string(&self->out, i ? ",\n" : "\n");
		tell_access(&self->out, whole, access,
			    same[whole->instruction[whole->access[access].instruction].function]);
		put(self);
	}
	buf_add_string(&self->out, "],\n\"locksets\":[");
	for (uint32_t i = 0; i < self->lockset_count; i++) {
		buf_add_string(&self->out, i ? ",\n" : "\n");
		tell_locks(&self->out, self->parts, flow_locks(self->parts->flow, self->told[i].set),
			   self->told[i].instruction, self->told[i].root);
	}
	buf_add_string(&self->out, "]");
	free(same);
}

void tell_all(FILE *to, const struct tell_about *about, const struct tell_parts *parts)
{
	struct teller self = { .to = to, .parts = parts };
	tell_head(&self.out, about);
	add_counts(&self);
	add_gaps(&self);
	add_statistics(&self);
	if (parts->whole && parts->flow) {
		self.sites = mem_alloc((parts->whole->access_count + 1) * sizeof *self.sites);
		add_roots(&self);
		if (parts->races)
			add_races(&self);
		if (parts->orders)
			add_cycles(&self);
		add_tables(&self);
	}
	buf_add_string(&self.out, "}\n");
	put(&self);
	free(self.sites);
	free(self.site_accesses);
	free(self.told);
	map_release(&self.locksets);
	buf_release(&self.out);
}
