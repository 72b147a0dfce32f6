/* symbol_priv.h: what the files of struct symbols share: the mapped files of the run, strings, and what was already looked up. */
#ifndef SYMBOLS_SYMBOL_PRIV_H
#define SYMBOLS_SYMBOL_PRIV_H

#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/map.h"
#include "base/path.h"
#include "symbols/names.h"
#include "symbols/symbol.h"

/* What is known about one address of code. */
struct known {
	struct symbol_place *places;
	size_t count;
};

struct symbols {
	const struct report *report;
	Dwfl *dwfl; /* null until the first question, and when libdw cannot be used */
	bool is_open;
	struct path_view view;
	struct names names;
	struct strings owned;
	struct map code;         /* address in hexadecimal to struct known */
	struct map woven;        /* path to struct woven, or to null when it is not woven */
	struct map learned;      /* address in hexadecimal to its name in owned: see symbols_learn */
	struct map learned_from; /* kind and such a name to the first address that has it */
	struct map lines;        /* kind, line, file and object to what woven_name says, in the tables of woven */
	struct map data;         /* address in hexadecimal to its name in owned, or to null when it has none */
	struct map named;        /* the same for symbols_public */
};

#define SYMBOL_KEY_ROOM 24u

/* The key of an address in the maps of struct symbols. */
static inline void symbol_key(char key[SYMBOL_KEY_ROOM], uint64_t address)
{
	snprintf(key, SYMBOL_KEY_ROOM, "%" PRIx64, address);
}

/* The mapped file that contains the address; null when there is none. */
Dwfl_Module *symbols_module(struct symbols *symbols, uint64_t address);

/* A copy of the string that lives as long as the symbols; null stays null. */
const char *symbols_keep(struct symbols *symbols, const char *string);

/* The tables of a woven file; null when it is not woven. */
const struct woven *symbols_woven(struct symbols *symbols, const char *path);

#endif
