/* access.h: plain accesses of woven code under detection: what the entries of detect/entry.c go on to, and share with it. */
#ifndef DETECT_ACCESS_H
#define DETECT_ACCESS_H

#include "detect/shadow.h"
#include "heddle/places.h"

/* Blocks of the heap that were found, while all live, by the page of an address in them. */
#define ACCESS_BLOCKS 16u
extern struct access_block {
	uintptr_t start;
	size_t size_bytes;
} access_blocks[ACCESS_BLOCKS];

static inline struct access_block *access_block_of(uintptr_t address)
{
	return &access_blocks[address >> 12 & (ACCESS_BLOCKS - 1)];
}

/* Whether the bytes are the program's without asking the heap. */
static inline bool access_is_known(uintptr_t address, size_t size_bytes)
{
	const struct access_block *block = access_block_of(address);
	uintptr_t offset = address - block->start;
	return address - PLACE_HEAP >= PLACE_HEAP_ROOM ||
	       (offset < block->size_bytes && size_bytes <= block->size_bytes - offset) ||
	       shadow_is_covered(address, size_bytes);
}

/* The access was counted; if the countdown ended, it is decided first. */
void detect_on_read_1(const volatile void *address, const struct heddle_site *site);
void detect_on_read_2(const volatile void *address, const struct heddle_site *site);
void detect_on_read_4(const volatile void *address, const struct heddle_site *site);
void detect_on_read_8(const volatile void *address, const struct heddle_site *site);
void detect_on_read_16(const volatile void *address, const struct heddle_site *site);
void detect_on_write_1(const volatile void *address, const struct heddle_site *site);
void detect_on_write_2(const volatile void *address, const struct heddle_site *site);
void detect_on_write_4(const volatile void *address, const struct heddle_site *site);
void detect_on_write_8(const volatile void *address, const struct heddle_site *site);
void detect_on_write_16(const volatile void *address, const struct heddle_site *site);

#endif
