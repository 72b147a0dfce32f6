/*
 * run_operations.c: a run without control in which each thread counts its operations and system calls (mode operations).
 */
#include <errno.h>
#include <unistd.h>

#include "cmd/run_priv.h"
#include "launch/syscalls.h"
#include "narrate/operations.h"

struct operations_run {
	const struct run_options *settings;
	struct operations operations;
	int patches; /* a descriptor, or -1 */
};

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

static int make(void *context, struct buf *options, struct err *err)
{
	struct operations_run *self = context;
	int code = operations_make(&self->operations, err);
	if (code < 0)
		return code;
	self->patches = find_patches();
	buf_format(options, ":operations=%s", self->operations.path);
	if (self->patches >= 0)
		buf_format(options, ":patches=/proc/%d/fd/%d", (int)getpid(), self->patches);
	return 0;
}

static int describe(void *context, struct buf *text, struct buf *json, struct err *err)
{
	struct operations_run *self = context;
	const struct run_options *settings = self->settings;
	int code = operations_read(&self->operations, err);
	if (code < 0)
		return code;
	if (!self->operations.header->process_count) {
		err_hint(err, "programs that change their user (setuid) cannot be observed");
		return err_set(err, ENOENT,
			       "the program ran, but the runtime did not start in it: nothing was counted");
	}
	operations_text(text, &self->operations, settings->top == UINT64_MAX ? RUN_TOP : settings->top);
	if (json)
		operations_json(json, &self->operations, settings->request.program);
	return 0;
}

static void release(void *context)
{
	struct operations_run *self = context;
	operations_release(&self->operations);
	if (self->patches >= 0)
		close(self->patches);
}

int run_operations(const struct run_options *settings)
{
	struct operations_run self = { .settings = settings, .operations = { .fd = -1 }, .patches = -1 };
	static const struct run_mode mode = {
		.name = "operations", .switched = "none", .make = make, .describe = describe, .release = release
	};
	return run_uncontrolled(settings, &mode, &self);
}
