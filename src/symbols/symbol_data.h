/* symbol_data.h: the member of a variable that an address belongs to, from debug information. */
#ifndef SYMBOLS_SYMBOL_DATA_H
#define SYMBOLS_SYMBOL_DATA_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

/* Appends ".lock", "[3].head" or, when that cannot be known, "+16": what is offset bytes after the start of the variable
 * that has the address. Nothing when it is the start of something that is no structure. */
void symbol_data_member(struct buf *out, Dwfl_Module *module, uint64_t address, uint64_t offset);

/* The variable that the debug information computes from the memory at the address: *value is the contents there, and
 * becomes its value. False when there is none, or its expression is a different one. */
bool symbol_data_decode(Dwfl_Module *module, uint64_t address, uint64_t *value);

#endif
