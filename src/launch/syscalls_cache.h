/*
 * syscalls_cache.h: a cache of what was found in libraries, by build-id, under $XDG_CACHE_HOME/heddle/syscalls
 * (else ~/.cache/heddle/syscalls). Files are replaced as a whole, so any number of tools may use it at once.
 */
#ifndef LAUNCH_SYSCALLS_CACHE_H
#define LAUNCH_SYSCALLS_CACHE_H

#include <stdbool.h>

#include "base/elf_file.h"
#include "base/mem.h"

/* Fills patches (struct heddle_patch, one after the other) and returns true when the file is known. What is read is
 * trusted only if it is complete, of this version, owned by this user, and fits the bytes of the file. */
bool syscalls_cache_read(const struct elf_file *elf, struct buf *patches);

/* Keeps them, if the file has a build-id and there is a place to keep them. Failing is no error. */
void syscalls_cache_write(const struct elf_file *elf, const struct buf *patches);

#endif
