/*
 * foreign.h: functions of a woven file that heddle-cc did not build, by name: those in the symbol table that are not in the
 * tables of woven functions. If debug information marks a function as assembly, its source is known too.
 */
#ifndef SYMBOLS_FOREIGN_H
#define SYMBOLS_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

struct woven;

struct foreign {
	struct strings functions; /* names as people read them, in the order of their addresses; not escaped */
	struct strings sources; /* assembler files that some of them are in, each once; as path_view_display has them */
	size_t assembly_count;  /* functions that are known to be assembly */
};

/* Fills *self; nothing when the file has no table of symbols. Release it in any case. */
void foreign_find(struct foreign *self, const char *path, const struct woven *woven);
void foreign_release(struct foreign *self);

/* Whether a source with that name is assembly. */
bool foreign_is_assembly(const char *file);

#endif
