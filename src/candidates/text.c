/* text.c: what heddle check prints for people: candidates by variable, the best first; cycles of locks; the summary. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "candidates/candidates.h"
#include "symbols/line.h"
#include "symbols/stack.h"

#define PAIRS_SHOWN 3u /* of a group, without --all */
#define CYCLES_SHOWN 10u

bool static_is_wanted(const struct static_pair *pair, const struct static_options *options)
{
	return pair->score >= options->least_score;
}

/* Of its locks it is known which they are, or only of which kind. */
uint64_t static_cycle_score(const struct json *cycle)
{
	return json_is_true(cycle, "certain") ? 60 : 30;
}

uint64_t static_count_group(const struct static_group *group, const struct static_options *options)
{
	uint64_t count = 0;
	for (uint64_t score = options->least_score; score < sizeof group->tally / sizeof *group->tally; score++)
		count += group->tally[score];
	return count;
}

uint64_t static_count_agreeing(const struct static_group *group, const struct static_options *options)
{
	uint64_t count = static_count_group(group, options);
	for (uint64_t score = options->least_score; score < sizeof group->tally / sizeof *group->tally; score++)
		count -= group->types_tally[score];
	return count;
}

static uint64_t count_candidates(const struct analysis *self, const struct static_options *options, uint64_t *groups)
{
	uint64_t pairs = 0;
	*groups = 0;
	for (size_t i = 0; i < self->group_count; i++) {
		uint64_t count = static_count_group(&self->groups[i], options);
		pairs += count;
		*groups += count > 0;
	}
	return pairs;
}

uint64_t static_count(const struct analysis *self, const struct static_options *options)
{
	uint64_t groups;
	return count_candidates(self, options, &groups) + json_count(self->cycles);
}

/* Prints what is in the buffer, fit for a terminal, and empties it. */
static void put(struct buf *out, const char *before, const char *after)
{
	struct buf clean = { 0 };
	text_terminal(&clean, out->data ? out->data : "");
	printf("%s%s%s", before, clean.data ? clean.data : "", after);
	buf_release(&clean);
	out->size = 0;
	if (out->data)
		out->data[0] = '\0';
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static void print_source(struct analysis *self, const struct json *row)
{
	char *line = static_source_line(self, json_string(row, "file"), json_number(row, "line"));
	if (line)
		printf("          | %s\n", line);
	free(line);
}

/* What is inlined into what, from where the access is written outwards, as far as it is the program's own code. */
static void print_inlining(struct analysis *self, const struct json *row)
{
	const struct json *chain = json_array(row, "inlined");
	struct static_own own = static_own(row);
	struct buf out = { 0 };
	if (own.steps) {
		const char *in = json_string(row, "in");
		static_describe_place(&out, row);
		buf_format(&out, " in %s", in ? names_displayed(&self->names, in) : "?");
		put(&out, "          by ", "\n");
	}
	for (size_t i = own.steps; i < json_count(chain); i++) {
		const struct json *step = &chain->items[i];
		const char *in = json_string(step, "in"), *file = json_string(step, "file");
		if (!file || stack_is_system_file(file))
			continue;
		static_describe_place(&out, step);
		if (!in && i + 1 == chain->count)
			in = json_string(row, "function");
		buf_format(&out, " in %s", in ? names_displayed(&self->names, in) : "?");
		put(&out, "          inlined at ", "\n");
	}
	buf_release(&out);
}

/* Locks with the places where they were taken; nothing when there are none, since the reason says that. */
static void print_locks(struct analysis *self, const struct json *locks)
{
	struct buf out = { 0 };
	for (size_t i = 0; i < json_count(locks); i++) {
		if (static_is_listed(locks, i))
			continue;
		static_describe_lock(&out, self, &locks->items[i]);
		if (json_string(&locks->items[i], "file")) {
			buf_add_string(&out, ", taken at ");
			static_describe_place(&out, static_own(&locks->items[i]).place);
		}
		put(&out, "          holds ", "\n");
	}
	buf_release(&out);
}

static void print_side(struct analysis *self, const struct static_side *side)
{
	const struct json *row = static_side_site(self, side);
	const char *variable = json_string(row, "variable");
	struct static_own own = static_own(row);
	struct buf out = { 0 };
	if (json_string(own.place, "file"))
		static_describe_place(&out, own.place);
	else
		buf_format(&out, "access %" PRIu64, json_number(row, "ordinal"));
	if (json_number(own.place, "column"))
		buf_format(&out, ":%" PRIu64, json_number(own.place, "column"));
	buf_format(&out, " in %s", static_function(self, row));
	if (row && self->found[row - self->sites->items].id != WOVEN_NONE)
		buf_format(&out, ", site %" PRIu32, self->found[row - self->sites->items].id);
	if (variable)
		buf_format(&out, ": %s", variable);
	put(&out, "      ", "\n");
	print_source(self, own.place);
	print_inlining(self, row);
	static_describe_root(&out, self, static_side_root(self, side));
	put(&out, "          ", "\n");
	print_locks(self, static_side_locks(self, side));
	buf_release(&out);
}

static void print_pair(struct analysis *self, const struct static_pair *pair)
{
	struct buf out = { 0 };
	static_describe_reason(&out, self, pair);
	printf("  %3u ", pair->score);
	put(&out, "", "\n");
	print_side(self, &pair->sides[0]);
	print_side(self, &pair->sides[1]);
	for (uint32_t i = 0; i < 32; i++)
		if (pair->doubts >> i & 1 && static_doubt_word(self, i))
			printf("      doubt: %s\n", static_doubt(static_doubt_word(self, i)));
	buf_release(&out);
}

static void print_group(struct analysis *self, const struct static_options *options, const struct static_group *group,
			uint64_t count)
{
	const struct json *object = json_member(group->row, "object");
	const char *variable = json_string(group->row, "variable");
	uint64_t shown = 0, agreeing = static_count_agreeing(group, options);
	struct buf out = { 0 };
	const bool has_object = object && object->kind == JSON_OBJECT;
	if (variable)
		buf_format(&out, "%s%s", variable, has_object ? ": " : "");
	if (has_object)
		static_describe_object(&out, self, object);
	else if (!variable)
		buf_add_string(&out, "unnamed memory");
	put(&out, "", "");
	if (json_number(group->row, "alike") > 1)
		printf(", or any of %" PRIu64 " that cannot be distinguished from it",
		       json_number(group->row, "alike") - 1);
	printf("; %" PRIu64 " candidate%s", count, plural(count));
	if (agreeing && agreeing < count)
		printf(", types agree in %" PRIu64 "\n", agreeing);
	else
		puts(agreeing ? "" : ", types agree in none");
	for (size_t i = 0; i < group->count && (options->is_all || shown < PAIRS_SHOWN); i++) {
		const struct static_pair *pair = &self->pairs[group->first + i];
		if (!static_is_wanted(pair, options))
			continue;
		print_pair(self, pair);
		shown++;
	}
	if (shown < count && !options->is_all)
		printf("      and %" PRIu64 " more: --all shows them\n", count - shown);
	else if (shown < count)
		printf("      and %" PRIu64 " more, too many to list: --explain explains two places\n", count - shown);
	putchar('\n');
	buf_release(&out);
}

static void print_edge(struct analysis *self, const struct json *edge)
{
	const struct json *held = json_member(edge, "held"), *at = static_own(json_member(edge, "at")).place;
	const struct static_side side = static_edge_side(edge);
	struct buf out = { 0 };
	static_describe_root(&out, self, static_side_root(self, &side));
	buf_add_string(&out, " takes ");
	static_describe_lock(&out, self, json_member(edge, "taken"));
	buf_add_string(&out, " at ");
	static_describe_place(&out, at);
	buf_add_string(&out, " while it holds ");
	static_describe_lock(&out, self, held);
	if (json_string(held, "file")) {
		buf_add_string(&out, ", taken at ");
		static_describe_place(&out, static_own(held).place);
	}
	put(&out, "      ", "\n");
	print_source(self, at);
	buf_release(&out);
}

static void print_cycle(struct analysis *self, const struct json *cycle)
{
	const struct json *edges = json_array(cycle, "edges");
	struct buf out = { 0 };
	for (size_t i = 0; i < json_count(edges); i++) {
		static_describe_lock(&out, self, json_member(&edges->items[i], "held"));
		buf_add_string(&out, " -> ");
	}
	if (json_count(edges))
		static_describe_lock(&out, self, json_member(&edges->items[0], "held"));
	put(&out, "lock order: ", "\n");
	if (!json_is_true(cycle, "certain"))
		puts("      doubt: it is unknown whether the threads use the same locks");
	for (size_t i = 0; i < json_count(edges); i++)
		print_edge(self, &edges->items[i]);
	putchar('\n');
	buf_release(&out);
}

void static_text(struct analysis *self, const struct static_options *options)
{
	uint64_t shown = 0, all = 0;
	size_t cycles = json_count(self->cycles);
	for (size_t i = 0; i < self->group_count; i++) {
		const struct static_group *group = &self->groups[i];
		uint64_t count = static_count_group(group, options);
		all += count > 0;
		if (!count || (!options->is_all && shown >= options->top))
			continue;
		print_group(self, options, group, count);
		shown++;
	}
	if (shown < all)
		printf("%" PRIu64 " more variable%s: --all or --top shows them\n\n", all - shown, plural(all - shown));
	for (size_t i = 0; i < cycles && (options->is_all || i < CYCLES_SHOWN); i++)
		print_cycle(self, &self->cycles->items[i]);
	if (cycles > CYCLES_SHOWN && !options->is_all)
		printf("%zu more lock orders: --all shows them\n\n", cycles - CYCLES_SHOWN);
}

static void print_pruned(const struct analysis *self)
{
	const struct json *pruned = json_member(self->tree, "pruned");
	static const struct {
		const char *name, *text;
	} rows[] = {
		{ "atomic", "both are atomic" },
		{ "unshared", "no memory shared between threads" },
		{ "ordered", "never at the same time" },
		{ "locked", "the same lock at both" },
		{ "left", "remaining" },
		{ "agreeing", "of these, the types of the language allow the same object" },
		{ "alike", "of these, the types of both accesses or of neither are known" },
	};
	uint64_t pairs = json_number(pruned, "pairs");
	if (!pairs)
		return;
	printf("%" PRIu64 " pair%s of accesses may touch the same bytes, one of them writing:\n", pairs, plural(pairs));
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t count = json_number(pruned, rows[i].name);
		/* Parts of what is left, where they are not all of it. */
		if (i > 4 && (!json_member(pruned, rows[i].name) || count == json_number(pruned, rows[i - 1].name)))
			continue;
		printf("  %12" PRIu64 "  %5.1f %%  %s\n", count, 100.0 * (double)count / (double)pairs, rows[i].text);
	}
}

static void print_gaps(struct analysis *self)
{
	struct strings notes = { 0 };
	struct buf out = { 0 };
	static_notes(self, &notes);
	if (notes.count)
		puts("not analysed, or only roughly:");
	for (size_t i = 0; i < notes.count; i++) {
		buf_add_string(&out, notes.items[i]);
		put(&out, "  ", "\n");
	}
	strings_release(&notes);
	buf_release(&out);
}

static double seconds_of(const struct json *phases)
{
	double milliseconds = 0;
	for (size_t i = 0; i < json_count(phases); i++)
		milliseconds += (double)json_number(&phases->items[i], "milliseconds");
	return milliseconds / 1000;
}

static void print_roots(const struct analysis *self)
{
	size_t threads = 0, handlers = 0;
	for (size_t i = 0; i < json_count(self->roots); i++) {
		const char *kind = json_string(&self->roots->items[i], "kind");
		threads += kind && (strcmp(kind, "thread") == 0 || strcmp(kind, "team") == 0);
		handlers += kind && strcmp(kind, "handler") == 0;
	}
	if (json_is_true(self->tree, "is_library"))
		puts("there is no main: each exported function may be called from any thread");
	if (json_count(self->roots))
		printf("%zu place%s where threads start, %zu signal handler%s\n", threads, plural(threads), handlers,
		       plural(handlers));
}

/* Only where it makes a difference. */
static void print_agreeing(const struct analysis *self, const struct static_options *options, uint64_t pairs)
{
	uint64_t agreeing = 0, groups = 0;
	for (size_t i = 0; i < self->group_count; i++) {
		uint64_t count = static_count_agreeing(&self->groups[i], options);
		agreeing += count;
		groups += count > 0;
	}
	if (agreeing < pairs)
		printf("types agree in %" PRIu64 " candidate%s, at %" PRIu64
		       " variable%s; in the others the types of the language imply different objects\n",
		       agreeing, plural(agreeing), groups, plural(groups));
}

void static_summary(struct analysis *self, const struct static_options *options)
{
	const struct json *tree = self->tree;
	uint64_t groups, pairs = count_candidates(self, options, &groups), cycles = json_count(self->cycles);
	uint64_t least = options->least_score;
	if (!self->has_groups)
		printf("the analysis ended before it found candidates");
	else if (pairs)
		printf("%" PRIu64 " candidate%s for data races at %" PRIu64 " variable%s", pairs, plural(pairs), groups,
		       plural(groups));
	else
		printf("no candidates for data races");
	if (least && self->has_groups)
		printf(" with a score of %" PRIu64 " or more", least);
	if (cycles)
		printf(", %" PRIu64 " lock order%s that could deadlock", cycles, plural(cycles));
	putchar('\n');
	print_agreeing(self, options, pairs);
	printf("%" PRIu64 " unit%s, %" PRIu64 " function%s, %" PRIu64 " access%s in %.1f s and %" PRIu64 " MB\n",
	       json_number(tree, "units"), plural(json_number(tree, "units")), json_number(tree, "functions"),
	       plural(json_number(tree, "functions")), json_number(tree, "accesses"),
	       json_number(tree, "accesses") == 1 ? "" : "es", seconds_of(json_array(tree, "phases")),
	       json_number(tree, "peak_bytes") >> 20);
	print_roots(self);
	print_pruned(self);
	print_gaps(self);
	if (static_has_near(self))
		puts("note: " LINE_NOTE);
}
