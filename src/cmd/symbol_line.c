/* symbol_line.c: see symbol_line.h. */
#include "cmd/symbol_line.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/line.h"

#define ROWS_MOST 200u /* of the table of lines that are looked at, each way */

bool symbol_is_function(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_subprogram || dwarf_tag(die) == DW_TAG_inlined_subroutine;
}

bool symbol_innermost(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die *function)
{
	Dwarf_Die *scopes = NULL;
	int count = dwarf_getscopes(unit, address, &scopes), first = 0;
	while (first < count && !symbol_is_function(&scopes[first]))
		first++;
	if (first < count)
		*function = scopes[first];
	if (count > 0)
		free(scopes);
	return first < count;
}

uint32_t symbol_declaration(Dwarf_Die *function, const char *file)
{
	int line;
	const char *declared = dwarf_decl_file(function);
	if (!declared || !file || strcmp(declared, file) != 0 || dwarf_decl_line(function, &line) != 0 || line <= 0)
		return 0;
	return line_near((uint32_t)line);
}

/* What the code without a line belongs to. */
struct nameless {
	Dwarf_Die *unit;
	Dwarf_Die function;
	const char *file;
};

/* The line of a row, if its code is of the same function and file. */
static uint32_t line_of_row(struct nameless *self, Dwarf_Line *row)
{
	Dwarf_Addr address;
	Dwarf_Die function;
	int line = 0;
	bool is_end = false;
	const char *file = dwarf_linesrc(row, NULL, NULL);
	if (!file || strcmp(file, self->file) != 0 || dwarf_lineno(row, &line) != 0 || line <= 0 ||
	    dwarf_lineendsequence(row, &is_end) != 0 || is_end || dwarf_lineaddr(row, &address) != 0 ||
	    !symbol_innermost(self->unit, address, &function) ||
	    dwarf_dieoffset(&function) != dwarf_dieoffset(&self->function))
		return 0;
	return line_near((uint32_t)line);
}

static size_t index_of(Dwarf_Lines *rows, size_t count, Dwarf_Addr address)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		Dwarf_Addr at;
		if (dwarf_lineaddr(dwarf_onesrcline(rows, middle), &at) == 0 && at <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The rows of a unit are in the order of their addresses. */
static uint32_t look_around(struct nameless *self, Dwarf_Addr address)
{
	Dwarf_Lines *rows;
	size_t count;
	uint32_t line = 0;
	if (dwarf_getsrclines(self->unit, &rows, &count) != 0)
		return 0;
	size_t behind = index_of(rows, count, address);
	for (size_t i = behind; i-- > 0 && behind - i <= ROWS_MOST && !line;)
		line = line_of_row(self, dwarf_onesrcline(rows, i));
	for (size_t i = behind; i < count && i - behind < ROWS_MOST && !line; i++)
		line = line_of_row(self, dwarf_onesrcline(rows, i));
	return line;
}

uint32_t symbol_line(Dwarf_Die *unit, Dwarf_Addr address, const char **file)
{
	Dwarf_Line *found = dwarf_getsrc_die(unit, address);
	struct nameless self = { .unit = unit };
	int line = 0;
	*file = self.file = found ? dwarf_linesrc(found, NULL, NULL) : NULL;
	if (!*file || dwarf_lineno(found, &line) != 0)
		return 0;
	if (line > 0)
		return (uint32_t)line;
	if (!symbol_innermost(unit, address, &self.function))
		return 0;
	uint32_t near = look_around(&self, address);
	return near ? near : symbol_declaration(&self.function, *file);
}
