/* access.h: hooks for woven objects in the controlled world. */
#ifndef WORLD_ACCESS_H
#define WORLD_ACCESS_H

#include "world/world.h"

void access_hooks(struct heddle_hooks *hooks);

#endif
