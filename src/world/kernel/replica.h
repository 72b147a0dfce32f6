/*
 * replica.h: files that the program has mapped MAP_SHARED, in a replay. A replay uses a file without a name in place of
 * each, its replica, so that mappings of the same file are the same memory, and data that a call wrote to the file
 * appear in the mappings, as in the recorded run. Files are numbered in the order in which they were first mapped. The
 * log has the contents of the mapped part each time that a file is mapped, and the changes of each call of the program
 * that changes a mapped file (HEDDLE_RECORD_FILE). It does not have the changes of other processes.
 */
#ifndef WORLD_KERNEL_REPLICA_H
#define WORLD_KERNEL_REPLICA_H

#include <stddef.h>
#include <stdint.h>

/* While recording. The number of the file, which is about to be mapped; -1: there is none, as it is not an ordinary
 * file, or there are too many. */
int32_t replica_number(int fd);

/* In a replay: maps this part of the file, from the offset, at this address. Returns as mmap. The contents are those
 * of the file, with nothing behind them. */
long replica_map(uint32_t number, uintptr_t at, size_t size_bytes, int protection, uint64_t offset,
		 const unsigned char *contents, size_t contents_size);

/* A mapping of the file was made; while recording and in a replay. */
void replica_mapped(uint32_t number, uintptr_t at, size_t size_bytes, uint64_t offset);

/* The mapping at the address moved or changed its size; while recording and in a replay. */
void replica_moved(uintptr_t from, size_t old_size_bytes, uintptr_t to, size_t size_bytes);

/* Call it after a call to the outside. While recording, writes the changes of mapped files to the log; in a replay,
 * takes them from there. */
void replica_after(long number, const uint64_t arguments[6], long result);

#endif
