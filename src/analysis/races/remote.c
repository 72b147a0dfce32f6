/*
 * remote.c: how directly a thread gets to a function: the least number of calls on the way that go through pointers
 * which may mean many functions. Points-to is imprecise about such calls, so a thread may never reach what it reaches
 * over them alone. That decides nothing and costs no score: of several threads that may make an access the most direct
 * one is reported, and of equals those that are reached directly come first.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/flow/arguments.h"
#include "analysis/flow/program.h"
#include "analysis/races/races_priv.h"
#include "base/mem.h"

enum { WIDE_TARGETS = 8 };

/* Functions by how far they are, the nearest first: those over a wide call are put behind. */
struct walk {
	const struct flow_program *program;
	const struct flow_arguments *arguments;
	uint8_t *remote;
	struct flow_ids now, next;
};

static void come_to(struct walk *walk, uint32_t function, unsigned remote, bool is_next)
{
	if (walk->remote[function] <= remote)
		return;
	walk->remote[function] = (uint8_t)remote;
	flow_ids_add(is_next ? &walk->next : &walk->now, function);
}

static void begin(struct walk *walk, const struct flow_root *root)
{
	const struct whole *whole = walk->program->whole;
	if (root->function != WHOLE_NONE)
		come_to(walk, root->function, 0, false);
	for (uint32_t f = 0; f < whole->function_count; f++) {
		const struct whole_function *function = &whole->function[f];
		if (function->is_defined &&
		    ((root->kind == FLOW_EXPORTED && function->is_exported) ||
		     (root->kind == FLOW_MAIN && (function->is_constructor || function->is_destructor))))
			come_to(walk, f, 0, false);
	}
}

static void pass(struct walk *walk, uint32_t root, uint32_t function, unsigned remote)
{
	const struct flow_body *body = &walk->program->bodies[function];
	if (!body->first_call)
		return;
	for (uint32_t c = body->first_call[0]; c < body->first_call[body->graph.node_count]; c++) {
		const struct flow_call *call = &walk->program->calls[c];
		bool is_wide = call->target_count >= WIDE_TARGETS;
		for (uint32_t t = 0; t < call->target_count; t++) {
			uint32_t target = walk->program->targets.items[call->first_target + t];
			if (flow_may_call(walk->arguments, root, c, target))
				come_to(walk, target, remote + is_wide, is_wide);
		}
	}
}

static void find(const struct races_search *search, uint32_t root, uint8_t *remote)
{
	struct walk walk = { .program = flow_program(search->flow),
			     .arguments = flow_arguments(search->flow),
			     .remote = remote };
	begin(&walk, flow_root(search->flow, root));
	for (unsigned distance = 0; walk.now.count && distance < RACES_FAR; distance++) {
		for (uint32_t i = 0; i < walk.now.count; i++)
			if (remote[walk.now.items[i]] == distance)
				pass(&walk, root, walk.now.items[i], distance);
		struct flow_ids done = walk.now;
		walk.now = walk.next;
		walk.next = (struct flow_ids){ 0 };
		flow_ids_release(&done);
	}
	flow_ids_release(&walk.now);
	flow_ids_release(&walk.next);
}

unsigned races_remote(struct races_search *search, uint32_t root, uint32_t function)
{
	size_t functions = search->whole->function_count;
	if (!search->remote)
		search->remote = mem_alloc(((size_t)flow_root_count(search->flow) + 1) * sizeof *search->remote);
	if (!search->remote[root]) {
		search->remote[root] = mem_alloc(functions + 1);
		memset(search->remote[root], RACES_FAR, functions + 1);
		find(search, root, search->remote[root]);
	}
	return search->remote[root][function];
}

void races_release_remote(struct races_search *search)
{
	for (uint32_t i = 0; search->remote && i < flow_root_count(search->flow); i++)
		free(search->remote[i]);
	free(search->remote);
}
