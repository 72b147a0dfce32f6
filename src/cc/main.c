/* main.c: heddle-cc and heddle-c++. See driver.h. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/proc.h"
#include "cc/driver.h"

/* Linux takes 128 KiB in one argument and about 2 MiB in all; what is longer than this goes through a file. */
enum { LONGEST_COMMAND = 1 << 19 };

char *driver_file(struct driver *driver, const char *suffix, struct err *err)
{
	if (!driver->folder && !(driver->folder = proc_temporary_folder(err)))
		return NULL;
	return mem_format("%s/%u%s", driver->folder, driver->file_count++, suffix);
}

const char *job_value(const struct job *job, const char *option, size_t *at)
{
	for (size_t i = job->argv.count - 1; i > 1; i--)
		if (strcmp(job->argv.items[i - 1], option) == 0) {
			if (at)
				*at = i;
			return job->argv.items[i];
		}
	return NULL;
}

/* Replaces all arguments but the first `keep` by one response file. */
static int shorten(struct driver *driver, struct strings *argv, size_t keep, struct err *err)
{
	char *file = driver_file(driver, ".rsp", err);
	if (!file)
		return -EIO;
	struct buf text = { 0 };
	for (size_t i = keep; i < argv->count; i++) {
		buf_add_string(&text, "\"");
		for (const char *c = argv->items[i]; *c; c++) {
			if (*c == '"' || *c == '\\')
				buf_add_string(&text, "\\");
			buf_add(&text, c, 1);
		}
		buf_add_string(&text, "\"\n");
	}
	int code = proc_write_file(file, text.data, text.size, err);
	buf_release(&text);
	strings_remove(argv, keep, argv->count - keep);
	char *arg = mem_format("@%s", file);
	strings_add(argv, arg);
	free(arg);
	free(file);
	return code;
}

int driver_run(struct driver *driver, const struct strings *argv, enum proc_output_choice choice, struct buf *captured,
	       struct err *err)
{
	struct strings copy = { 0 };
	size_t total = 0;
	strings_copy(&copy, argv);
	for (size_t i = 0; i < copy.count; i++)
		total += strlen(copy.items[i]) + 1;
	int status = 0;
	if (total > LONGEST_COMMAND)
		status = shorten(driver, &copy, copy.count > 1 && strcmp(copy.items[1], "-cc1") == 0 ? 2 : 1, err);
	if (driver->is_verbose) {
		struct buf line = { 0 };
		proc_quote(&line, argv->items);
		fprintf(stderr, "%s: %s\n", driver->program, line.data);
		buf_release(&line);
	}
	static const enum proc_output modes[] = {
		[RUN_SHOW] = PROC_INHERIT, [RUN_CAPTURE] = PROC_CAPTURE, [RUN_SILENT] = PROC_SILENT
	};
	if (status == 0)
		status = proc_run(copy.items, modes[choice], captured, err);
	strings_release(&copy);
	return status;
}

int driver_run_weave(struct driver *driver, const struct strings *argv, struct buf *said, struct err *err)
{
	int status = driver_run(driver, argv, RUN_CAPTURE, said, err);
	if (status > 0)
		err_show(said);
	if (status == -ENOENT)
		err_hint(err, "Heddle is not installed completely: reinstall it");
	return status;
}

static int run_clang(struct driver *driver, struct err *err)
{
	strings_insert(&driver->args, 0, driver->clang);
	if (driver->is_verbose) {
		struct buf line = { 0 };
		proc_quote(&line, driver->args.items);
		fprintf(stderr, "%s: %s\n", driver->program, line.data);
		buf_release(&line);
	}
	execvp(driver->args.items[0], driver->args.items);
	return err_set(err, errno, "cannot run \"%s\": %s", driver->clang, strerror(errno));
}

/* -v shows the commands as clang would: the program in quotes, arguments only where they need it. */
static void show_job(const struct job *job)
{
	for (size_t i = 0; i < job->argv.count; i++) {
		const char *arg = job->argv.items[i];
		bool is_quoted = i == 0 || arg[strcspn(arg, " \"\\$")] || !*arg;
		fputs(is_quoted ? " \"" : " ", stderr);
		for (; *arg; arg++) {
			if (is_quoted && strchr("\"\\$", *arg))
				fputc('\\', stderr);
			fputc(*arg, stderr);
		}
		if (is_quoted)
			fputc('"', stderr);
	}
	fputc('\n', stderr);
}

size_t driver_size(const char *path)
{
	struct stat found;
	return stat(path, &found) == 0 ? (size_t)found.st_size : 0;
}

int driver_can_write(const char *output, size_t output_bytes, struct err *err)
{
	char *copy = mem_copy_string(output);
	char *probe = mem_format("%s/.heddle-XXXXXX", dirname(copy));
	int fd = mkstemp(probe), code = fd < 0 ? errno : 0;
	if (fd >= 0) {
		code = posix_fallocate(fd, 0, output_bytes > 4096 ? (off_t)output_bytes : 4096);
		close(fd);
		unlink(probe);
	}
	free(probe);
	free(copy);
	if (!code)
		return 0;
	*err = (struct err)ERR_INIT;
	err_set(err, code, "cannot write \"%s\": %s", output, strerror(code));
	err_hint(err, "choose another output with -o, or check disk space and permissions");
	return -code;
}

static int run_job(struct driver *driver, const struct job *job, struct err *err)
{
	if (strings_has(&driver->args, "-v"))
		show_job(job);
	driver->output_bytes = 0;
	int status = compile_is(job) ? compile_run(driver, job, err)
		     : link_is(job)  ? link_run(driver, job, err)
				     : driver_run(driver, &job->argv, RUN_SHOW, NULL, err);
	const char *output = job_value(job, "-o", NULL);
	struct stat found;
	if (status != 0 && output && strcmp(output, "-") != 0) {
		/* When the job failed for lack of permission or space to write its output, report that. */
		int code = driver_can_write(output, driver->output_bytes, err);
		if (code)
			status = code;
		/* As clang does: a failed job leaves no output, not even an old one. */
		if (lstat(output, &found) == 0 && S_ISREG(found.st_mode))
			unlink(output);
	}
	return status;
}

static bool needs_any(const struct job *job, const struct strings *files)
{
	for (size_t i = 0; i < files->count; i++)
		if (strings_has(&job->argv, files->items[i]))
			return true;
	return false;
}

static int run_plan(struct driver *driver, struct err *err)
{
	if (!proc_find(driver->clang)) {
		err_set(err, ENOENT, "cannot find \"%s\"", driver->clang);
		err_hint(err, "apt-get install clang-19 llvm-19 lld-19, or specify one with --heddle-clang=PATH");
		return -ENOENT;
	}
	if (!strings_has(&driver->args, "-###"))
		driver_add_headers();
	if (driver->is_off || strings_has(&driver->args, "-###"))
		return run_clang(driver, err);
	struct plan plan = { 0 };
	int status = plan_make(&plan, driver, err);
	if (status == 1)
		return run_clang(driver, err);
	if (status == 0)
		err_show(&plan.diagnostics);
	if (status == 0 && strings_has(&driver->args, "-v"))
		err_show(&plan.banner);
	/* As clang does: a job that failed stops those that need its output, not the others. */
	struct strings failed = { 0 };
	int worst = status;
	for (size_t i = 0; i < plan.count && status >= 0; i++) {
		if (needs_any(&plan.jobs[i], &failed))
			continue;
		status = run_job(driver, &plan.jobs[i], err);
		if (status) {
			const char *output = job_value(&plan.jobs[i], "-o", NULL);
			strings_add(&failed, output ? output : "");
			worst = worst ? worst : status;
		}
	}
	strings_release(&failed);
	plan_release(&plan);
	return status < 0 ? status : worst;
}

int main(int argc, char **argv)
{
	setvbuf(stderr, NULL, _IONBF, 0);
	struct driver driver = { .prove = PROOF_LOCKED };
	struct err err = ERR_INIT;
	int status = driver_parse(&driver, argc, argv, &err);
	int code_of_failure = EXIT_USAGE;
	if (status == 0) {
		status = proc_check(&err);
		code_of_failure = EXIT_CANNOT;
	}
	if (status == 0) {
		status = run_plan(&driver, &err);
	}
	if (status < 0) {
		err_print(&err, driver.program);
		status = code_of_failure;
	}
	strings_release(&driver.args);
	free(driver.clang);
	free(driver.folder);
	return status;
}
