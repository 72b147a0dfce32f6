/* output_rows.c: see output.h: what one thing is, as a JSON value: places, objects, accesses, threads, locks. */
#include <stdlib.h>

#include "analysis/output.h"
#include "heddle/abi.h"

static const char *const object_words[] = {
	[WHOLE_GLOBAL] = "global", [WHOLE_THREAD_LOCAL] = "thread-local",
	[WHOLE_STACK] = "stack",   [WHOLE_HEAP] = "heap",
	[WHOLE_CODE] = "code",     [WHOLE_OUTSIDE] = "outside",
};

static const char *const root_words[] = {
	[FLOW_MAIN] = "main",         [FLOW_THREAD] = "thread", [FLOW_HANDLER] = "handler",
	[FLOW_EXPORTED] = "exported", [FLOW_TEAM] = "team",     [FLOW_FOREIGN] = "foreign",
};

static const char *const lock_words[] = {
	[FLOW_CONCRETE] = "single",
	[FLOW_RELATIVE] = "same-object",
	[FLOW_CLASS] = "one-of-several",
};

/* "file", "line", "column", "is_near", "in": members of an object */
static void add_place(struct json_writer *out, const struct whole *whole, uint32_t place)
{
	const struct whole_place *row = place < whole->place_count ? &whole->place[place] : NULL;
	json_add_string(out, "file", row ? row->file : NULL);
	json_add_number(out, "line", row ? row->line : 0);
	json_add_number(out, "column", row ? row->column : 0);
	if (row && row->is_near)
		json_add_bool(out, "is_near", true);
	if (row && row->function)
		json_add_string(out, "in", row->function);
}

void output_place(struct json_writer *out, const char *key, const struct whole *whole, uint32_t place)
{
	if (place >= whole->place_count) {
		json_add_null(out, key);
		return;
	}
	json_open_object(out, key);
	add_place(out, whole, place);
	json_close_object(out);
}

static void add_inlining(struct json_writer *out, const struct whole *whole, uint32_t place)
{
	uint32_t at = place < whole->place_count ? whole->place[place].inlined_at : WHOLE_NONE;
	json_open_array(out, "inlined");
	/* A chain is as long as functions are nested; the bound is against one that bites its tail. */
	for (unsigned steps = 0; at < whole->place_count && steps < 1000; steps++) {
		output_place(out, NULL, whole, at);
		at = whole->place[at].inlined_at;
	}
	json_close_array(out);
}

void output_call(struct json_writer *out, const char *key, const struct whole *whole, uint32_t place)
{
	json_open_object(out, key);
	add_place(out, whole, place);
	add_inlining(out, whole, place);
	json_close_object(out);
}

static const char *function_name(const struct whole *whole, uint32_t function)
{
	return function < whole->function_count ? whole->function[function].name : NULL;
}

void output_object(struct json_writer *out, const char *key, const struct whole *whole, uint32_t object)
{
	if (object >= whole->object_count) {
		json_add_null(out, key);
		return;
	}
	const struct whole_object *row = &whole->object[object];
	json_open_object(out, key);
	json_add_string(out, "kind", object_words[row->kind]);
	json_add_string(out, "name", row->kind == WHOLE_CODE ? function_name(whole, row->function) : row->name);
	json_add_string(out, "function", function_name(whole, row->function));
	json_add_number(out, "size", row->size_bytes);
	add_place(out, whole, row->place);
	add_inlining(out, whole, row->place);
	json_close_object(out);
}

void output_access(struct json_writer *out, const char *key, const struct whole *whole, uint32_t access, uint32_t same)
{
	const struct whole_access *row = &whole->access[access];
	const struct whole_instruction *instruction = &whole->instruction[row->instruction];
	const struct whole_function *function = &whole->function[instruction->function];
	json_open_object(out, key);
	json_add_string(out, "function", function->name);
	json_add_string(out, "function_file", function->file);
	json_add_number(out, "same", same);
	json_add_number(out, "ordinal", row->ordinal);
	add_place(out, whole, instruction->place);
	add_inlining(out, whole, instruction->place);
	json_add_string(out, "variable", row->variable);
	json_add_number(out, "access", row->kind);
	json_add_number(out, "order", row->order);
	json_add_number(out, "size", row->size_bytes);
	json_add_number(out, "flags", row->flags & ~WHOLE_ACCESS_FREE);
	if (row->flags & WHOLE_ACCESS_FREE)
		json_add_bool(out, "is_free", true);
	json_close_object(out);
}

void output_root(struct json_writer *out, const char *key, const struct whole *whole, const struct flow_root *root)
{
	const struct whole_function *function =
		root->function < whole->function_count ? &whole->function[root->function] : NULL;
	json_open_object(out, key);
	json_add_string(out, "kind", root_words[root->kind]);
	json_add_string(out, "function", function ? function->name : NULL);
	json_add_string(out, "file", function ? function->file : NULL);
	json_add_number(out, "line", function ? function->line : 0);
	json_add_bool(out, "many", root->is_many);
	json_add_string(out, "why", root->is_many ? root->why_many : NULL);
	if (root->call < whole->instruction_count) {
		const struct whole_instruction *call = &whole->instruction[root->call];
		json_open_object(out, "created");
		json_add_string(out, "function", function_name(whole, call->function));
		add_place(out, whole, call->place);
		add_inlining(out, whole, call->place);
		json_close_object(out);
	} else {
		json_add_null(out, "created");
	}
	json_close_object(out);
}

void output_lock(struct json_writer *out, const char *key, const struct whole *whole, const struct flow_lock *lock)
{
	json_open_object(out, key);
	json_add_string(out, "name", lock->name);
	json_add_string(out, "kind", lock_words[lock->kind]);
	json_add_string(out, "mode", lock->is_shared ? "read" : "write");
	add_place(out, whole, lock->place);
	add_inlining(out, whole, lock->place);
	if (lock->kind != FLOW_RELATIVE && lock->object < whole->object_count) {
		json_add_number(out, "offset", lock->offset);
		output_object(out, "object", whole, lock->object);
	}
	json_close_object(out);
}

void output_locks(struct json_writer *out, const char *key, const struct output_parts *parts, struct flow_locks locks,
		  uint32_t instruction, uint32_t root)
{
	json_open_array(out, key);
	for (uint32_t i = 0; i < locks.count; i++) {
		struct flow_lock lock = output_find_taken(parts, locks.items[i], instruction, root);
		output_lock(out, NULL, parts->whole, &lock);
	}
	json_close_array(out);
}

uint32_t *output_count_same(const struct whole *whole)
{
	uint32_t *same = mem_alloc((whole->function_count + 1) * sizeof *same);
	struct map seen = { 0 };
	for (uint32_t i = 0; i < whole->function_count; i++) {
		const struct whole_function *function = &whole->function[i];
		if (!function->is_defined)
			continue;
		char *key = mem_format("%s\n%s", function->name, function->file ? function->file : "");
		uintptr_t count = (uintptr_t)map_get(&seen, key);
		map_set(&seen, key, (void *)(count + 1));
		same[i] = (uint32_t)count;
		free(key);
	}
	map_release(&seen);
	return same;
}
