/* tell_rows.c: see tell.h: what one thing is, as a JSON value: places, objects, accesses, threads, locks. */
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/tell.h"
#include "base/text.h"
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

static void add_member(struct buf *out, const char *before, const char *name, const char *value)
{
	buf_format(out, "%s\"%s\":", before, name);
	text_json(out, value);
}

/* "file":..,"line":..,"column":..,"is_near":true,"in":.. without braces */
static void add_place(struct buf *out, const struct whole *whole, uint32_t place)
{
	const struct whole_place *row = place < whole->place_count ? &whole->place[place] : NULL;
	add_member(out, "", "file", row ? row->file : NULL);
	buf_format(out, ",\"line\":%" PRIu32 ",\"column\":%" PRIu32, row ? row->line : 0, row ? row->column : 0);
	if (row && row->is_near)
		buf_add_string(out, ",\"is_near\":true");
	if (row && row->function)
		add_member(out, ",", "in", row->function);
}

void tell_place(struct buf *out, const struct whole *whole, uint32_t place)
{
	if (place >= whole->place_count) {
		buf_add_string(out, "null");
		return;
	}
	buf_add_string(out, "{");
	add_place(out, whole, place);
	buf_add_string(out, "}");
}

static void add_inlining(struct buf *out, const struct whole *whole, uint32_t place)
{
	const char *comma = "";
	uint32_t at = place < whole->place_count ? whole->place[place].inlined_at : WHOLE_NONE;
	buf_add_string(out, ",\"inlined\":[");
	/* A chain is as long as functions are nested; the bound is against one that bites its tail. */
	for (unsigned steps = 0; at < whole->place_count && steps < 1000; steps++) {
		buf_add_string(out, comma);
		tell_place(out, whole, at);
		at = whole->place[at].inlined_at;
		comma = ",";
	}
	buf_add_string(out, "]");
}

void tell_call(struct buf *out, const struct whole *whole, uint32_t place)
{
	buf_add_string(out, "{");
	add_place(out, whole, place);
	add_inlining(out, whole, place);
	buf_add_string(out, "}");
}

static const char *function_name(const struct whole *whole, uint32_t function)
{
	return function < whole->function_count ? whole->function[function].name : NULL;
}

void tell_object(struct buf *out, const struct whole *whole, uint32_t object)
{
	if (object >= whole->object_count) {
		buf_add_string(out, "null");
		return;
	}
	const struct whole_object *row = &whole->object[object];
	add_member(out, "{", "kind", object_words[row->kind]);
	add_member(out, ",", "name", row->kind == WHOLE_CODE ? function_name(whole, row->function) : row->name);
	add_member(out, ",", "function", function_name(whole, row->function));
	buf_format(out, ",\"size\":%" PRIu64 ",", row->size_bytes);
	add_place(out, whole, row->place);
	add_inlining(out, whole, row->place);
	buf_add_string(out, "}");
}

void tell_access(struct buf *out, const struct whole *whole, uint32_t access, uint32_t same)
{
	const struct whole_access *row = &whole->access[access];
	const struct whole_instruction *instruction = &whole->instruction[row->instruction];
	const struct whole_function *function = &whole->function[instruction->function];
	add_member(out, "{", "function", function->name);
	add_member(out, ",", "function_file", function->file);
	buf_format(out, ",\"same\":%" PRIu32 ",\"ordinal\":%" PRIu32 ",", same, row->ordinal);
	add_place(out, whole, instruction->place);
	add_inlining(out, whole, instruction->place);
	add_member(out, ",", "variable", row->variable);
	buf_format(out, ",\"access\":%u,\"order\":%u,\"size\":%" PRIu64 ",\"flags\":%" PRIu32 "%s}", row->kind,
		   row->order, row->size_bytes, row->flags & ~WHOLE_ACCESS_FREE,
		   row->flags & WHOLE_ACCESS_FREE ? ",\"is_free\":true" : "");
}

void tell_root(struct buf *out, const struct whole *whole, const struct flow_root *root)
{
	const struct whole_function *function =
		root->function < whole->function_count ? &whole->function[root->function] : NULL;
	add_member(out, "{", "kind", root_words[root->kind]);
	add_member(out, ",", "function", function ? function->name : NULL);
	add_member(out, ",", "file", function ? function->file : NULL);
	buf_format(out, ",\"line\":%" PRIu32 ",\"many\":%s", function ? function->line : 0,
		   root->is_many ? "true" : "false");
	add_member(out, ",", "why", root->is_many ? root->why_many : NULL);
	buf_add_string(out, ",\"created\":");
	if (root->call < whole->instruction_count) {
		const struct whole_instruction *call = &whole->instruction[root->call];
		add_member(out, "{", "function", function_name(whole, call->function));
		buf_add_string(out, ",");
		add_place(out, whole, call->place);
		add_inlining(out, whole, call->place);
		buf_add_string(out, "}}");
	} else {
		buf_add_string(out, "null}");
	}
}

void tell_lock(struct buf *out, const struct whole *whole, const struct flow_lock *lock)
{
	add_member(out, "{", "name", lock->name);
	add_member(out, ",", "kind", lock_words[lock->kind]);
	add_member(out, ",", "mode", lock->is_shared ? "read" : "write");
	buf_add_string(out, ",");
	add_place(out, whole, lock->place);
	add_inlining(out, whole, lock->place);
	if (lock->kind != FLOW_RELATIVE && lock->object < whole->object_count) {
		buf_format(out, ",\"offset\":%" PRIu64 ",\"object\":", lock->offset);
		tell_object(out, whole, lock->object);
	}
	buf_add_string(out, "}");
}

void tell_locks(struct buf *out, const struct tell_parts *parts, struct flow_locks locks, uint32_t instruction,
		uint32_t root)
{
	buf_add_string(out, "[");
	for (uint32_t i = 0; i < locks.count; i++) {
		struct flow_lock lock = tell_taken(parts, locks.items[i], instruction, root);
		buf_add_string(out, i ? "," : "");
		tell_lock(out, parts->whole, &lock);
	}
	buf_add_string(out, "]");
}

uint32_t *tell_count_same(const struct whole *whole)
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
