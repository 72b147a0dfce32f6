/*
 * symbol.h: names for the addresses of a run: functions with files and lines (also of what was inlined there),
 * variables with their members. From debug information where there is some, else from symbols, else module and offset.
 * Files are read when an address in them is first asked for, and what was found is remembered. Not for use by two
 * threads.
 */
#ifndef SYMBOLS_SYMBOL_H
#define SYMBOLS_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "heddle/abi.h"
#include "trace/report.h"

struct symbols;
struct woven;

/* One function at a code address. Strings live as long as the symbols; they are not escaped. */
struct symbol_place {
	const char *function; /* readable; null: unknown */
	const char *file;     /* as path_view_display has it, from the working directory; null: unknown */
	uint32_t line;        /* as line.h has it; 0: unknown */
	const char *linkage;  /* the linkage name, if different; else null */
};

/* The modules of the report; it must stay. Cannot fail: what cannot be read has no names. */
struct symbols *symbols_new(const struct report *report);
void symbols_free(struct symbols *symbols);

/* What the code before the address (a return address) belongs to: innermost first, the last one not inlined. The address
 * of a struct heddle_site is accepted too. Returns how many; 0 when nothing is known. */
size_t symbols_code(struct symbols *symbols, uint64_t address, const struct symbol_place **places);

/* The function that the code before the address belongs to, by the shortest name under which its file lets others find
 * it; null when it has none. */
const char *symbols_public(struct symbols *symbols, uint64_t address);

/* Whether the function that the code before the address belongs to has its frame pointer set up there, as far as its unwind information says. */
bool symbols_has_frame(struct symbols *symbols, uint64_t address);

/* Whether the code before the address is that of a woven function. */
bool symbols_is_woven(struct symbols *symbols, uint64_t address);

/* Appends, escaped for a terminal: "push (queue.c:12)", or "libz.so.1+0x1234", or "0x7f...". The innermost only. */
void symbols_describe_code(struct buf *out, struct symbols *symbols, uint64_t address);

/* Appends, escaped for a terminal: "queue.lock", "table+16", or the address. Returns whether it has a name. */
bool symbols_describe_data(struct buf *out, struct symbols *symbols, uint64_t address);

/* Calls, innermost first: the address of code that an event belongs to, and its callers. */
struct symbol_calls {
	const uint64_t *addresses;
	size_t count;
	bool is_unwound; /* else from frame pointers, and after a function without one the next may not be its caller */
};

/* Memory without a symbol, such as a lock on the heap, that the calls are about: symbols_describe_object calls it by the name that it has
 * ("p->lock") in the innermost of the program's own lines that is among them. If two have the same name, the address is added to
 * distinguish them. Returns false when these calls give no name. symbols_forget forgets all of these names: they are of one run. */
bool symbols_learn(struct symbols *symbols, uint64_t address, const struct symbol_calls *calls, enum heddle_named kind);
void symbols_forget(struct symbols *symbols);

/* As symbols_describe_data, with what was learned. For reports, not for keys: what was learned depends on what was examined before. */
bool symbols_describe_object(struct buf *out, struct symbols *symbols, uint64_t address);

/* Decodes a global variable that the optimiser stores in another form: *value is the contents of memory, and becomes the value in terms of
 * the source. Returns false if that is not known. */
bool symbols_decode(struct symbols *symbols, uint64_t address, uint64_t *value);

/* The variable at the address that has a symbol: its linkage name and, not escaped, its readable name. Both live as
 * long as the symbols. False when there is none. */
bool symbols_variable(struct symbols *symbols, uint64_t address, const char **linkage, const char **readable);

/* Where the address is in its file: the path, and the address as the file's program headers have it. False when it is
 * in no file. */
bool symbols_in_file(struct symbols *symbols, uint64_t address, const char **path, uint64_t *in_file);

/* The reverse: where in the run an address of a file is. False when the run did not have the file. */
bool symbols_in_run(struct symbols *symbols, const char *path, uint64_t in_file, uint64_t *address);

/* The woven file that has the record of a site at the address, and the number of the site; null when there is none. Lives
 * as long as the symbols. */
const struct woven *symbols_site(struct symbols *symbols, uint64_t address, uint32_t *index);

/* What the instruction before the address accesses through a pointer, as the source calls it ("p->next", "*p", "p[]"): that of the sites of
 * the same line, and column where one has that. Null when there is none, or there are several. Lives as long as the symbols. */
const char *symbols_pointed(struct symbols *symbols, uint64_t address);

/* Appends the code of a line and of those around it as the build had it, from whichever woven file of the run has it. False, with
 * nothing appended, when none has. */
bool symbols_line(struct symbols *symbols, const char *file, uint32_t line, struct buf *own, struct buf *around);

/* The name of a source file as symbol_place has it; null stays null. Lives as long as the symbols. */
const char *symbols_file(struct symbols *symbols, const char *file);

/* The files, for unwinding (a Dwfl); null when there is none. They stay ours. */
struct Dwfl *symbols_files(struct symbols *symbols);

#endif
