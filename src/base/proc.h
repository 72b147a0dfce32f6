/*
 * proc.h: running other programs, temporary folders, and where Heddle's own files are. No shell is ever involved.
 */
#ifndef BASE_PROC_H
#define BASE_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/mem.h"

/* Where the child's output goes: PROC_CAPTURE keeps standard error, PROC_SILENT does too and drops standard output. */
enum proc_output { PROC_INHERIT, PROC_CAPTURE, PROC_SILENT };

/*
 * Runs argv (argv[0] is a path, or a name looked up in PATH) and waits. With PROC_CAPTURE or PROC_SILENT the child's
 * standard error is appended to *captured. Returns the child's exit status, 128 + N when signal N ended it, or a negative errno with
 * err set when it could not be started.
 */
int proc_run(char *const argv[], enum proc_output mode, struct buf *captured, struct err *err);

/* argv quoted for reading and for pasting into a shell; appended to out. */
void proc_quote(struct buf *out, char *const argv[]);

/* Whether name can be executed: a path, or a name found in PATH. */
bool proc_find(const char *name);

/* Makes a private folder in $TMPDIR (or /tmp). Returns its path (caller frees), or null with err set. It and what is
 * in it are removed at exit and on SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGPIPE, but only by the process that made it. */
char *proc_temporary_folder(struct err *err);

/* The folder of Heddle's own programs or libraries, found from the running program: ../lib/heddle next to bin/. Returns
 * the path of name in it; caller frees. */
char *proc_own_file(const char *name);

/* Calls body, on a separate stack if the stack limit (ulimit -s) is too small for the libraries we use. The limit itself is not raised,
 * since the programs that we start inherit it. Returns what body returns. */
int proc_with_stack(int (*body)(int argc, char **argv), int argc, char **argv);

/* Checks that /proc is mounted, through which Heddle finds its own files and the mappings of programs. Returns 0, or a negative errno
 * with err set. */
int proc_check(struct err *err);

#define MAX_PROC_FILE ((size_t)4 << 30)

/* Reads a whole file. Returns 0, or a negative errno with err set: -EFBIG when it has more than MAX_PROC_FILE bytes. */
int proc_read_file(const char *path, struct buf *out, struct err *err);

/* Writes all of it. Returns 0, or a negative errno. */
int proc_write_all(int fd, const void *data, size_t size_bytes);

/* Sets the size of an open file. A limit on the size of files is answered by an error, never by SIGXFSZ. Returns 0, or a negative errno. */
int proc_set_size(int fd, uint64_t size_bytes);

/* Writes a whole file; removes it when that fails half-way. Returns 0, or a negative errno with err set. */
int proc_write_file(const char *path, const void *data, size_t size_bytes, struct err *err);

#endif
