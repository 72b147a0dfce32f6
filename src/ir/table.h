/*
 * table.h: collects the rows of abi.h's tables while a unit is woven, and writes them into its module at the end.
 * A site's address is needed by the clone's code before the table has its final size, so code refers to a stand-in
 * that table_write replaces.
 */
#ifndef IR_TABLE_H
#define IR_TABLE_H

#include <llvm-c/Core.h>
#include <stddef.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/ptrmap.h"
#include "heddle/abi.h"
#include "ir/access.h"

struct table_function {
	LLVMValueRef clone; /* null when it is left plain */
	char *original;     /* the alias that names the original */
	char *name;
	char *file;                 /* null when not known */
	struct heddle_function row; /* numbers only */
	size_t first_site;
};

struct table_site {
	size_t function;
	char *file, *variable;
	char *locks;            /* with HEDDLE_SITE_LOCKED: their names; else null */
	uint64_t bits;          /* with HEDDLE_SITE_BITS: those that are used */
	size_t inlined;         /* 1 + index, 0: none */
	struct heddle_site row; /* numbers only */
};

struct table_inline {
	char *function, *file;
	unsigned line, column;
	size_t next; /* 1 + index, 0: none */
};

struct table {
	LLVMModuleRef module;
	LLVMValueRef site_stand_in;
	struct table_function *functions;
	struct table_site *sites;
	struct table_inline *inlines;
	size_t function_count, function_room, site_count, site_room, inline_count, inline_room;
	struct ptrmap inline_of; /* inlined-at location and scope -> 1 + index */
	struct map strings;      /* text -> its global */
};

void table_init(struct table *table, LLVMModuleRef module);
void table_release(struct table *table);

/* Begins a function; the sites added next are its own. subprogram may be null. Returns its row, valid until the next
 * one is begun, for the caller to fill counts and flags. */
struct heddle_function *table_begin_function(struct table *table, LLVMValueRef function, const char *original,
					     unsigned plain);

/* Adds a site for an access of instruction. variable (may be null) is taken over. Returns the site's address as a
 * constant. */
LLVMValueRef table_add_site(struct table *table, LLVMValueRef instruction, const struct access *access, char *variable);

/* The site that was added last is proved by locks of these names, copied. */
void table_set_locks(struct table *table, const char *names);

/* What the instruction of the site that was added last does with its value (uses.h). */
void table_set_uses(struct table *table, LLVMValueRef instruction);

/* Writes the tables as globals of the module. Originals are declared by their aliases. lines: of a unit; null: none. */
void table_write(struct table *table, const struct buf *lines);

/* Adds a link's build record to a module of its own. */
void table_write_build(LLVMModuleRef module, const struct heddle_build *build);

#endif
