/* describe.c: see describe.h. */
#include "symbols/describe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "symbols/line.h"

const char *const heddle_plain_names[HEDDLE_PLAIN_COUNT] = {
	[HEDDLE_PLAIN_NOT] = "woven",
	[HEDDLE_PLAIN_NAKED] = "naked: contains only assembly",
	[HEDDLE_PLAIN_IFUNC_RESOLVER] = "resolver of an indirect function",
	[HEDDLE_PLAIN_COMPUTED_GOTO] = "addresses of labels in data",
	[HEDDLE_PLAIN_OWN_ENTRY] = "has its own entry",
	[HEDDLE_PLAIN_DISCARDED] = "refers to symbols the linker dropped",
	[HEDDLE_PLAIN_EXCLUDED] = "excluded by an attribute in the source",
	[HEDDLE_PLAIN_ASM_SYMBOL] = "defines a symbol in inline assembly",
	[HEDDLE_PLAIN_ASM_PRIVATE] = "uses private assembly symbols",
};

const char *const heddle_plain_words[HEDDLE_PLAIN_COUNT] = {
	[HEDDLE_PLAIN_NAKED] = "naked",
	[HEDDLE_PLAIN_IFUNC_RESOLVER] = "ifunc_resolver",
	[HEDDLE_PLAIN_COMPUTED_GOTO] = "computed_goto",
	[HEDDLE_PLAIN_OWN_ENTRY] = "own_entry",
	[HEDDLE_PLAIN_DISCARDED] = "discarded",
	[HEDDLE_PLAIN_EXCLUDED] = "excluded",
	[HEDDLE_PLAIN_ASM_SYMBOL] = "assembly_symbol",
	[HEDDLE_PLAIN_ASM_PRIVATE] = "assembly_private",
};

const char *const heddle_access_names[HEDDLE_ACCESS_COUNT] = {
	[HEDDLE_ACCESS_NONE] = "none",
	[HEDDLE_ACCESS_READ] = "read",
	[HEDDLE_ACCESS_WRITE] = "write",
	[HEDDLE_ACCESS_ATOMIC_READ] = "atomic read",
	[HEDDLE_ACCESS_ATOMIC_WRITE] = "atomic write",
	[HEDDLE_ACCESS_ATOMIC_UPDATE] = "atomic update",
	[HEDDLE_ACCESS_ATOMIC_EXCHANGE] = "atomic exchange",
	[HEDDLE_ACCESS_FENCE] = "fence",
	[HEDDLE_ACCESS_OPAQUE] = "opaque",
};

static const char *const order_names[HEDDLE_ORDER_SEQ_CST + 1] = {
	[HEDDLE_ORDER_PLAIN] = "plain",     [HEDDLE_ORDER_UNORDERED] = "unordered", [HEDDLE_ORDER_RELAXED] = "relaxed",
	[HEDDLE_ORDER_ACQUIRE] = "acquire", [HEDDLE_ORDER_RELEASE] = "release",     [HEDDLE_ORDER_ACQ_REL] = "acq_rel",
	[HEDDLE_ORDER_SEQ_CST] = "seq_cst",
};

static const struct {
	uint32_t flag;
	const char *text, *word;
} site_flags[] = {
	{ HEDDLE_SITE_VOLATILE, "volatile", "volatile" },
	{ HEDDLE_SITE_RANGE, NULL, "range" }, /* the text says "n" for the size */
	{ HEDDLE_SITE_MASKED, "masked", "masked" },
	{ HEDDLE_SITE_VECTOR, "vector", "vector" },
	{ HEDDLE_SITE_VA_ARG, "va_arg", "va_arg" },
	{ HEDDLE_SITE_MEMORY_INTRINSIC, "block", "memory_intrinsic" },
	{ HEDDLE_SITE_SINGLE_THREAD, "single-thread", "single_thread" },
	{ HEDDLE_SITE_ARGUMENT_COPY, "argument-copy", "argument_copy" },
	{ HEDDLE_SITE_FIXED, NULL, "fixed" }, /* for people, the variable says it */
	{ HEDDLE_SITE_PROVED, "proved", "proved" },
	{ HEDDLE_SITE_QUIET, "quiet", "quiet" },
	{ HEDDLE_SITE_SHARED, NULL, "shared" },
	{ HEDDLE_SITE_LOCKED, NULL, "locked" },
	{ HEDDLE_SITE_PROMISED, "promised", "promised" },
	{ HEDDLE_SITE_ASSEMBLY, "assembly", "assembly" },
	{ HEDDLE_SITE_LOOP, "loop", "loop" },
	{ HEDDLE_SITE_COMPUTED, NULL, "computed" },
	{ HEDDLE_SITE_ONLY_COMPUTED, NULL, "only_computed" },
	{ HEDDLE_SITE_BITS, NULL, "bits" },
};

#define SITE_FLAG_COUNT (sizeof site_flags / sizeof *site_flags)

void describe_place(struct buf *out, const char *file, uint32_t line, uint32_t column)
{
	if (!file) {
		buf_add_string(out, "?");
		return;
	}
	line_add(out, file, line);
	if (line && column)
		buf_format(out, ":%" PRIu32, column);
}

void describe_access(struct buf *out, const struct heddle_site *site)
{
	buf_add_string(out, heddle_access_names[site->access]);
	if (site->size)
		buf_format(out, " %" PRIu32, site->size);
	else if (site->access < HEDDLE_ACCESS_FENCE)
		buf_add_string(out, " n");
	if (site->order & 15)
		buf_format(out, " %s", order_names[site->order & 15]);
	if (site->order >> 4)
		buf_format(out, ", %s on failure", order_names[site->order >> 4]);
	for (size_t i = 0; i < SITE_FLAG_COUNT; i++)
		if (site->flags & site_flags[i].flag && site_flags[i].text)
			buf_format(out, " %s", site_flags[i].text);
}

/* Readers of woven.h have checked that the function is there. */
static const char *compiled_into(const struct description *self, const struct woven_site *site)
{
	struct woven_function function;
	return woven_function(self->woven, site->function, &function) ? function.name : "?";
}

const char *describe_written_in(const struct description *self, const struct woven_site *site)
{
	struct woven_inline step;
	if (site->inlined == WOVEN_NONE)
		return compiled_into(self, site);
	woven_inline(self->woven, site->inlined, &step);
	return step.function;
}

void describe_function(struct buf *out, struct description *self, const char *linkage)
{
	text_terminal(out, names_displayed(&self->names, linkage));
}

/* Moves to the next step of a chain: where the call is, and the function it is in. False at the end. */
static bool next_caller(const struct description *self, const struct woven_site *site, uint32_t *at,
			struct woven_inline *call, const char **caller)
{
	struct woven_inline next;
	if (*at == WOVEN_NONE)
		return false;
	woven_inline(self->woven, *at, call);
	*at = call->next;
	if (*at == WOVEN_NONE) {
		*caller = compiled_into(self, site);
	} else {
		woven_inline(self->woven, *at, &next);
		*caller = next.function;
	}
	return true;
}

void describe_inlining(struct buf *out, struct description *self, const struct woven_site *site, const char *prefix)
{
	struct woven_inline call;
	const char *caller;
	for (uint32_t at = site->inlined; next_caller(self, site, &at, &call, &caller);) {
		buf_format(out, "%sinlined at ", prefix);
		describe_place(out, call.file, call.line, call.column);
		buf_add_string(out, " in ");
		describe_function(out, self, caller);
		buf_add_string(out, "\n");
	}
}

/* "function", "full_name", "linkage_name", where the first is for reading, and the second there when it differs. */
static void names_json(struct json_writer *out, struct description *self, const char *linkage)
{
	const char *displayed = names_displayed(&self->names, linkage), *full = names_readable(&self->names, linkage);
	json_add_string(out, "function", displayed);
	if (strcmp(displayed, full) != 0)
		json_add_string(out, "full_name", full);
	json_add_string(out, "linkage_name", linkage);
}

static void place_json(struct json_writer *out, const char *file, uint32_t line, uint32_t column)
{
	json_add_string(out, "file", file);
	line_add_json(out, line);
	json_add_number(out, "column", column);
}

static void flags_json(struct json_writer *out, uint32_t flags)
{
	json_open_array(out, "flags");
	for (size_t i = 0; i < SITE_FLAG_COUNT; i++)
		if (flags & site_flags[i].flag)
			json_add_string(out, NULL, site_flags[i].word);
	json_close_array(out);
}

static void inlining_json(struct json_writer *out, struct description *self, const struct woven_site *site)
{
	struct woven_inline call;
	const char *caller;
	json_open_array(out, "inlined_at");
	for (uint32_t at = site->inlined; next_caller(self, site, &at, &call, &caller);) {
		json_open_object(out, NULL);
		place_json(out, call.file, call.line, call.column);
		names_json(out, self, caller);
		json_close_object(out);
	}
	json_close_array(out);
}

void describe_site_json(struct json_writer *out, struct description *self, uint32_t id, const struct woven_site *site,
			const uint64_t *count)
{
	const struct heddle_site *record = &site->record;
	json_open_object(out, NULL);
	json_add_number(out, "id", id);
	if (count)
		json_add_number(out, "count", *count);
	place_json(out, site->file, record->line, record->column);
	names_json(out, self, describe_written_in(self, site));
	json_add_string(out, "variable", site->variable);
	json_add_string(out, "access", heddle_access_names[record->access]);
	json_add_string(out, "order", order_names[record->order & 15]);
	if (record->order >> 4)
		json_add_string(out, "failure_order", order_names[record->order >> 4]);
	if (record->size)
		json_add_number(out, "size", record->size);
	else
		json_add_null(out, "size");
	flags_json(out, record->flags);
	if (site->locks)
		json_add_string(out, "locks", site->locks);
	if (record->flags & HEDDLE_SITE_BITS)
		json_add_format(out, "used_bits", "0x%" PRIx64, site->bits);
	json_add_number(out, "function_id", site->function);
	inlining_json(out, self, site);
	json_close_object(out);
}

void describe_function_json(struct json_writer *out, struct description *self, uint32_t id,
			    const struct woven_function *function)
{
	const struct heddle_function *record = &function->record;
	json_open_object(out, NULL);
	json_add_number(out, "id", id);
	names_json(out, self, function->name);
	json_add_string(out, "file", function->file);
	json_add_number(out, "line", record->line);
	json_add_string(out, "plain", heddle_plain_words[record->plain]);
	json_add_number(out, "sites", record->site_count);
	if (function->first_site == WOVEN_NONE)
		json_add_null(out, "first_site");
	else
		json_add_number(out, "first_site", function->first_site);
	json_add_number(out, "skipped", record->skipped_count);
	json_add_number(out, "inline_assembly", record->asm_count);
	json_add_bool(out, "varargs", record->flags & HEDDLE_FUNCTION_VARARGS);
	json_add_bool(out, "setjmp", record->flags & HEDDLE_FUNCTION_RETURNS_TWICE);
	json_add_bool(out, "exceptions", record->flags & HEDDLE_FUNCTION_EXCEPTIONS);
	json_add_bool(out, "local", record->flags & HEDDLE_FUNCTION_LOCAL);
	json_close_object(out);
}

void describe_build_json(struct json_writer *out, const char *key, const uint8_t id[16])
{
	json_open_string(out, key);
	describe_build(out->out, id);
	json_close_string(out);
}

void describe_build(struct buf *out, const uint8_t id[16])
{
	for (int i = 0; i < 16; i++)
		buf_format(out, "%02x", id[i]);
}

void describe_opaque(struct buf *out, const struct report_opaque *opaque)
{
	struct names names = { 0 };
	struct path_view view;
	path_view_init(&view);
	char *whole = path_join(NULL, opaque->file), *file = path_view_display(&view, whole);
	buf_add_string(out, "inline assembly at ");
	text_terminal(out, file);
	if (opaque->line)
		buf_format(out, ":%" PRIu64, opaque->line);
	buf_add_string(out, " in ");
	text_terminal(out, names_displayed(&names, opaque->function));
	buf_add_string(out, " is not observed: its memory accesses are not events, and it does not order threads");
	free(whole);
	free(file);
	path_view_release(&view);
	names_release(&names);
}
