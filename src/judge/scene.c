/* scene.c: see scene.h. */
#include "judge/scene.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "symbols/line.h"
#include "symbols/names_short.h"
#include "symbols/woven.h"

static void add_modules(struct buf *out, const struct report *report)
{
	for (size_t i = 0; i < report->module_count; i++) {
		const struct report_module *module = &report->modules[i];
		buf_format(out, "module %" PRIx64 " %" PRIx64 " %" PRIx64 " ", module->start, module->end,
			   module->offset);
		for (const char *byte = module->path; *byte; byte++)
			buf_format(out, (unsigned char)*byte < ' ' || *byte == '\\' ? "\\%03o" : "%c", *byte);
		buf_add_string(out, "\n");
	}
}

void scene_release(struct scene *self)
{
	if (self->symbols) {
		unwinder_free(self->unwinder);
		symbols_free(self->symbols);
		report_release(&self->modules);
	}
	free(self->text);
	*self = (struct scene){ 0 };
}

void scene_set(struct scene *self, const struct report *report)
{
	struct buf text = { 0 };
	add_modules(&text, report);
	if (!self->text || !text.data || strcmp(self->text, text.data) != 0) {
		scene_release(self);
		self->text = mem_copy_string(text.data ? text.data : "");
		report_parse(&self->modules, self->text, strlen(self->text));
		self->symbols = symbols_new(&self->modules);
		self->unwinder = unwinder_new(&self->modules, self->symbols);
	}
	buf_release(&text);
}

static void set_symbol(struct scene_place *place, const struct symbol_place *symbol)
{
	place->function = symbol->function;
	place->file = symbol->file;
	place->line = symbol->line;
}

/* The innermost of the program's own; where there is none, the innermost. */
static void choose_frame(struct scene *self, uint64_t address, struct scene_place *place)
{
	const struct symbol_place *found;
	size_t count = symbols_code(self->symbols, address, &found), at = 0;
	while (at < count && !stack_is_own(self->symbols, address, &found[at]))
		at++;
	place->is_own = at < count;
	if (count)
		set_symbol(place, &found[place->is_own ? at : 0]);
	if (place->is_own && at > 0)
		place->library = found[0];
}

void scene_place(struct scene *self, uint64_t address, struct scene_place *place)
{
	struct woven_site site;
	uint64_t in_file;
	*place = (struct scene_place){ .site = WOVEN_NONE };
	if (!address)
		return;
	choose_frame(self, address, place);
	symbols_in_file(self->symbols, address, &place->path, &in_file);
	const struct woven *woven =
		report_is_code(&self->modules, address) ? NULL : symbols_site(self->symbols, address, &place->site);
	if (!woven || !woven_site(woven, place->site, &site)) {
		place->site = WOVEN_NONE;
		return;
	}
	place->variable = site.variable;
	place->site_flags = site.record.flags;
	place->locks = site.locks;
	place->size = site.record.size;
	place->column = place->library.file ? 0 : site.record.column;
	/* What the optimiser made of several lines has none. */
	struct woven_function function;
	if (!place->file && woven_function(woven, site.function, &function)) {
		place->file = symbols_file(self->symbols, function.file);
		place->is_own = place->file != NULL;
	}
}

bool scene_own_place(struct scene *self, const struct report_thread *thread, struct scene_place *place)
{
	struct stack_places places;
	stack_of_thread(&places, self->unwinder, self->symbols, thread);
	const struct symbol_place *found = stack_own_place(&places);
	*place = (struct scene_place){ .site = WOVEN_NONE, .is_own = found != NULL };
	if (found)
		set_symbol(place, found);
	return found;
}

const char *scene_preposition(const struct scene_place *place)
{
	return place->is_before ? " after " : " at ";
}

/* The current place is in a library that this caller called. */
static void move_out(struct scene_place *place, const struct symbol_place *caller)
{
	if (place->file)
		place->library =
			(struct symbol_place){ .function = place->function, .file = place->file, .line = place->line };
	set_symbol(place, caller);
	place->column = 0;
	place->is_own = true;
}

void scene_find_caller(struct scene *self, const struct report_thread *thread, bool is_before,
		       struct scene_place *place)
{
	struct stack_places places;
	if (place->is_own)
		return;
	stack_of_thread(&places, self->unwinder, self->symbols, thread);
	const struct symbol_place *caller = stack_own_place(&places);
	if (!caller)
		return;
	move_out(place, caller);
	place->is_before = is_before;
}

void scene_taking_place(struct scene *self, const struct report_held *held, struct scene_place *place)
{
	scene_place(self, held->code, place);
	const struct symbol_place *caller =
		place->is_own ? NULL : stack_origin(self->symbols, held->callers, held->caller_count);
	if (caller)
		move_out(place, caller);
}

void scene_describe_line(struct buf *out, const struct scene_place *place)
{
	if (place->file)
		line_add(out, place->file, place->line);
	else if (place->path)
		text_terminal(out, place->path);
	else
		buf_add_string(out, "an unknown place");
}

static void describe_function(struct buf *out, const char *function)
{
	if (!function)
		return;
	buf_add_string(out, " in ");
	names_add_short(out, function);
}

void scene_describe_place(struct buf *out, const struct scene_place *place)
{
	scene_describe_line(out, place);
	describe_function(out, place->function);
	if (!place->library.file)
		return;
	buf_add_string(out, " [");
	line_add(out, place->library.file, place->library.line);
	describe_function(out, place->library.function);
	buf_add_string(out, "]");
}

/* Of a structure that the optimiser took apart the symbol has the name of the whole; both places name the member. */
static bool is_member_of(const struct scene_place *a, const struct scene_place *b, const char *whole)
{
	size_t size = strlen(whole);
	return a->variable && b->variable && strcmp(a->variable, b->variable) == 0 &&
	       strncmp(a->variable, whole, size) == 0 && a->variable[size] == '.' && !strchr(a->variable + size, '[');
}

/* A block copy has the name of the whole variable; an access to a member has the member's name. A size that is known
 * only at run time is that of a block. */
static const char *narrower_name(const struct scene_place *a, const struct scene_place *b)
{
	if (!a->variable || !b->variable)
		return a->variable ? a->variable : b->variable;
	return b->size && (!a->size || b->size < a->size) ? b->variable : a->variable;
}

void scene_describe_object(struct buf *out, struct scene *self, uint64_t address, const struct scene_place *a,
			   const struct scene_place *b)
{
	struct buf name = { 0 };
	const char *variable = narrower_name(a, b);
	if (symbols_describe_data(&name, self->symbols, address) && !is_member_of(a, b, name.data))
		buf_add_string(out, name.data);
	else if (variable)
		text_terminal(out, variable);
	else
		buf_add_string(out, "memory");
	buf_release(&name);
}

/* Names from debug information may lack the parameters that linkage names have. */
static void add_function_key(struct buf *out, const char *function)
{
	buf_add(out, function ? function : "?", function ? strcspn(function, "(") : 1);
}

void scene_key(struct buf *out, const struct scene_place *place)
{
	add_function_key(out, place->function);
	buf_format(out, ":%s:%" PRIu32, place->file ? place->file : "?", line_is_near(place->line) ? 0 : place->line);
}

void scene_site_key(struct buf *out, const struct scene_place *place)
{
	if (place->site != WOVEN_NONE)
		buf_format(out, "%s#%" PRIu32, place->path, place->site);
	else
		scene_key(out, place);
}

static const char *find_code(struct scene *self, struct finding *finding, const char *file, uint32_t line)
{
	struct buf own = { 0 }, around = { 0 };
	const char *code = NULL;
	if (self->symbols && file && line && !line_is_near(line) &&
	    symbols_line(self->symbols, file, line, &own, &around))
		code = finding_keep(finding, own.data);
	buf_release(&own);
	buf_release(&around);
	return code;
}

void scene_find_code(struct scene *self, struct finding *finding)
{
	for (size_t i = 0; i < finding->evidence.site_count; i++)
		finding->evidence.sites[i].code =
			find_code(self, finding, finding->evidence.sites[i].file, finding->evidence.sites[i].line);
	for (size_t i = 0; i < finding->evidence.act_count; i++)
		finding->evidence.acts[i].code =
			find_code(self, finding, finding->evidence.acts[i].file, finding->evidence.acts[i].line);
}

void scene_add_site(struct finding *finding, const struct scene_place *place, const char *access, uint32_t thread)
{
	struct finding_site site = {
		.file = place->file,
		.function = place->function,
		.variable = place->variable,
		.line = place->line,
		.column = place->column,
		.number = place->site == WOVEN_NONE ? 0 : place->site + 1,
		.access = access,
		.is_range = place->site != WOVEN_NONE &&
			    place->site_flags &
				    (HEDDLE_SITE_RANGE | HEDDLE_SITE_MEMORY_INTRINSIC | HEDDLE_SITE_ARGUMENT_COPY),
		.thread = thread,
	};
	finding_add_site(finding, &site);
}
