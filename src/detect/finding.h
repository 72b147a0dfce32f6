/* finding.h: what detection found in this run: each pair of places once, as a line of channel.report (heddle/abi.h,
 * "Detection"). Memory that the program marked as benignly racy is left out. */
#ifndef DETECT_FINDING_H
#define DETECT_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "detect/shadow.h"
#include "heddle/abi.h"
#include "rt/block.h"

/* The current thread's access, new, is in conflict with an older one; words as in detect/shadow.h. site: of the new one;
 * null: the memory is freed, at code. */
void finding_race(uintptr_t address, size_t size_bytes, uint64_t old, uint64_t new, const struct heddle_site *site,
		  uintptr_t code);

/* The current thread accesses a block and is not ordered after the thread that made it, in the heap call with the
 * number made. */
void finding_made(uintptr_t address, size_t size_bytes, enum shadow_kind kind, const struct heddle_site *site,
		  struct heap_maker maker, uint64_t made);

/* The current thread accesses heap memory that is not, or no longer, allocated. */
void finding_memory(uintptr_t address, size_t size_bytes, uint32_t is_write, const struct heddle_site *site);

/* The current thread frees or resizes, at code, something that is not a live block. */
void finding_bad_free(const void *block, bool is_resize, uintptr_t code);

/* Races on these bytes are not reported. */
void finding_benign(uintptr_t address, size_t size_bytes);
/* The bytes are reused: earlier annotations of them no longer apply. */
void finding_forget(uintptr_t address, size_t size_bytes);

#endif
