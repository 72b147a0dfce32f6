/*
 * running.h: which processes are using the evidence of a store: running tests, and readers of traces. Each holds a lock
 * on a byte of the file "lock" in the store's folder. The kernel drops the lock when the process ends, for whatever
 * reason, so the leftovers of a killed test can be distinguished from files in use. Locks belong to the process
 * (fcntl), so children do not have them, and a process uses one struct running at a time.
 *
 * A test is identified by its mark, a unique number from 1 to RUNNING_MAX_MARK; it is in the names of its evidence (see
 * running_mark_of).
 */
#ifndef STORE_RUNNING_H
#define STORE_RUNNING_H

#include <stdbool.h>
#include <stdint.h>

/* No name with more digits is read as one of evidence. */
#define RUNNING_MAX_MARK ((int64_t)999999999999999)

struct running {
	int fd;       /* -1: nothing is known about other processes */
	int64_t mark; /* of this process's test; 0: it has none */
};

/* folder: that of the store. running_stop in any case. Failing to open the lock file is no error: then it is not known
 * which processes use what, and nothing is cleaned up. */
void running_open(struct running *self, const char *folder);
void running_stop(struct running *self);

/* Marks this process's test as running until running_stop or the next call, with the given mark or, if a running test has that, a larger
 * one, which may exceed RUNNING_MAX_MARK. */
void running_begin(struct running *self, int64_t least);

/* Whether the test with that mark is running, this one included; true when that is not known. */
bool running_is(const struct running *self, int64_t mark);

/* Whether another test is running; true when that is not known. */
bool running_others(const struct running *self);

/* From here to the end of the process traces are read: none is removed. If the lock cannot be taken, traces are read anyway. */
void running_read(const char *folder);

/* To remove traces: returns true when no process is reading or removing traces, which stays so until
 * running_clean_end. */
bool running_clean(const struct running *self);
void running_clean_end(const struct running *self);

/* The mark in the name of a trace, "KIND-HASH.MARK.trace" or "KIND-HASH.MARK.reduced.trace", with or without a folder; 0: it
 * has none. */
int64_t running_mark_of(const char *trace);

#endif
