/* symbol_data.c: see symbol_data.h. */
#include "symbols/symbol_data.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <inttypes.h>
#include <stdbool.h>

#include "base/text.h"

#define DEPTH_MAX 16

/* The expression that says where the variable is, or what it is; null when it has none. */
static Dwarf_Op *location_of(Dwarf_Die *variable, Dwarf_Attribute *attribute, size_t *count)
{
	Dwarf_Op *operations;
	return dwarf_attr(variable, DW_AT_location, attribute) &&
			       dwarf_getlocation(attribute, &operations, count) == 0 && *count
		       ? operations
		       : NULL;
}

/* Whether the variable is at that address of its file, or is_computed from the contents there. */
static bool is_at(Dwarf_Die *variable, Dwarf_Addr address, bool is_computed)
{
	Dwarf_Attribute attribute, place;
	Dwarf_Addr found;
	size_t count;
	Dwarf_Op *operations = location_of(variable, &attribute, &count);
	if (!operations || is_computed != (count > 1))
		return false;
	if (operations[0].atom == DW_OP_addr)
		return operations[0].number == address;
	/* An index into a table of addresses: DWARF 5, and its predecessor by GNU. */
	return (operations[0].atom == DW_OP_addrx || operations[0].atom == DW_OP_GNU_addr_index) &&
	       dwarf_getlocation_attr(&attribute, operations, &place) == 0 && dwarf_formaddr(&place, &found) == 0 &&
	       found == address;
}

/* Looks through the variables of a unit, those of functions and namespaces too. */
static bool find_in(Dwarf_Die *parent, Dwarf_Addr address, bool is_computed, int depth, Dwarf_Die *found)
{
	Dwarf_Die die;
	if (depth > DEPTH_MAX || dwarf_child(parent, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);
		if (tag == DW_TAG_variable && is_at(&die, address, is_computed)) {
			*found = die;
			return true;
		}
		if ((tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_namespace) &&
		    find_in(&die, address, is_computed, depth + 1, found))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

static bool find_variable(Dwfl_Module *module, uint64_t address, bool is_computed, Dwarf_Die *found)
{
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;
	while ((unit = dwfl_module_nextcu(module, unit, &bias)))
		if (find_in(unit, address - bias, is_computed, 0, found))
			return true;
	return false;
}

/* The type behind names and qualifiers. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type) &&
	       dwarf_peel_type(type, type) == 0;
}

static bool size_of(Dwarf_Die *type, Dwarf_Word *size)
{
	return dwarf_aggregate_size(type, size) == 0 && *size > 0;
}

/* The member of a structure that has the offset; *offset becomes that within it. */
static bool find_member(Dwarf_Die *structure, uint64_t *offset, Dwarf_Die *member)
{
	Dwarf_Die die, type;
	if (dwarf_child(structure, &die) != 0)
		return false;
	do {
		Dwarf_Attribute attribute;
		Dwarf_Word start = 0, size;
		int tag = dwarf_tag(&die);
		if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
			continue;
		if (dwarf_attr(&die, DW_AT_data_member_location, &attribute) &&
		    dwarf_formudata(&attribute, &start) != 0)
			continue;
		if (!dwarf_hasattr_integrate(&die, DW_AT_data_member_location) &&
		    dwarf_tag(structure) != DW_TAG_union_type)
			continue; /* a static member */
		if (*offset < start || !type_of(&die, &type) || !size_of(&type, &size) || *offset - start >= size)
			continue;
		*offset -= start;
		*member = die;
		return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

/* Appends ".lock" for the offset in the type, and for what is within that; what is left over stays in *offset. Library
 * types that begin with an underscore or are unions inside (pthread_mutex_t) are not looked into. */
static void add_path(struct buf *out, Dwarf_Die type, uint64_t *offset)
{
	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		int tag = dwarf_tag(&type);
		Dwarf_Die inner;
		Dwarf_Word size;
		if (tag == DW_TAG_array_type) {
			if (!type_of(&type, &inner) || !size_of(&inner, &size))
				return;
			buf_format(out, "[%" PRIu64 "]", *offset / size);
			*offset %= size;
			type = inner;
			continue;
		}
		if (tag != DW_TAG_structure_type && tag != DW_TAG_class_type)
			return;
		if (!find_member(&type, offset, &inner))
			return;
		const char *name = dwarf_diename(&inner);
		if (dwarf_tag(&inner) == DW_TAG_member && name) {
			if (name[0] == '_' && name[1] == '_')
				return;
			buf_add_string(out, ".");
			text_terminal(out, name);
		}
		if (!type_of(&inner, &type))
			return;
	}
}

void symbol_data_member(struct buf *out, Dwfl_Module *module, uint64_t address, uint64_t offset)
{
	Dwarf_Die variable, type;
	if (find_variable(module, address - offset, false, &variable) && type_of(&variable, &type))
		add_path(out, type, &offset);
	if (offset)
		buf_format(out, "+%" PRIu64, offset);
}

#define STACK_ROOM 8u

/* What the optimiser writes for variables that it keeps in another form is arithmetic on what is in memory. */
static bool evaluate(const Dwarf_Op *operations, size_t count, uint64_t *value)
{
	uint64_t stack[STACK_ROOM];
	size_t depth = 0;
	for (size_t i = 0; i < count; i++) {
		const Dwarf_Op *op = &operations[i];
		if (depth == STACK_ROOM)
			return false;
		switch (op->atom) {
		case DW_OP_addr:
		case DW_OP_addrx:
		case DW_OP_GNU_addr_index:
			stack[depth++] = 0;
			continue;
		case DW_OP_constu:
		case DW_OP_consts:
			stack[depth++] = op->number;
			continue;
		case DW_OP_stack_value:
			*value = depth == 1 ? stack[0] : *value;
			return depth == 1 && i + 1 == count;
		default:
			if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
				stack[depth++] = op->atom - DW_OP_lit0;
				continue;
			}
		}
		if (depth == 0)
			return false;
		uint64_t top = stack[depth - 1];
		if (op->atom == DW_OP_deref || op->atom == DW_OP_deref_size)
			stack[depth - 1] = *value;
		else if (op->atom == DW_OP_plus_uconst)
			stack[depth - 1] = top + op->number;
		else if (op->atom == DW_OP_neg)
			stack[depth - 1] = -top;
		else if (op->atom == DW_OP_not)
			stack[depth - 1] = ~top;
		else if (depth < 2)
			return false;
		else if (op->atom == DW_OP_mul)
			stack[--depth - 1] *= top;
		else if (op->atom == DW_OP_plus)
			stack[--depth - 1] += top;
		else if (op->atom == DW_OP_minus)
			stack[--depth - 1] -= top;
		else
			return false;
	}
	return false;
}

bool symbol_data_decode(Dwfl_Module *module, uint64_t address, uint64_t *value)
{
	Dwarf_Die variable, type;
	Dwarf_Attribute attribute;
	Dwarf_Word size;
	size_t count;
	if (!find_variable(module, address, true, &variable))
		return false;
	const Dwarf_Op *operations = location_of(&variable, &attribute, &count);
	if (!operations || !evaluate(operations, count, value))
		return false;
	if (type_of(&variable, &type) && size_of(&type, &size) && size < 8)
		*value &= ((uint64_t)1 << 8 * size) - 1;
	return true;
}
