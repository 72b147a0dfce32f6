/* access.h: hooks for woven objects in the controlled world. */
#ifndef WORLD_ACCESS_H
#define WORLD_ACCESS_H

#include "world/world.h"

/* The hooks, and the entries that lead to those of plain accesses: for gate_open. */
void access_hooks(struct heddle_hooks *hooks);
extern void (*const access_entries[HEDDLE_HOOK_READ_RANGE])(void);

#endif
