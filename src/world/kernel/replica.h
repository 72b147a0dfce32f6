/*
 * replica.h: files that the program has mapped MAP_SHARED, in a replay. There each of them is a file without a name, its
 * replica, so that mappings of the same file are the same memory, and what was written to the file by a call shows in the
 * mappings, as when it was recorded. Files are numbered in the order in which they were first mapped. In the log is what was
 * in a file where it is mapped, each time that it is, and after a call of the program's that changes a mapped file what it
 * changed there (HEDDLE_RECORD_FILE). What other processes write is not.
 */
#ifndef WORLD_KERNEL_REPLICA_H
#define WORLD_KERNEL_REPLICA_H

#include <stddef.h>
#include <stdint.h>

/* While recording. The number of the file, which is about to be mapped; -1: there is none, as it is not an ordinary file, or
 * there are too many. */
int32_t replica_number(int fd);

/* In a replay: maps this part of the file, from the offset, at this address. Returns as mmap. The contents are those
 * of the file, with nothing behind them. */
long replica_map(uint32_t number, uintptr_t at, size_t size_bytes, int protection, uint64_t offset,
		 const unsigned char *contents, size_t contents_size);

/* A mapping of the file was made; while recording and in a replay. */
void replica_mapped(uint32_t number, uintptr_t at, size_t size_bytes, uint64_t offset);

/* The mapping at the address moved or changed its size; while recording and in a replay. */
void replica_moved(uintptr_t from, size_t old_size_bytes, uintptr_t to, size_t size_bytes);

/* After a call to the outside: what it changed in files that are mapped, into the log or, in a replay, from there. */
void replica_after(long number, const uint64_t arguments[6], long result);

#endif
