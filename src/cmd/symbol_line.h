/* symbol_line.h: the line of code from debug information, also of code that has none. */
#ifndef CMD_SYMBOL_LINE_H
#define CMD_SYMBOL_LINE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether it is a function, or an inlined copy of one. */
bool symbol_is_function(Dwarf_Die *die);

/* The innermost function, or inlined copy of one, that the address of a unit is in. False when there is none. */
bool symbol_innermost(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die *function);

/* The line of the code at the address, and its file (null: not known); 0: not known. Where the code has line 0, which
 * optimisers give to what they made of several lines, the line of the nearest code before it in the same function, else behind
 * it, else that of the function's declaration: with HEDDLE_LINE_NEAR. */
uint32_t symbol_line(Dwarf_Die *unit, Dwarf_Addr address, const char **file);

/* The line of the declaration of a function in that file, with HEDDLE_LINE_NEAR; 0: not known, or in another file. */
uint32_t symbol_declaration(Dwarf_Die *function, const char *file);

#endif
