/* symbol_line.c: see symbol_line.h. */
#include "symbols/symbol_line.h"

#include <dwarf.h>
#include <string.h>

#include "symbols/line.h"

#define MAX_DEPTH 200u
#define MAX_FUNCTIONS 65u
#define MAX_ROWS 200u /* of the table of lines that are looked at, each way */

struct search {
	Dwarf_Addr address;
	Dwarf_Die *functions; /* filled from behind */
	size_t room, left;
};

/* Looks through the children. Returns whether the address is in one of them. */
static bool search(struct search *self, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die child;
	bool is_found = false;
	if (depth > MAX_DEPTH || dwarf_child(parent, &child) != 0)
		return false;
	do {
		int tag = dwarf_tag(&child);
		bool is_function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
		if (tag == DW_TAG_namespace)
			is_found = search(self, &child, depth + 1);
		if ((!is_function && tag != DW_TAG_lexical_block) || dwarf_haspc(&child, self->address) != 1)
			continue;
		if (is_function && self->left)
			self->functions[--self->left] = child;
		else if (is_function)
			return false;
		search(self, &child, depth + 1);
		is_found = true;
	} while (!is_found && dwarf_siblingof(&child, &child) == 0);
	return is_found;
}

size_t symbol_functions(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die *functions, size_t room)
{
	struct search self = { .address = address, .functions = functions, .room = room, .left = room };
	search(&self, unit, 0);
	if (!self.left && room)
		return 0;
	memmove(functions, functions + self.left, (room - self.left) * sizeof *functions);
	return room - self.left;
}

static bool find_innermost(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die *function)
{
	Dwarf_Die functions[MAX_FUNCTIONS];
	bool is_found = symbol_functions(unit, address, functions, MAX_FUNCTIONS);
	*function = functions[0];
	return is_found;
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
	    !find_innermost(self->unit, address, &function) ||
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
	for (size_t i = behind; i-- > 0 && behind - i <= MAX_ROWS && !line;)
		line = line_of_row(self, dwarf_onesrcline(rows, i));
	for (size_t i = behind; i < count && i - behind < MAX_ROWS && !line; i++)
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
	if (!find_innermost(unit, address, &self.function))
		return 0;
	uint32_t near = look_around(&self, address);
	return near ? near : symbol_declaration(&self.function, *file);
}
