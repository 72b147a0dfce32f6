/*
 * program.h: the calls of a program with what is known of each, and its control flow.
 * Input: the program and its points-to sets. Result: struct flow_program, which all other phases read.
 */
#ifndef ANALYSIS_FLOW_PROGRAM_H
#define ANALYSIS_FLOW_PROGRAM_H

#include "analysis/flow/sets.h"
#include "analysis/models/models.h"
#include "analysis/points/points.h"
#include "analysis/program/graph.h"
#include "analysis/program/whole.h"

struct flow;

struct flow_call {
	uint32_t instruction;
	uint32_t first_target, target_count; /* in targets: defined functions that are called here, or called back */
	const struct model *model;           /* of what is called and not defined, if it matters to threads; or null */
	const char *name;                    /* of that function */
	bool is_certain;                     /* nothing but that is called */
	bool is_wild;                        /* it may be one of several such: anything may happen to locks */
	bool is_polling;                     /* it may answer differently because of what other threads do */
	bool may_skip;                       /* perhaps none of the targets is called */
	bool is_last;                        /* it does not return */
	bool runs_exit_handlers;             /* as exit does */
	bool returns_again;                  /* setjmp: it may return again, from elsewhere */
	bool may_throw;                      /* its block's second successor is for exceptions */
};

struct flow_body {
	struct graph graph; /* of blocks, from 0 within the function */
	uint32_t *order, reached;
	bool *is_in_cycle;
	bool *is_polling; /* of each block: a cycle that it is in calls a library that may say that something is not yet so */
	uint32_t *first_call; /* of each block, in calls; one more after the last */
};

struct flow_program {
	const struct whole *whole;
	const struct points *points;
	struct flow_body *bodies;
	const struct model **models; /* of functions that are not defined; null: none */
	struct flow_call *calls;     /* those of a block one after the other, and those of a function */
	uint32_t *call_of;           /* of each instruction that is a call: its index */
	uint32_t call_count, call_room;
	struct flow_ids targets;
	struct flow_ids *callers;  /* of each function: indexes of calls */
	bool *is_address_taken;    /* of each function */
	uint32_t *component;       /* of each function; callees have lower numbers */
	bool *is_recursive;        /* of each component */
	struct flow_ids bottom_up; /* defined functions, callees first */
	bool *is_outside;          /* of each object: code that is not analysed may write it */
};

/* Of a flow that is solved. */
const struct flow_program *flow_program(const struct flow *flow);

void flow_program_init(const struct whole *whole, const struct points *points, struct flow_program *program);
void flow_program_release(struct flow_program *program);
/* Index of the call that an instruction is; it is one. */
static inline uint32_t flow_call_at(const struct flow_program *program, uint32_t instruction)
{
	return program->call_of[instruction];
}

uint32_t flow_argument(const struct flow_program *program, uint32_t instruction, int number); /* value, or WHOLE_NONE */
/* The defined functions that a value may be the address of. */
void flow_code(const struct flow_program *program, uint32_t value, struct flow_ids *functions);
/* Whether the instruction is in a loop of its function. */
bool flow_is_in_cycle(const struct flow_program *program, uint32_t instruction);

#endif
