/* output.c: see output.h: the document. */
#include "analysis/output.h"

#include <inttypes.h>
#include <stdlib.h>

#include "heddle/abi.h"

/* What is being written. Rows are numbered in the order in which they are first named. */
struct lock_row {
	uint32_t set, instruction, root;
};

struct writer {
	FILE *to;
	const struct output_parts *parts;
	struct buf text;
	struct json_writer out; /* into text */
	uint32_t *sites;        /* access -> 1 + number */
	uint32_t *site_accesses, site_count;
	struct map locksets;        /* set -> 1 + number */
	struct lock_row *lock_rows; /* by number */
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
static void put(struct writer *self)
{
	if (self->text.size)
		fwrite(self->text.data, 1, self->text.size, self->to);
	self->text.size = 0;
}

void output_head(struct json_writer *out, const struct output_header *about)
{
	json_add_number(out, "heddle-analysis", OUTPUT_VERSION);
	json_add_string(out, "version", HEDDLE_VERSION);
	json_add_string(out, "stopped", about->stopped);
	json_line(out);
	json_open_array(out, "programs");
	for (size_t i = 0; i < about->program_count; i++) {
		const struct output_program *program = &about->programs[i];
		json_open_object(out, NULL);
		json_add_string(out, "path", program->path);
		json_open_string(out, "build");
		for (size_t byte = 0; byte < sizeof program->build; byte++)
			buf_format(out->out, "%02x", program->build[byte]);
		json_close_string(out);
		json_add_number(out, "units", program->unit_count);
		json_close_object(out);
	}
	json_close_array(out);
	json_line(out);
	json_open_array(out, "phases");
	for (size_t i = 0; i < about->phase_count; i++) {
		json_open_object(out, NULL);
		json_add_string(out, "name", about->phases[i].name);
		json_add_decimal(out, "milliseconds", about->phases[i].seconds * 1000, 0);
		json_close_object(out);
	}
	json_close_array(out);
	json_add_number(out, "peak_bytes", about->peak_bytes);
}

static void add_counts(struct writer *self)
{
	const struct whole *whole = self->parts->whole;
	struct json_writer *out = &self->out;
	uint32_t defined = 0, typed = 0;
	if (!whole)
		return;
	for (uint32_t i = 0; i < whole->function_count; i++)
		defined += whole->function[i].is_defined;
	for (uint32_t i = 0; i < whole->access_count; i++)
		typed += whole->access[i].tag != WHOLE_NONE;
	json_line(out);
	json_add_bool(out, "is_library", whole->is_library);
	json_add_number(out, "units", whole->unit_count);
	json_add_number(out, "functions", defined);
	json_add_number(out, "instructions", whole->instruction_count);
	json_add_number(out, "accesses", whole->access_count);
	json_add_number(out, "typed_accesses", typed);
	json_add_number(out, "objects", whole->object_count);
}

static void add_statistics(struct writer *self)
{
	const struct output_parts *parts = self->parts;
	struct json_writer *out = &self->out;
	json_line(out);
	json_open_object(out, "statistics");
	if (parts->points) {
		struct points_statistics points = points_statistics(parts->points);
		json_add_number(out, "points_values", points.values);
		json_add_number(out, "points_locations", points.locations);
		json_add_number(out, "points_constraints", points.constraints);
		json_add_number(out, "points_steps", points.steps);
		json_add_number(out, "points_merged", points.merged);
		json_add_number(out, "unified_functions", points.unified_functions);
		json_add_number(out, "unknown_externals", points.unknown_externals);
	}
	if (parts->flow) {
		struct flow_statistics flow = flow_statistics(parts->flow);
		json_add_number(out, "flow_contexts", flow.contexts);
		json_add_number(out, "flow_visits", flow.visits);
		json_add_number(out, "flow_steps", flow.steps);
		json_add_number(out, "merged_functions", flow.merged_functions);
		json_add_number(out, "bound_functions", flow.bound_functions);
	}
	json_close_object(out);
}

static void add_gap(struct writer *self, const struct whole_gap *gap, uint32_t count)
{
	const struct whole *whole = self->parts->whole;
	struct json_writer *out = &self->out;
	json_open_object(out, NULL);
	json_add_string(out, "kind", gap_words[gap->kind]);
	json_add_string(out, "name", gap->name);
	json_add_string(out, "function",
			gap->function < whole->function_count ? whole->function[gap->function].name : NULL);
	json_add_number(out, "count", count);
	output_place(out, "first", whole, gap->place);
	json_close_object(out);
}

/* Gaps of one kind and name are one row, with the place of the first. */
static void add_gaps(struct writer *self)
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
	json_line(&self->out);
	json_open_array(&self->out, "gaps");
	for (uint32_t i = 0; i < count; i++)
		add_gap(self, &whole->gap[firsts[i]], counts[i]);
	json_close_array(&self->out);
	free(firsts);
	free(counts);
	map_release(&rows);
}

static void add_roots(struct writer *self)
{
	json_line(&self->out);
	json_open_array(&self->out, "roots");
	for (uint32_t i = 0; i < flow_root_count(self->parts->flow); i++) {
		json_line(&self->out);
		output_root(&self->out, NULL, self->parts->whole, flow_root(self->parts->flow, i));
	}
	json_close_array(&self->out);
}

static uint32_t site_number(struct writer *self, uint32_t access)
{
	if (!self->sites[access]) {
		self->site_accesses =
			mem_resize(self->site_accesses, (self->site_count + 1) * sizeof *self->site_accesses);
		self->site_accesses[self->site_count++] = access;
		self->sites[access] = self->site_count;
	}
	return self->sites[access] - 1;
}

/* Where locks were taken depends on the instruction and the thread. There is one set without locks. */
static uint32_t lockset_number(struct writer *self, uint32_t set, uint32_t instruction, uint32_t root)
{
	char key[48];
	bool is_empty = !flow_locks(self->parts->flow, set).count;
	snprintf(key, sizeof key, "%" PRIu32 " %" PRIu32 " %" PRIu32, set, is_empty ? WHOLE_NONE : instruction,
		 is_empty ? WHOLE_NONE : root);
	uintptr_t number = (uintptr_t)map_get(&self->locksets, key);
	if (!number) {
		self->lock_rows = mem_resize(self->lock_rows, (self->lockset_count + 1) * sizeof *self->lock_rows);
		self->lock_rows[self->lockset_count++] = (struct lock_row){ set, instruction, root };
		number = self->lockset_count;
		map_set(&self->locksets, key, (void *)number);
	}
	return (uint32_t)number - 1;
}

/* A million of them must be no burden to the reader: eight numbers each, in a string. */
static void add_pair(struct writer *self, const struct races_pair *pair)
{
	const struct whole_access *accesses = self->parts->whole->access;
	uint32_t bits = 0;
	for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++)
		bits |= pair->doubts & doubts[i].bit ? 1u << i : 0;
	buf_format(&self->text,
		   "%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %u %" PRIu32 ",",
		   site_number(self, pair->a.access), pair->a.root,
		   lockset_number(self, pair->a.locks, accesses[pair->a.access].instruction, pair->a.root),
		   site_number(self, pair->b.access), pair->b.root,
		   lockset_number(self, pair->b.locks, accesses[pair->b.access].instruction, pair->b.root),
		   races_percent(pair->score), bits);
}

void output_doubts(struct json_writer *out, const char *key, uint32_t bits)
{
	json_open_array(out, key);
	for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++)
		if (bits & doubts[i].bit)
			json_add_string(out, NULL, doubts[i].word);
	json_close_array(out);
}

/* How many candidates there are of each score. */
static void add_tally(struct writer *self, const char *key, const uint64_t tally[101])
{
	json_open_string(&self->out, key);
	for (unsigned score = 0; score <= 100; score++)
		if (tally[score])
			buf_format(&self->text, "%u %" PRIu64 ",", score, tally[score]);
	json_close_string(&self->out);
}

static void add_pruned(struct json_writer *out, const struct races_pruned *pruned)
{
	json_open_object(out, "pruned");
	json_add_number(out, "pairs", pruned->pairs);
	json_add_number(out, "atomic", pruned->atomic);
	json_add_number(out, "unshared", pruned->unshared);
	json_add_number(out, "ordered", pruned->ordered);
	json_add_number(out, "locked", pruned->locked);
	json_add_number(out, "left", pruned->left);
	json_add_number(out, "agreeing", pruned->agreeing);
	json_add_number(out, "alike", pruned->alike);
	json_close_object(out);
}

static void add_group(struct writer *self, const struct races_group *group)
{
	const struct races *races = self->parts->races;
	struct json_writer *out = &self->out;
	json_line(out);
	json_open_object(out, NULL);
	json_add_string(out, "variable", group->variable);
	json_add_number(out, "score", races_percent(group->score));
	output_object(out, "object", self->parts->whole, group->object);
	json_add_number(out, "alike", group->alike);
	add_tally(self, "tally", group->tally);
	add_tally(self, "types_tally", group->types_tally);
	json_open_string(out, "pairs");
	for (uint32_t pair = 0; pair < group->pair_count; pair++) {
		add_pair(self, &races->pairs[group->first_pair + pair]);
		put(self);
	}
	json_close_string(out);
	json_close_object(out);
}

static void add_races(struct writer *self)
{
	const struct races *races = self->parts->races;
	struct json_writer *out = &self->out;
	uint64_t instrumented = 0;
	for (uint32_t i = 0; races->is_instrumented && i < self->parts->whole->access_count; i++)
		instrumented += races->is_instrumented[i] != 0;
	json_line(out);
	json_add_bool(out, "is_cut", races->is_cut);
	json_add_number(out, "shared_accesses", instrumented);
	add_pruned(out, &races->pruned);
	json_line(out);
	output_doubts(out, "doubts", UINT32_MAX);
	json_line(out);
	json_open_array(out, "groups");
	for (uint32_t i = 0; i < races->group_count; i++)
		add_group(self, &races->groups[i]);
	json_close_array(out);
}

static void add_edge(struct writer *self, const struct flow_order *order)
{
	const struct whole *whole = self->parts->whole;
	const struct whole_instruction *call = &whole->instruction[order->call];
	struct json_writer *out = &self->out;
	struct flow_lock held = output_find_taken(self->parts, order->held, order->call, order->root);
	held.name = order->held.name; /* a lock of a cycle has one name at all edges */
	json_open_object(out, NULL);
	json_add_number(out, "root", order->root);
	json_add_string(out, "function", whole->function[call->function].name);
	output_call(out, "at", whole, call->place);
	output_lock(out, "held", whole, &held);
	output_lock(out, "taken", whole, &order->taken);
	json_add_number(out, "locks", lockset_number(self, order->locks, order->call, order->root));
	json_close_object(out);
}

static void add_cycles(struct writer *self)
{
	const struct orders *orders = self->parts->orders;
	struct json_writer *out = &self->out;
	json_line(out);
	json_add_bool(out, "is_orders_cut", orders->is_cut);
	json_open_array(out, "cycles");
	for (uint32_t i = 0; i < orders->cycle_count; i++) {
		const struct orders_cycle *cycle = &orders->cycles[i];
		json_line(out);
		json_open_object(out, NULL);
		json_add_bool(out, "certain", cycle->is_certain);
		json_add_number(out, "variants", cycle->variants);
		json_open_array(out, "edges");
		for (uint32_t edge = 0; edge < cycle->edge_count; edge++)
			add_edge(self, &flow_orders(self->parts->flow)[cycle->edges[edge]]);
		json_close_array(out);
		json_close_object(out);
	}
	json_close_array(out);
}

/* Last, since only now it is known which are named. */
static void add_tables(struct writer *self)
{
	const struct whole *whole = self->parts->whole;
	uint32_t *same = output_count_same(whole);
	json_line(&self->out);
	json_open_array(&self->out, "sites");
	for (uint32_t i = 0; i < self->site_count; i++) {
		uint32_t access = self->site_accesses[i];
		json_line(&self->out);
		output_access(&self->out, NULL, whole, access,
			      same[whole->instruction[whole->access[access].instruction].function]);
		put(self);
	}
	json_close_array(&self->out);
	json_line(&self->out);
	json_open_array(&self->out, "locksets");
	for (uint32_t i = 0; i < self->lockset_count; i++) {
		json_line(&self->out);
		output_locks(&self->out, NULL, self->parts, flow_locks(self->parts->flow, self->lock_rows[i].set),
			     self->lock_rows[i].instruction, self->lock_rows[i].root);
	}
	json_close_array(&self->out);
	free(same);
}

void output_write(FILE *to, const struct output_header *about, const struct output_parts *parts)
{
	struct writer self = { .to = to, .parts = parts };
	json_begin_file(&self.out, &self.text);
	output_head(&self.out, about);
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
	json_end_file(&self.out);
	put(&self);
	free(self.sites);
	free(self.site_accesses);
	free(self.lock_rows);
	map_release(&self.locksets);
	buf_release(&self.text);
}
