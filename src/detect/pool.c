/* pool.c: see pool.h. A list of free pieces for each size; new ones are cut from large parts that are never given back. */
#include "detect/pool.h"

#include <string.h>

#include "rt/observe.h"

#define PART_BYTES (1ul << 20)
#define SIZES 40u

struct piece {
	struct piece *next;
};

static struct piece *free_pieces[SIZES];
static char *rest;
static size_t rest_bytes;

static unsigned size_number(size_t size_bytes)
{
	return size_bytes <= 16 ? 4 : 64 - (unsigned)__builtin_clzl(size_bytes - 1);
}

static void *cut(size_t bytes)
{
	if (bytes > rest_bytes) {
		size_t part = bytes > PART_BYTES ? bytes : PART_BYTES;
		char *pages = observed->pages(part);
		if (!pages)
			observed->fail(HEDDLE_OUTCOME_REFUSED, "out of memory for race detection", NULL);
		if (part != PART_BYTES)
			return pages;
		rest = pages;
		rest_bytes = part;
	}
	void *piece = rest;
	rest += bytes;
	rest_bytes -= bytes;
	return piece;
}

void *pool_take(size_t size_bytes)
{
	unsigned number = size_number(size_bytes);
	struct piece *piece = free_pieces[number];
	if (!piece)
		return cut(1ul << number);
	free_pieces[number] = piece->next;
	return piece;
}

void pool_give(void *piece, size_t size_bytes)
{
	unsigned number = size_number(size_bytes);
	struct piece *given = piece;
	given->next = free_pieces[number];
	free_pieces[number] = given;
}

void *pool_grow(void *piece, size_t size_bytes, size_t larger_bytes)
{
	void *larger = pool_take(larger_bytes);
	if (piece) {
		memcpy(larger, piece, size_bytes);
		pool_give(piece, size_bytes);
	}
	return larger;
}
