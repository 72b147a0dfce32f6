/* patch_orders.c: see patch_orders.h. */
#include "campaign/patch_orders.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/ptrmap.h"
#include "heddle/events.h"
#include "heddle/guard.h"
#include "judge/retrace.h"
#include "symbols/symbol.h"
#include "trace/events.h"

#define MAX_ACCESSES (4u << 20)
#define MAX_AHEAD 256u /* accesses to a cell among which the next one of a thread is looked for */
#define NONE UINT32_MAX

/* What an order tells. */
#define WEIGHT_AWAY 4u    /* the thread of the access before was preempted, and had not gone on */
#define WEIGHT_BETWEEN 2u /* that thread goes on to access the cell */
#define WEIGHT_WRITE 1u   /* one of the accesses writes */

void patch_places_release(struct patch_places *self)
{
	learned_builds_release(&self->builds);
	free(self->starts);
	*self = (struct patch_places){ 0 };
}

const struct learned_place *patch_place(const struct patch_places *self, uint32_t number)
{
	for (size_t i = 0; i < self->builds.count; i++)
		if (number > self->starts[i] && number <= self->starts[i + 1])
			return &self->builds.items[i].places[number - self->starts[i] - 1];
	return NULL;
}

void patch_orders_release(struct patch_orders *self)
{
	free(self->items);
	free(self->together);
	free(self->turns);
	steps_release(&self->steps);
	*self = (struct patch_orders){ 0 };
}

static void open_builds(struct patch_places *self, const struct report *report)
{
	for (size_t i = 0; i < report->module_count; i++) {
		struct err ignored = ERR_INIT;
		struct build build;
		bool is_known = false;
		for (size_t k = 0; k < self->builds.count; k++)
			is_known |= strcmp(self->builds.items[k].path, report->modules[i].path) == 0;
		if (is_known || build_open(&build, report->modules[i].path, &ignored) < 0)
			continue;
		self->builds.items =
			mem_resize(self->builds.items, (self->builds.count + 1) * sizeof *self->builds.items);
		self->builds.items[self->builds.count++] = build;
	}
	self->starts = mem_alloc((self->builds.count + 1) * sizeof *self->starts);
	for (size_t i = 0; i < self->builds.count; i++)
		self->starts[i + 1] = self->starts[i] + self->builds.items[i].place_count;
}

struct access {
	uint32_t thread, place;
	uint32_t before, after; /* in the same cell; NONE: there is none */
	uint32_t remote;        /* the last one before it by another thread; the same */
	uintptr_t cell;
	bool is_write;
	bool is_away; /* see WEIGHT_AWAY: of the thread that accessed the cell before */
};

struct thread_state {
	bool is_pending, is_preempted;
	struct access access; /* announced, and made when the thread runs again */
};

struct reader {
	const struct patch_places *places;
	struct patch_orders *orders;
	struct ptrmap sites;    /* address in the run to the number of its place */
	struct ptrmap is_write; /* the same: whether it writes */
	struct ptrmap cells;    /* to the number of the last access + 1 */
	struct access *accesses;
	uint32_t count, room;
	struct thread_state *threads; /* by index */
	uint32_t thread_room;
};

static void add_sites(struct reader *self, struct symbols *symbols)
{
	for (size_t b = 0; b < self->places->builds.count; b++) {
		const struct build *build = &self->places->builds.items[b];
		for (uint32_t i = 0; i < build->site_count; i++) {
			struct woven_site site;
			uint64_t address;
			if (build->of_site[i] == BUILD_NONE || !woven_site(build->woven, i, &site) ||
			    !symbols_in_run(symbols, build->path, woven_site_address(build->woven, i), &address))
				continue;
			const uint32_t place = self->places->starts[b] + build->of_site[i] + 1;
			const bool writes = site.record.access != HEDDLE_ACCESS_READ &&
					    site.record.access != HEDDLE_ACCESS_ATOMIC_READ;
			ptrmap_set(&self->sites, (void *)(uintptr_t)address, (void *)(uintptr_t)place);
			if (writes)
				ptrmap_set(&self->is_write, (void *)(uintptr_t)address, (void *)1);
		}
	}
}

static struct thread_state *state_of(struct reader *self, uint32_t thread)
{
	if (thread >= self->thread_room) {
		const uint32_t room = thread + 64;
		self->threads = mem_resize(self->threads, room * sizeof *self->threads);
		memset(self->threads + self->thread_room, 0, (room - self->thread_room) * sizeof *self->threads);
		self->thread_room = room;
	}
	return &self->threads[thread];
}

static void make(struct reader *self, const struct access *access)
{
	if (self->count == MAX_ACCESSES)
		return;
	if (self->count == self->room) {
		self->room = self->room ? self->room * 2 : 4096;
		self->accesses = mem_resize(self->accesses, self->room * sizeof *self->accesses);
	}
	const uint32_t number = self->count++;
	const uintptr_t last = (uintptr_t)ptrmap_get(&self->cells, (void *)access->cell, NULL);
	self->accesses[number] = *access;
	self->accesses[number].before = last ? (uint32_t)last - 1 : NONE;
	self->accesses[number].after = NONE;
	if (last)
		self->accesses[last - 1].after = number;
	ptrmap_set(&self->cells, (void *)access->cell, (void *)(uintptr_t)(number + 1));
	const struct access *previous = last ? &self->accesses[last - 1] : NULL;
	uint32_t remote = previous ? previous->remote : NONE;
	if (previous && previous->thread != access->thread)
		remote = (uint32_t)last - 1;
	self->accesses[number].remote = remote;
	self->accesses[number].is_away = remote != NONE && state_of(self, self->accesses[remote].thread)->is_preempted;
}

static void go_on(struct reader *self, uint32_t thread)
{
	struct thread_state *state = state_of(self, thread);
	if (state->is_pending)
		make(self, &state->access);
	state = state_of(self, thread);
	state->is_pending = state->is_preempted = false;
}

static void add_turn(struct patch_orders *orders, uint32_t place)
{
	for (size_t i = 0; i < orders->turn_count; i++)
		if (orders->turns[i] == place)
			return;
	orders->turns = mem_resize(orders->turns, (orders->turn_count + 1) * sizeof *orders->turns);
	orders->turns[orders->turn_count++] = place;
}

/* A switch from one thread to another, in the middle of its access or before another operation. */
static void leave(struct reader *self, uint32_t thread)
{
	struct thread_state *state = state_of(self, thread);
	state->is_preempted = true;
	if (state->is_pending)
		add_turn(self->orders, state->access.place);
}

static void take(struct reader *self, const struct event *event)
{
	const uint32_t place = (uint32_t)(uintptr_t)ptrmap_get(&self->sites, (void *)(uintptr_t)event->code, NULL);
	go_on(self, event->thread);
	if (!heddle_event_is_access(event->kind) || !place)
		return;
	struct thread_state *state = state_of(self, event->thread);
	state->is_pending = true;
	state->access =
		(struct access){ .thread = event->thread,
				 .place = place,
				 .cell = (event->object >> HEDDLE_CELL_SHIFT) + 1,
				 .is_write = event->kind == HEDDLE_EVENT_WRITE ||
					     ptrmap_get(&self->is_write, (void *)(uintptr_t)event->code, NULL) };
}

static int read_events(struct reader *self, const struct trace *now, struct err *err)
{
	struct events *events = mem_alloc(sizeof *events);
	struct event event;
	uint32_t last = 0;
	int got;
	*events = (struct events){
		.fd = now->log_fd, .fd_bytes = now->log_bytes, .tail = now->tail, .tail_bytes = now->tail_bytes
	};
	while ((got = events_next(events, &event)) > 0) {
		if (event.is_expiry || event.thread > UINT16_MAX)
			continue;
		if (last && event.thread != last)
			leave(self, last);
		last = event.thread;
		take(self, &event);
	}
	/* They were about to be made. */
	if (last)
		go_on(self, last);
	for (uint32_t i = 0; i < self->thread_room; i++)
		go_on(self, i);
	callers_release(&events->callers);
	free(events);
	if (got < 0)
		return err_set(err, -got, "the events of the schedule cannot be read: %s", strerror(-got));
	return 0;
}

/* Whether the thread accesses the cell again after the access, or with thread 0 any other thread; *is_write: by a write. */
static bool comes_again(const struct reader *self, uint32_t number, uint32_t thread, bool *is_write)
{
	uint32_t at = self->accesses[number].after;
	for (uint32_t i = 0; i < MAX_AHEAD && at != NONE; i++, at = self->accesses[at].after) {
		const struct access *next = &self->accesses[at];
		if (thread ? next->thread == thread : next->thread != self->accesses[number].thread) {
			*is_write = next->is_write;
			return true;
		}
	}
	return false;
}

static void add_order(struct patch_orders *orders, struct map *known, const struct patch_order *order)
{
	char *key = mem_format("%u,%u", order->place, order->previous);
	const size_t at = (size_t)(uintptr_t)map_get(known, key);
	if (!at) {
		orders->items = mem_resize(orders->items, (orders->count + 1) * sizeof *orders->items);
		orders->items[orders->count++] = *order;
		map_set(known, key, (void *)(uintptr_t)orders->count);
	} else {
		struct patch_order *old = &orders->items[at - 1];
		old->weight = order->weight > old->weight ? order->weight : old->weight;
		old->at = order->at;
	}
	free(key);
}

static void weigh(struct reader *self, uint32_t number, struct map *known)
{
	const struct access *access = &self->accesses[number];
	const uint32_t before = access->remote;
	const struct access *previous = before == NONE ? NULL : &self->accesses[before];
	bool writes = false;
	const bool is_between = comes_again(self, number, previous ? previous->thread : 0, &writes);
	struct patch_order order = { .place = access->place,
				     .previous = previous ? previous->place : BELONGING_NIL,
				     .at = number };
	/* Nothing comes first where all only read. What comes after nothing may be too early for an access that the failure prevented. */
	if (previous && !access->is_write && !previous->is_write && !(is_between && writes))
		return;
	order.weight = (is_between ? WEIGHT_BETWEEN : 0) + (access->is_away ? WEIGHT_AWAY : 0);
	add_order(self->orders, known, &order);
}

static int compare_orders(const void *a, const void *b)
{
	const struct patch_order *left = a, *right = b;
	if (left->weight != right->weight)
		return left->weight > right->weight ? -1 : 1;
	return (left->at < right->at) - (left->at > right->at);
}

static void add_together(struct reader *self, struct map *known, uint32_t a, uint32_t b)
{
	char *key = mem_format("%u,%u", a < b ? a : b, a < b ? b : a);
	struct patch_orders *orders = self->orders;
	if (map_set(known, key, NULL)) {
		orders->together =
			mem_resize(orders->together, (orders->together_count + 2) * sizeof *orders->together);
		orders->together[orders->together_count++] = a;
		orders->together[orders->together_count++] = b;
	}
	free(key);
}

static void collect(struct reader *self)
{
	struct map known = { 0 }, together = { 0 };
	for (uint32_t i = 0; i < self->count; i++) {
		uint32_t at = self->accesses[i].before;
		weigh(self, i, &known);
		for (uint32_t k = 0; k < 8 && at != NONE; k++, at = self->accesses[at].before)
			if (self->accesses[at].place != self->accesses[i].place)
				add_together(self, &together, self->accesses[at].place, self->accesses[i].place);
	}
	if (self->orders->count)
		qsort(self->orders->items, self->orders->count, sizeof *self->orders->items, compare_orders);
	self->orders->access_count = self->count;
	map_release(&known);
	map_release(&together);
}

int patch_orders_find(struct patch_orders *self, struct patch_places *places, const struct trace *recorded,
		      struct err *err)
{
	struct retrace replay = { .flags = HEDDLE_CONTROL_STEPS, .is_detailed = true };
	struct reader reader = { .places = places, .orders = self };
	int code = retrace(&replay, recorded, err);
	if (code == 0) {
		struct report report;
		report_parse(&report, replay.now.report.data ? replay.now.report.data : "", replay.now.report.size);
		if (!places->starts)
			open_builds(places, &report);
		struct symbols *symbols = symbols_new(&report);
		add_sites(&reader, symbols);
		if (!steps_take(&self->steps, replay.control.channel))
			self->steps.count = 0;
		self->seed = recorded->request.seed;
		code = read_events(&reader, &replay.now, err);
		symbols_free(symbols);
		report_release(&report);
	}
	if (code == 0)
		collect(&reader);
	retrace_release(&replay);
	ptrmap_release(&reader.sites);
	ptrmap_release(&reader.is_write);
	ptrmap_release(&reader.cells);
	free(reader.accesses);
	free(reader.threads);
	return code;
}
