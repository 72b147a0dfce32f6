/*
 * lines.h: the text of the source lines that contain accesses and calls of a unit, and of those around them, taken from
 * the sources when the unit is compiled (base/lines.h): only then do they certainly exist and match the unit. It is
 * stored with the unit and ends in the table of lines (abi.h), so that it identifies a finding wherever the program is
 * tested.
 */
#ifndef IR_LINES_H
#define IR_LINES_H

#include "base/mem.h"
#include <llvm-c/Core.h>

/* Appends the lines of a unit. maps: "OLD=NEW", as clang maps prefixes of names in debug information (-fdebug-prefix-map);
 * sources are opened by their old names, and known by the new ones. A file that cannot be read has no lines. */
void lines_collect(LLVMModuleRef module, const struct strings *maps, struct buf *lines);

/* Appends the record of the table of lines (struct heddle_lines): packed, and a multiple of 8 bytes. Nothing for nothing. */
void lines_pack(const struct buf *lines, struct buf *record);

#endif
