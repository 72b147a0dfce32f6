/*
 * driver.h: the compiler driver. heddle-cc asks clang what it would do (clang -###), and then does it itself, job by
 * job: a compile job becomes three steps (compile.c), a link job two links with the weave in between (link.c), and
 * every other job runs as it is. So options, defaults, names of outputs and diagnostics are clang's own.
 *
 * The driver prints nothing of its own unless asked or unless something went wrong, and only on standard error.
 */
#ifndef CC_DRIVER_H
#define CC_DRIVER_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"
#include "ir/proof.h"

struct driver {
	const char *program; /* heddle-cc or heddle-c++ */
	char *clang;         /* the clang to run */
	bool is_cxx;
	bool is_verbose, is_off;
	enum proof_level prove;    /* which accesses get no hook */
	unsigned weave_jobs;       /* processes of the weave; 0: one a core */
	struct strings allocators; /* the program's own allocation functions */
	struct strings promised;   /* variables that one thread alone uses */
	struct strings args;       /* the user's arguments without Heddle's own options, with response files expanded */
	char *folder;              /* private, temporary; made when the first job needs it */
	unsigned file_count;       /* temporary files named so far */
	size_t output_bytes;       /* approximate size of the current job's output */
};

/* One command that clang would run. */
struct job {
	struct strings argv;
};

struct plan {
	struct job *jobs;
	size_t count;
	struct buf diagnostics; /* what clang's driver itself printed */
	struct buf banner;      /* what -v prints before the jobs */
};

/* args.c: fills driver from argv and the environment (argv wins). Returns 0, or -errno with err set. */
int driver_parse(struct driver *driver, int argc, char **argv, struct err *err);
void driver_usage(void);

/* Lets clang find Heddle's headers, after all folders that the user names with -I and the like. Done through the
 * environment: an option would be superfluous where nothing is compiled, and users would see it. */
void driver_add_headers(void);

/* plan.c: asks clang. Returns 0 with the jobs in plan; 1 when clang itself should be run with the same arguments (an
 * error that clang reports best, or nothing to do); or -errno with err set. */
int plan_make(struct plan *plan, struct driver *driver, struct err *err);
void plan_release(struct plan *plan);

/* compile.c: whether the job turns source or IR into native code that can be woven. */
bool compile_is(const struct job *job);
int compile_run(struct driver *driver, const struct job *job, struct err *err);

/* link.c */
bool link_is(const struct job *job);
int link_run(struct driver *driver, const struct job *job, struct err *err);

/* finish.c: completes the tables of the linked file, in place. Returns 0, or -errno with err set. */
int finish_linked(const char *path, struct err *err);

/* Runs a command, showing it first when verbose. As proc_run; a command line that is too long goes through a response
 * file. */
enum proc_output_choice { RUN_SHOW, RUN_CAPTURE, RUN_SILENT };
int driver_run(struct driver *driver, const struct strings *argv, enum proc_output_choice choice, struct buf *captured,
	       struct err *err);
/* Runs heddle-weave. What it says is captured; when it fails it is shown, as it is worded for the user. As proc_run. */
int driver_run_weave(struct driver *driver, const struct strings *argv, struct buf *said, struct err *err);

/* A new name in the private folder, ending in suffix; caller frees. Null with err set when there can be no folder. */
char *driver_file(struct driver *driver, const char *suffix, struct err *err);

/* Whether output can be written with about that many bytes: 0, or -errno with err (replaced) saying why not. */
int driver_can_write(const char *output, size_t output_bytes, struct err *err);

/* The size of a file, 0 when there is none. */
size_t driver_size(const char *path);

/* The argument after option, or null; *at (may be null) gets its index. The last one wins. */
const char *job_value(const struct job *job, const char *option, size_t *at);

#endif
