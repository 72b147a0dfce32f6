/*
 * plan.c: reads the jobs that `clang -###` prints. Each job is one line of double-quoted words in which a backslash
 * protects a quote, a backslash or a dollar sign.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/proc.h"
#include "cc/driver.h"

static void read_job(struct plan *plan, const char *line)
{
	plan->jobs = mem_resize(plan->jobs, (plan->count + 1) * sizeof *plan->jobs);
	struct job *job = &plan->jobs[plan->count++];
	*job = (struct job){ 0 };
	struct buf word = { 0 };
	bool is_inside = false;
	for (const char *c = line; *c; c++) {
		if (!is_inside) {
			is_inside = *c == '"';
			continue;
		}
		if (*c == '\\' && c[1])
			buf_add(&word, ++c, 1);
		else if (*c != '"')
			buf_add(&word, c, 1);
		else {
			strings_add(&job->argv, word.data ? word.data : "");
			buf_release(&word);
			is_inside = false;
		}
	}
	buf_release(&word);
}

/* Diagnostics of clang's driver, perhaps in colours; the banner has no such words. */
static bool is_diagnostic(const char *line)
{
	return strstr(line, "warning: ") || strstr(line, "note: ");
}

/* Names of files may have newlines, too: a job ends with the first one that is in no word. */
static char *end_of_job(char *line)
{
	bool is_inside = false;
	for (; *line && (is_inside || *line != '\n'); line++) {
		if (is_inside && *line == '\\' && line[1])
			line++;
		else if (*line == '"')
			is_inside = !is_inside;
	}
	return *line ? line : NULL;
}

static void read_lines(struct plan *plan, char *text)
{
	for (char *line = text, *next; line; line = next) {
		bool is_job = line[0] == ' ' && line[1] == '"';
		char *end = is_job ? end_of_job(line) : strchr(line, '\n');
		next = end ? end + 1 : NULL;
		if (end)
			*end = '\0';
		if (is_job)
			read_job(plan, line);
		else if (is_diagnostic(line))
			buf_format(&plan->diagnostics, "%s\n", line);
		else if (!plan->count && *line && strcmp(line, " (in-process)") != 0)
			buf_format(&plan->banner, "%s\n", line);
	}
}

/* clang decides about colours by looking at its standard error, which is a pipe when it is asked for the plan. */
static void keep_colours(struct strings *argv, const struct strings *args)
{
	const char *term = getenv("TERM");
	if (!isatty(2) || !term || strcmp(term, "dumb") == 0 || getenv("NO_COLOR"))
		return;
	for (size_t i = 0; i < args->count; i++)
		if (strstr(args->items[i], "color-diagnostics") || strstr(args->items[i], "diagnostics-color"))
			return;
	strings_add(argv, "-fcolor-diagnostics");
}

/* Whether path is directly in the folder where clang makes temporary files. */
static bool is_temporary(const char *path)
{
	static const char *const names[] = { "TMPDIR", "TMP", "TEMP", "TEMPDIR" };
	const char *folder = NULL;
	for (size_t i = 0; i < sizeof names / sizeof *names && !folder; i++)
		folder = getenv(names[i]);
	if (!folder)
		folder = "/tmp";
	size_t size = strlen(folder);
	while (size > 1 && folder[size - 1] == '/')
		size--;
	return strncmp(path, folder, size) == 0 && path[size] == '/' && !strchr(path + size + 1, '/');
}

static bool keeps_temporaries(const struct strings *args)
{
	for (size_t i = 0; i < args->count; i++)
		if (strncmp(args->items[i], "-save-temps", 11) == 0 || strncmp(args->items[i], "--save-temps", 12) == 0)
			return true;
	return false;
}

/* Names that clang took for temporary files are predictable by the time they are used: move them into our folder. */
static int move_temporaries(struct plan *plan, struct driver *driver, struct err *err)
{
	if (keeps_temporaries(&driver->args))
		return 0;
	for (size_t i = 0; i + 1 < plan->count; i++) {
		size_t at;
		const char *output = job_value(&plan->jobs[i], "-o", &at);
		bool is_used = false;
		for (size_t k = i + 1; output && k < plan->count && !is_used; k++)
			is_used = strings_has(&plan->jobs[k].argv, output);
		if (!is_used || !is_temporary(output) || strings_has(&driver->args, output))
			continue;
		const char *dot = strrchr(output, '.');
		char *name = driver_file(driver, dot ? dot : "", err);
		if (!name)
			return -EIO;
		char *old = mem_copy_string(output);
		for (size_t k = i; k < plan->count; k++)
			for (size_t n = 0; n < plan->jobs[k].argv.count; n++)
				if (strcmp(plan->jobs[k].argv.items[n], old) == 0)
					strings_set(&plan->jobs[k].argv, n, name);
		free(old);
		free(name);
	}
	return 0;
}

/* -MJ: the driver itself writes a piece of a compilation database, but not when it is asked for the plan. */
static int write_database(struct driver *driver, struct err *err)
{
	const char *path = NULL;
	for (size_t i = 0; i < driver->args.count; i++)
		if (strncmp(driver->args.items[i], "-MJ", 3) == 0)
			path = driver->args.items[i][3] ? driver->args.items[i] + 3 : driver->args.items[i + 1];
	if (!path)
		return 0;
	struct strings argv = { 0 };
	struct buf ignored = { 0 };
	strings_add(&argv, driver->clang);
	strings_add(&argv, "-fdriver-only");
	strings_copy(&argv, &driver->args);
	int status = driver_run(driver, &argv, RUN_CAPTURE, &ignored, err);
	buf_release(&ignored);
	strings_release(&argv);
	if (status < 0)
		return status;
	/* The user did not give the option that stopped it there. */
	static const char ours[] = "\"-fdriver-only\", ";
	struct buf text = { 0 };
	char *found;
	status = proc_read_file(path, &text, err);
	while (!status && (found = strstr(text.data ? text.data : "", ours))) {
		memmove(found, found + strlen(ours), strlen(found + strlen(ours)) + 1);
		text.size -= strlen(ours);
	}
	if (!status)
		status = proc_write_file(path, text.data, text.size, err);
	buf_release(&text);
	return status;
}

/* A linker that clang knows and cannot find. */
static int explain_linker(const struct driver *driver, const struct buf *messages, struct err *err)
{
	static const char *const packages[][2] = {
		{ "lld", "lld-19" }, { "gold", "binutils" }, { "bfd", "binutils" }, { "mold", "mold" }
	};
	for (size_t i = 0; messages->data && i < driver->args.count; i++) {
		const char *name = driver->args.items[i];
		if (strncmp(name, "-fuse-ld=", 9) != 0 || !strstr(messages->data, "invalid linker name"))
			continue;
		for (size_t k = 0; k < sizeof packages / sizeof *packages; k++)
			if (strcmp(name + 9, packages[k][0]) == 0) {
				err_set(err, ENOENT, "cannot find the linker for \"%s\"", name);
				err_hint(err, "apt-get install %s, or link without that option", packages[k][1]);
				return -ENOENT;
			}
	}
	return 0;
}

int plan_make(struct plan *plan, struct driver *driver, struct err *err)
{
	struct strings argv = { 0 };
	struct buf text = { 0 };
	strings_add(&argv, driver->clang);
	strings_add(&argv, "-###");
	keep_colours(&argv, &driver->args);
	strings_copy(&argv, &driver->args);
	int status = driver_run(driver, &argv, RUN_SILENT, &text, err);
	strings_release(&argv);
	if (status == 0 && text.data)
		read_lines(plan, text.data);
	if (status > 0 && explain_linker(driver, &text, err) < 0)
		status = -ENOENT;
	buf_release(&text);
	if (status < 0)
		return status;
	bool has_work = false;
	for (size_t i = 0; i < plan->count; i++)
		has_work |= compile_is(&plan->jobs[i]) || link_is(&plan->jobs[i]);
	if (status > 0 || !has_work)
		return 1;
	status = write_database(driver, err);
	return status ? status : move_temporaries(plan, driver, err);
}

void plan_release(struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		strings_release(&plan->jobs[i].argv);
	free(plan->jobs);
	buf_release(&plan->diagnostics);
	buf_release(&plan->banner);
	*plan = (struct plan){ 0 };
}
