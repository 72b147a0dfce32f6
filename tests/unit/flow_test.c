/*
 * flow_test.c: what flow.h says of a woven program, as text. For each access with a name, one line for each visit:
 *   FUNCTION VARIABLE read|write: ROOT holds LOCKS with ROOTS
 * A root is the name of its function, with + when it has many threads; `.` is nothing. A lock is its object's name with its
 * offset; @N is N bytes from the access; ? is one of several; r: for reading; (new): nobody else can know the memory yet. With --orders the orders of locks, with
 * --roots the roots, with --time what it took.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/flow/flow.h"
#include "analysis/lower/lower.h"
#include "base/mem.h"
#include "heddle/abi.h"
#include "ir/program.h"

static const struct whole *whole;
static const struct flow *flow;

static void print_root(struct buf *out, uint32_t root)
{
	static const char *const kinds[] = { "", "", "handler:", "exported", "team:" };
	const struct flow_root *row = flow_root(flow, root);
	buf_format(out, "%s%s%s", kinds[row->kind], row->function == WHOLE_NONE ? "" : whole->function[row->function].name,
		   row->is_many ? "+" : "");
}

static void print_lock(struct buf *out, const struct flow_lock *lock)
{
	const char *name = lock->name ? lock->name : "heap";
	const char *mode = lock->is_shared ? "r:" : "";
	if (lock->kind == FLOW_RELATIVE)
		buf_format(out, "%s@%" PRId64, mode, lock->distance);
	else
		buf_format(out, "%s%s%s+%" PRIu64, mode, lock->kind == FLOW_CLASS ? "?" : "", name, lock->offset);
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The parts of a set, sorted, or a dot. */
static void print_parts(struct buf *out, struct strings *parts)
{
	if (parts->count)
		qsort(parts->items, parts->count, sizeof *parts->items, compare_strings);
	for (size_t i = 0; i < parts->count; i++)
		buf_format(out, "%s%s", i ? "," : "", parts->items[i]);
	if (!parts->count)
		buf_add_string(out, ".");
	strings_release(parts);
}

static void print_locks(struct buf *out, uint32_t set)
{
	struct flow_locks locks = flow_locks(flow, set);
	struct strings parts = { 0 };
	for (uint32_t i = 0; i < locks.count; i++) {
		struct buf one = { 0 };
		print_lock(&one, &locks.items[i]);
		strings_add(&parts, one.data);
		buf_release(&one);
	}
	print_parts(out, &parts);
}

static void print_visit(struct buf *out, const struct flow_visit *visit)
{
	struct strings parts = { 0 };
	print_root(out, visit->root);
	buf_add_string(out, " holds ");
	print_locks(out, visit->locks);
	buf_add_string(out, " with ");
	for (uint32_t r = 0; r < flow_root_count(flow); r++)
		if (flow_is_together(flow, visit->together, r)) {
			struct buf one = { 0 };
			print_root(&one, r);
			strings_add(&parts, one.data);
			buf_release(&one);
		}
	print_parts(out, &parts);
}

static void print_visits(void)
{
	struct strings lines = { 0 };
	for (uint32_t a = 0; a < whole->access_count; a++) {
		const struct whole_access *access = &whole->access[a];
		const struct whole_instruction *at = &whole->instruction[access->instruction];
		for (uint32_t v = 0; access->variable && v < flow_visit_count(flow, a); v++) {
			struct buf line = { 0 };
			buf_format(&line, "%s %s %s: ", whole->function[at->function].name, access->variable,
				   access->kind == HEDDLE_ACCESS_READ ? "read" : "write");
			print_visit(&line, &flow_visits(flow, a)[v]);
			buf_add_string(&line, flow_is_fresh(flow, a) ? " (new)" : "");
			if (!strings_has(&lines, line.data))
				strings_add(&lines, line.data);
			buf_release(&line);
		}
	}
	for (size_t i = 0; i < lines.count; i++)
		puts(lines.items[i]);
	strings_release(&lines);
}

static void print_orders(void)
{
	for (uint32_t i = 0; i < flow_order_count(flow); i++) {
		const struct flow_order *order = &flow_orders(flow)[i];
		struct buf line = { 0 };
		print_root(&line, order->root);
		buf_add_string(&line, ": ");
		print_lock(&line, &order->held);
		buf_add_string(&line, " then ");
		print_lock(&line, &order->taken);
		puts(line.data);
		buf_release(&line);
	}
}

static void print_roots(void)
{
	for (uint32_t r = 0; r < flow_root_count(flow); r++) {
		struct buf line = { 0 };
		print_root(&line, r);
		if (flow_root(flow, r)->why_many)
			buf_format(&line, " (%s)", flow_root(flow, r)->why_many);
		puts(line.data);
		buf_release(&line);
	}
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int run(const char *path, const char *what, struct err *err)
{
	struct unit *units = NULL;
	size_t count = 0;
	bool is_shared = false;
	struct whole *lowered = NULL;
	struct points *points = NULL;
	struct flow *solved = NULL;
	int code = program_units(path, &units, &count, &is_shared, err);
	struct lower_input *inputs = mem_alloc((count + 1) * sizeof *inputs);
	for (size_t i = 0; i < count; i++)
		inputs[i] = (struct lower_input){ .unit = &units[i], .is_shared = is_shared };
	if (!code)
		code = lower_units(inputs, count, NULL, NULL, &lowered, err);
	free(inputs);
	if (!code)
		code = points_solve(lowered, &(struct points_options){ 0 }, &points, err);
	double began = now();
	if (!code)
		code = flow_solve(lowered, points, NULL, &solved, err);
	double took = now() - began;
	if (!code) {
		whole = lowered;
		flow = solved;
		struct flow_statistics is = flow_statistics(flow);
		if (strcmp(what, "--time") == 0)
			printf("%.3f s, %" PRIu64 " contexts, %" PRIu64 " visits, %" PRIu64 " steps, %" PRIu32 " merged\n", took,
			       is.contexts, is.visits, is.steps, is.merged_functions);
		else if (strcmp(what, "--orders") == 0)
			print_orders();
		else if (strcmp(what, "--roots") == 0)
			print_roots();
		else
			print_visits();
	}
	flow_free(solved);
	points_free(points);
	whole_free(lowered);
	for (size_t i = 0; i < count; i++)
		unit_release(&units[i]);
	free(units);
	return code;
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	if (argc < 2)
		return EXIT_USAGE;
	if (run(argv[argc - 1], argc > 2 ? argv[1] : "", &err)) {
		err_print(&err, "flow_test");
		return EXIT_CANNOT;
	}
	return 0;
}
