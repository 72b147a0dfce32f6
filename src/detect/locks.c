/* locks.c: see locks.h. */
#include "detect/locks.h"

#include "detect/order.h"
#include "detect/pool.h"
#include "rt/report.h"
#include "rt/tally.h"

#define MAX_EDGES 4000u
/* The rest of the report is for findings. */
#define MAX_REPORT (HEDDLE_REPORT_ROOM / 2)

static struct edge {
	const volatile void *from, *to;
	uint32_t thread;
	uint8_t modes;
} * edges;
static uint32_t edge_count, edge_room;
static bool is_full;

static struct edge *place_of(const struct edge *edge)
{
	uint64_t hash = ((uintptr_t)edge->from * 31 ^ (uintptr_t)edge->to) + edge->thread * 7919ul + edge->modes;
	uint32_t at = (uint32_t)(hash * 0x9e3779b97f4a7c15ul >> 32) & (edge_room - 1);
	while (edges[at].to && (edges[at].from != edge->from || edges[at].to != edge->to ||
				edges[at].thread != edge->thread || edges[at].modes != edge->modes))
		at = (at + 1) & (edge_room - 1);
	return &edges[at];
}

static void grow(void)
{
	struct edge *old = edges;
	uint32_t old_room = edge_room;
	edge_room = old_room ? 2 * old_room : 64;
	edges = pool_take(edge_room * sizeof *edges);
	for (uint32_t i = 0; i < edge_room; i++)
		edges[i] = (struct edge){ 0 };
	for (uint32_t i = 0; i < old_room; i++)
		if (old[i].to)
			*place_of(&old[i]) = old[i];
	if (old)
		pool_give(old, old_room * sizeof *old);
}

/* Whether it is new. */
static bool add(const struct edge *edge)
{
	if (2 * edge_count >= edge_room)
		grow();
	struct edge *at = place_of(edge);
	if (at->to)
		return false;
	*at = *edge;
	edge_count++;
	return true;
}

static void put_lock(const struct held *held)
{
	report_put_word((uintptr_t)held->lock, 16);
	report_put_word(held->code, 16);
	report_put(held->is_try      ? held->is_shared ? " try-shared" : " try"
		   : held->is_shared ? " shared"
				     : " exclusive");
}

/* What is before it whatever the schedule. */
static void put_order(void)
{
	const struct vector *must = &order_now->must;
	const char *separator = " ";
	report_put_word((uint64_t)order_now->slot | (uint64_t)vector_at(&order_now->seen, order_now->slot) << 11, 16);
	for (uint32_t i = 0; i < must->count; i++) {
		if (!must->clocks[i])
			continue;
		report_put(separator);
		report_put_number(i, 10);
		report_put(":");
		report_put_number(must->clocks[i], 10);
		separator = ",";
	}
	if (*separator == ' ')
		report_put(" -");
}

void locks_ordered(const struct track *track, const struct held *taken)
{
	for (uint32_t i = 0; i < track->held_count; i++) {
		const struct held *held = &track->held[i];
		const struct edge edge = { held->lock, taken->lock, track_now->index,
					   (uint8_t)(held->is_shared | taken->is_shared << 1) };
		if (edge_count >= MAX_EDGES || observed->channel->report_used >= MAX_REPORT) {
			if (!is_full)
				report_missed("too many lock orders: the rest is ignored");
			is_full = true;
			return;
		}
		if (!add(&edge))
			continue;
		report_put("order");
		report_put_word(track_now->index, 10);
		report_put_word(tally_events(), 10);
		put_order();
		put_lock(held);
		put_lock(taken);
		for (uint32_t j = 0; j < track->held_count; j++)
			if (j != i)
				report_put_word((uintptr_t)track->held[j].lock, 16);
		report_put("\n");
	}
}
