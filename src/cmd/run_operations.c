/*
 * run_operations.c: a run without control in which each thread counts its operations and system calls (mode operations).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/run_priv.h"
#include "launch/environment.h"
#include "launch/launch.h"
#include "launch/syscalls.h"
#include "narrate/operations.h"
#include "symbols/switch_set.h"

enum { TOP_DEFAULT = 20 };

/* What is ours comes last in HEDDLE_OPTIONS, where it wins, and first in LD_PRELOAD. */
static int set_environment(const struct run_options *asked, const struct operations *operations, int patches,
			   const char *program, struct err *err)
{
	const char *old_options = getenv("HEDDLE_OPTIONS"), *old_preload = getenv("LD_PRELOAD");
	struct buf options = { 0 }, preload = { 0 };
	char *runtime = environment_runtime(err);
	if (!runtime)
		return -ENOENT;
	buf_add_string(&preload, runtime);
	if (old_preload && *old_preload)
		buf_format(&preload, ":%s", old_preload);
	if (old_options && *old_options)
		buf_format(&options, "%s:", old_options);
	int code = switch_set(&options, asked->request.switched ? asked->request.switched : "none", program, true, err);
	buf_format(&options, ":operations=%s", operations->path);
	if (patches >= 0)
		buf_format(&options, ":patches=/proc/%d/fd/%d", (int)getpid(), patches);
	if (asked->request.is_verbose)
		buf_add_string(&options, ":verbose=1");
	if (code == 0 && (setenv("HEDDLE", "operations", 1) < 0 || setenv("HEDDLE_OPTIONS", options.data, 1) < 0 ||
			  setenv("LD_PRELOAD", preload.data, 1) < 0))
		code = err_set(err, errno, "cannot set the environment: %s", strerror(errno));
	free(runtime);
	buf_release(&options);
	buf_release(&preload);
	return code;
}

/* Without them only system calls are missing, which the result says. */
static int find_patches(void)
{
	struct err err = ERR_INIT;
	struct strings paths = { 0 };
	int fd = -1;
	syscalls_paths(&paths);
	if (syscalls_find((const char *const *)paths.items, paths.count, &fd, &err) < 0) {
		err_print(&err, "heddle");
		fd = -1;
	}
	strings_release(&paths);
	return fd;
}

static int report(const struct run_options *asked, const struct operations *operations, FILE *json, struct err *err)
{
	struct buf out = { 0 };
	int code = 0;
	if (!operations->header->process_count) {
		err_hint(err, "programs that change their user (setuid) cannot be observed");
		return err_set(err, ENOENT,
			       "the program ran, but the runtime did not start in it: nothing was counted");
	}
	operations_text(&out, operations, asked->top == UINT64_MAX ? TOP_DEFAULT : asked->top);
	fwrite(out.data, 1, out.size, stderr);
	out.size = 0;
	if (json) {
		operations_json(&out, operations, asked->request.program);
		if (fwrite(out.data, 1, out.size, json) != out.size || fflush(json) != 0)
			code = err_set(err, errno, "cannot write \"%s\": %s", asked->json, strerror(errno));
	}
	buf_release(&out);
	return code;
}

/* Everything before the program and after it; *status is how it ended. */
static int run(const struct run_options *asked, struct operations *operations, int *status, struct err *err)
{
	char **program = asked->request.program, *path = NULL;
	FILE *json = NULL;
	int patches = -1, code = launch_find(program[0], &path, err);
	if (code == 0)
		code = operations_make(operations, err);
	if (code == 0)
		patches = find_patches();
	if (code == 0)
		code = set_environment(asked, operations, patches, path, err);
	bool is_stdout = asked->json && strcmp(asked->json, "-") == 0;
	if (code == 0 && asked->json && !(json = is_stdout ? fdopen(dup(1), "w") : fopen(asked->json, "we")))
		code = err_set(err, errno, "cannot write \"%s\": %s", asked->json, strerror(errno));
	if (code == 0)
		code = launch_run(path, program, status, err);
	free(path);
	if (code == 0)
		code = operations_read(operations, err);
	if (code == 0)
		code = report(asked, operations, json, err);
	if (json && fclose(json) != 0 && code == 0)
		code = err_set(err, errno, "cannot write \"%s\": %s", asked->json, strerror(errno));
	if (patches >= 0)
		close(patches);
	return code;
}

int run_operations(const struct run_options *asked)
{
	struct err err = ERR_INIT;
	struct operations operations = { .fd = -1 };
	int status = 0;
	int code = run(asked, &operations, &status, &err);
	operations_release(&operations);
	if (code < 0)
		err_print(&err, "heddle");
	/* How the program failed says more than how we did. */
	if (code < 0 && status == 0)
		return EXIT_CANNOT;
	launch_end(status);
}
