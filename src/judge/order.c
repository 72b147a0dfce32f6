/*
 * order.c: locks that threads take in orders that could deadlock. All orders of one schedule are looked at together:
 * addresses of locks mean the same within a schedule only.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "judge/judge_priv.h"
#include "model/lock_graph.h"

#define MAX_STEPS 2000000u
#define SLOT_BITS 11u

/* A schedule's orders as the graph wants them. */
struct orders {
	struct inspection *inspection;
	struct strings *cycles; /* keys of what was found */
	struct lock_edge *edges;
	const struct report_order **origins; /* by edge */
	size_t count;
	uint64_t **others;
	struct lock_before **befores;
};

static size_t parse_others(const char *text, uint64_t **others)
{
	size_t count = 0;
	*others = mem_alloc((strlen(text) / 2 + 1) * sizeof **others);
	for (char *end;; text = end) {
		uint64_t lock = strtoull(text, &end, 16);
		if (end == text)
			return count;
		(*others)[count++] = lock;
	}
}

static size_t parse_before(const char *text, struct lock_before **before)
{
	size_t count = 0;
	*before = mem_alloc((strlen(text) / 2 + 1) * sizeof **before);
	while (*text >= '0' && *text <= '9') {
		char *end;
		struct lock_before one = { .slot = (uint32_t)strtoul(text, &end, 10) };
		if (*end != ':')
			break;
		one.clock = (uint32_t)strtoul(end + 1, &end, 10);
		(*before)[count++] = one;
		text = *end == ',' ? end + 1 : end;
	}
	return count;
}

static bool is_shared(const struct report_held *held)
{
	return strcmp(held->mode, "shared") == 0 || strcmp(held->mode, "try-shared") == 0;
}

static void add_edge(struct orders *self, const struct report_order *order)
{
	size_t at = self->count++;
	self->origins[at] = order;
	self->edges[at] = (struct lock_edge){
		.thread = order->thread,
		.from = order->first.lock,
		.to = order->second.lock,
		.is_from_shared = is_shared(&order->first),
		.is_to_shared = is_shared(&order->second),
		.other_count = parse_others(order->others, &self->others[at]),
		.when = { .slot = (uint32_t)order->epoch & ((1u << SLOT_BITS) - 1),
			  .clock = (uint32_t)(order->epoch >> SLOT_BITS) },
		.before_count = parse_before(order->before, &self->befores[at]),
	};
	self->edges[at].others = self->others[at];
	self->edges[at].before = self->befores[at];
}

static void describe_lock(struct buf *out, struct scene *scene, uint64_t lock)
{
	symbols_describe_data(out, scene->symbols, lock);
}

/* What a cycle is known by. */
struct cycle_keys {
	struct buf key, places; /* where each thread took what it has and would wait; where it would wait */
	struct buf locks;
	bool is_own; /* all places are the program's */
};

static void add_edge_keys(struct scene *scene, const struct report_order *order, struct strings *both,
			  struct strings *waits, bool *is_own)
{
	struct scene_place first, second;
	struct buf edge = { 0 }, wait = { 0 };
	scene_place(scene, order->first.code, &first);
	scene_place(scene, order->second.code, &second);
	scene_key(&edge, &first);
	buf_add_string(&edge, " then ");
	scene_key(&edge, &second);
	scene_key(&wait, &second);
	strings_add(both, edge.data);
	strings_add(waits, wait.data);
	*is_own = *is_own && first.is_own && second.is_own;
	buf_release(&edge);
	buf_release(&wait);
}

/* All locks of a library's are taken at one place, so there the locks themselves make the difference. */
static void cycle_keys(struct orders *self, const size_t *cycle, size_t size, struct cycle_keys *keys)
{
	struct scene *scene = &self->inspection->judge->scene;
	struct strings both = { 0 }, waits = { 0 }, locks = { 0 };
	*keys = (struct cycle_keys){ .is_own = true };
	for (size_t i = 0; i < size; i++) {
		const struct report_order *order = self->origins[cycle[i]];
		struct buf lock = { 0 };
		add_edge_keys(scene, order, &both, &waits, &keys->is_own);
		describe_lock(&lock, scene, order->first.lock);
		strings_add(&locks, lock.data);
		buf_release(&lock);
	}
	judge_join(&keys->key, &both);
	judge_join(&keys->places, &waits);
	judge_join(&keys->locks, &locks);
	if (!keys->is_own)
		buf_format(&keys->key, " of %s", keys->locks.data);
	strings_release(&both);
	strings_release(&waits);
	strings_release(&locks);
}

static struct heddle_lock_pair pair_of(const struct report_order *order)
{
	return (struct heddle_lock_pair){ order->first.lock, order->first.code, order->second.lock,
					  order->second.code };
}

void judge_order_summary(struct scene *scene, struct finding *finding)
{
	buf_release(&finding->presentation.summary);
	finding->presentation.summary = (struct buf){ 0 };
	buf_add_string(&finding->presentation.summary, "lock order: ");
	for (size_t i = 0; i < finding->evidence.order_count; i++) {
		buf_add_string(&finding->presentation.summary, i == 0                                   ? ""
							       : i + 1 == finding->evidence.order_count ? " and "
													: ", ");
		symbols_describe_object(&finding->presentation.summary, scene->symbols,
					finding->evidence.orders[i].pair.first_lock);
	}
	buf_add_string(&finding->presentation.summary, " are taken in orders that could deadlock");
}

/* The rest is for judge_detail. */
static void sum_up(struct orders *self, const size_t *cycle, size_t size, struct finding *finding)
{
	struct scene *scene = &self->inspection->judge->scene;
	finding->evidence.origin = FINDING_OF_ORDERS;
	finding->evidence.orders = mem_alloc(size * sizeof *finding->evidence.orders);
	finding->evidence.order_count = size;
	for (size_t i = 0; i < size; i++) {
		const struct report_order *order = self->origins[cycle[i]];
		finding->evidence.orders[i] = (struct finding_order){ order->thread, order->event, pair_of(order) };
	}
	judge_order_summary(scene, finding);
}

/* Whether one of the lists, as judge_join makes them, has all that is in the other. */
static bool has_all(const struct strings *lists, const char *wanted)
{
	for (size_t i = 0; i < lists->count; i++) {
		bool is_present = true;
		for (const char *at = wanted; is_present && *at;) {
			const char *end = strstr(at, "; ");
			char *word = mem_format("; %.*s; ", end ? (int)(end - at) : (int)strlen(at), at);
			char *list = mem_format("; %s; ", lists->items[i]);
			is_present = strstr(list, word) != NULL;
			free(word);
			free(list);
			at = end ? end + 2 : "";
		}
		if (is_present)
			return true;
	}
	return false;
}

/* Whether a schedule showed the deadlock itself. The readers of a read-write lock are not known, so then it is not
 * known which thread waits for which. */
static bool is_shown(const struct judge *self, const struct finding *order)
{
	bool is_locks = order->identity.locks;
	const char *wanted = is_locks ? order->identity.locks : order->identity.places;
	return strings_has(is_locks ? &self->deadlock_locks : &self->deadlocks, wanted) ||
	       (order->evidence.cycle->has_readers && has_all(is_locks ? &self->stuck_locks : &self->stuck, wanted));
}

static void add_form(struct orders *self, const size_t *cycle, size_t size, struct lock_cycle *into)
{
	struct heddle_lock_pair pairs[LOCK_CYCLE_MAX];
	for (size_t i = 0; i < size; i++)
		pairs[i] = pair_of(self->origins[cycle[i]]);
	lock_cycle_add(into, pairs, (uint32_t)size);
}

static bool on_cycle(void *context, const size_t *cycle, size_t size)
{
	struct orders *self = context;
	struct inspection *inspection = self->inspection;
	struct cycle_keys keys;
	bool is_new;
	cycle_keys(self, cycle, size, &keys);
	struct finding *finding = findings_see(&inspection->judge->orders, FINDING_LOCK_ORDER, keys.key.data,
					       inspection->run->number, &is_new);
	if (is_new) {
		finding->evidence.plan = inspection->run->plan;
		finding->identity.places = mem_copy_string(keys.places.data);
		finding->identity.locks = keys.is_own ? NULL : mem_copy_string(keys.locks.data);
		finding->evidence.cycle = lock_cycles_add(&inspection->judge->cycles);
		for (size_t i = 0; i < size; i++)
			finding->evidence.cycle->has_readers |= self->edges[cycle[i]].is_from_shared;
		finding->evidence.cycle->is_shown = is_shown(inspection->judge, finding);
		sum_up(self, cycle, size, finding);
		inspection->judged->new_orders++;
	}
	if (finding->evidence.cycle) /* there is none when the judge was finished */
		add_form(self, cycle, size, finding->evidence.cycle);
	if (!strings_has(self->cycles, keys.key.data))
		strings_add(self->cycles, keys.key.data);
	buf_release(&keys.key);
	buf_release(&keys.places);
	buf_release(&keys.locks);
	return true;
}

static void name_set(struct inspection *self, char key[33])
{
	struct hash hash;
	uint8_t id[16];
	hash_init(&hash);
	for (size_t i = 0; i < self->report->order_count; i++) {
		const struct report_order *order = &self->report->orders[i];
		const uint64_t numbers[] = { order->thread,     order->epoch,       order->first.lock,
					     order->first.code, order->second.lock, order->second.code };
		hash_add(&hash, numbers, sizeof numbers);
		hash_add(&hash, order->before, strlen(order->before) + 1);
		hash_add(&hash, order->others, strlen(order->others) + 1);
	}
	hash_end(&hash, id);
	for (size_t i = 0; i < sizeof id; i++)
		snprintf(key + 2 * i, 3, "%02x", id[i]);
}

/* Most schedules have the same orders as one before; then what was found is known. */
static bool see_known(struct inspection *self, const char *set)
{
	const struct strings *cycles = map_get(&self->judge->order_sets, set);
	bool is_new;
	for (size_t i = 0; cycles && i < cycles->count; i++)
		findings_see(&self->judge->orders, FINDING_LOCK_ORDER, cycles->items[i], self->run->number, &is_new);
	return cycles;
}

void judge_orders(struct inspection *inspection)
{
	size_t count = inspection->report->order_count;
	char set[33];
	if (count < 2 || inspection->judge->has_finished)
		return;
	name_set(inspection, set);
	if (see_known(inspection, set))
		return;
	struct orders self = { .inspection = inspection, .cycles = mem_alloc(sizeof *self.cycles) };
	map_set(&inspection->judge->order_sets, set, self.cycles);
	self.edges = mem_alloc(count * sizeof *self.edges);
	self.origins = mem_alloc(count * sizeof *self.origins);
	self.others = mem_alloc(count * sizeof *self.others);
	self.befores = mem_alloc(count * sizeof *self.befores);
	for (size_t i = 0; i < count; i++)
		add_edge(&self, &inspection->report->orders[i]);
	if (!lock_graph_cycles(self.edges, self.count, MAX_STEPS, on_cycle, &self))
		judge_miss(inspection->judge, "too many lock orders to try all their combinations: some possible "
					      "deadlocks are not searched for");
	for (size_t i = 0; i < count; i++) {
		free(self.others[i]);
		free(self.befores[i]);
	}
	free(self.edges);
	free(self.origins);
	free(self.others);
	free(self.befores);
}

void judge_show_orders(struct judge *self)
{
	for (size_t i = 0; i < self->orders.count; i++) {
		const struct finding *order = self->orders.items[i];
		if (order->evidence.cycle && !order->evidence.cycle->is_shown)
			order->evidence.cycle->is_shown = is_shown(self, order);
	}
}

size_t judge_finish(struct judge *self)
{
	size_t moved = 0;
	self->has_finished = true;
	for (size_t i = 0; i < self->orders.count;) {
		if (self->orders.items[i]->evidence.cycle->is_shown) {
			i++;
			continue;
		}
		findings_move(&self->findings, &self->orders, i);
		moved++;
	}
	return moved;
}

static void free_cycles(void *value)
{
	strings_release(value);
	free(value);
}

void judge_release_orders(struct judge *self)
{
	map_release_values(&self->order_sets, free_cycles);
	findings_release(&self->orders);
	strings_release(&self->deadlocks);
	strings_release(&self->deadlock_locks);
	strings_release(&self->stuck);
	strings_release(&self->stuck_locks);
	lock_cycles_release(&self->cycles);
}
