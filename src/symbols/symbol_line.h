/* symbol_line.h: the line of code from debug information, also of code that has none. */
#ifndef SYMBOLS_SYMBOL_LINE_H
#define SYMBOLS_SYMBOL_LINE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* The functions, inlined copies of them included, that the address of a unit is in: innermost first, as many as there is room
 * for, and the last one is not inlined. Returns how many; 0: it is in none, or in more. libdw's own search does not look into
 * namespaces. */
size_t symbol_functions(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die *functions, size_t room);

/* The line of the code at the address, and its file (null: not known); 0: not known. Where the code has line 0, which
 * optimisers give to what they made of several lines, the line of the nearest code before it in the same function, else behind
 * it, else that of the function's declaration: with HEDDLE_LINE_NEAR. */
uint32_t symbol_line(Dwarf_Die *unit, Dwarf_Addr address, const char **file);

/* The line of the declaration of a function in that file, with HEDDLE_LINE_NEAR; 0: not known, or in another file. */
uint32_t symbol_declaration(Dwarf_Die *function, const char *file);

#endif
