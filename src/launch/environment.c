/* environment.c: see environment.h. */
#include "launch/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/proc.h"
#include "base/variables.h"

#define OWN_BYTES_STEP 4096u

/* A colon or a blank would end a name in LD_PRELOAD. Then the library goes by its descriptor, which stays open in this
 * process for as long as the program runs. */
char *environment_runtime(struct err *err)
{
	char *own = proc_own_file("libheddle.so"), *path = realpath(own, NULL);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0) {
		err_set(err, errno, "cannot open the runtime \"%s\": %s", own, strerror(errno));
		err_hint(err, "reinstall Heddle; libheddle.so belongs in lib/heddle next to bin");
	} else if (strpbrk(path, ": \t\n")) {
		free(path);
		path = mem_format("/proc/%d/fd/%d", (int)getpid(), fd);
	} else {
		close(fd);
	}
	free(own);
	return fd < 0 ? NULL : path;
}

void environment_user(struct strings *out)
{
	static const char *const none[] = { NULL };
	variables_inherit(out, none, "HEDDLE");
}

void environment_options(struct buf *out)
{
	const char *old = getenv("HEDDLE_OPTIONS");
	if (old && *old)
		buf_format(out, "%s:", old);
}

int environment_set(const char *mode, const char *options, struct err *err)
{
	char *runtime = environment_runtime(err);
	if (!runtime)
		return -ENOENT;
	char *preload = variable_join(runtime, getenv("LD_PRELOAD"));
	int code = 0;
	if (setenv("HEDDLE", mode, 1) < 0 || setenv("HEDDLE_OPTIONS", options, 1) < 0 ||
	    setenv("LD_PRELOAD", preload, 1) < 0)
		code = err_set(err, errno, "cannot set the environment: %s", strerror(errno));
	free(preload);
	free(runtime);
	return code;
}

int environment_uncontrolled(const char *mode, const char *options, struct strings *out, struct err *err)
{
	static const char *const own[] = { "HEDDLE", "HEDDLE_OPTIONS", "LD_PRELOAD", NULL };
	char *runtime = environment_runtime(err);
	if (!runtime)
		return -ENOENT;
	char *preload = variable_join(runtime, getenv("LD_PRELOAD"));
	variables_inherit(out, own, NULL);
	variables_add(out, "HEDDLE", mode);
	variables_add(out, "HEDDLE_OPTIONS", options);
	variables_add(out, "LD_PRELOAD", preload);
	free(preload);
	free(runtime);
	return 0;
}

/* What libc, or a sanitizer, reads before the runtime can. The runtime gives the program the user's value back, from HEDDLE_KEEP_NAME. */
static const char *const replaced[] = { "LD_PRELOAD", "LD_BIND_NOW", "GLIBC_TUNABLES", "UBSAN_OPTIONS", NULL };

/* UBSan's handlers would turn a crash into an exit with 1, after hundreds of calls to describe it. */
#define UBSAN_OPTIONS "handle_segv=0:handle_sigbus=0:handle_sigill=0:handle_sigfpe=0:handle_abort=0"

static void add_joined(struct strings *out, const char *name, const char *first, const char *second)
{
	char *value = variable_join(first, second);
	variables_add(out, name, value);
	free(value);
}

static void add_own(struct strings *out, const struct trace *trace, const char *runtime)
{
	const struct strings *user = &trace->environment;
	add_joined(out, "LD_PRELOAD", runtime, variables_find(user, "LD_PRELOAD"));
	variables_add(out, "LD_BIND_NOW", "1");
	/* Of two settings of the same tunable, the last one counts. */
	add_joined(out, "GLIBC_TUNABLES", variables_find(user, "GLIBC_TUNABLES"), "glibc.pthread.rseq=0");
	/* The same here: the user's setting wins. */
	add_joined(out, "UBSAN_OPTIONS", UBSAN_OPTIONS, variables_find(user, "UBSAN_OPTIONS"));
	variables_add(out, "HEDDLE", "control");
	variables_add(out, "HEDDLE_OPTIONS", trace->options);
	for (size_t i = 0; replaced[i]; i++) {
		const char *value = variables_find(user, replaced[i]);
		char *name = mem_format("HEDDLE_KEEP_%s", replaced[i]);
		if (value)
			variables_add(out, name, value);
		free(name);
	}
}

static int add_padding(struct trace *trace, struct strings *out, struct err *err)
{
	uint64_t used = sizeof "HEDDLE_PAD=";
	for (size_t i = 0; i < out->count; i++)
		used += strlen(out->items[i]) + 1;
	if (trace->own_bytes == 0)
		trace->own_bytes = (used + OWN_BYTES_STEP - 1) / OWN_BYTES_STEP * OWN_BYTES_STEP;
	if (used > trace->own_bytes || trace->own_bytes - used > (1u << 20)) {
		err_hint(err, "install Heddle in a directory with a shorter path");
		return err_set(err, E2BIG,
			       "Heddle's own variables take %" PRIu64 " bytes here; the trace has room for %" PRIu64,
			       used, trace->own_bytes);
	}
	size_t pad_size = (size_t)(trace->own_bytes - used);
	char *pad = mem_alloc(pad_size + 1);
	memset(pad, 'x', pad_size);
	variables_add(out, "HEDDLE_PAD", pad);
	free(pad);
	return 0;
}

int environment_control(struct trace *trace, struct strings *out, struct err *err)
{
	struct strings own = { 0 };
	char *runtime = environment_runtime(err);
	if (!runtime)
		return -ENOENT;
	add_own(&own, trace, runtime);
	int code = add_padding(trace, &own, err);
	strings_copy(out, &own);
	for (size_t i = 0; i < trace->environment.count; i++)
		if (!variable_is_among(trace->environment.items[i], replaced))
			strings_add(out, trace->environment.items[i]);
	strings_release(&own);
	free(runtime);
	return code;
}
