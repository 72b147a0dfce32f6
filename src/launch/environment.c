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

extern char **environ;

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
	for (char **at = environ; *at; at++)
		if (strncmp(*at, "HEDDLE", strlen("HEDDLE")) != 0)
			strings_add(out, *at);
}

/* What libc, or a sanitizer, reads before the runtime can. The runtime gives the program the user's value back, from HEDDLE_KEEP_NAME. */
static const char *const replaced[] = { "LD_PRELOAD", "LD_BIND_NOW", "GLIBC_TUNABLES", "UBSAN_OPTIONS" };

/* UBSan's handlers would turn a crash into an exit with 1, after hundreds of calls to describe it. */
#define UBSAN_OPTIONS "handle_segv=0:handle_sigbus=0:handle_sigill=0:handle_sigfpe=0:handle_abort=0"

#define REPLACED_COUNT (sizeof replaced / sizeof *replaced)

/* The value when the variable is the named one, else null. */
static const char *value_of(const char *variable, const char *name)
{
	size_t size = strlen(name);
	return strncmp(variable, name, size) == 0 && variable[size] == '=' ? variable + size + 1 : NULL;
}

/* The user's value, or null. */
static const char *find_value(const struct strings *environment, const char *name)
{
	const char *value = NULL;
	for (size_t i = 0; i < environment->count && !value; i++)
		value = value_of(environment->items[i], name);
	return value;
}

static void add_variable(struct strings *out, const char *name, const char *before, const char *colon,
			 const char *after)
{
	char *variable = mem_format("%s=%s%s%s", name, before, colon, after);
	strings_add(out, variable);
	free(variable);
}

static void add_own(struct strings *out, const struct trace *trace, const char *runtime)
{
	const struct strings *user = &trace->environment;
	const char *preload = find_value(user, "LD_PRELOAD"), *tunables = find_value(user, "GLIBC_TUNABLES"),
		   *ubsan = find_value(user, "UBSAN_OPTIONS");
	bool has_preload = preload && *preload, has_tunables = tunables && *tunables;
	add_variable(out, "LD_PRELOAD", runtime, has_preload ? ":" : "", has_preload ? preload : "");
	add_variable(out, "LD_BIND_NOW", "1", "", "");
	/* Of two settings of the same tunable, the last one counts. */
	add_variable(out, "GLIBC_TUNABLES", has_tunables ? tunables : "", has_tunables ? ":" : "",
		     "glibc.pthread.rseq=0");
	/* The same here: what the user wants is heeded. */
	add_variable(out, "UBSAN_OPTIONS", UBSAN_OPTIONS, ubsan ? ":" : "", ubsan ? ubsan : "");
	add_variable(out, "HEDDLE", "control", "", "");
	add_variable(out, "HEDDLE_OPTIONS", trace->options, "", "");
	for (size_t i = 0; i < REPLACED_COUNT; i++) {
		const char *value = find_value(user, replaced[i]);
		char *name = mem_format("HEDDLE_KEEP_%s", replaced[i]);
		if (value)
			add_variable(out, name, value, "", "");
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
	add_variable(out, "HEDDLE_PAD", pad, "", "");
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
	for (size_t i = 0; i < trace->environment.count; i++) {
		bool is_replaced = false;
		for (size_t j = 0; j < REPLACED_COUNT; j++)
			is_replaced = is_replaced || value_of(trace->environment.items[i], replaced[j]);
		if (!is_replaced)
			strings_add(out, trace->environment.items[i]);
	}
	strings_release(&own);
	free(runtime);
	return code;
}
