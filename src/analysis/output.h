/*
 * output.h: what the analysis found, as JSON on a stream, for heddle check, which reads it, knows the numbers of sites
 * and words the report (cmd/static.h). It is a contract between programs of one version; docs/FORMATS.md describes what
 * other programs may read. Rows that several pairs share (accesses, sets of locks, threads) are written once and
 * referred to by their numbers.
 */
#ifndef ANALYSIS_OUTPUT_H
#define ANALYSIS_OUTPUT_H

#include <stdio.h>

#include "analysis/races/orders.h"
#include "analysis/races/races.h"
#include "base/json_writer.h"

#define OUTPUT_VERSION 1u

struct output_phase {
	const char *name; /* "points-to" */
	double seconds;
};

/* One file that was analysed. */
struct output_program {
	const char *path;
	uint8_t build[16];
	uint32_t unit_count;
};

/* All that is written in addition to what the parts of the analysis know. */
struct output_header {
	const struct output_program *programs;
	size_t program_count;
	const struct output_phase *phases; /* those that are over */
	size_t phase_count;
	uint64_t peak_bytes;
	/* As text: why the analysis stopped early, e.g. "no memory is left"; null when it did not. */
	const char *stopped;
};

/* What there is of it: from the first that is null on, nothing is known, and about->stopped says why. */
struct output_parts {
	const struct whole *whole;
	const struct points *points;
	const struct flow *flow;
	const struct races *races;
	const struct orders *orders;
};

/* Writes one JSON document and a newline. Errors are the stream's. */
void output_write(FILE *to, const struct output_header *about, const struct output_parts *parts);

/* Adds the first members: what is known in any case. */
void output_head(struct json_writer *out, const struct output_header *about);

/* Parts of it, for explain.h: each adds one JSON value. */
void output_place(struct json_writer *out, const char *key, const struct whole *whole, uint32_t place);
void output_call(struct json_writer *out, const char *key, const struct whole *whole,
		 uint32_t place); /* with what it is inlined into */
void output_object(struct json_writer *out, const char *key, const struct whole *whole, uint32_t object);
void output_access(struct json_writer *out, const char *key, const struct whole *whole, uint32_t access, uint32_t same);
void output_root(struct json_writer *out, const char *key, const struct whole *whole, const struct flow_root *root);
void output_lock(struct json_writer *out, const char *key, const struct whole *whole, const struct flow_lock *lock);
void output_locks(struct json_writer *out, const char *key, const struct output_parts *parts, struct flow_locks locks,
		  uint32_t instruction, uint32_t root);
/* The lock with the place where the thread most likely took it that is at the instruction and holds it, and its name there: in the same
 * function before, else in one that calls it, else the call that is known, if the thread can get there. */
struct flow_lock output_find_taken(const struct output_parts *parts, struct flow_lock lock, uint32_t instruction,
				   uint32_t root);
void output_doubts(struct json_writer *out, const char *key, uint32_t doubts); /* an array of words */

/* For each function that is defined, how many before it have the same name and file: static functions of headers are there
 * several times. Caller frees. */
uint32_t *output_count_same(const struct whole *whole);

#endif
