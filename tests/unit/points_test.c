/*
 * points_test.c: points-to on small programs that are built by hand, with known answers; and on random ones, against a solver
 * that does the same in the slowest and most obvious way: every rule is applied to everything until nothing changes.
 *   points_test known
 *   points_test random FIRST-SEED COUNT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/points/points.h"
#include "base/mem.h"

/* ---- building programs ---- */

static struct whole *whole;
static uint32_t function, failed;

static void begin_function(const char *name, uint32_t parameters)
{
	function = whole_function_named(whole, name);
	uint32_t first = whole->value_count;
	for (uint32_t i = 0; i < parameters; i++)
		whole_add_value(whole, WHOLE_PARAMETER, function, i);
	struct whole_function *row = &whole->function[function];
	row->is_defined = true;
	row->first_parameter = first;
	row->parameter_count = parameters;
	row->first_instruction = whole->instruction_count;
	row->first_block = whole_add_block(whole, function);
	whole->function[function].block_count = 1;
}

static void end_function(void)
{
	struct whole_function *row = &whole->function[function];
	row->instruction_count = whole->instruction_count - row->first_instruction;
}

static uint32_t add(enum whole_op op, bool has_result, uint32_t count, const uint32_t *operands)
{
	uint32_t index = whole_add_instruction(whole, op);
	whole->instruction[index].function = function;
	whole->instruction[index].block = whole->block_count - 1;
	for (uint32_t i = 0; i < count; i++)
		whole_add_operand(whole, index, operands[i]);
	if (has_result) {
		uint32_t value = whole_add_value(whole, WHOLE_RESULT, function, index);
		whole->instruction[index].result = value;
	}
	return index;
}

static uint32_t result(uint32_t instruction)
{
	return whole->instruction[instruction].result;
}

static uint32_t object(enum whole_object_kind kind, uint64_t size_bytes)
{
	uint32_t index = whole_add_object(whole, kind);
	whole->object[index].size_bytes = size_bytes;
	return index;
}

static uint32_t add_load(uint32_t pointer, uint64_t size_bytes)
{
	uint32_t at = add(WHOLE_LOAD, true, 1, &pointer);
	whole->instruction[at].size_bytes = size_bytes;
	return result(at);
}

static void add_store(uint32_t pointer, uint32_t value, uint64_t size_bytes)
{
	uint32_t at = add(WHOLE_STORE, false, 2, (uint32_t[]){ pointer, value });
	whole->instruction[at].size_bytes = size_bytes;
}

static uint32_t add_offset(uint32_t pointer, int64_t offset, uint64_t stride)
{
	uint32_t at = add(WHOLE_OFFSET, true, 1, &pointer);
	whole->instruction[at].offset = offset;
	whole->instruction[at].stride = stride;
	return result(at);
}

static void add_move(uint32_t to, uint32_t from, uint64_t size_bytes)
{
	uint32_t at = add(WHOLE_MOVE, false, 2, (uint32_t[]){ to, from });
	whole->instruction[at].size_bytes = size_bytes;
}

static uint32_t add_call(const char *name, uint32_t count, const uint32_t *arguments)
{
	uint32_t operands[9] = { whole_address(whole, whole->function[whole_function_named(whole, name)].object, 0) };
	memcpy(operands + 1, arguments, count * sizeof *arguments);
	return add(WHOLE_CALL, true, count + 1, operands);
}

static void give_back(uint32_t value)
{
	add(WHOLE_RETURN, false, 1, &value);
}

/* ---- known answers ---- */

static struct points *points;
static struct points_options options;

static void solve(void)
{
	struct err err = ERR_INIT;
	if (points_solve(whole, &options, &points, &err))
		exit(3);
}

static void done(void)
{
	points_free(points);
	whole_free(whole);
	whole = NULL;
}

static void check(const char *what, uint32_t value, uint32_t count, const struct points_location *wanted)
{
	struct points_set set = points_of_value(points, value);
	bool is_right = set.count == count;
	for (uint32_t i = 0; i < count && is_right; i++) {
		bool is_found = false;
		for (uint32_t j = 0; j < set.count; j++) {
			struct points_location at = points_location(points, set.items[j]);
			is_found |= at.object == wanted[i].object && at.offset == wanted[i].offset;
		}
		is_right &= is_found;
	}
	printf("%s %s\n", is_right ? "ok" : "not ok", what);
	if (is_right)
		return;
	failed = 1;
	for (uint32_t i = 0; i < set.count; i++) {
		struct points_location at = points_location(points, set.items[i]);
		printf("# has object %u, offset %lld\n", at.object, (long long)at.offset);
	}
}

#define CHECK(what, value, ...)                                                                                        \
	check(what, value, sizeof((struct points_location[]){ __VA_ARGS__ }) / sizeof(struct points_location),         \
	      (struct points_location[]){ __VA_ARGS__ })

static void known_fields(void)
{
	whole = whole_new();
	uint32_t a = object(WHOLE_GLOBAL, 16), b = object(WHOLE_GLOBAL, 8), c = object(WHOLE_GLOBAL, 8);
	uint32_t copy = object(WHOLE_GLOBAL, 16);
	begin_function("main", 0);
	uint32_t to_a = whole_address(whole, a, 0), to_b = whole_address(whole, b, 0), to_c = whole_address(whole, c, 0);
	add_store(to_a, to_b, 8);
	add_store(add_offset(to_a, 8, 0), to_c, 8);
	uint32_t first = add_load(to_a, 8), second = add_load(add_offset(to_a, 8, 0), 8), both = add_load(to_a, 16);
	uint32_t small = add_load(to_a, 4);
	add_move(whole_address(whole, copy, 0), to_a, 16);
	uint32_t moved = add_load(whole_address(whole, copy, 8), 8);
	end_function();
	solve();
	CHECK("a field", first, { b, 0 });
	CHECK("another field", second, { c, 0 });
	CHECK("a load of two pointers at once", both, { b, 0 }, { c, 0 });
	check("a load too small for a pointer", small, 0, NULL);
	CHECK("a copy keeps distances", moved, { c, 0 });
	done();
}

static void known_arrays(void)
{
	whole = whole_new();
	uint32_t table = object(WHOLE_GLOBAL, 64), b = object(WHOLE_GLOBAL, 8);
	uint32_t layout = whole_add_layout(whole, 64);
	whole_add_array(whole, &(struct whole_array){ .start = 16, .end = 64, .element_bytes = 16, .element = WHOLE_NONE });
	whole->layout[layout].array_count = 1;
	whole->object[table].layout = layout;
	begin_function("main", 0);
	uint32_t element = add_offset(whole_address(whole, table, 16), 0, 16);
	add_store(add_offset(element, 8, 0), whole_address(whole, b, 0), 8);
	uint32_t same = add_load(whole_address(whole, table, 40), 8), other = add_load(whole_address(whole, table, 32), 8);
	uint32_t before = add_offset(element, -16, 0);
	end_function();
	solve();
	CHECK("an element of an array", element, { table, 16 });
	CHECK("elements are not told apart", same, { b, 0 });
	check("fields of elements are", other, 0, NULL);
	CHECK("one element back is an element, or what is before the array", before, { table, 16 }, { table, 0 });
	done();
}

/* A copy of unknown size that begins in the buffer of a std::string has nothing of what is behind it, and changes nothing there. One
 * that begins before it, or has a size that says so, or begins in another array, does. */
static void known_buffer(bool is_buffer)
{
	whole = whole_new();
	uint32_t text = object(WHOLE_GLOBAL, 48), copy = object(WHOLE_GLOBAL, 48), b = object(WHOLE_GLOBAL, 8);
	uint32_t out[4], layout = whole_add_layout(whole, 48);
	for (unsigned i = 0; i < 4; i++)
		out[i] = object(WHOLE_GLOBAL, 48);
	whole_add_array(whole, &(struct whole_array){ .start = 16,
						      .end = 32,
						      .element_bytes = 1,
						      .element = WHOLE_NONE,
						      .is_buffer = is_buffer });
	whole->layout[layout].array_count = 1;
	whole->object[text].layout = whole->object[copy].layout = layout;
	begin_function("main", 0);
	add_store(whole_address(whole, text, 32), whole_address(whole, b, 0), 8);
	uint32_t buffer = add_offset(whole_address(whole, text, 16), 0, 1);
	add_move(whole_address(whole, out[0], 0), buffer, 0);
	add_move(whole_address(whole, out[1], 0), whole_address(whole, text, 8), 0);
	add_move(whole_address(whole, out[2], 0), whole_address(whole, text, 16), 24);
	add_move(whole_address(whole, copy, 16), whole_address(whole, text, 16), 0);
	add_store(whole_address(whole, out[3], 16), whole_address(whole, b, 0), 8);
	add_move(whole_address(whole, copy, 16), whole_address(whole, out[3], 0), 0);
	uint32_t behind = add_load(whole_address(whole, out[0], 16), 8);
	uint32_t before = add_load(whole_address(whole, out[1], 24), 8);
	uint32_t sized = add_load(whole_address(whole, out[2], 16), 8);
	uint32_t written = add_load(whole_address(whole, copy, 32), 8);
	end_function();
	solve();
	CHECK("a walk stays in its array", buffer, { text, 16 });
	if (is_buffer) {
		check("a copy from a buffer ends there", behind, 0, NULL);
		check("a copy into a buffer ends there", written, 0, NULL);
	} else {
		CHECK("a copy from an array goes on", behind, { b, 0 });
		CHECK("a copy into an array goes on", written, { b, 0 });
	}
	CHECK("a copy from before the array goes on", before, { b, 0 });
	CHECK("a copy with a size goes as far as that", sized, { b, 0 });
	done();
}

static void known_heap(void)
{
	whole = whole_new();
	uint32_t number = whole_number(whole, 24), zero = whole_number(whole, 0);
	begin_function("xmalloc", 1);
	uint32_t size = whole->function[function].first_parameter;
	uint32_t block = result(add_call("malloc", 1, &size));
	give_back(result(add(WHOLE_COPY, true, 2, (uint32_t[]){ block, zero })));
	end_function();
	uint32_t kept = object(WHOLE_GLOBAL, 8);
	begin_function("kept", 1);
	size = whole->function[function].first_parameter;
	uint32_t block2 = result(add_call("malloc", 1, &size));
	add_store(whole_address(whole, kept, 0), block2, 8);
	give_back(block2);
	end_function();
	begin_function("main", 0);
	uint32_t call_a = add_call("xmalloc", 1, &number), call_b = add_call("xmalloc", 1, &number);
	uint32_t call_c = add_call("kept", 1, &number), call_d = add_call("kept", 1, &number);
	end_function();
	solve();
	uint32_t made_a = points_made_by(points, call_a), made_b = points_made_by(points, call_b);
	CHECK("a wrapper of malloc makes a block for each call", result(call_a), { made_a, 0 });
	printf("%s the blocks are two\n", made_a != made_b && made_a != WHOLE_NONE ? "ok" : "not ok");
	printf("%s the size is that of the argument\n", whole->object[made_a].size_bytes == 24 ? "ok" : "not ok");
	struct points_set c = points_of_value(points, result(call_c)), d = points_of_value(points, result(call_d));
	printf("%s who keeps a block is no wrapper\n", c.count == 1 && d.count == 1 && c.items[0] == d.items[0] ? "ok" : "not ok");
	CHECK("in the wrapper it is all of them", block, { made_a, 0 }, { made_b, 0 });
	done();
}

static void known_calls(void)
{
	whole = whole_new();
	uint32_t a = object(WHOLE_GLOBAL, 8), b = object(WHOLE_GLOBAL, 8), slot = object(WHOLE_GLOBAL, 8);
	begin_function("routine", 1);
	uint32_t parameter = whole->function[function].first_parameter;
	uint32_t routine = function;
	give_back(parameter);
	end_function();
	begin_function("never", 1);
	uint32_t unused = add_load(whole_address(whole, slot, 0), 8);
	end_function();
	begin_function("main", 0);
	uint32_t code = whole_address(whole, whole->function[routine].object, 0);
	uint32_t to_a = whole_address(whole, a, 0), to_b = whole_address(whole, b, 0), zero = whole_number(whole, 0);
	uint32_t handle = whole_address(whole, slot, 0);
	uint32_t create = add_call("pthread_create", 4, (uint32_t[]){ handle, zero, code, to_a });
	uint32_t answer = whole_address(whole, object(WHOLE_GLOBAL, 8), 0);
	add_call("pthread_join", 2, (uint32_t[]){ zero, answer });
	uint32_t joined = add_load(answer, 8);
	add_store(handle, code, 8);
	uint32_t pointer = add_load(handle, 8);
	uint32_t indirect = add(WHOLE_CALL, true, 2, (uint32_t[]){ pointer, to_b });
	uint32_t unknown = add_call("nobody_knows_it", 1, &to_b);
	uint32_t back = add_load(result(unknown), 8);
	end_function();
	solve();
	CHECK("what a thread and a call by pointer get", parameter, { a, 0 }, { b, 0 });
	CHECK("a call by pointer returns", result(indirect), { a, 0 }, { b, 0 });
	CHECK("a join gives what the thread returned", joined, { a, 0 }, { b, 0 });
	struct points_set routines = points_routines(points, create), callees = points_callees(points, indirect);
	printf("%s the routine of a thread\n", routines.count == 1 && routines.items[0] == routine ? "ok" : "not ok");
	printf("%s the callee\n", callees.count == 1 && callees.items[0] == routine ? "ok" : "not ok");
	CHECK("what is given away comes back", result(unknown), { 0, 0 }, { b, POINTS_ANYWHERE });
	CHECK("and may be in memory that was given away", back, { 0, 0 }, { b, POINTS_ANYWHERE });
	check("what never runs points nowhere", unused, 0, NULL);
	printf("%s one unknown function\n", points_statistics(points).unknown_externals == 1 ? "ok" : "not ok");
	done();
}

/* ---- random programs, and the obvious solver ---- */

/* A pointer may be up to BEFORE slots before its object and up to BEHIND slots behind its start, and come back. */
/* So many functions in a table that each of them may be called where any is. Every other one has two parameters; of those the
 * second half uses both, and cannot be meant where one argument is passed. */
static void known_crowd(void)
{
	enum { FUNCTIONS = 40 };
	uint32_t functions[FUNCTIONS], results[2];
	options.lump_steps = 1;
	options.lump_cells = 8;
	whole = whole_new();
	uint32_t given = object(WHOLE_GLOBAL, 8), second = object(WHOLE_GLOBAL, 8), table = object(WHOLE_GLOBAL, 8);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		char name[16];
		snprintf(name, sizeof name, "f%u", i);
		begin_function(name, 1 + i % 2);
		functions[i] = function;
		uint32_t parameter = whole->function[function].first_parameter;
		if (i % 2 && i >= FUNCTIONS / 2)
			add_store(parameter, parameter + 1, 8);
		give_back(parameter);
		end_function();
	}
	begin_function("main", 0);
	uint32_t place = whole_address(whole, table, 0);
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		add_store(place, whole_address(whole, whole->function[functions[i]].object, 0), 8);
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t callee = add_load(place, 8);
		uint32_t operands[3] = { callee, whole_address(whole, given, 0), whole_address(whole, second, 0) };
		results[i] = result(add(WHOLE_CALL, true, 2 + i, operands));
	}
	end_function();
	solve();
	struct points_set one = points_callees(points, whole->value[results[0]].index),
			  two = points_callees(points, whole->value[results[1]].index);
	printf("%s crowd: what is called with one argument, and with two\n",
	       one.count == FUNCTIONS - FUNCTIONS / 4 && two.count == FUNCTIONS ? "ok" : "not ok");
	failed |= one.count != FUNCTIONS - FUNCTIONS / 4 || two.count != FUNCTIONS;
	uint32_t last = whole->function[functions[FUNCTIONS - 1]].first_parameter;
	CHECK("crowd: the first argument", last, { given, 0 });
	CHECK("crowd: the second argument", last + 1, { second, 0 });
	CHECK("crowd: what is returned", results[0], { given, 0 });
	done();
	options = (struct points_options){ 0 };
}

enum { SLOTS = 4, SLOT_BYTES = 8, BEFORE = 64, BEHIND = 12, WIDTH = BEFORE + BEHIND + 1, MAX_OBJECTS = 5 };

static uint64_t state;

static uint32_t pick(uint32_t count)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % count;
}

struct places {
	bool at[MAX_OBJECTS * WIDTH]; /* object * WIDTH + BEFORE + slot */
};

struct obvious {
	struct places *values, contents[MAX_OBJECTS * WIDTH];
	uint32_t first_object, object_count;
	bool is_changed;
};

static bool is_memory(uint32_t place)
{
	return place % WIDTH >= BEFORE && place % WIDTH < BEFORE + SLOTS;
}

static void grow(struct obvious *obvious, struct places *set, const struct places *more)
{
	for (uint32_t i = 0; i < MAX_OBJECTS * WIDTH; i++) {
		obvious->is_changed |= more->at[i] && !set->at[i];
		set->at[i] |= more->at[i];
	}
}

static struct places shifted(const struct places *set, int64_t slots)
{
	struct places out = { 0 };
	for (uint32_t i = 0; i < MAX_OBJECTS * WIDTH; i++) {
		int64_t to = (int64_t)(i % WIDTH) + slots;
		if (set->at[i] && to >= 0 && to < WIDTH)
			out.at[i - i % WIDTH + (uint32_t)to] = true;
	}
	return out;
}

static void obvious_access(struct obvious *obvious, const struct whole_instruction *at, int64_t slot)
{
	uint32_t a = whole_operand(whole, at, 0), b = whole_operand(whole, at, 1);
	struct places pointers = shifted(&obvious->values[a], slot);
	for (uint32_t i = 0; i < MAX_OBJECTS * WIDTH; i++) {
		if (!pointers.at[i] || !is_memory(i))
			continue;
		if (at->op == WHOLE_LOAD)
			grow(obvious, &obvious->values[at->result], &obvious->contents[i]);
		if (at->op == WHOLE_STORE)
			grow(obvious, &obvious->contents[i], &obvious->values[b]);
		if (at->op != WHOLE_MOVE)
			continue;
		struct places sources = shifted(&obvious->values[b], slot);
		for (uint32_t j = 0; j < MAX_OBJECTS * WIDTH; j++)
			if (sources.at[j] && is_memory(j))
				grow(obvious, &obvious->contents[i], &obvious->contents[j]);
	}
}

static void obvious_instruction(struct obvious *obvious, const struct whole_instruction *at)
{
	for (uint32_t i = 0; i < at->operand_count && at->op == WHOLE_COPY; i++)
		grow(obvious, &obvious->values[at->result], &obvious->values[whole_operand(whole, at, i)]);
	if (at->op == WHOLE_OFFSET) {
		struct places sum = shifted(&obvious->values[whole_operand(whole, at, 0)], at->offset / SLOT_BYTES);
		grow(obvious, &obvious->values[at->result], &sum);
	}
	for (uint64_t slot = 0; slot < at->size_bytes / SLOT_BYTES; slot++)
		obvious_access(obvious, at, (int64_t)slot);
}

static void make_random(uint32_t first_object, uint32_t object_count)
{
	uint32_t values[64], count = 0;
	for (uint32_t i = 0; i < object_count; i++)
		values[count++] = whole_address(whole, first_object + i, SLOT_BYTES * pick(SLOTS));
	uint32_t instructions = 5 + pick(40);
	for (uint32_t i = 0; i < instructions && count < 62; i++) {
		uint32_t a = values[pick(count)], b = values[pick(count)];
		switch (pick(6)) {
		case 0:
			values[count++] = result(add(WHOLE_COPY, true, 2, (uint32_t[]){ a, b }));
			break;
		case 1:
			values[count++] = add_offset(a, ((int64_t)pick(7) - 3) * SLOT_BYTES, 0);
			break;
		case 2:
			values[count++] = add_load(a, pick(4) ? 8 : 16);
			break;
		case 3:
		case 4:
			add_store(a, b, pick(4) ? 8 : 16);
			break;
		case 5:
			add_move(a, b, SLOT_BYTES * (1 + pick(SLOTS)));
			break;
		}
	}
}

/* Loops: a copy gets a value that is made behind it. */
static void make_cycles(void)
{
	uint32_t first = whole->function[function].first_instruction, last = whole->instruction_count;
	for (uint32_t i = first; i < last; i++) {
		struct whole_instruction *at = &whole->instruction[i];
		const struct whole_instruction *other = &whole->instruction[first + pick(last - first)];
		if (at->op == WHOLE_COPY && other->result != WHOLE_NONE && other->op != WHOLE_OFFSET && pick(2))
			whole->operands[at->first_operand] = other->result;
	}
}

/* Whether an offset is added in a loop; then any multiple of it is, and the obvious solver does not know that. */
static bool has_offset_cycle(void)
{
	uint32_t first = whole->function[function].first_instruction, last = whole->instruction_count;
	for (uint32_t i = first; i < last; i++) {
		bool *seen = mem_alloc(whole->value_count);
		uint32_t *stack = mem_alloc((whole->value_count + 1) * sizeof *stack), count = 0;
		bool is_cycle = false;
		if (whole->instruction[i].op == WHOLE_OFFSET)
			stack[count++] = whole_operand(whole, &whole->instruction[i], 0);
		while (count && !is_cycle) {
			uint32_t value = stack[--count];
			const struct whole_value *row = &whole->value[value];
			is_cycle = value == whole->instruction[i].result;
			if (seen[value] || row->kind != WHOLE_RESULT)
				continue;
			seen[value] = true;
			const struct whole_instruction *maker = &whole->instruction[row->index];
			for (uint32_t k = 0; k < maker->operand_count && (maker->op == WHOLE_COPY || maker->op == WHOLE_OFFSET); k++)
				if (count < whole->value_count)
					stack[count++] = whole_operand(whole, maker, k);
		}
		free(seen);
		free(stack);
		if (is_cycle)
			return true;
	}
	return false;
}

/* Whether everything that is wanted is in the set, perhaps as a place anywhere in its object. */
static bool is_covered(const struct obvious *obvious, struct points_set set, const struct places *wanted)
{
	for (uint32_t i = 0; i < MAX_OBJECTS * WIDTH; i++) {
		bool is_found = !wanted->at[i] || !is_memory(i);
		for (uint32_t j = 0; j < set.count && !is_found; j++) {
			struct points_location at = points_location(points, set.items[j]);
			is_found = at.object == obvious->first_object + i / WIDTH &&
				   (at.offset == POINTS_ANYWHERE || at.offset == (i % WIDTH - BEFORE) * SLOT_BYTES);
		}
		if (!is_found)
			return false;
	}
	return true;
}

/* Whether the solver's set is the obvious one, as far as that is in memory. With a lump it may be larger. */
static bool is_equal(const struct obvious *obvious, struct points_set set, const struct places *wanted)
{
	if (options.lump_steps)
		return is_covered(obvious, set, wanted);
	uint32_t count = 0;
	for (uint32_t i = 0; i < MAX_OBJECTS * WIDTH; i++)
		count += wanted->at[i] && is_memory(i);
	for (uint32_t i = 0; i < set.count; i++) {
		struct points_location at = points_location(points, set.items[i]);
		if (at.offset >= SLOTS * SLOT_BYTES ||
		    !wanted->at[(at.object - obvious->first_object) * WIDTH + BEFORE + at.offset / SLOT_BYTES])
			return false;
	}
	return count == set.count;
}

static bool is_same(const struct obvious *obvious, uint64_t seed)
{
	for (uint32_t i = 0; i < whole->value_count; i++)
		if (whole->value[i].kind == WHOLE_RESULT &&
		    !is_equal(obvious, points_of_value(points, i), &obvious->values[i])) {
			printf("not ok seed %llu: value %u\n", (unsigned long long)seed, i);
			return false;
		}
	for (uint32_t i = 0; i < points_location_count(points); i++) {
		struct points_location at = points_location(points, i);
		if (at.object < obvious->first_object || at.object >= obvious->first_object + obvious->object_count ||
		    at.offset == POINTS_ANYWHERE)
			continue;
		uint32_t place = (at.object - obvious->first_object) * WIDTH + BEFORE + (uint32_t)(at.offset / SLOT_BYTES);
		if (!is_equal(obvious, points_of_location(points, i), &obvious->contents[place])) {
			printf("not ok seed %llu: the contents of object %u at %llu\n", (unsigned long long)seed, at.object,
			       (unsigned long long)at.offset);
			return false;
		}
	}
	return true;
}

static uint64_t lumped; /* programs in which there was a lump */

static bool try_random(uint64_t seed, bool *is_used)
{
	state = seed * 0x9e3779b97f4a7c15u + 1;
	whole = whole_new();
	static struct obvious obvious;
	memset(&obvious, 0, sizeof obvious);
	obvious.object_count = 2 + pick(MAX_OBJECTS - 2);
	obvious.first_object = whole->object_count;
	for (uint32_t i = 0; i < obvious.object_count; i++)
		object(WHOLE_GLOBAL, SLOTS * SLOT_BYTES);
	begin_function("main", 0);
	make_random(obvious.first_object, obvious.object_count);
	make_cycles();
	end_function();
	*is_used = !has_offset_cycle();
	bool is_right = true;
	if (*is_used) {
		obvious.values = mem_alloc((whole->value_count + 1) * sizeof *obvious.values);
		for (uint32_t i = 0; i < whole->value_count; i++)
			if (whole->value[i].kind == WHOLE_ADDRESS && whole->value[i].index)
				obvious.values[i].at[(whole->value[i].index - obvious.first_object) * WIDTH + BEFORE +
						     (uint32_t)whole->value[i].offset / SLOT_BYTES] = true;
		const struct whole_function *row = &whole->function[function];
		do {
			obvious.is_changed = false;
			for (uint32_t i = 0; i < row->instruction_count; i++)
				obvious_instruction(&obvious, &whole->instruction[row->first_instruction + i]);
		} while (obvious.is_changed);
		solve();
		is_right = is_same(&obvious, seed);
		lumped += points_statistics(points).unified_functions != 0;
		points_free(points);
		free(obvious.values);
	}
	whole_free(whole);
	return is_right;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "known") == 0) {
		known_fields();
		known_arrays();
		known_buffer(true);
		known_buffer(false);
		known_heap();
		known_calls();
		known_crowd();
		return (int)failed;
	}
	if (argc > 1 && strcmp(argv[1], "lump") == 0) {
		options.lump_steps = 1;
		options.lump_cells = 2;
	}
	uint64_t first = argc > 3 ? strtoull(argv[2], NULL, 10) : 1, count = argc > 3 ? strtoull(argv[3], NULL, 10) : 1000, used = 0;
	for (uint64_t seed = first; seed < first + count; seed++) {
		bool is_used;
		if (!try_random(seed, &is_used))
			return 1;
		used += is_used;
	}
	printf("%llu programs\n", (unsigned long long)used);
	return used < count / 4 || (options.lump_steps && lumped < used / 4);
}
