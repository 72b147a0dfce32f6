/* place.c: see place.h. */
#include "learned/place.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "symbols/describe.h"
#include "symbols/line.h"

static char *copy(const char *text)
{
	return text ? mem_copy_string(text) : NULL;
}

void learned_place_copy(struct learned_place *to, const struct learned_place *from)
{
	*to = *from;
	to->function = copy(from->function);
	to->file = copy(from->file);
	to->variable = copy(from->variable);
	to->code = copy(from->code);
	to->callers = mem_copy_string(from->callers ? from->callers : "");
}

void learned_place_release(struct learned_place *self)
{
	free(self->function);
	free(self->file);
	free(self->variable);
	free(self->code);
	free(self->callers);
	*self = (struct learned_place){ 0 };
}

const char *learned_place_file(const struct learned_place *self)
{
	const char *slash = self->file ? strrchr(self->file, '/') : NULL;
	return slash ? slash + 1 : self->file ? self->file : "";
}

char *learned_place_key(const struct learned_place *self)
{
	return mem_format("%s\n%s\n%s\n%s\n%" PRIu32 "\n%" PRIu32 "\n%s", self->function, learned_place_file(self),
			  self->code, heddle_access_names[self->access], self->size, self->ordinal,
			  self->callers ? self->callers : "");
}

void learned_place_json(struct json_writer *out, const struct learned_place *self)
{
	json_add_string(out, "function", self->function);
	json_add_string(out, "file", self->file);
	line_add_json(out, self->line);
	json_add_number(out, "column", self->column);
	json_add_string(out, "access", heddle_access_names[self->access]);
	json_add_number(out, "size", self->size);
	json_add_string(out, "variable", self->variable);
}

void learned_place_describe(struct buf *out, const struct learned_place *self)
{
	describe_place(out, self->file, self->line, 0);
	buf_format(out, " %s", heddle_access_names[self->access]);
	if (self->variable) {
		buf_add_string(out, " ");
		text_terminal(out, self->variable);
	}
	if (self->callers && *self->callers) {
		char *caller = mem_format("%.*s", (int)strcspn(self->callers, " \n"), self->callers);
		buf_add_string(out, " (called by ");
		text_terminal(out, caller);
		buf_add_string(out, ")");
		free(caller);
	}
}
