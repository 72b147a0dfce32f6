/* entry.h: the entries of functions that heddle-cc compiled: a NOP, or the jump to the clone, behind an endbr64 if there is one. */
#ifndef RT_ENTRY_H
#define RT_ENTRY_H

#include <stdint.h>

#define ENTRY_BYTES 5u
#define ENTRY_JUMP 0xe9

static const uint8_t entry_endbr64[4] __attribute__((unused)) = { 0xf3, 0x0f, 0x1e, 0xfa };
static const uint8_t entry_nop[ENTRY_BYTES] __attribute__((unused)) = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

#endif
