/* patch.c: see patch.h. */
#include "campaign/patch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "campaign/patch_runs.h"
#include "judge/store_use.h"
#include "launch/bake.h"
#include "launch/control.h"
#include "symbols/identity.h"

#define MAX_CANDIDATES 64u
#define SLEEPS 2u /* of each thread: a window with all of them is within a wait of 10 ms */
/* One in this many native runs may fail because a wait was too short: on a busy machine threads may not run in time. */
#define SHORT_SHARE 5u

/* What is known meanwhile. */
struct making {
	struct patch *patch;
	struct patch_runs runs;
	struct patch_orders found; /* of the schedule that has to be prevented now */
	uint32_t *together;        /* of all schedules so far */
	size_t together_count;
	/* Why an order did not help. */
	bool has_unresolved, has_waited, has_resolved;
};

/* What is guarded against some orders. */
struct guarded_orders {
	const struct patch_order *orders;
	size_t count;
	bool has_checks, has_sleeps;
};

static bool is_same_variable(const struct learned_place *a, const struct learned_place *b)
{
	return a->variable && b->variable && strcmp(a->variable, b->variable) == 0;
}

static bool has_place(const struct guarded_orders *wanted, uint32_t place)
{
	for (size_t i = 0; i < wanted->count; i++)
		if (wanted->orders[i].place == place || wanted->orders[i].previous == place)
			return true;
	return false;
}

/* Those of the orders, those that were seen at the same memory, and those of the same variables: numbers[place] becomes its number in the file. */
static uint32_t select_places(const struct making *self, const struct guarded_orders *wanted, uint32_t *numbers)
{
	const struct patch_places *places = &self->patch->places;
	const uint32_t count = places->starts[places->builds.count];
	uint32_t selected = 0;
	for (uint32_t place = 1; place <= count; place++) {
		numbers[place] = has_place(wanted, place);
		for (size_t i = 0; i < wanted->count && !numbers[place]; i++)
			numbers[place] = is_same_variable(patch_place(places, wanted->orders[i].place),
							  patch_place(places, place));
	}
	for (size_t i = 0; i + 1 < self->together_count; i += 2) {
		const uint32_t a = self->together[i], b = self->together[i + 1];
		if (has_place(wanted, a))
			numbers[b] = 1;
		if (has_place(wanted, b))
			numbers[a] = 1;
	}
	for (size_t i = 0; wanted->has_sleeps && i < self->patch->turn_count; i++)
		numbers[self->patch->turns[i]] = 1;
	for (uint32_t place = 1; place <= count; place++)
		if (numbers[place])
			numbers[place] = ++selected;
	return selected;
}

static uint16_t flags_of(const struct making *self, const struct guarded_orders *wanted, uint32_t place)
{
	uint16_t flags = wanted->has_checks ? HEDDLE_GUARD_UPDATE : 0;
	for (size_t i = 0; i < wanted->count; i++)
		if (wanted->has_checks && wanted->orders[i].place == place)
			flags |= HEDDLE_GUARD_CHECK;
	for (size_t i = 0; wanted->has_sleeps && i < self->patch->turn_count; i++)
		if (self->patch->turns[i] == place)
			flags |= HEDDLE_GUARD_SLEEP;
	return flags;
}

static void make_sets(struct guard_content *content, const struct guarded_orders *wanted, const uint32_t *numbers)
{
	const size_t words = belonging_row_words(content->settings.place_count);
	content->sets = mem_alloc((content->settings.place_count * words + 1) * sizeof *content->sets);
	memset(content->sets, 0xff, content->settings.place_count * words * sizeof *content->sets);
	for (size_t i = 0; i < wanted->count; i++) {
		const uint32_t place = numbers[wanted->orders[i].place];
		const uint32_t previous = wanted->orders[i].previous ? numbers[wanted->orders[i].previous] : 0;
		content->sets[(place - 1) * words + previous / 64] &= ~((uint64_t)1 << (previous % 64));
	}
}

static void add_sites(const struct making *self, const struct guarded_orders *wanted, const uint32_t *numbers,
		      struct guard_content *content, size_t which)
{
	const struct build *build = &self->patch->places.builds.items[which];
	struct heddle_guard_object *object = &content->objects[content->object_count];
	content->sites = mem_resize(content->sites,
				    ((size_t)content->site_count + build->site_count + 1) * sizeof *content->sites);
	memcpy(object->build, build_id(build), sizeof object->build);
	object->first = content->site_count;
	for (uint32_t i = 0; i < build->site_count; i++) {
		const uint32_t place =
			build->of_site[i] == BUILD_NONE ? 0 : self->patch->places.starts[which] + build->of_site[i] + 1;
		const uint16_t flags = place && numbers[place] ? flags_of(self, wanted, place) : 0;
		if (flags)
			content->sites[content->site_count++] = (struct heddle_guard_site){
				.index = i, .place = (uint16_t)numbers[place], .flags = flags
			};
	}
	object->count = content->site_count - object->first;
	content->object_count += object->count != 0;
}

static void release_content(struct guard_content *content)
{
	free(content->objects);
	free(content->sites);
	free(content->sets);
	*content = (struct guard_content){ 0 };
}

static int make_content(const struct making *self, const struct guarded_orders *wanted, struct guard_content *content,
			struct err *err)
{
	const struct patch_places *places = &self->patch->places;
	uint32_t *numbers = mem_alloc(((size_t)places->starts[places->builds.count] + 1) * sizeof *numbers);
	*content = (struct guard_content){ 0 };
	guard_defaults(&content->settings);
	content->settings.sleep_us = PATCH_SLEEP_US;
	content->settings.sleep_limit = SLEEPS;
	content->settings.place_count = select_places(self, wanted, numbers);
	if (content->settings.place_count > HEDDLE_GUARD_PLACES) {
		free(numbers);
		return err_set(err, ENOTSUP, "too many places access the same variables");
	}
	make_sets(content, wanted, numbers);
	content->objects = mem_alloc((places->builds.count + 1) * sizeof *content->objects);
	for (size_t i = 0; i < places->builds.count; i++)
		add_sites(self, wanted, numbers, content, i);
	free(numbers);
	return 0;
}

/* The files of a guard against the orders. */
static int make_guard(const struct making *self, const struct guarded_orders *wanted, struct guard_files *files,
		      struct err *err)
{
	struct guard_content content;
	*files = (struct guard_files){ .fd = -1, .log_fd = -1 };
	int code = make_content(self, wanted, &content, err);
	if (code == 0)
		code = guard_make(files, &content, err);
	release_content(&content);
	return code;
}

/* Looking for orders. */

static int analyse(struct making *self, const struct trace *recorded, struct err *err)
{
	patch_orders_release(&self->found);
	int code = patch_orders_find(&self->found, &self->patch->places, recorded, err);
	if (code < 0)
		return code;
	const size_t count = self->found.together_count;
	self->together = mem_resize(self->together, (self->together_count + count + 1) * sizeof *self->together);
	for (size_t i = 0; i < count; i++)
		self->together[self->together_count++] = self->found.together[i];
	return 0;
}

static int analyse_evidence(struct making *self, struct err *err)
{
	struct trace recorded;
	trace_init(&recorded);
	int code = trace_read(self->runs.evidence, &recorded, err);
	if (code == 0)
		code = analyse(self, &recorded, err);
	trace_free(&recorded);
	return code;
}

static void note_ends(struct making *self, const struct guard_files *files, const struct guarded_orders *wanted)
{
	struct guard_content content;
	struct guard_log log = { 0 };
	struct err ignored = ERR_INIT;
	if (make_content(self, wanted, &content, &ignored) == 0 && guard_log_read(files, &content, &log, &ignored) == 0)
		for (size_t i = 0; i < log.pair_count; i++) {
			self->has_unresolved |= log.pairs[i].ends[HEDDLE_VIOLATION_UNRESOLVED] != 0;
			self->has_waited |= log.pairs[i].ends[HEDDLE_VIOLATION_WAITED] != 0;
			self->has_resolved |= log.pairs[i].ends[HEDDLE_VIOLATION_RESOLVED] != 0;
		}
	guard_log_release(&log);
	release_content(&content);
}

/* How many of the schedules near the one that was found still fail with one more order; UINT64_MAX: the schedule itself does. */
static int try_order(struct making *self, const struct patch_order *order, uint64_t *failed, struct err *err)
{
	struct patch *patch = self->patch;
	struct patch_order orders[PATCH_ORDERS];
	struct guard_files files;
	struct patch_count own = { 0 }, near = { 0 };
	memcpy(orders, patch->orders, sizeof orders);
	orders[patch->order_count] = *order;
	const struct guarded_orders wanted = { orders, patch->order_count + 1, true, false };
	int code = make_guard(self, &wanted, &files, err);
	patch->tried++;
	if (code == 0)
		code = patch_runs_serve(&self->runs, patch_runs_plan(&self->found.steps, self->found.seed, false), 0,
					&files, &own, err);
	if (code == 0 && !own.failed && !own.others)
		code = patch_runs_serve(&self->runs, patch_runs_plan(&self->found.steps, self->found.seed, true), 0,
					&files, &near, err);
	if (code == 0 && (own.failed || own.others))
		note_ends(self, &files, &wanted);
	*failed = own.failed || own.others ? UINT64_MAX : near.failed + near.others;
	guard_files_release(&files);
	return code;
}

static bool is_in(const struct patch *patch, const struct patch_order *order)
{
	for (size_t i = 0; i < patch->order_count; i++)
		if (patch->orders[i].place == order->place && patch->orders[i].previous == order->previous)
			return true;
	return false;
}

static int no_order(const struct making *self, struct err *err)
{
	const char *why;
	if (!self->found.count)
		why = "in its schedule no two threads access the same memory in code that was built with heddle-cc";
	else if (self->has_waited)
		why = "a thread would wait for another one that needs a lock which the waiting thread holds: the "
		      "accesses are in critical sections";
	else if (self->has_unresolved)
		why = "the access that would have to come first does not come while the other thread waits (at most 10 "
		      "ms): "
		      "threads take turns in another way, or it always comes later";
	else if (self->has_resolved)
		why = "it fails although the two accesses come in another order: several variables or several orders "
		      "are involved";
	else
		why = "no two accesses of one variable decide it: it depends on several variables, on locks, or on "
		      "calls";
	err_hint(err, "%" PRIu64 " order%s of two accesses %s tried; heddle show has the schedule", self->patch->tried,
		 self->patch->tried == 1 ? "" : "s", self->patch->tried == 1 ? "was" : "were");
	return err_set(err, ENOTSUP, "it cannot be patched: %s", why);
}

/* Adds the order that helps most against the schedule that was found last. */
static int add_order(struct making *self, struct err *err)
{
	struct patch *patch = self->patch;
	uint64_t best = UINT64_MAX;
	self->has_unresolved = self->has_waited = self->has_resolved = false;
	for (size_t i = 0; i < self->found.count && i < MAX_CANDIDATES && best; i++) {
		uint64_t failed;
		if (is_in(patch, &self->found.items[i]))
			continue;
		int code = try_order(self, &self->found.items[i], &failed, err);
		if (code < 0)
			return code;
		if (failed < best) {
			best = failed;
			patch->orders[patch->order_count] = self->found.items[i];
		}
	}
	if (best == UINT64_MAX)
		return no_order(self, err);
	patch->order_count++;
	return 0;
}

static struct planner *random_schedules(const struct making *self)
{
	return planner_named_new(planner_names[0], plan_first_seed(1 + (uint64_t)self->patch->request->id), 0, NULL);
}

/* Runs all schedules with the patch as it is now; the first that fails ends it, and is in runs.evidence. */
static int verify(struct making *self, const struct steps *steps, uint64_t seed, struct err *err)
{
	struct patch *patch = self->patch;
	struct guard_files files;
	const struct guarded_orders wanted = { patch->orders, patch->order_count, true, false };
	patch->near = patch->random = (struct patch_count){ 0 };
	int code = make_guard(self, &wanted, &files, err);
	self->runs.is_brief = true;
	if (code == 0)
		code = patch_runs_serve(&self->runs, patch_runs_plan(steps, seed, true), 0, &files, &patch->near, err);
	if (code == 0 && !patch->near.failed && patch->request->runs)
		code = patch_runs_serve(&self->runs, random_schedules(self), patch->request->runs, &files,
					&patch->random, err);
	self->runs.is_brief = false;
	if (code == 0 && self->runs.evidence)
		code = analyse_evidence(self, err);
	guard_files_release(&files);
	return code;
}

static int still_fails(const struct patch *patch, struct err *err)
{
	err_hint(err, "orders that prevent some of them were found, but not for all");
	return err_set(
		err, ENOTSUP,
		"it cannot be patched: schedules that fail in other ways remain, after %zu orders of two accesses "
		"were made impossible",
		patch->order_count);
}

static int check_others(const struct patch *patch, struct err *err)
{
	if (patch->near.others + patch->random.others <= patch->bare_near.others + patch->bare_random.others)
		return 0;
	err_hint(err, "failures of other kinds can hide behind this one: fix them first");
	return err_set(err, ENOTSUP, "it cannot be patched: with a guard, %" PRIu64 " schedules end in another failure",
		       patch->near.others + patch->random.others);
}

/* Without a guard: what the failure is, and how often it is there. */
static int run_bare(struct making *self, struct err *err)
{
	struct patch *patch = self->patch;
	struct patch_runs *runs = &self->runs;
	struct patch_count first = { 0 };
	const struct steps *steps = &self->found.steps;
	runs->is_first = true;
	int code = patch_runs_serve(runs, patch_runs_plan(steps, self->found.seed, false), 0, NULL, &first, err);
	runs->is_first = false;
	if (code == 0 && !first.failed) {
		err_hint(err, "if the test had an input or a check, name them: --input FILE, --check CMD");
		return err_set(err, EINVAL, "its schedule does not fail when it is run again");
	}
	if (code == 0)
		code = patch_runs_serve(runs, patch_runs_plan(steps, self->found.seed, true), 0, NULL,
					&patch->bare_near, err);
	if (code == 0 && patch->request->runs)
		code = patch_runs_serve(runs, random_schedules(self), patch->request->runs, NULL, &patch->bare_random,
					err);
	return code;
}

static int find_orders(struct making *self, struct err *err)
{
	struct patch *patch = self->patch;
	struct steps steps = { 0 };
	const uint64_t seed = self->found.seed;
	int code = run_bare(self, err);
	for (size_t i = 0; i < self->found.steps.count; i++)
		steps_add(&steps, &self->found.steps.items[i]);
	patch->turn_count = self->found.turn_count;
	patch->turns = mem_alloc((self->found.turn_count + 1) * sizeof *patch->turns);
	for (size_t i = 0; i < self->found.turn_count; i++)
		patch->turns[i] = self->found.turns[i];
	do {
		if (code == 0 && patch->order_count == PATCH_ORDERS)
			code = still_fails(patch, err);
		if (code == 0)
			code = add_order(self, err);
		if (code == 0)
			code = verify(self, &steps, seed, err);
	} while (code == 0 && patch->near.failed + patch->random.failed);
	steps_release(&steps);
	return code < 0 ? code : check_others(patch, err);
}

/* The program itself, and the result. */

/* Whether a wait was too short in the run. */
static bool was_too_short(const struct making *self, const struct guarded_orders *wanted,
			  const struct guard_files *files)
{
	struct making seen = { .patch = self->patch,
			       .together = self->together,
			       .together_count = self->together_count };
	note_ends(&seen, files, wanted);
	return seen.has_unresolved;
}

static int run_with_sleeps(struct making *self, bool has_checks, struct patch_count *count, struct err *err)
{
	struct guard_files files;
	struct patch *patch = self->patch;
	const struct guarded_orders wanted = { patch->orders, patch->order_count, has_checks, true };
	int code = 0;
	/* Each run has a log of its own: it counts what happened before. */
	while (count->runs < patch->request->native && code == 0) {
		const uint64_t failed = count->failed;
		code = make_guard(self, &wanted, &files, err);
		if (code == 0)
			code = patch_runs_native(&self->runs, self->runs.path, &files, count, err);
		if (code == 0 && count->failed > failed && patch->short_count < patch->request->native / SHORT_SHARE &&
		    was_too_short(self, &wanted, &files)) {
			patch->short_count++;
			count->failed--;
			count->runs--;
		}
		guard_files_release(&files);
	}
	return code;
}

static int run_natively(struct making *self, struct err *err)
{
	struct patch *patch = self->patch;
	if (!patch->request->native)
		patch->no_native = "--native-runs 0";
	else if (self->runs.kind == FINDING_CHECK_FAILED)
		patch->no_native = "the check judges schedules only";
	if (patch->no_native)
		return 0;
	int code = run_with_sleeps(self, false, &patch->bare_native, err);
	if (code == 0)
		code = run_with_sleeps(self, true, &patch->native, err);
	if (code < 0 || !patch->native.failed)
		return code;
	err_hint(err,
		 "sleeps of %u ms before the accesses at which its threads are preempted; on a busy machine the "
		 "thread that is waited for may not run in time",
		 PATCH_SLEEP_US / 1000);
	return err_set(err, ENOTSUP,
		       "it cannot be patched: under control no schedule fails, but %" PRIu64 " of %" PRIu64
		       " runs of the program itself do, with sleeps (without a guard: %" PRIu64 " of %" PRIu64 ")",
		       patch->native.failed, patch->native.runs, patch->bare_native.failed, patch->bare_native.runs);
}

static int write_program(struct making *self, struct err *err)
{
	struct patch *patch = self->patch;
	const struct patch_request *request = patch->request;
	struct guard_content content;
	const struct guarded_orders wanted = { patch->orders, patch->order_count, true, false };
	const uint8_t *build = NULL;
	for (size_t i = 0; i < patch->places.builds.count; i++)
		if (strcmp(patch->places.builds.items[i].path, self->runs.path) == 0)
			build = build_id(&patch->places.builds.items[i]);
	int code = make_content(self, &wanted, &content, err);
	patch->guarded_count = content.settings.place_count;
	if (code == 0)
		code = bake(&(struct baking){ .program = self->runs.path,
					      .out = request->out,
					      .runtime = request->runtime,
					      .build = build,
					      .content = &content },
			    err);
	release_content(&content);
	for (uint64_t i = 0; i < request->native && !request->runtime && code == 0; i++)
		code = patch_runs_native(&self->runs, request->out, NULL, &patch->baked, err);
	if (code == 0 && patch->baked.failed * SHORT_SHARE > patch->baked.runs) {
		unlink(request->out);
		code = err_set(err, ENOTSUP,
			       "it cannot be patched: %" PRIu64 " of %" PRIu64 " runs of the patched program fail",
			       patch->baked.failed, patch->baked.runs);
	}
	return code;
}

/* What cannot be prevented by waiting before an access. */
static int check_kind(enum finding_kind kind, const struct patch_request *request, struct err *err)
{
	const char *why = NULL;
	if (kind == FINDING_DEADLOCK || kind == FINDING_LOCK_ORDER)
		why = "a deadlock is an order of locks, and a guard delays accesses to memory; a thread that waits "
		      "would hold its locks for longer";
	else if (kind == FINDING_DATA_RACE)
		why = "a data race exists in either order of its accesses; patch the failure that it leads to (heddle "
		      "classify, heddle list)";
	else if (kind == FINDING_INVARIANT_VIOLATION)
		why = "it was seen by heddle guard, which prevents it already";
	else if (kind == FINDING_OUTPUT_DIFFERS)
		why = "which output is right is not known; judge it with heddle test --check, and patch the failure of "
		      "the check";
	else if (kind == FINDING_CHECK_FAILED && !request->check)
		why = "the check that failed is not known; name it with --check CMD";
	else if (kind >= FINDING_KIND_COUNT)
		why = "it is of a kind that this version does not know";
	return why ? err_set(err, ENOTSUP, "it cannot be patched: %s", why) : 0;
}

static int read_finding(struct making *self, struct err *err)
{
	const struct patch_request *request = self->patch->request;
	struct finding stored = { 0 };
	char *path = NULL;
	uint64_t event;
	int code = store_find_sites(request->store, request->id, &stored, err);
	if (code == 0) {
		self->runs.kind = stored.identity.kind;
		self->patch->kind = mem_copy_string(kinds[stored.identity.kind].word);
		code = check_kind(stored.identity.kind, request, err);
	}
	finding_clear(&stored);
	if (code == 0)
		code = store_find_trace(request->store, request->id, &path, &event, err);
	if (code == 0)
		code = trace_read(path, &self->runs.recorded, err);
	if (code == 0)
		code = control_check_maker(&self->runs.recorded, err);
	if (code == 0)
		code = identity_check(&self->runs.recorded, err);
	if (code == 0 && trace_is_hypothetical(&self->runs.recorded))
		code = err_set(
			err, ENOTSUP,
			"it cannot be patched: it was found by a test that left out synchronisation (--without)");
	free(path);
	return code;
}

int patch_make(struct patch *self, const struct patch_request *request, struct err *err)
{
	struct making making = { .patch = self, .runs = { .input_fd = -1 } };
	*self = (struct patch){ .request = request };
	trace_init(&making.runs.recorded);
	int code = read_finding(&making, err);
	if (code == 0)
		code = analyse(&making, &making.runs.recorded, err);
	if (code == 0)
		code = patch_runs_open(&making.runs, request, err);
	if (code == 0) {
		self->program = mem_copy_string(making.runs.path);
		code = find_orders(&making, err);
	}
	if (code == 0)
		code = run_natively(&making, err);
	if (code == 0)
		code = write_program(&making, err);
	patch_orders_release(&making.found);
	free(making.together);
	patch_runs_release(&making.runs);
	return code;
}

void patch_release(struct patch *self)
{
	patch_places_release(&self->places);
	free(self->kind);
	free(self->program);
	free(self->turns);
}
