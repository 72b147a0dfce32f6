/*
 * run_uncontrolled.c: what the runs without control have in common: the environment by which the runtime gets into the program, the
 * program itself, and what is printed when it has ended. The modes differ in what they make before and read after it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/run_priv.h"
#include "launch/environment.h"
#include "launch/launch.h"
#include "symbols/switch_set.h"

static int set_environment(const struct run_options *settings, const struct run_mode *mode, const struct buf *own,
			   const char *program, struct err *err)
{
	struct buf options = { 0 };
	const char *switched = settings->request.switched ? settings->request.switched : mode->switched;
	environment_options(&options);
	int code = switched ? switch_set(&options, switched, program, true, err) : 0;
	buf_add_string(&options, own->data);
	if (settings->request.is_verbose)
		buf_add_string(&options, ":verbose=1");
	if (code == 0)
		code = environment_set(mode->name, options.data, err);
	buf_release(&options);
	return code;
}

static int cannot_write(const char *path, struct err *err)
{
	return err_set(err, errno, "cannot write \"%s\": %s", path, strerror(errno));
}

/* What was counted: for people on the standard error, where it does not mix with what the program prints. */
static int report(const struct run_options *settings, const struct run_mode *mode, void *context, FILE *json,
		  struct err *err)
{
	struct buf text = { 0 }, document = { 0 };
	int code = mode->describe(context, &text, json ? &document : NULL, err);
	if (code == 0)
		err_show(&text);
	if (code == 0 && document.size &&
	    (fwrite(document.data, 1, document.size, json) != document.size || fflush(json) != 0))
		code = cannot_write(settings->json, err);
	buf_release(&text);
	buf_release(&document);
	return code;
}

/* Everything before the program and after it; *status is how it ended. */
static int run(const struct run_options *settings, const struct run_mode *mode, void *context, int *status,
	       struct err *err)
{
	char **program = settings->request.program, *path = NULL;
	FILE *json = NULL;
	struct buf own = { 0 };
	int code = launch_find(program[0], &path, err);
	if (code == 0)
		code = mode->make(context, &own, err);
	if (code == 0)
		code = set_environment(settings, mode, &own, path, err);
	bool is_stdout = settings->json && strcmp(settings->json, "-") == 0;
	if (code == 0 && settings->json && !(json = is_stdout ? fdopen(dup(1), "w") : fopen(settings->json, "we")))
		code = cannot_write(settings->json, err);
	if (code == 0)
		code = launch_run(path, program, status, err);
	free(path);
	buf_release(&own);
	if (code == 0)
		code = report(settings, mode, context, json, err);
	if (json && fclose(json) != 0 && code == 0)
		code = cannot_write(settings->json, err);
	return code;
}

/* The kernel ends a program so when its seccomp filter forbids a call. */
static void warn_of_filter(int status, const char *mode)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
		fprintf(stderr,
			"heddle: the program was ended by SIGSYS: its seccomp filter may forbid system calls that "
			"Heddle's runtime makes in it (mode %s); see docs/LIMITS.md\n",
			mode);
}

int run_uncontrolled(const struct run_options *settings, const struct run_mode *mode, void *context)
{
	struct err err = ERR_INIT;
	int status = 0;
	int code = run(settings, mode, context, &status, &err);
	mode->release(context);
	if (code < 0)
		err_print(&err, "heddle");
	warn_of_filter(status, mode->name);
	/* How the program failed says more than how we did. */
	if (code < 0 && status == 0)
		return EXIT_CANNOT;
	launch_end(status);
}
